"""The protocol of a session, kept by hooks: what is said goes into the buffer, what was done into the log, always.

At a prompt the person's message is looked through and what counts is in `buffer.md` before the agent goes on. While the
agent works, what it touches is collected beside. When it pauses, compacts or ends, that goes into the pages, and what
an agent could not finish the next start of the project does. Nothing here asks a model, and nothing waits for long.
"""

from __future__ import annotations

import _thread
import os
import sys

from holdfast import project as projects
from holdfast.actions.hook import CONTINUES, kept
from holdfast.agents import speaking
from holdfast.continuity import opened, region, running
from holdfast.continuity.places import Pages
from holdfast.errors import HoldfastError
from holdfast.light import replace
from holdfast.plain_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.actions.hook import Visit
    from holdfast.actions.house import House
    from holdfast.continuity.buffer import State
    from holdfast.continuity.triggers import Trigger
    from holdfast.records import Project
    from holdfast.sessions.facts import Digest

# A message may have a whole file in it; what a person says of it themselves stands at its beginning or its end.
_BEGINNING = 32_000
_END = 8_000
_MOST_ASK = 200
_MOST_SAID = 300
_MOST_REMEMBERED = 4_000
_MOST_ANSWER = 16_000
_MOST_ERROR = 240
_MOST_CLOSED = 5
_DONE_WORDS = frozenset(("done", "finished", "fixed", "shipped", "completed", "erledigt", "fertig", "behoben"))
# Words of which what leads to a thing to remember consists.
_LEADS = frozenset(
    (
        *("please", "remember", "note", "always", "keep", "in", "mind", "do", "dont", "not", "never", "forget", "also"),
        *(
            "and",
            "bitte",
            "merk",
            "merke",
            "dir",
            "denk",
            "dran",
            "daran",
            "notiere",
            "vergiss",
            "nicht",
            "und",
            "auch",
        ),
    )
)
_ABOUT_THE_PERSON = frozenset(
    (
        *("i", "im", "id", "ive", "ill", "me", "my", "mine", "myself"),
        *("ich", "mir", "mich", "mein", "meine", "meinen", "meiner", "meinem", "meines"),
    )
)


class Writing:
    """Writes a page while the hook goes on with its work. The answer waits for it, so it is on the disk then."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._done = _thread.allocate_lock()
        self._problem: Exception | None = None
        self._done.acquire()
        _thread.start_new_thread(self._run, (act,))

    def wait(self) -> None:
        """Come back when it is done; what went wrong is raised here."""
        self._done.acquire()
        self._done.release()
        if self._problem is not None:
            raise self._problem

    def _run(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Exception as problem:
            self._problem = problem
        finally:
            self._done.release()


def keep(visit: Visit) -> None:
    """Do what the protocol asks for at this moment."""
    act = _ACTS.get(visit.call.moment)
    if act is not None:
        act(visit)


def at_start(visit: Visit) -> None:
    """Finish what another session of this project, or an earlier run of this one, left open; then open this one."""
    project = visit.project()
    if project is None or visit.call.subagent:
        return
    from holdfast.actions import closing
    from holdfast.continuity import buffer
    from holdfast.continuity.touched import tail

    own = _open_path(visit, project)
    # A start after a compaction is in the middle of a session.
    resumed = own if visit.call.source != "compact" else ""
    seconds = visit.settings.number("continuity.open_minutes") * 60
    left = opened.left_open(visit.home, (project.id, *project.aliases), seconds, resumed)
    if left:
        _finish(visit, project, left)
    if visit.call.source != "compact":
        state = buffer.read(*_buffers(visit, project))
        # What the transcript of a resumed session has already was not done now.
        read = tail(visit.call.transcript, 0)[1] if visit.call.source in CONTINUES else 0
        rows = [("known", closing.known(state)), ("transcript", visit.call.transcript), ("read", str(read))]
        _note(visit, project, [*rows, (opened.PROCESS, running.agent())])


def _finish(visit: Visit, project: Project, left: list[opened.Opened]) -> None:
    from holdfast.actions import closing

    pages = Pages(visit.home, project.id, project.aliases)
    problems: list[HoldfastError] = []
    # Of two that start at once, one does it; the other finds nothing left.
    with region.lock_of(pages.folder, "closing"):
        for one in left[:_MOST_CLOSED]:
            now = opened.read(one.path)
            if now is None or now.closed or now.changed != one.changed or visit.is_late():
                continue
            try:
                closing.close(pages, _collected(visit, project, now), visit.at, cut_off=True)
            except HoldfastError as problem:
                # One that cannot be closed keeps nobody from closing the others.
                problems.append(problem)
    if problems:
        raise problems[0]


def at_prompt(visit: Visit) -> None:
    """Write what the person's message says that counts into the buffer; a "remember" becomes a memory at once."""
    text = "" if visit.call.subagent else persons_words(visit.call.prompt)
    if not text:
        return
    from holdfast.continuity import triggers

    found = triggers.scan(text)
    project = visit.project()
    if project is not None:
        _write_down(visit, project, text, found)
    wanted = [whole(text, one.text) for one in found if one.kind == "remember"]
    if wanted:
        _remember(visit, wanted)


def _write_down(visit: Visit, project: Project, text: str, found: tuple[Trigger, ...]) -> None:
    # A sentence that is of two kinds is written down once, as the first of them.
    sentences = {one.text: one.kind for one in reversed(found)}
    said = [(kind, _clean(sentence, _MOST_SAID)) for sentence, kind in reversed(sentences.items())]
    ask = asked(text)
    about = focus_of(text, ask, found)
    rows = [("said", dumps([kind, what])) for kind, what in said]
    rows += [(kind, line) for kind, line in (("ask", ask), ("focus", about)) if line]
    rows += [("done", region.one_line(text, 2_000))] if says_done(text) else []
    _note(visit, project, [*rows, (opened.PROCESS, running.agent())])
    if not said:
        # What was asked is in the session's file; the page gets it when the agent pauses, so that most prompts
        # need not wait for the disk.
        return
    # Most prompts say nothing that is written down at once.
    from holdfast.continuity import buffer, focus

    new = [buffer.Said(kind, what, visit.at, visit.call.agent, opened.source(_session(visit))) for kind, what in said]
    began = opened.began(_open_path(visit, project))
    about = "" if focus.is_set_by(visit.home, project.id, visit.call.agent, since=began) else about

    def edit(state: State) -> State:
        after = replace(state, said=buffer.with_said(state.said, new), focus=about or state.focus)
        return after if after == state else replace(after, updated=visit.at, by=visit.call.agent)

    visit.writing = Writing(lambda: _change(visit, project, edit))


def _change(visit: Visit, project: Project, edit: Callable[[State], State]) -> None:
    from holdfast.continuity import buffer

    path, older = _buffers(visit, project)
    is_new = not os.path.lexists(path)
    buffer.change(path, edit, older)
    if is_new:
        projects.record(project, projects.Registry(os.path.join(visit.home, "projects.tsv")))


def asked(text: str) -> str:
    """Return the first line of what the person asks for; nothing where they only agree, greet or want to go on."""
    from holdfast.continuity import going_on
    from holdfast.inject import relevance

    if not relevance.asks_something(text) or going_on.wants(text):
        return ""
    lines = [line for line in text[: _MOST_ASK * 4].splitlines() if line.strip()]
    # A line that announces a list says little without it.
    return region.one_line(" ".join(lines if lines and lines[0].rstrip().endswith(":") else lines[:1]), _MOST_ASK)


def focus_of(text: str, ask: str, found: tuple[Trigger, ...]) -> str:
    """Return what a message is about: what it asks for beside its statements; nothing where there is no such thing."""
    rest, first = text, [one.text for one in found if one.kind == "priority"]
    for one in found:
        # What comes first is asked for, whatever else the sentence says.
        rest = rest if one.text in first else rest.replace(one.text, " ")
    if says_done(rest):
        return ""
    return ask if rest is text else asked(rest)


def says_done(text: str) -> bool:
    """Whether a message of the person says that something is done."""
    words = _words(text[:2_000])
    return not _DONE_WORDS.isdisjoint(words) and "not" not in words and "nicht" not in words


def persons_words(prompt: str) -> str:
    """Return what the person typed, bounded, without what programs added and without secrets."""
    whole = kept(region.shown(speaking.typed(prompt[: _BEGINNING * 4])), _BEGINNING)
    if len(prompt) <= _BEGINNING * 4 or not whole:
        return whole
    # More than that is a file that was pasted; the end of it is where the person goes on.
    end = prompt[-_END:].partition("\n")[2]
    return f"{whole}\n{kept(region.shown(speaking.typed(end)), _END)}"


def _remember(visit: Visit, texts: list[str]) -> None:
    """Store what the person asked to remember: in the project or, what is about the person, in global without one.

    What is not about the person and has no project stays in the journal: it would be a rule for every project.
    """
    scope = "project" if visit.project() else "global"
    types = {text: "feedback" if _ABOUT_THE_PERSON.isdisjoint(_words(text)) else "user" for text in texts}
    stored = {text: kind for text, kind in types.items() if scope == "project" or kind == "user"}
    if not stored:
        return
    if sys.flags.no_site:
        # A hook goes without packages, and the rules files that are renewed with a memory need one of them.
        import site

        site.main()
    # The house is heavy; a person who asks for this can wait for a moment.
    from holdfast.actions.house import House
    from holdfast.actions.remember import remember
    from holdfast.inject import shown
    from holdfast.inject.block import digest_of

    folder, environment, agent = visit.call.folder or None, visit.environment, visit.call.agent
    with House(visit.home, folder=folder, environment=environment, session=visit.told_session) as house:
        told = [
            remember(house, statement(text), scope=scope, type=kind, trust="user", source="hook", agent=agent).memory
            for text, kind in stored.items()
        ]
    # Who just said it need not be told it.
    with shown.ShownSet(visit.home, visit.session) as before:
        before.note([(memory.scope, memory.key, digest_of(memory)) for memory in told])


def whole(text: str, sentence: str) -> str:
    """Return a sentence with what a trigger leaves out of it: the rest of its line, or the lines that it announces."""
    at = text.find(sentence)
    announces = sentence.rstrip().endswith(":")
    if at < 0 or not (announces or len(sentence) >= _MOST_SAID):
        return sentence
    end = text.find("\n\n" if announces else "\n", at + len(sentence))
    return text[at : end if end >= 0 else len(text)][:_MOST_REMEMBERED].strip()


def statement(text: str) -> str:
    """Return what should be remembered, without the words that ask for it where they only lead to it."""
    for lead in (":", " that "):
        rest = _led_to(text, lead)
        if rest:
            return rest[0].upper() + rest[1:]
    return text


def asks_to_remember(text: str) -> bool:
    """Whether a sentence begins with words that ask to remember the rest of it."""
    # What follows this word is no sentence without it, so a statement keeps it.
    return statement(text) != text or bool(_led_to(text, " dass "))


def _led_to(text: str, lead: str) -> str:
    before, _, rest = text.partition(lead)
    return rest.strip() if _LEADS.issuperset(_words(before)) else ""


def at_tool(visit: Visit) -> None:
    """Collect which file was changed or which command failed; the pages get it when the agent pauses."""
    project = visit.project()
    if project is None:
        return
    from holdfast.continuity.touched import Tools

    call, tools = visit.call, Tools()
    if call.moment == "tool-failed" or call.error:
        what = tools.command(call.tool_input) or call.tool
        lines = [line for line in call.error.splitlines() if line.strip()]
        _note(visit, project, [("failed", _clean(f"{what}: {lines[0] if lines else 'failed'}", _MOST_ERROR))])
        return
    files = tools.files(call.tool, call.tool_input)
    if files:
        _note(visit, project, [("file", _path(project, path)) for path in files])
    else:
        opened.beat(_open_path(visit, project))


def at_stop(visit: Visit) -> None:
    """Bring the buffer up to date with what the agent did since the person's last message."""
    _refresh(visit)


def at_compact(visit: Visit) -> None:
    """Write the state down before the conversation goes: from what hooks were told, and from the transcript's tail."""
    _refresh(visit)


def at_end(visit: Visit) -> None:
    """Finish the session: buffer, log, todos, and then what was this session's alone leaves the buffer."""
    project = visit.project()
    if project is None or visit.call.subagent or not os.path.exists(_open_path(visit, project)):
        return
    one = _refresh(visit)
    if one is None or one.closed:
        return
    from holdfast.actions import closing

    pages = Pages(visit.home, project.id, project.aliases)
    with region.lock_of(pages.folder, "closing"):
        closing.close(pages, replace(one, last=visit.at), visit.at, cut_off=False)


def _refresh(visit: Visit) -> opened.Opened | None:
    """Collect what is new, merge it into the buffer, and return the session as it is then."""
    from holdfast.actions import closing

    project = visit.project()
    if project is None or visit.call.subagent:
        return None
    path = _open_path(visit, project)
    told, before = _told(visit), opened.read(path)
    if visit.call.transcript and (before is None or before.transcript != visit.call.transcript):
        told = [("transcript", visit.call.transcript), *told]
    if told or before is None:
        _note(visit, project, told)
    one = opened.read(path)
    if one is None or one.closed:
        return one
    one = _collected(visit, project, one)
    if not one.unmerged():
        opened.beat(path)
        return one
    closing.merge(Pages(visit.home, project.id, project.aliases), one, visit.at)
    _note(visit, project, [(opened.MERGED, "")])
    return opened.read(path)


def _told(visit: Visit) -> list[tuple[str, str]]:
    """Return what the agent's answer says about the work."""
    if not visit.call.answer:
        return []
    from holdfast.continuity import answers

    answer = kept(region.shown(visit.call.answer[-_MOST_ANSWER:]), _MOST_ANSWER)
    steps = answers.next_steps(answer)
    rows = [("answer", answers.summary(answer)), ("next", dumps(list(steps)) if steps else "")]
    rows += [("ticked", text) for text in answers.ticked(answer)]
    return [(kind, text) for kind, text in rows if text]


def _collected(visit: Visit, project: Project, one: opened.Opened) -> opened.Opened:
    """Note which files the transcript says were changed, as far as it was not read yet; return the session then."""
    from holdfast.continuity.touched import Tools, tail

    read = one.texts("read")
    since = int(read[-1]) if read and read[-1].isdigit() else 0
    lines, end = tail(one.transcript, since) if one.transcript else ([], since)
    if end == since:
        return one
    files = [_path(project, path) for path in Tools().changed(lines)]
    rows = [("file", path) for path in dict.fromkeys(files) if path]
    opened.note(visit.home, one.agent, one.session, one.project, one.last, [*rows, ("read", str(end))])
    return opened.read(one.path) or one


def _open_path(visit: Visit, project: Project) -> str:
    return opened.path_of(visit.home, visit.call.agent, _session(visit), project.id)


def _note(visit: Visit, project: Project, rows: list[tuple[str, str]]) -> None:
    opened.note(visit.home, visit.call.agent, _session(visit), project.id, visit.at, rows)


def _session(visit: Visit) -> str:
    return visit.told_session or kept(visit.session, _MOST_ASK)


def _buffers(visit: Visit, project: Project) -> tuple[str, tuple[str, ...]]:
    pages = Pages(visit.home, project.id, project.aliases)
    return pages.buffer, pages.older_buffers


def _clean(text: str, most: int) -> str:
    """Return the text as one harmless line without secrets."""
    # What hides within a secret is taken out first, or the secret would be whole again afterwards.
    return region.one_line(kept(region.shown(text), most * 2), most)


def _path(project: Project, path: str) -> str:
    """Return the name of a file, from the root of the project where it lies below."""
    root = project.root.rstrip("/") + "/"
    return _clean(path.removeprefix(root), _MOST_ASK)


def _words(text: str) -> list[str]:
    plain = text.casefold().replace("'", "").replace("’", "")
    return "".join([letter if letter.isalnum() else " " for letter in plain]).split()


def after_sweep(house: House, digest: Digest) -> bool:
    """Write the log's entry of a session again from its digest, which knows more than hooks are told.

    Whether it was written: a session of long ago that has no entry gets none, and a sub-agent's is its parent's.
    """
    from holdfast.actions import log_entry

    return house.enabled and house.settings.flag("continuity.enabled") and log_entry.write(house, digest)


_ACTS: dict[str, Callable[[Visit], None]] = {
    "start": at_start,
    "prompt": at_prompt,
    "tool": at_tool,
    "tool-failed": at_tool,
    "compact": at_compact,
    "stop": at_stop,
    "end": at_end,
}
