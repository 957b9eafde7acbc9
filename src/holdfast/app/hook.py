"""One call of a hook: the event goes into the journal, the parts of features do theirs, then the agent gets its answer.

It runs before every prompt in front of a waiting person, so it loads what its moment needs and nothing else, sweeps no
file and waits for nobody. It starts nothing but one bounded sweep that goes its own way. Whatever goes wrong is for
the caller to log; the session goes on.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from holdfast.app.features import at_moment
from holdfast.base import files
from holdfast.base.clock import Deadline
from holdfast.base.minijson import dumps
from holdfast.base.text import DOTS, one_line
from holdfast.errors import HoldfastError, StoreBusy, StoreUnavailable
from holdfast.inject import shown
from holdfast.parts import CONTINUES, HookRun, label
from holdfast.records import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from holdfast.agents.base import Agent
    from holdfast.inject.block import Block
    from holdfast.parts import Effect
    from holdfast.records import HookCall

# How much of each text an event keeps.
_KEPT = {"prompt": 8_000, "answer": 4_000, "tool_input": 2_000, "error": 2_000, "notice": 2_000}
_KEPT_OTHERWISE = 500
_MAX_NOTICE = 480


class Aside:
    """Does something while the hook goes on. The answer waits for it, so that it is on the disk by then."""

    def __init__(self, do: Callable[[], object]) -> None:
        self._done = _thread.allocate_lock()
        self._problem: Exception | None = None
        self._done.acquire()
        _thread.start_new_thread(self._run, (do,))

    def wait(self, until: float) -> Exception | None:
        """Come back when it is done, with what went wrong, or when the time is over."""
        if not self._done.acquire(timeout=max(0.0, until - time.monotonic())):
            return StoreBusy("the disk took too long")
        return self._problem

    def _run(self, do: Callable[[], object]) -> None:
        try:
            do()
        except Exception as problem:
            self._problem = problem
        finally:
            self._done.release()


def hook(home: str, agent: Agent, call: HookCall, environment: Mapping[str, str]) -> str:
    """Record the call and return what to print, mostly nothing. An event that was seen already is passed over."""
    run = HookRun(home, agent, call, environment)
    Deadline.until = run.waits_until
    try:
        return _answered(run)
    finally:
        Deadline.until = float("inf")


def _answered(run: HookRun) -> str:
    home, agent, call = run.home, run.agent, run.call
    if run.settings.flag("sealed"):
        from holdfast.sessions import sealing

        sealing.seal(home, agent.name, call.session, agent.archived_as(call))
        return ""
    if not run.settings.flag("enabled") or not shown.is_first(home, call):
        return ""
    if call.moment in ("before-tool", "after-tool"):
        return around_call(run)
    journalled = _recorded(run)
    asides: list[tuple[str, Aside]] = []
    try:
        effects = effects_of(run)
        sweep = apply(run, [one for one in effects if not one[1].is_told], asides)
        if sweep or (call.moment == agent.settles and not call.subagent):
            # What was said in this session is read in the background, while nobody waits.
            from holdfast.app import background_sweep

            background_sweep.start_sweep(home, agent.name, run.settings, run.environment)
        if not run.give_time_to_answer():
            raise StoreUnavailable("recorded, and no time was left for an answer")
        return _answer_or_loss(run, [one for one in effects if one[1].is_told])
    finally:
        # A disk that does not confirm the line in time is no reason to keep the agent waiting.
        journalled.wait(run.ends)
        for name, aside in asides:
            problem = aside.wait(run.ends)
            if problem is not None:
                run.log(name, problem)
        _finish(run)
        _note_time(run)


def around_call(run: HookRun) -> str:
    """Return what is told before or after a call. An agent waits here many times a turn, so nothing else is done."""
    try:
        effects = effects_of(run)
        if not effects:
            return ""
        from holdfast.app.at_call import answer

        apply(run, [one for one in effects if not one[1].is_told], [])
        return answer(run, [one for one in effects if one[1].is_told])
    finally:
        call = run.call
        about = {"session": run.session_id, "subagent": call.subagent, "tool": call.tool}
        told: dict[str, object] = {"agent": call.agent}
        told |= {name: label(text, _KEPT_OTHERWISE) for name, text in about.items() if text}
        run.journal.append(Event(run.at, call.moment, {**told, "ms": run.milliseconds()}), durable=False)


def _note_time(run: HookRun) -> None:
    try:
        if run.recorded is not None:
            run.journal.note_time(*run.recorded, run.milliseconds())
    except HoldfastError as problem:
        run.log("journal", problem)


def _recorded(run: HookRun) -> Aside:
    """Record the event. Where nothing can be written, the session is answered and told that nothing is kept."""
    if run.settings.unknown:
        _log_unknown_settings(run)
    try:
        return record(run)
    except StoreUnavailable as problem:
        run.cannot_write = str(problem)
        run.log("journal", problem)
        return Aside(lambda: None)


def _answer_or_loss(run: HookRun, told: list[tuple[str, Effect]]) -> str:
    try:
        return _with_notice(run, _answer(run, told))
    except Exception as problem:
        if not run.cannot_write:
            raise
        run.log("answer", problem)
        return run.agent.injection_output(run.call, _with_the_loss(run, ""))


def _with_notice(run: HookRun, output: str) -> str:
    """Return the answer with the line for the person, if there is one at this moment."""
    if not run.notices or not run.shows_notices():
        return output
    from holdfast.privacy.fence import safe, without_secrets

    told = safe(one_line("; ".join(dict.fromkeys(run.notices)), _MAX_NOTICE, DOTS), without_secrets)
    line = dumps({"systemMessage": f"Holdfast: {told}"})
    return f"{output[:-1]}, {line[1:]}" if output else line


def effects_of(run: HookRun) -> list[tuple[str, Effect]]:
    """Return what the parts of features want done at this moment. Trouble of one is logged and stops no other."""
    found: list[tuple[str, Effect]] = []
    moment = run.call.moment
    for feature in at_moment(moment) if not run.was_stopped() else ():
        try:
            if feature.is_on(run.settings) and (moment in feature.moments or run.calls()):
                part = getattr(feature.part("hook"), "at_" + moment.replace("-", "_"))
                found += [(feature.name, effect) for effect in part(run)]
        except Exception as problem:
            run.log(feature.name, problem)
    return found


def apply(run: HookRun, effects: Iterable[tuple[str, Effect]], asides: list[tuple[str, Aside]]) -> bool:
    """Do what the parts want done, each on its own; return whether one of them asked for a sweep."""
    sweep = False
    for name, effect in effects:
        try:
            is_new = True
            if effect.do is not None and effect.beside:
                asides.append((name, Aside(effect.do)))
            elif effect.do is not None:
                is_new = effect.do() is not False
            sweep |= effect.sweep and is_new
        except Exception as problem:
            run.log(name, problem)
    try:
        run.settle()
    except Exception as problem:
        run.log("transcript", problem)
    return sweep


def _finish(run: HookRun) -> None:
    """Bring up to date what a stored memory leaves behind; most hooks store none. A later command does it, too."""
    if not run.workspace.is_open or time.monotonic() > run.ends:
        return
    if sys.flags.no_site:
        # A hook runs without third-party packages, and renewing rules files needs one of them.
        import site

        site.main()
    from holdfast.app.finish import finish

    try:
        with run.workspace:
            finish(run.workspace)
    except Exception as problem:
        run.log("index pages", problem)


def _answer(run: HookRun, told: list[tuple[str, Effect]]) -> str:
    if run.call.moment in ("start", "prompt", "stop", "end"):
        _catch_up(run)
    if run.call.moment == "start":
        return _at_start(run)
    if run.call.moment == "prompt":
        return _at_prompt(run)
    if run.call.moment in ("stop", "end") and run.settings.flag("recall.meaning"):
        # Between two prompts there is time for the meaning of what was stored meanwhile.
        from holdfast.recall.vectors import make_few

        make_few(run.home, run.is_late)
    if run.call.moment == "compact" and not run.agent.starts_again:
        with shown.ShownSet(run.home, run.session) as before:
            before.lose()
    if not told:
        return ""
    from holdfast.app.at_call import answer

    return answer(run, told)


def _catch_up(run: HookRun) -> None:
    """Tell the index of memories that were written while another process held it, if there are any."""
    from holdfast.store.index import behind_mark, mark_behind

    if not os.path.exists(behind_mark(run.home)):
        return
    # Removed first, so that a later failure leaves a new one.
    files.discard(behind_mark(run.home))
    try:
        run.workspace.refresh(None)
    except Exception as problem:
        mark_behind(run.home)
        run.log("index", problem)
    else:
        if run.workspace.store.is_temporary:
            mark_behind(run.home)


def _log_unknown_settings(run: HookRun) -> None:
    """Log the lines of config.toml that count for nothing, once for as long as they stay the same."""
    from holdfast.errors import BadSetting

    said = " ".join([one.text for one in run.settings.unknown])
    path = os.path.join(run.home, "state", "unknown-settings")
    try:
        if files.read_if_there(path) != said.encode("utf-8", "replace"):
            files.put(path, said.encode("utf-8", "replace"), durable=False)
            run.log("settings", BadSetting(said), notice=False)
    except HoldfastError:
        # Without a place to note it, it would be told at every prompt.
        return


def record(run: HookRun) -> Aside:
    """Write the event into the journal, without secrets, without what we injected, and no longer than bounded.

    It is made durable while the hook goes on.
    """
    from holdfast.privacy.fence import kept

    call = run.call
    project = run.project()
    told = {
        "native": call.native,
        "source": call.source,
        "folder": call.folder,
        "project": project.id if project else "",
        "subagent": call.subagent,
        "profile": run.workspace.profile,
        "tool": call.tool,
        "tool_input": call.tool_input,
        "error": call.error,
        "prompt": call.prompt,
        "notice": call.notice,
        "answer": call.answer,
        "transcript": call.transcript,
    }
    data: dict[str, object] = {"agent": call.agent, "session": run.session_id}
    data.update({name: kept(text, _KEPT.get(name, _KEPT_OTHERWISE)) for name, text in told.items() if text})
    if call.moment in ("start", "prompt"):
        from holdfast.continuity.open_sessions import agent_process

        # It tells an MCP server of the same agent process which session it serves.
        data["process"] = agent_process()
    if call.moment == "compact":
        data["last_prompt"] = run.last_prompt()
    event = Event(run.at, call.moment, data)
    run.recorded = event, run.journal.append(event, durable=False, timed=True)
    return Aside(lambda: files.sync(run.journal.path_of(event)))


def _at_start(run: HookRun) -> str:
    from holdfast.app import at_start

    try:
        changed = _look_at_set(run)
        if not run.agent.keeps_memory:
            at_start.lay_scaffold(run, changed=changed)
    except (HoldfastError, OSError) as problem:
        run.log("scaffold", problem)
    if run.call.source in CONTINUES:
        return ""
    shown.tidy(run.home)
    try:
        at_start.look_at_files(run)
    except (HoldfastError, OSError) as problem:
        run.log("index", problem)
    with shown.ShownSet(run.home, run.session) as before:
        # What this session was shown is no longer in its context.
        before.clear()
        if "start" not in run.agent.injects:
            return ""
        output = _handed_over(run, at_start.start_block(run), before)
        if output or run.notices:
            at_start.note_said(run)
        return output


def _look_at_set(run: HookRun) -> bool:
    """Whether the memories that the repository brings changed; withdrawn ones are then no longer told."""
    from holdfast.app import repository_sets

    project = run.project()
    return project is not None and repository_sets.look(run.workspace, project.root)


def _at_prompt(run: HookRun) -> str:
    if "prompt" not in run.agent.injects or not (run.call.prompt + run.call.notice).strip():
        return ""
    from holdfast.app import at_prompt

    if run.workspace.has_decided_sets:
        try:
            _look_at_set(run)
        except (HoldfastError, OSError) as problem:
            run.log("repository", problem)
    told = shown.ShownSet(run.home, run.session)
    missed = run.agent.misses_starts and not os.path.exists(told.path)
    with told as before:
        if not missed and not before.is_lost():
            return _handed_over(run, at_prompt.prompt_block(run, before.read()), before)
        before.clear()
        return _handed_over(run, at_prompt.block_after_compaction(run), before)


def _with_the_loss(run: HookRun, text: str) -> str:
    """Return a block behind one that says that nothing is kept; nothing else could tell it."""
    from holdfast.privacy.fence import fenced, safe, without_secrets

    why = safe(run.cannot_write, without_secrets)
    said = f"For the user: Holdfast cannot write: what is said now is not kept ({why})."
    return "\n".join([part for part in (fenced([said]), text) if part])


def _handed_over(run: HookRun, block: Block, before: shown.ShownSet) -> str:
    """Return what to print for a block, after it was noted who was given what."""
    if run.cannot_write:
        return run.agent.injection_output(run.call, _with_the_loss(run, block.text))
    if not block.text:
        return ""
    output = run.agent.injection_output(run.call, block.text)
    from holdfast.inject.block import said_rows

    # Where the agent reads the same from a rules file, nothing is printed, but the session has been shown it.
    before.add(block.given)
    before.note(said_rows([line.said for line in block.lines]))
    if not output:
        return ""
    from holdfast.inject import receipts

    return output if receipts.write(run, block) else ""
