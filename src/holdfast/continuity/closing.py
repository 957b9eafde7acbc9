"""How a session's state gets into the pages of its project: merged into the buffer, and at its end into the daily log.

Everything here comes out of the session's own file (`open_sessions.py`), so it can be done by the session itself or
by the next one, once or twice, with the same result. The order at an end: buffer, log, todos, and then what belonged to
the session alone leaves the buffer. Only the last step says that the session is closed.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import DAY_SECONDS, seconds
from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.base.rows import texts_in
from holdfast.base.text import hash_of
from holdfast.continuity import asks, buffer, log, open_sessions, region
from holdfast.continuity.buffer import SaidSentence, WorkingState
from holdfast.continuity.check_boxes import attributed
from holdfast.continuity.log import LogEntry
from holdfast.continuity.messages import MAX_ASK, MAX_TASK
from holdfast.continuity.unfinished import names_no_thing, says_failing, says_undone, waits_for_the_person
from holdfast.inject.block import both_ends
from holdfast.privacy.fence import harmless_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.continuity.buffer import ProjectPages
    from holdfast.continuity.open_sessions import Opened

# What stays in the buffer of the sessions that ended: what the next one should know without looking into the log.
STAY = 8
# A correction is of the moment: it would take the place of what the next session is told.
STAYING_KINDS = ("decision", "architecture", "priority", "preference", "value")
_MIN_TODO = 10
# What answers tell of the work, and what stands before it.
_DONE = {"answer": "", "partly": "", "found": buffer.FOUND}
# Next steps go when so many later sessions did something else, or after so many days in which nobody went on with them;
# what is left to do of a piece of work stands longer.
_OTHER_SESSIONS, _THREAD_SESSIONS, _PLAN_DAYS = 2, 5, 14


def said_of(one: Opened) -> tuple[SaidSentence, ...]:
    """Return what the person said in the session that counts."""
    agent, session = open_sessions.source(one.agent), open_sessions.source(one.session)
    told = [(texts_in(text) or (), at) for kind, text, at in one.rows if kind == "said"]
    return tuple(SaidSentence(pair[0], pair[1], at, agent, session) for pair, at in told if len(pair) == 2)


def _with_unwritten(before: tuple[SaidSentence, ...], one: Opened) -> tuple[SaidSentence, ...]:
    """Return what the page has and, in the order of time, what a prompt since the last merge could not write into it.

    What was written and is not there made room, or the person took it out, and it stays out.
    """
    # What a message says is noted in one go; a row behind it says that it was written.
    messages: list[list[tuple[str, str, str]]] = []
    last = ""
    for row in one.since_merged():
        if row[0] == "said":
            messages += [[]] if last != "said" else []
            messages[-1].append(row)
        elif row[0] == open_sessions.WRITTEN and messages:
            messages[-1] = []
        last = row[0]
    unwritten = said_of(replace(one, rows=tuple([row for message in messages for row in message])))
    said = list(before)
    for each in buffer.with_said(before, unwritten)[len(before) :]:
        later = [place for place, other in enumerate(said) if other.at > each.at]
        said.insert(later[0] if later else len(said), each)
    return tuple(said)


def merge(pages: ProjectPages, one: Opened, at: str) -> WorkingState:
    """Put what happened since the last time into the buffer and return it."""
    rows = one.unmerged()
    # Where the transcript of a turn that was broken off tells what still fails, that is told alone.
    is_known = any(kind == open_sessions.FAILING for kind, _, _ in rows)
    happened = _happened(one.agent, [row for row in rows if not (is_known and row[0] == "failed")])
    kinds = (
        "file",
        "found",
        "next",
        "ask",
        "focus",
        "open",
        "answer",
        "partly",
        "ticked",
        "done",
        "midway",
        "dropped",
        "failing",
        open_sessions.ENDED,
        open_sessions.END,
    )
    new = {name: [text for kind, text, _ in rows if kind == name] for name in kinds}
    kinds_since = {kind for kind, _, _ in one.since_merged()}
    is_answered = open_sessions.PROCESS in kinds_since and open_sessions.ASIDE not in kinds_since
    mark = _mark_of(one)
    asked = {"ask": new["ask"][-1:], "focus": new["focus"] and [_task_of(one)]}
    broken_off = _broken_off(one)
    is_set = open_sessions.is_focus_set_by(pages.home, one.project, one.agent, since=one.began)

    def edit(state: WorkingState) -> WorkingState:
        # What somebody said is being done stands until something else is done.
        follows = bool(one.texts("answer", "file")) or not state.focus or state.focus.endswith(buffer.BY_PROMPT)
        told = [_behind(state.focus, text) for text in asked["focus"] if follows and not is_set]
        by_prompt = [text + mark for text in told] or (
            [] if state.focus else [text + buffer.ANSWERED for text in asked["ask"]]
        )
        focus = "".join(by_prompt) or state.focus
        if focus.endswith(buffer.BY_PROMPT) and (new["answer"] or new[open_sessions.ENDED]):
            focus = buffer.task(focus) + mark
        focus = _with_broken_off(focus, broken_off)
        after = replace(
            state,
            focus=focus,
            said=_with_unwritten(state.said, one),
            happened=_added(state.happened, happened),
            files=_added(state.files, new["file"]),
            next_steps=_steps_after(state, new),
            open_threads=_threads_left(state, new, is_answered=is_answered),
        )
        return after if after == state else replace(after, updated=at, by=one.agent)

    path = _buffer_of(pages, one)
    return buffer.change(path, edit, pages.older_buffers if path == pages.buffer else ())


def _mark_of(one: Opened) -> str:
    """Return how far what was asked for last is: whether an answer has come since, and left something of it open."""
    told = [(kind, text) for kind, text, _ in one.rows if kind in ("focus", open_sessions.ENDED)]
    if told[-1:] and told[-1][0] == "focus":
        return buffer.ASKED
    # An errand ("commit") says nothing of how far the task is.
    about = [text for kind, text in told if kind == open_sessions.ENDED and text != open_sessions.BESIDE]
    return buffer.PARTLY if about[-1:] == [open_sessions.LEFT] else buffer.ANSWERED


def _broken_off(one: Opened) -> str:
    """Return the errand or question of which the turn was broken off; what else was asked for is the focus."""
    answers = [place for place, row in enumerate(one.rows) if row[0] == open_sessions.ENDED]
    since = one.rows[answers[-1] + 1 if answers else 0 :]
    kinds = [kind for kind, _, _ in since]
    asked = [text for kind, text, _ in since if kind == "ask"]
    return asked[-1] if asked and "midway" in kinds and "focus" not in kinds else ""


def _with_broken_off(focus: str, asked: str) -> str:
    """Return the focus with what was asked for behind it and not answered; a focus that somebody set stays."""
    before = buffer.task(focus)
    if not asked or (focus and before == focus):
        return focus
    is_there = before == asked or before.endswith(buffer.THEN + asked)
    return (before if is_there else f"{before}{buffer.THEN}{asked}" if before else asked) + buffer.ASKED


def _task_of(one: Opened) -> str:
    """Return what the session was asked for, and of what was said to it since the last that there is room for."""
    focus = [text for kind, text, _ in one.rows if kind == "focus"]
    every = asks.worked_on(focus[::-1], are_tasks=True) or focus[-1:]
    over = _answered_whole(one)
    # What the next ask leans on stays with it.
    pairs = zip(every, [*every[1:], ""], strict=True)
    first, *added = [
        text + buffer.OVER if text in over and not asks.leans_on_another(then) else text for text, then in pairs
    ]
    told = ""
    for text in reversed(added):
        if len(told) + len(text) > MAX_TASK // 2:
            break
        told = f"{buffer.THEN}{text}{told}"
    return both_ends(first, MAX_TASK - len(told)) + told


def _answered_whole(one: Opened) -> frozenset[str]:
    """Return what the session was asked for, but for the last ask, that an answer came to which left nothing of it."""
    over, waiting = set[str](), list[str]()
    for kind, text, _ in one.rows:
        if kind == "focus":
            waiting.append(" ".join(text.split()))
        elif kind == open_sessions.ENDED and text == open_sessions.WHOLE:
            over |= {*waiting}
            waiting = []
    last = [" ".join(text.split()) for kind, text, _ in one.rows if kind == "focus"][-1:]
    return frozenset(over - {*last})


def _behind(focus: str, task: str) -> str:
    """Return a task; one that means a step of the plan before it, or goes on from it, behind that."""
    first = task.partition(buffer.THEN)[0]
    before = buffer.task(focus).partition(buffer.THEN + first)[0]
    if before == focus or not asks.points_back(first) or task.startswith(before):
        return task
    return f"{both_ends(before, MAX_TASK)}{buffer.THEN}{both_ends(task, MAX_TASK // 2)}"


def _steps_after(state: WorkingState, new: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the next steps that were told last; where these only number a plan that stands, what is left of it."""
    told = texts_in("".join(new["next"][-1:])) or ()
    if told and state.next_steps:
        from holdfast.continuity import plans

        told = () if plans.only_names(told, state.next_steps) else told
        return told or _steps_left(state, new)
    return told if new["next"] else _steps_left(state, new)


def _steps_left(state: WorkingState, new: dict[str, list[str]]) -> tuple[str, ...]:
    """Return the next steps without those that were asked for since, or done, as the agent or the person says."""
    # What was asked for comes next no more: it is being done.
    # What an answer says is left of a step stands in its place.
    left_open = [text for text in texts_in("".join(new["open"][-1:])) or () if says_undone(text)]
    done = [*new["answer"], *new["partly"], *new["ticked"], *new["done"], *new["focus"], *left_open]
    if not state.next_steps or not (done or new["dropped"]):
        return state.next_steps
    from holdfast.continuity import answers, plans
    from holdfast.continuity.done_steps import tells_step

    # Who is told what comes next and only agrees has it done.
    agreed = bool(new["file"] and new["answer"]) and not new["ask"]
    left = [
        step
        for step in plans.without(state.next_steps, [*new["answer"], *new["partly"], *new["ticked"], *new["done"]])
        if not (tells_step(step, done) or (agreed and answers.is_announced(step)))
    ]
    for what in new["dropped"]:
        meant = [step for step in left if tells_step(what, [step])]
        # Where several may be meant, nobody knows which.
        left = [step for step in left if len(meant) != 1 or step not in meant]
    return tuple(left)


def _is_met(thread: str, new: dict[str, list[str]]) -> bool:
    """Whether what an agent needed was said, or what it had not begun was begun, in a turn that has no answer yet."""
    said = buffer.thread(thread)
    return thread.startswith(buffer.BY_ANSWER) and (
        waits_for_the_person(said) or (bool(new["file"]) and names_no_thing(said))
    )


def _threads_left(state: WorkingState, new: dict[str, list[str]], *, is_answered: bool) -> tuple[str, ...]:
    """Return the open threads; a question of an agent stands until the person `is_answered` it.

    What it said still fails stands until an answer tells of work. Where a turn is broken off, what it last said comes
    beside what is open.
    """
    failing = new["failing"][-1:]
    ends = _ends(state, new, is_answered=is_answered)
    midway = [buffer.BROKEN_OFF + text for text in new["midway"][-1:]]
    midway += [buffer.FAILED_LAST + text for text in (texts_in("".join(failing)) or ())[1::2]]
    if not new["open"]:
        over = (*[buffer.BROKEN_OFF for _ in new["midway"][-1:]], *[buffer.FAILED_LAST for _ in failing])
        # Whoever was asked has answered, unless they only wanted to know something.
        over += (buffer.ENDED, buffer.QUESTION) if is_answered else (buffer.ENDED,)
        stays = [text for text in state.open_threads if not text.startswith(over)]
        return (*[text for text in stays if not (is_answered and _is_met(text, new))], *ends, *midway)
    told = texts_in("".join(new["open"][-1:])) or ()
    if told and state.next_steps:
        from holdfast.continuity import plans

        # "Steps 3 to 5 remain." says less than the steps themselves.
        told = tuple([text for text in told if not plans.only_names([text], state.next_steps)])
    others = [text for text in state.open_threads if not text.startswith(buffer.BY_ANSWER)]
    kinds = {
        text: buffer.TO_DO if says_undone(text) else buffer.FAILING if says_failing(text) else buffer.QUESTION
        for text in told
    }
    return (*others, *[kind + text for text, kind in kinds.items()], *ends, *midway)


def _ends(state: WorkingState, new: dict[str, list[str]], *, is_answered: bool) -> list[str]:
    """Return how the last answer about the work ended; what it asked back is over once the person answered."""
    if new[open_sessions.END]:
        return [buffer.ENDED + new[open_sessions.END][-1]]
    if any(sign != open_sessions.BESIDE for sign in new[open_sessions.ENDED]):
        return []
    before = [text for text in state.open_threads if text.startswith(buffer.ENDED)]
    return [text for text in before if not (is_answered and "?" in text)]


def _buffer_of(pages: ProjectPages, one: Opened) -> str:
    """Return the buffer of the worktree in which a session worked, which may be another than that of its closer."""
    named = one.texts(open_sessions.WORKTREE)
    return buffer.page_of(pages.folder, named[-1]) if named else pages.buffer


def close(pages: ProjectPages, one: Opened, at: str, *, cut_off: bool) -> bool:
    """Finish a session: buffer, log, todos, then the buffer without what was the session's alone.

    Whether anything happened in it: of one that only began there is nothing to write but that it is over.
    """
    if one.unmerged():
        merge(pages, one, at)
    entry = entry_of(one, cut_off=cut_off)
    happened = has_something(entry)
    if happened:
        log.write(pages.folder, entry)
        tick(pages, at[:10], told=one.texts("done"), boxes=one.texts("ticked"))
        rotate(pages, one, entry, at)
    open_sessions.note(pages.home, one.agent, one.session, one.project, at, [one.merged(), (open_sessions.CLOSED, "")])
    return happened


def has_something(entry: LogEntry) -> bool:
    """Whether anything happened in a session that a log should tell."""
    return bool(entry.title or entry.done or entry.decisions or entry.failed or entry.files)


def entry_of(one: Opened, *, cut_off: bool) -> LogEntry:
    """Return what the log says about a session: what its hooks were told, and what its agent said itself."""
    steps = [text for kind, text, _ in one.rows if kind in ("next", open_sessions.STEPS)]
    asks = one.texts("focus") or one.texts("ask")
    return LogEntry(
        session=one.session,
        agent=one.agent,
        began=one.began,
        ended=one.last,
        title=harmless_line(asks[0], MAX_ASK) if asks else "",
        outcome=log.CUT_OFF if cut_off else "",
        done=tuple(dict.fromkeys(_DONE[kind] + text for kind, text, _ in one.rows if kind in _DONE)),
        decisions=(
            *[line_of(said) for said in said_of(one)],
            *[attributed(text, one.agent) for text in one.texts(open_sessions.AGREED)],
        ),
        failed=one.texts("failed"),
        files=one.texts("file"),
        next_steps=texts_in("".join(steps[-1:])) or (),
        worktree=tuple(filter(None, one.texts(open_sessions.WORKTREE)[-1:])),
    )


def line_of(said: SaidSentence) -> str:
    """Return a sentence of the person as the log has it."""
    return f"{said.kind}: {said.text}" if said.kind else said.text


def rotate(pages: ProjectPages, one: Opened, entry: LogEntry, at: str) -> WorkingState:
    """Take out of the buffer what is in the log now; the last decisions, the focus and the next steps stay.

    Next steps, and what is left to do, stay as long as somebody goes on with them.
    """
    lines = frozenset(_happened(one.agent, one.rows))
    day = one.began[:10]
    title, logged = f"{day} {one.agent}: {entry.title or 'a session'} (", f"; log/{day}.md)"
    told = harmless_line(f"{title}{entry.outcome or 'ended'}{logged}", buffer.MAX_ITEM)
    path = _buffer_of(pages, one)
    plan = open_sessions.plan_path(pages.home, path)
    stood: dict[str, list[str]] = {}

    def edit(state: WorkingState) -> WorkingState:
        nonlocal stood
        stood = _standing(plan, state, one, at, is_work=bool(entry.done or entry.files))
        steps = state.next_steps if hash_of(*state.next_steps) in stood else ()
        over = [
            text for text in state.open_threads if text.startswith(buffer.TO_DO) and _hash_of_thread(text) not in stood
        ]
        said = _staying(state.said, pages.home, one)
        leaving = [each for each in state.said if each not in said]
        gone: list[str] = []
        for each in leaving:
            # The log of the day on which it was said may have it already, in the entry of another session.
            day, line = each.at[:10], line_of(each)
            if day not in log.days(pages.folder) or region.item(line) not in log.read(pages.folder, day).split("\n"):
                gone.append(line)
        gone += state.decisions[:-STAY]
        gone += [] if steps else [f"Next steps: {step}" for step in state.next_steps]
        gone += over
        # Of a session that nobody closed the log may not have it yet.
        if missing := [text for text in gone if text not in entry.decisions]:
            log.keep(pages.folder, at[:10], missing)
        # A session that went on after it was cut off has ended once.
        before = [text for text in state.happened if text.startswith(title) and text.endswith(logged)]
        rest = [text for text in state.happened if text not in lines and text not in before]
        return replace(
            state,
            happened=(*rest, told),
            said=said,
            decisions=state.decisions[-STAY:],
            next_steps=steps,
            open_threads=tuple([text for text in state.open_threads if text not in over]),
            files=tuple(path for path in state.files if path not in entry.files),
        )

    after = buffer.change(path, edit)
    # Only behind the page: who is killed in between does all of it again, and counts the session once.
    if stood:
        rows = [" ".join((which, *row)) for which, row in stood.items()]
        files.put(plan, dumps(rows).encode(), durable=False)
    elif os.path.lexists(plan):
        files.remove(plan)
    return after


def _standing(plan: str, state: WorkingState, one: Opened, at: str, *, is_work: bool) -> dict[str, list[str]]:
    """Return what is known at the end of a session of the next steps, and of each thread left to do, by their hash.

    That is since when, and which sessions did something else since; what stands no longer is left out. Next steps
    stand anew where the session told them.
    """
    known = {row[0]: row[1:] for text in texts_in(files.read_if_there(plan)) or () if (row := text.split())[1:]}
    most = {_hash_of_thread(text): _THREAD_SESSIONS for text in state.open_threads if text.startswith(buffer.TO_DO)}
    if state.next_steps:
        steps = hash_of(*state.next_steps)
        most[steps] = _OTHER_SESSIONS
        if one.texts("next", open_sessions.STEPS):
            known.pop(steps, None)
    standing = {}
    for which, sessions in most.items():
        since, *others = known.get(which) or [at]
        if is_work and which in known:
            others = [*dict.fromkeys((*others, hash_of(one.agent, one.session)))]
        if len(others) < sessions and seconds(at) - seconds(since) <= _PLAN_DAYS * DAY_SECONDS:
            standing[which] = [since, *others]
    return standing


def _hash_of_thread(text: str) -> str:
    return hash_of(buffer.thread(text))


def _staying(said: tuple[SaidSentence, ...], home: str, ends: Opened) -> tuple[SaidSentence, ...]:
    """Return what stays: all that a person wrote or a living session brought, and the last decisions of the others."""
    named = {one.session for one in said} - {"", open_sessions.source(ends.session)}
    # Mostly no other session has said anything since.
    living = named & open_sessions.living(home, ends.project) if named else named
    others = [one for one in said if one.session and one.session not in living]
    last = [one for one in others if one.kind in STAYING_KINDS][-STAY:]
    return tuple(one for one in said if one not in others or one in last)


def tick(
    pages: ProjectPages, day: str, *, told: Iterable[str] = (), boxes: Iterable[str] = (), commits: Iterable[str] = ()
) -> list[str]:
    """Tick the open todos that the person told to be done, that an agent ticked or a commit is all about.

    Each in the todo's own words. Return their texts.
    """
    said, ticked = tuple(told), [region.plain(text) for text in boxes]
    made = {region.plain(part) for subject in commits for part in (subject, subject.partition(": ")[2])}
    if not said and not ticked and not made:
        return []
    # Most sessions tell of nothing that is done, and the pages are not needed for anything else here.
    from holdfast.continuity import messages
    from holdfast.continuity import pages as lists

    still_open = [todo for todo in lists.todos(pages.folders) if not todo.done]
    by_text = {todo.id: region.plain(todo.text) for todo in still_open if len(todo.text) >= _MIN_TODO}
    done = {name for name, text in by_text.items() if text in made or any(one.startswith(text) for one in ticked)}
    done |= {todo.id for todo in still_open if todo.id in by_text and messages.tells_done(todo.text, said)}
    if done:
        lists.close_todos(pages.folders, tuple(sorted(done)), day)
    return [todo.text for todo in still_open if todo.id in done]


def _happened(agent: str, rows: Iterable[tuple[str, str, str]]) -> list[str]:
    told = {**{kind: f"{agent}: {lead}" for kind, lead in _DONE.items()}, "failed": f"{agent}, failed: "}
    return [told[kind] + text for kind, text, _ in rows if kind in told]


def _added(before: tuple[str, ...], new: list[str]) -> tuple[str, ...]:
    """Return what was there and what is new, each once; what came again is the newest."""
    return (*[text for text in before if text not in new], *dict.fromkeys(new))
