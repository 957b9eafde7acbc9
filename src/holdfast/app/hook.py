"""One call of a hook: the event goes into the journal, then the agent gets what it should know.

It walks where `Workspace` walks, with light steps: it runs before every prompt in front of a waiting person, so it
loads what its moment needs and nothing else, sweeps no file and waits for nobody. It starts nothing but, at the end of
a session, one bounded sweep that goes its own way. Whatever goes wrong is for the caller to log; the session goes on.
"""

from __future__ import annotations

import _thread
import os
import time

from holdfast import settings as settings_table
from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.base.text import CUT, cut
from holdfast.errors import HoldfastError, StoreUnavailable
from holdfast.inject import shown
from holdfast.journal.events import Journal
from holdfast.privacy import fence, redact
from holdfast.records import Event, Given, Receipt, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from holdfast.agents.base import Agent
    from holdfast.agents.transcript_calls import Call
    from holdfast.continuity.hook import Writing
    from holdfast.inject.block import Block
    from holdfast.records import Hit, HookCall, Memory, Project
    from holdfast.settings import Settings
    from holdfast.workspace import Workspace

# A session that goes on with its context has in it what it was given when it started; so has a fork of it.
CONTINUES = ("resume", "fork")
# How much of each text an event keeps. More is read first, so that a secret is not cut in two where it can be seen.
_KEPT = {"prompt": 8_000, "answer": 4_000, "tool_input": 2_000, "error": 2_000}
_KEPT_OTHERWISE = 500
_MARGIN = 4
_MAX_LOG = 256 * 1024


class Syncing:
    """Makes a file durable while the hook goes on with its work. The answer waits for it, so it is on the disk then."""

    def __init__(self) -> None:
        self._done = _thread.allocate_lock()

    def start(self, path: str) -> None:
        """Begin with it."""
        self._done.acquire()
        _thread.start_new_thread(self._sync, (path,))

    def wait(self) -> None:
        """Come back when it is done."""
        self._done.acquire()
        self._done.release()

    def _sync(self, path: str) -> None:
        try:
            files.sync(path)
        except OSError:
            # The line is written; a disk that refuses to say that it is safe is no reason to keep the agent waiting.
            pass
        finally:
            self._done.release()


class HookRun:
    """One call of a hook in one home: what was told, when, and until when an answer is worth waiting for."""

    def __init__(self, home: str, agent: Agent, call: HookCall, environment: Mapping[str, str]) -> None:
        self.home = home
        self.agent = agent
        self.call = call
        self.environment = environment
        self.settings: Settings = settings_table.load(home, environment)
        self.at = now()
        self.until = time.monotonic() + self.settings.number("hook.budget_ms") / 1000
        self.journal = Journal(home)
        self.syncing = Syncing()
        # An agent that names no session has one for each folder.
        self.session = call.session or f"{call.agent}:{call.folder}"
        self.session_label = kept(call.session, _KEPT_OTHERWISE)
        self.writing: Writing | None = None
        # What the transcript told of calls at this moment; it is read once for all who ask.
        self.told_calls: tuple[Call, ...] = ()
        self._project: Project | None = None
        self._asked_project = False

    def is_late(self) -> bool:
        """Whether the time for an answer is over."""
        return time.monotonic() > self.until

    def project(self) -> Project | None:
        """Return the project of the agent's folder, or None where there is none."""
        if not self._asked_project:
            self._asked_project = True
            self._project = _project_of(self)
        return self._project

    def scopes(self) -> dict[str, tuple[Scope, ...]]:
        """Return the scopes that this session may see, by kind, narrowest first."""
        from holdfast.project.ids import is_id

        project = self.project()
        profile = self.environment.get("HOLDFAST_PROFILE", "")
        return {
            "session": (Scope("session", self.call.session),) if is_id(self.call.session) else (),
            "project": tuple(Scope("project", name) for name in (project.id, *project.aliases)) if project else (),
            "agent": (Scope("agent", profile),) if is_id(profile) else (),
            "global": (Scope("global"),),
        }


def hook(home: str, agent: Agent, call: HookCall, environment: Mapping[str, str]) -> str:
    """Record the call and return what to print, mostly nothing. An event that was seen already is passed over."""
    run = HookRun(home, agent, call, environment)
    if not run.settings.flag("enabled") or not shown.is_first(home, call):
        return ""
    if call.moment == "before-tool":
        return _refusal(run)
    record(run)
    if run.settings.unknown:
        _tell_unknown_settings(run)
    try:
        _keep_protocol(run)
        _learn(run)
        if call.moment == agent.settles and not call.subagent:
            _start_sweep(run)
        if run.is_late():
            raise StoreUnavailable("recorded, and no time was left for an answer")
        return _answer(run)
    finally:
        run.syncing.wait()
        _finish_writing(run)


def _refusal(run: HookRun) -> str:
    """Return what refuses a call of a tool. Nothing is recorded before it runs: what it did is told afterwards."""
    from holdfast.learning.security import hook as security_hooks

    return security_hooks.refusal(run)


def _answer(run: HookRun) -> str:
    if run.call.moment == "start":
        return _at_start(run)
    if run.call.moment == "prompt":
        return _at_prompt(run)
    if run.call.moment in ("stop", "end"):
        _make_vectors(run)
    if run.call.moment == "compact" and not run.agent.starts_again:
        with shown.ShownSet(run.home, run.session) as before:
            before.lose()
    return ""


def _keep_protocol(run: HookRun) -> None:
    """Keep the project's working state and log; trouble with that takes nothing else away."""
    if not run.settings.flag("continuity.enabled"):
        return
    from holdfast.continuity import hook

    try:
        hook.keep(run)
    except Exception as problem:
        tell(run, "working state", problem)


def _learn(run: HookRun) -> None:
    """Note what learning lives on: ratings, work, failures, dangerous calls. Its parts keep their trouble apart."""
    from holdfast.app import hook_parts

    hook_parts.keep(run)


def _finish_writing(run: HookRun) -> None:
    try:
        if run.writing is not None:
            run.writing.wait()
    except Exception as problem:
        tell(run, "working state", problem)


def tell(run: HookRun, part: str, problem: Exception) -> None:
    """Add a line about a part of the hook's work to its log.

    What nobody planned may quote what it met, so of it only the kind is told.
    """
    planned = isinstance(problem, (HoldfastError, OSError))
    text = f"{type(problem).__name__}: {without_secrets(str(problem))}" if planned else type(problem).__name__
    line = " ".join(f"{run.at} {run.call.agent} {run.call.moment}, {part}: {text}".split())[:300]
    path = os.path.join(run.home, "state", "hook.log")
    try:
        rows.append(path, [line], durable=False, most=_MAX_LOG)
    except (HoldfastError, OSError):
        return


def _tell_unknown_settings(run: HookRun) -> None:
    """Log the lines of config.toml that count for nothing, once for as long as they stay the same."""
    from holdfast.errors import BadSetting

    said = " ".join([one.text for one in run.settings.unknown])
    path = os.path.join(run.home, "state", "unknown-settings")
    try:
        if files.read_if_there(path) != said.encode("utf-8", "replace"):
            files.make_folder(os.path.dirname(path))
            files.write(path, said.encode("utf-8", "replace"), durable=False)
            tell(run, "settings", BadSetting(said))
    except HoldfastError:
        # What nobody can note cannot be told once, and telling it at every prompt would fill the log.
        return


def record(run: HookRun) -> None:
    """Write the event into the journal, without secrets, without what we injected, and no longer than bounded."""
    call = run.call
    project = run.project()
    told = {
        "native": call.native,
        "source": call.source,
        "folder": call.folder,
        "project": project.id if project else "",
        "subagent": call.subagent,
        "tool": call.tool,
        "tool_input": call.tool_input,
        "error": call.error,
        "prompt": call.prompt,
        "answer": call.answer,
        "transcript": call.transcript,
    }
    data: dict[str, object] = {"agent": call.agent, "session": run.session_label}
    data.update({name: kept(text, _KEPT.get(name, _KEPT_OTHERWISE)) for name, text in told.items() if text})
    if call.moment == "compact":
        data["last_prompt"] = last_prompt(run)
    event = Event(run.at, call.moment, data)
    run.journal.append(event, durable=False)
    run.syncing.start(run.journal.path_of(event))


def last_prompt(run: HookRun) -> str:
    """Return what the person asked last in this session: so far all that is known of its working state."""
    return _latest(run, "prompt", "prompt")


def asked_before_compaction(run: HookRun) -> str:
    """Return what the person had asked last when this session was compacted."""
    return _latest(run, "compact", "last_prompt")


def _latest(run: HookRun, kind: str, field: str) -> str:
    for event in run.journal.latest(kind):
        if event.data.get("session") == run.session_label and event.data.get("agent") == run.call.agent:
            return " ".join(str(event.data.get(field, "")).split())
    return ""


def kept(text: str, most: int) -> str:
    """Return what an event keeps of a text: without our own injections and without secrets, cut between two words."""
    text = text[: most * _MARGIN * 4].encode("utf-8", "replace").decode("utf-8")
    text = cut(fence.stripped(fence.without_hidden(text)), most * _MARGIN, CUT, whole_words=True)
    return cut(without_secrets(text), most, CUT)


def end_kept(text: str, start: int, most: int) -> str:
    """Return the last lines of a text behind `start`, as `kept` does its beginning: what was marked before counts."""
    from holdfast.privacy import private

    text = private.without(fence.stripped(text))[start:]
    if len(text) > most * _MARGIN:
        text = text[-most * _MARGIN :].partition("\n")[2]
    text = without_secrets(fence.stripped(fence.without_hidden(text)))
    return text if len(text) <= most else text[-most:].partition("\n")[2]


def without_secrets(text: str) -> str:
    """Return the text with each secret taken out."""
    return redact.redact(text)[0]


def mark_shown(
    workspace: Workspace,
    session: str,
    hits: Iterable[Hit],
    *,
    agent: str = "",
    moment: str = "recall",
    handed: Iterable[Memory] | None = None,
) -> None:
    """Note that a session was shown these hits through another adapter; no hook gives them again. It leaves a receipt.

    `handed` are the same memories as they were handed over, where long ones were cut: the receipt counts those.
    """
    from holdfast.inject import receipts
    from holdfast.inject.block import Block, Entry, digest_of, given_of, statement_of

    if not session or not workspace.enabled:
        return
    memories = [hit.memory for hit in hits]
    texts = [statement_of(memory) for memory in (memories if handed is None else handed)]
    given = tuple(given_of(Entry(one, "asked for"), text) for one, text in zip(memories, texts, strict=True))
    if not given:
        return
    with shown.ShownSet(workspace.home, session) as before:
        before.note([(memory.scope, memory.key, digest_of(memory)) for memory in memories])
    receipt = _receipt(now(), agent, session, moment, Block("".join(texts), given))
    workspace.journal.append(receipts.event_of(receipt), durable=False)


def _at_start(run: HookRun) -> str:
    from holdfast.app import at_start

    if not run.agent.keeps_memory:
        at_start.lay_scaffold(run)
    if run.call.source in CONTINUES:
        return ""
    shown.tidy(run.home)
    with shown.ShownSet(run.home, run.session) as before:
        # Whatever this session was shown went with its context.
        before.clear()
        if "start" not in run.agent.injects:
            return ""
        block = at_start.start_block(run)
        return _handed_over(run, block, before)


def _at_prompt(run: HookRun) -> str:
    if "prompt" not in run.agent.injects or not run.call.prompt.strip():
        return ""
    from holdfast.app import at_prompt

    with shown.ShownSet(run.home, run.session) as before:
        if not before.is_lost():
            return _handed_over(run, at_prompt.prompt_block(run, before.read()), before)
        before.clear()
        return _handed_over(run, at_prompt.block_after_compaction(run), before)


def _handed_over(run: HookRun, block: Block, before: shown.ShownSet) -> str:
    """Return what to print for a block, after it was noted who was given what."""
    if not block.text:
        return ""
    output = run.agent.injection_output(run.call, block.text)
    # Where the agent reads the same from a rules file, nothing is printed, but the session has been shown it.
    before.add(block.given)
    if not output:
        return ""
    from holdfast.inject import holdout, receipts

    share = run.settings.share("measure.holdout")
    withheld = holdout.withholds(run.agent.main_session(run.call) or run.session, share)
    who = run.at, run.call.agent, run.session_label, run.call.moment
    receipt = _receipt(*who, block, share, withheld)
    run.journal.append(receipts.event_of(receipt), durable=False)
    return "" if withheld else output


def _receipt(
    at: str, agent: str, session: str, moment: str, block: Block, share: float = 0.0, withheld: bool = False
) -> Receipt:
    tokens = -(-len(block.text) // 4)
    given: tuple[Given, ...] = block.given
    return Receipt(
        at, agent, session, moment, given, block.left_out, len(block.text), tokens, holdout=share, withheld=withheld
    )


def _make_vectors(run: HookRun) -> None:
    """Between two prompts there is time for the meaning of what was stored meanwhile."""
    from holdfast.recall.make_vectors import make_vectors

    make_vectors(run)


def _start_sweep(run: HookRun) -> None:
    """What was said in this session is read behind the hook's back, while nobody waits."""
    from holdfast.app import background_sweep

    background_sweep.start_sweep(run.home, run.agent.name, run.settings, run.environment)


def _project_of(run: HookRun) -> Project | None:
    from holdfast.project.registry import Registry
    from holdfast.project.rules import resolve

    override = run.environment.get("HOLDFAST_PROJECT", "")
    told_by = "HOLDFAST_PROJECT" if override else "the setting project.id"
    registry = Registry(os.path.join(run.home, "projects.tsv"))
    try:
        return resolve(
            run.call.folder or os.getcwd(),
            registry,
            override=override or run.settings.text("project.id"),
            override_from=told_by,
        )
    except (HoldfastError, OSError):
        return None
