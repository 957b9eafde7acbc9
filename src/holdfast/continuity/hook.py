"""What hooks keep of a session: what is said goes into the buffer, what was done into the log, always.

At a prompt the person's message is looked through and what counts is in `buffer.md` before the agent goes on. While the
agent works, what it touches is noted beside. When it pauses, compacts or ends, that goes into the pages, and what an
agent could not finish the next start of the project does. Nothing here asks a model, and nothing waits for long.
"""

from __future__ import annotations

import os

from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.base.text import DOTS, cut, small_words, with_capital
from holdfast.continuity import asks, messages, open_sessions
from holdfast.errors import HoldfastError, StoreBusy
from holdfast.parts import CONTINUES, Effect
from holdfast.privacy.fence import kept, kept_end, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.continuity.buffer import ProjectPages, WorkingState
    from holdfast.continuity.open_sessions import Opened
    from holdfast.language.triggers import Trigger
    from holdfast.parts import HookRun
    from holdfast.records import Project, Stored

_MAX_ANSWER = 16_000
_MAX_DONE = 10
# A start waits for these, the newest of those that were left; the others are for later starts.
_MAX_CLOSED = 2
_MAX_OPEN = 6
_MAX_NOTED = 120
# A longer message does more than to choose; a shorter one that has none of these words names no option.
_MAX_PICK = 400
_MARKS = f"{messages.WORDS.rpartition('/continuity/')[0]}/sessions/words/marks.txt"
_NAMES = ("both", "all", "first", "second", "third", "former", "latter", "last", "option", "options", "approach")
_OTHERS = ("plan", "solution", "erste", "zweite", "beide", "variante", "opción", "opção")
_PICKS = frozenset((*"123456789bcdef", *_NAMES, *_OTHERS))


def at_prompt(run: HookRun) -> Iterator[Effect]:
    """Write what the person's message says that counts into the buffer; a "remember" becomes a memory at once."""
    text = run.words()
    if not text:
        return
    from holdfast.language import triggers

    project = run.project()
    taken_back: list[Effect] = []
    noticed = len(run.notices)
    if triggers.may_take_back(text):
        from holdfast.continuity import withdrawn

        taken_back = withdrawn.effects(run, _pages(run, project) if project else None, text)
    # A candidate is not told as a fact, but in the place of what was said, or of a memory, that the message takes back.
    is_instead = bool(taken_back) or len(run.notices) > noticed
    found = tuple(one for one in triggers.scan(text) if one.sure or messages.stands(one, is_instead))
    yield from taken_back
    if project is not None:
        yield from _write_down(run, project, text, found)
    wanted = [one for one in found if one.kind == "remember"]
    if any(whole := [messages.whole(text, one.text, one.statement) for one in wanted]):
        from holdfast.language.lists_to_keep import items_of

        yield Effect(lambda: _remember(run, [item for one in filter(None, whole) for item in items_of(one)]))
    elif project is not None and messages.may_order(text):
        from holdfast.continuity.standing import told_of

        run.notices += told_of(run, text)


def _write_down(run: HookRun, project: Project, text: str, found: tuple[Trigger, ...]) -> Iterator[Effect]:
    # A sentence that is of two kinds is written down once, as the first of them.
    sentences = {one.text: one.kind for one in reversed(found)}
    told = [(kind, messages.in_context(text, sentence)) for sentence, kind in reversed(sentences.items())]
    said = [(kind, messages.clean(sentence, messages.MAX_SAID)) for kind, sentence in told]
    picked = _picked(run, project, text)
    if picked:
        # What an option means stands in the agent's message, so the sentence alone says nothing.
        said = [*[one for one in said if one[0] != "decision"], ("decision", messages.clean(picked, messages.MAX_SAID))]
    ask = asks.asked(text)
    # Who chooses, or only wants to know something, goes on with what was asked before.
    only_asks = asks.only_asks(text)
    about = "" if picked or only_asks else asks.focus_of(text, ask, found)
    rows = [("said", dumps([kind, what])) for kind, what in said]
    rows += [(kind, line) for kind, line in (("ask", ask), ("focus", about)) if line]
    rows += [("done", messages.clean(one, messages.MAX_SAID)) for one in messages.said_done(text)[:_MAX_DONE]]
    rows += [("dropped", messages.clean(what, messages.MAX_ASK)) for what in asks.dropped(text)]
    rows += [(open_sessions.ASIDE, "-")] if only_asks or asks.says_good_bye(text) else []
    yield Effect(lambda: _note(run, project, [*rows, (open_sessions.PROCESS, open_sessions.agent_process())]))
    # What was asked is in the session's file; the page gets it when the agent pauses, so that most prompts need not
    # wait for the disk.
    if said:
        yield Effect(lambda: _put_into_buffer(run, project, said, about), beside=True)


def _picked(run: HookRun, project: Project, text: str) -> str:
    """Return what a short message chooses of what the agent offered at its last pause; mostly nothing."""
    words = small_words(text[: _MAX_PICK + 1].casefold(), "")
    if len(text) > _MAX_PICK or (_PICKS.isdisjoint(words) and words[-1:] != ["a"]):
        return ""
    one = open_sessions.read(_open_path(run, project))
    offered = ""
    for kind, told, _ in one.rows if one else ():
        # An offer is over when something else was asked or answered.
        offered = told if kind == open_sessions.OFFERED else "" if kind == "ask" else offered
    if not offered:
        return ""
    from holdfast.language.choices import chosen

    return chosen(text, offered)


def _put_into_buffer(run: HookRun, project: Project, said: list[tuple[str, str]], about: str) -> None:
    # Most prompts say nothing that is written down at once.
    from holdfast.continuity import buffer

    agent = run.call.agent
    new = [
        buffer.SaidSentence(kind, what, run.at, agent, open_sessions.source(run.session_label)) for kind, what in said
    ]
    began = open_sessions.began(_open_path(run, project))
    is_set = open_sessions.is_focus_set_by(run.home, project.id, agent, since=began)
    about = about + buffer.ASKED if about and not is_set else ""

    def edit(state: WorkingState) -> WorkingState:
        follows = not state.focus or state.focus.endswith(buffer.BY_PROMPT)
        focus = about if about and follows else state.focus
        after = replace(state, said=buffer.with_said(state.said, new), focus=focus)
        return after if after == state else replace(after, updated=run.at, by=agent)

    pages = _pages(run, project)
    is_new = not os.path.lexists(pages.buffer)
    buffer.change(pages.buffer, edit, pages.older_buffers)
    _note(run, project, [(open_sessions.WRITTEN, "")])
    if is_new:
        from holdfast.project import record

        record(project, run.workspace.registry)


def _remember(run: HookRun, texts: list[str]) -> None:
    """Store what the person asked to remember: in the project or, what is about the person, in global without one.

    What is not about the person and has no project stays in the journal: it would be a rule for every project.
    """
    scope = "project" if run.project() else "global"
    types = {text: _type_of(text) for text in texts}
    stored = {text: kind for text, kind in types.items() if scope == "project" or kind == "user"}
    if not stored:
        return
    # The store is heavy; a person who asks for this can wait for a moment.
    from holdfast.continuity.standing import where
    from holdfast.inject import shown as known
    from holdfast.inject.block import digest_of, said_rows, statement_of
    from holdfast.memory.remember import names_only_a_secret, remember
    from holdfast.store.keys import hashed
    from holdfast.store.kinds import tidied

    secret = [text for text in stored if names_only_a_secret(text)]
    run.notices += ["not remembered: it was nothing but a secret" for _ in secret[:1]]

    def store(text: str, kind: str, key: str | None = None) -> Stored:
        said, agent = tidied(text), run.call.agent
        return remember(
            run.workspace, with_capital(said), key=key, scope=scope, type=kind, trust="user", source="hook", agent=agent
        )

    answers = []
    for text, kind in stored.items():
        if text in secret:
            continue
        try:
            answers.append(store(text, kind))
        except StoreBusy:
            # Whoever holds its key must not cost the person a memory: another key is free.
            answers.append(store(text, kind, hashed(text)))
    told = [one.memory for one in answers]
    older = [key for one in answers for key in one.against]
    run.notices += [
        f'remembered "{cut(memory.body, _MAX_NOTED, DOTS)}" ({memory.key}){where(run, memory)}' for memory in told
    ]
    run.notices += [f"{key} said otherwise and is no longer told (`holdfast forget {key}`)" for key in older]
    # Who just said it need not be told it.
    with known.ShownSet(run.home, run.session) as before:
        before.note([(memory.scope, memory.key, digest_of(memory)) for memory in told])
        before.note(said_rows([statement_of(memory) for memory in told]))


def _type_of(text: str) -> str:
    """Return the type of what the person asked to remember: about them, a rule of theirs, or a fact."""
    from holdfast.language.triggers import lays_down

    if messages.is_about_the_person(text):
        return "user"
    return "feedback" if lays_down(text) else "reference"


def _open_session(run: HookRun) -> None:
    """Finish what another session of this project, or an earlier run of this one, left open; then open this one."""
    project = run.project()
    if project is None or run.call.subagent:
        return
    from holdfast.agents.transcript_calls import tail

    # A start after a compaction is in the middle of a session.
    is_new = run.call.source != "compact"
    seconds = run.settings.number("continuity.open_minutes") * 60
    left = open_sessions.left_open(run.home, project.ids, seconds, _open_path(run, project) if is_new else "")
    if left:
        _finish(run, project, left)
    if is_new:
        # What the transcript of a resumed session has already was not done now.
        read = tail(run.call.transcript, 0)[1] if run.call.source in CONTINUES else 0
        rows = [(open_sessions.TRANSCRIPT, run.call.transcript), (open_sessions.READ, str(read))]
        rows.append((open_sessions.WORKTREE, _pages(run, project).worktree))
        _note(run, project, [*rows, (open_sessions.PROCESS, open_sessions.agent_process())])


def _finish(run: HookRun, project: Project, left: list[Opened]) -> None:
    from holdfast.continuity import closing, region

    pages = _pages(run, project)
    problems: list[HoldfastError] = []
    # Of two that start at once, one does it; the other finds nothing left.
    with region.lock_of(pages.folder, "closing"):
        told = 0
        for one in left:
            now = open_sessions.read(one.path)
            if now is None or now.closed or now.changed != one.changed:
                continue
            if told >= _MAX_CLOSED or run.is_late():
                break
            try:
                told += closing.close(pages, _collected(run, project, now), run.at, cut_off=True)
            except HoldfastError as problem:
                # One that cannot be closed keeps nobody from closing the others.
                problems.append(problem)
    if problems:
        raise problems[0]


def _collect(run: HookRun) -> None:
    """Collect which file was changed or which command failed; the pages get it when the agent pauses."""
    from holdfast.language import tools

    call = run.call
    changed, line = tools.changed_files(call.tool, call.tool_input), tools.line_of(call.tool_input)
    if ".md" in call.tool_input:
        _mark_as_agents(run, call.tool, call.tool_input)
    project = run.project()
    if project is None:
        return
    if call.moment == "tool-failed" or call.error:
        from holdfast.continuity.unfinished import failing_command

        # A search that found nothing says nothing about the work.
        if told := failing_command(line or call.tool, call.error):
            _note(run, project, [("failed", told)])
    elif changed:
        _note(run, project, [("file", _path_in(project, path)) for path in changed])
    else:
        open_sessions.beat(_open_path(run, project))


def _mark_as_agents(run: HookRun, tool: str, given: object, since: float = 0.0) -> None:
    """Take what a call wrote into a page or memory for the agent's word, though it stands where a person writes.

    A file that was not written since then is as the person left it: the call failed, or only read it.
    """
    from holdfast.language import commands, runs, tools
    from holdfast.store import last_look

    arguments = tools.Arguments(given)
    named, line = tools.changed_files(tool, given), arguments.line()
    if not named and tools.kind_of(tool) == "other":
        # A server's tool that nobody knows, such as one that moves a file.
        named = [told for told in (arguments.fields or {}).values() if isinstance(told, str)]
    elif not named and line and not commands.only_looks(line):
        named = [word.strip("\"'`;") for word in line.replace(">", " ").split()]
        for one in runs.runs(line):
            paths = (*one.writes, *runs.changed_by(one.words))
            named += [os.path.join(os.path.expanduser(one.folder), os.path.expanduser(path)) for path in paths]
    for path in filter(last_look.is_told, named):
        whole = os.path.join(run.call.folder, os.path.expanduser(path))
        # One that was moved there keeps the time at which it was written.
        if os.path.exists(whole) and os.stat(whole).st_ctime >= since:
            last_look.note_agent(run.home, whole, run.call.agent)


def _refresh(run: HookRun) -> Opened | None:
    """Bring the buffer up to date with what the agent did, by what hooks and the transcript's tail tell.

    Return the session as it is then. This is also what is written down before a conversation is compacted.
    """
    project = run.project()
    if project is None or run.call.subagent:
        return None
    path = _open_path(run, project)
    one = open_sessions.read(path)
    if one is None or (run.call.transcript and one.transcript != run.call.transcript):
        _note(run, project, [(open_sessions.TRANSCRIPT, run.call.transcript)] if run.call.transcript else [])
        one = open_sessions.read(path)
    # What was changed comes first: by it the answer is known to tell of work.
    answer = run.call.answer
    if not answer and run.call.moment == "stop" and one is not None:
        # Not every agent says at a pause what it answered.
        from holdfast.agents.transcript_calls import said_in, tail

        answer = "".join(said_in(tail(one.transcript, one.read_up_to())[0])[-1:])
    one = _collected(run, project, one) if one is not None else None
    if told := _told_by_answer(answer, one, _open_before(run, project) if answer else []):
        _note(run, project, told)
        one = open_sessions.read(path)
    if one is None or one.closed:
        return one
    if not one.unmerged():
        open_sessions.beat(path)
        return one
    from holdfast.continuity import closing

    closing.merge(_pages(run, project), one, run.at)
    _note(run, project, [one.merged()])
    return open_sessions.read(path)


def _close_session(run: HookRun) -> None:
    """Finish the session: buffer, log, to-dos, and then what was this session's alone leaves the buffer."""
    project = run.project()
    if project is None or run.call.subagent or not os.path.exists(_open_path(run, project)):
        return
    one = _refresh(run)
    if one is None or one.closed:
        return
    from holdfast.continuity import closing, region

    pages = _pages(run, project)
    with region.lock_of(pages.folder, "closing"):
        closing.close(pages, replace(one, last=run.at), run.at, cut_off=False)


def _open_before(run: HookRun, project: Project) -> list[str]:
    """Return what answers left open so far, also those of earlier sessions, as the page has it."""
    from holdfast.continuity import buffer

    pages = _pages(run, project)
    try:
        return [one for one in buffer.read(pages.buffer, pages.older_buffers).open_threads if buffer.thread(one) != one]
    except (HoldfastError, OSError):
        return []


def _told_by_answer(answer: str, before: Opened | None, threads_before: list[str]) -> list[tuple[str, str]]:
    """Return what the agent's answer says about the work; `threads_before` is what was open before it."""
    if not answer:
        return []
    # Only a pause has an answer to read.
    from holdfast.continuity import answers, buffer, halves, plans, threads
    from holdfast.continuity.unfinished import is_unexplained
    from holdfast.language.word_lists import lists

    if answer.lstrip().startswith(lists(_MARKS)["no-answer"]):
        # The program wrote it in the agent's place.
        return []

    beginning = kept(shown(answer[: _MAX_ANSWER * 4]), _MAX_ANSWER)
    # A long answer says first what was done, and last what comes next.
    end = beginning if len(answer) <= _MAX_ANSWER else shown(kept_end(answer, 0, _MAX_ANSWER))
    steps, questions = answers.next_steps(end), threads.open_questions(end)
    since = before.since_answered() if before else ()
    changed = [*dict.fromkeys(text for kind, text, _ in since if kind == "file")]
    # A plan is laid out before anything is changed; beside a change it tells how that was made.
    steps = plans.laid_out(end) or None if steps is None and not changed else steps
    last = [text for kind, text, _ in (before.rows if before else ()) if kind == "ask"][-1:]
    # Who only wanted to know something gets an answer, which reports no work.
    is_errand = any(map(asks.is_errand, last))
    is_report = bool(changed) or not (is_errand or any(map(asks.only_asks, last)))
    offered = halves.offered_at(end)
    # What is offered was not done, nor found.
    reported = halves.without_last_list(beginning) if offered else beginning
    done = answers.done_by(reported, changed=changed) if is_report else ""
    is_asked = any(kind in ("ask", "said") for kind, _, _ in since) and is_report and not (done or questions)
    still = threads.left_open(
        [buffer.thread(text) for text in threads_before if not text.startswith((buffer.ENDED, *buffer.MIDWAY))],
        # Who was asked for what is left and reports work has done it, in whatever words.
        " ".join([*last, beginning]) if done or changed else beginning if is_errand else "",
        done=done,
        is_work=bool(done or changed),
        is_aside=any(kind == open_sessions.ASIDE for kind, _, _ in since),
        dropped=[text for kind, text, _ in since if kind == "dropped"],
        explained="" if any(map(is_unexplained, answers.sentences_of(beginning))) else " ".join([*last, beginning]),
    )
    left = (*threads.news(threads.failing(end), still), *questions)
    questions = tuple(dict.fromkeys((*left, *still)))[:_MAX_OPEN]
    found = answers.found_by(reported) if is_asked else ""
    is_task = bool(done or changed) or any(kind == "focus" for kind, _, _ in since)
    leaves = bool(left or steps)
    ended, ends = threads.how_it_ended(end if is_report else "", done, found, leaves=leaves, is_change=bool(changed))
    ended = open_sessions.BESIDE if ended == open_sessions.WHOLE and not is_task else ended
    rows = [
        ("answer", halves.without_rests(done, ends)),
        ("next", "" if steps is None else dumps(list(steps))),
        ("open", dumps(list(questions)) if questions or threads_before else ""),
        ("found", found),
        (open_sessions.ENDED, ended),
        (open_sessions.END, ends),
    ]
    rows += [("ticked", text) for text in dict.fromkeys([*answers.ticked(beginning), *answers.ticked(end)])]
    # An answer that offers nothing ends what was offered before.
    return [*[(kind, text) for kind, text in rows if text], (open_sessions.OFFERED, offered)]


def _collected(run: HookRun, project: Project, one: Opened) -> Opened:
    """Note which files the transcript says were changed and what was chosen in dialogs, as far as it was not read yet.

    Return the session then.
    """
    from holdfast.agents.transcript_calls import choices, naming_files, said_in, tail
    from holdfast.base.clock import seconds
    from holdfast.language.tools import changed_files

    since = one.read_up_to()
    lines, end = tail(one.transcript, since) if one.transcript else ([], since)
    if end == since:
        return one
    calls = list(naming_files(lines))
    # Not every agent has a hook behind a call that went well.
    for call in calls:
        if ".md" in str(call[1]):
            _mark_as_agents(run, *call, since=seconds(one.began))
    # What an answer says is read by itself, and its line may come into the transcript after the pause that told it.
    is_answer = run.call.answer or run.call.moment == "stop" or one.is_answered()
    # Before a compaction and at an end the turn may be broken off.
    midway = [] if is_answer else said_in(lines)[-_MAX_DONE:]
    paths = [path for call in calls for path in changed_files(*call)]
    files = dict.fromkeys(_path_in(project, path) for path in paths)
    chose = choices(lines, run.agent.dialogs) if one.agent == run.call.agent else []
    said = [("said", dumps(["decision", messages.clean(text, messages.MAX_SAID)])) for text in chose]
    rows = [*(("file", path) for path in files if path), *said, (open_sessions.READ, str(end))]
    if not is_answer:
        from holdfast.continuity.unfinished import failing_rows

        rows += failing_rows(lines, one)
    if midway:
        from holdfast.continuity import answers

        told = [kept_end(text, 0, _MAX_ANSWER) for text in midway]
        broken_off = answers.midway(told[-1])
        # Before anything was changed, an agent tells what it found; what it said last is where it broke off.
        kinds = [*["partly" for _ in told[1:]], "ticked" if broken_off else "partly"]
        partly = [(kind, answers.done_by(text)) for kind, text in zip(kinds, told, strict=True) if files]
        rows += [row for row in (*partly, ("midway", broken_off)) if row[1]]
    open_sessions.note(run.home, one.agent, one.session, one.project, one.last, rows)
    return open_sessions.read(one.path) or one


def _path_in(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    return messages.clean(path.removeprefix(project.root.rstrip("/") + "/"), messages.MAX_ASK)


def _pages(run: HookRun, project: Project) -> ProjectPages:
    from holdfast.continuity.buffer import ProjectPages

    return ProjectPages(run.home, project.id, project.aliases, project.root)


def _open_path(run: HookRun, project: Project) -> str:
    return open_sessions.path_of(run.home, run.call.agent, run.session_label, project.id)


def _note(run: HookRun, project: Project, rows: list[tuple[str, str]]) -> None:
    open_sessions.note(run.home, run.call.agent, run.session_label, project.id, run.at, rows)


def at_start(run: HookRun) -> list[Effect]:
    """Finish what was left open, then open this session."""
    return [Effect(lambda: _open_session(run))]


def at_tool(run: HookRun) -> list[Effect]:
    """Collect what a call of a tool did."""
    return [Effect(lambda: _collect(run))]


def at_stop(run: HookRun) -> list[Effect]:
    """Bring the buffer up to date."""
    return [Effect(lambda: _refresh(run))]


def at_end(run: HookRun) -> list[Effect]:
    """Finish the session."""
    return [Effect(lambda: _close_session(run))]


at_tool_failed = at_tool
at_compact = at_stop
