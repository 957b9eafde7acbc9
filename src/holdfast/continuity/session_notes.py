"""The protocol of a session, kept by hooks: what is said goes into the buffer, what was done into the log, always.

At a prompt the person's message is looked through and what counts is in `buffer.md` before the agent goes on. While the
agent works, what it touches is collected beside. When it pauses, compacts or ends, that goes into the pages, and what
an agent could not finish the next start of the project does. Nothing here asks a model, and nothing waits for long.
"""

from __future__ import annotations

import _thread
import os
import sys

from holdfast.app.hook import end_kept, kept
from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.continuity import noting, region, running
from holdfast.privacy import speech

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.app.hook import HookRun
    from holdfast.continuity.buffer import State
    from holdfast.language.triggers import Trigger
    from holdfast.records import Project
    from holdfast.sessions.facts import Digest
    from holdfast.workspace import Workspace

# A message may have a whole file in it; what a person says of it themselves stands at its beginning or its end.
_BEGINNING = 32_000
_END = 8_000
MAX_ASK = 200
_MAX_SAID = 300
_MAX_REMEMBERED = 4_000
_MAX_DONE = 10
# Words of which what leads to a thing to remember consists: one of those that ask for it, and small ones around it.
_ASKS = frozenset(
    ("remember", "note", "mind", "forget", "merk", "merke", "denk", "dran", "daran", "notiere", "vergiss")
)
_LEADS = _ASKS | frozenset(
    (
        *("please", "always", "keep", "in", "do", "dont", "not", "never", "also", "and", "this", "that", "it"),
        *("bitte", "dir", "nicht", "und", "auch", "das", "dies", "es"),
    )
)
_NOT = frozenset(("not", "never", "dont", "cant", "cannot", "didnt", "doesnt", "couldnt", "wont", "nicht"))
_NOT_TO_FORGET = frozenset(("forget", "vergiss"))
# How many words before such a word, and from it on, may say that somebody does not: "mich nicht erinnern".
_RECALLS = {"remember": (2, 0), "recall": (2, 0), "erinnere": (3, 3), "erinnern": (3, 3)}
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


def keep(run: HookRun) -> None:
    """Keep the working state and the log of the project."""
    if run.call.moment == "prompt":
        at_prompt(run)
    elif run.call.moment != "other":
        from holdfast.continuity import session_pages

        session_pages.keep(run)


def at_prompt(run: HookRun) -> None:
    """Write what the person's message says that counts into the buffer; a "remember" becomes a memory at once."""
    text = "" if run.call.subagent else persons_words(run.call.prompt)
    if not text:
        return
    from holdfast.language import triggers

    found = tuple(one for one in triggers.scan(text) if one.kind != "remember" or not forgets(one.text))
    project = run.project()
    if project is not None:
        _write_down(run, project, text, found)
    wanted = [whole(text, one.text) for one in found if one.kind == "remember"]
    if wanted:
        _remember(run, wanted)


def _write_down(run: HookRun, project: Project, text: str, found: tuple[Trigger, ...]) -> None:
    # A sentence that is of two kinds is written down once, as the first of them.
    sentences = {one.text: one.kind for one in reversed(found)}
    said = [(kind, clean(sentence, _MAX_SAID)) for sentence, kind in reversed(sentences.items())]
    ask = asked(text)
    about = focus_of(text, ask, found)
    rows = [("said", dumps([kind, what])) for kind, what in said]
    rows += [(kind, line) for kind, line in (("ask", ask), ("focus", about)) if line]
    rows += [("done", clean(sentence, _MAX_SAID)) for sentence in said_done(text)[:_MAX_DONE]]
    note(run, project, [*rows, (noting.PROCESS, running.agent())])
    if not said:
        # What was asked is in the session's file; the page gets it when the agent pauses, so that most prompts
        # need not wait for the disk.
        return
    # Most prompts say nothing that is written down at once.
    from holdfast.continuity import buffer, focus

    new = [buffer.Said(kind, what, run.at, run.call.agent, noting.source(session_of(run))) for kind, what in said]
    began = noting.began(open_path(run, project))
    about = "" if focus.is_set_by(run.home, project.id, run.call.agent, since=began) else about

    def edit(state: State) -> State:
        after = replace(state, said=buffer.with_said(state.said, new), focus=about or state.focus)
        return after if after == state else replace(after, updated=run.at, by=run.call.agent)

    run.writing = Writing(lambda: _change(run, project, edit))


def _change(run: HookRun, project: Project, edit: Callable[[State], State]) -> None:
    from holdfast.continuity import buffer

    path, older = buffers(run, project)
    is_new = not os.path.lexists(path)
    buffer.change(path, edit, older)
    note(run, project, [(noting.WRITTEN, "")])
    if is_new:
        from holdfast import project as projects

        projects.record(project, projects.Registry(os.path.join(run.home, "projects.tsv")))


def asked(text: str) -> str:
    """Return the first line of what the person asks for; nothing where they only agree, greet or want to go on."""
    from holdfast.continuity import resume_intent
    from holdfast.inject import relevance

    if not relevance.asks_something(text) or resume_intent.wants(text):
        return ""
    lines = [line for line in text[: MAX_ASK * 4].splitlines() if line.strip()]
    # A line that announces a list says little without it. What is whole only when they are joined may be a secret.
    return clean(" ".join(lines if lines and lines[0].rstrip().endswith(":") else lines[:1]), MAX_ASK)


def focus_of(text: str, ask: str, found: tuple[Trigger, ...]) -> str:
    """Return what a message is about: what it asks for beside its statements; nothing where there is no such thing."""
    rest, first = text, [one.text for one in found if one.kind == "priority"]
    for one in found:
        # What comes first is asked for, whatever else the sentence says.
        rest = rest if one.text in first else rest.replace(one.text, " ")
    if said_done(rest):
        return ""
    return ask if rest is text else asked(rest)


def said_done(text: str) -> list[str]:
    """Return the sentences of the person that say that something is done."""
    lowered = text.lower()
    if not any(word in lowered for word in noting.DONE_WORDS):
        return []
    from holdfast.continuity import finished

    return finished.said(text)


def forgets(sentence: str) -> bool:
    """Whether a sentence says that somebody does not remember, which asks for nothing to be remembered."""
    words = _words(sentence)
    places = [(at, *_RECALLS[word]) for at, word in enumerate(words) if word in _RECALLS]
    denied = any(not _NOT.isdisjoint(words[max(0, at - before) : at + behind]) for at, before, behind in places)
    return denied and _NOT_TO_FORGET.isdisjoint(words)


def persons_words(prompt: str) -> str:
    """Return what the person typed, bounded, without what programs added and without secrets."""
    typed = speech.typed(prompt)
    beginning = kept(region.shown(typed[: _BEGINNING * 4]), _BEGINNING)
    if len(typed) <= _BEGINNING or not beginning:
        return beginning
    # More than that is a file that was pasted; the end of it is where the person goes on.
    return f"{beginning}\n{region.shown(end_kept(typed, _BEGINNING, _END))}"


def _remember(run: HookRun, texts: list[str]) -> None:
    """Store what the person asked to remember: in the project or, what is about the person, in global without one.

    What is not about the person and has no project stays in the journal: it would be a rule for every project.
    """
    scope = "project" if run.project() else "global"
    types = {text: "feedback" if _ABOUT_THE_PERSON.isdisjoint(_words(text)) else "user" for text in texts}
    stored = {text: kind for text, kind in types.items() if scope == "project" or kind == "user"}
    if not stored:
        return
    if sys.flags.no_site:
        # A hook goes without packages, and the rules files that are renewed with a memory need one of them.
        import site

        site.main()
    # The workspace is heavy; a person who asks for this can wait for a moment.
    from holdfast.inject import shown
    from holdfast.inject.block import digest_of
    from holdfast.memory.remember import remember
    from holdfast.workspace import Workspace

    folder, environment, agent = run.call.folder or None, run.environment, run.call.agent
    with Workspace(run.home, folder=folder, environment=environment, session=run.session_label) as workspace:
        told = [
            remember(
                workspace, statement(text), scope=scope, type=kind, trust="user", source="hook", agent=agent
            ).memory
            for text, kind in stored.items()
        ]
    # Who just said it need not be told it.
    with shown.ShownSet(run.home, run.session) as before:
        before.note([(memory.scope, memory.key, digest_of(memory)) for memory in told])


def whole(text: str, sentence: str) -> str:
    """Return a sentence with what a trigger leaves out of it: the rest of its line, or the lines that it announces."""
    at = text.find(sentence)
    announces = sentence.rstrip().endswith(":")
    if at < 0 or not (announces or len(sentence) >= _MAX_SAID):
        return sentence
    end = text.find("\n\n" if announces else "\n", at + len(sentence))
    return text[at : end if end >= 0 else len(text)][:_MAX_REMEMBERED].strip()


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
    """Return what stands behind a lead where the words before it do nothing but ask to remember."""
    before, _, rest = text.partition(lead)
    words = _words(before)
    asks = not _ASKS.isdisjoint(words if lead == ":" else words[-1:])
    # "Never do that" asks for something else; "never forget that" does not.
    denies = not _NOT.isdisjoint(words) and _NOT_TO_FORGET.isdisjoint(words)
    return rest.strip() if asks and not denies and _LEADS.issuperset(words) else ""


def open_path(run: HookRun, project: Project) -> str:
    """Return the file of this session in the project, where what happens in it is noted."""
    return noting.path_of(run.home, run.call.agent, session_of(run), project.id)


def note(run: HookRun, project: Project, rows: list[tuple[str, str]]) -> None:
    """Note what happened in this session."""
    noting.note(run.home, run.call.agent, session_of(run), project.id, run.at, rows)


def session_of(run: HookRun) -> str:
    """Return the id of the session, as it may be written down."""
    return run.session_label or kept(run.session, MAX_ASK)


def buffers(run: HookRun, project: Project) -> tuple[str, tuple[str, ...]]:
    """Return the page with the working state of the project, and those of its older ids."""
    from holdfast.continuity.places import Pages

    pages = Pages(run.home, project.id, project.aliases)
    return pages.buffer, pages.older_buffers


def clean(text: str, most: int) -> str:
    """Return the text as one harmless line without secrets."""
    # What hides within a secret is taken out first, or the secret would be whole again afterwards.
    return region.one_line(kept(region.shown(text), most * 2), most)


def _words(text: str) -> list[str]:
    plain = text.casefold().replace("'", "").replace("’", "")
    return "".join([letter if letter.isalnum() else " " for letter in plain]).split()


def after_sweep(workspace: Workspace, digest: Digest) -> bool:
    """Write the log's entry of a session again from its digest, which knows more than hooks are told.

    Whether it was written: a session of long ago that has no entry gets none, and a sub-agent's is its parent's.
    """
    from holdfast.continuity import log_entry

    return workspace.enabled and workspace.settings.flag("continuity.enabled") and log_entry.write(workspace, digest)
