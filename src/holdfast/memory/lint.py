"""Lint: every check over every memory. It reads, and writes nothing of the person's, not even an index page.

Each check is one function from memories to problems.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from holdfast.base import clock, files
from holdfast.errors import HoldfastError
from holdfast.language.contradiction import Claim
from holdfast.language.derived import NOWHERE, is_silent, share_calls
from holdfast.language.mentions import is_file_ending
from holdfast.language.suggesting import give_one
from holdfast.memory import anchors, index_pages
from holdfast.memory.remember import WHOSE
from holdfast.privacy import redact, redact_gate
from holdfast.project.ids import is_id
from holdfast.records import Filter, Memory, Problem
from holdfast.store import front_matter, kinds, layout, links
from holdfast.store.words import grams, same_words, words_of
from holdfast.workspace import Workspace

NEAR = 0.8
_MIN_WORDS = 4
# So many texts are asked about at the gate of secrets together.
_TOGETHER = 100
# A word in more memories than this does not tell what they are about.
_MAX_SHARING = 60
_NUMBER = re.compile(r"\d+")
_NOT_SOURCE = ("node_modules", "__pycache__", "target", "dist", "build")
_PATH = re.compile(r"(?<![\w/:.@~$-])((?:[\w.-]+/)+[\w.-]+\.[A-Za-z][A-Za-z0-9]{0,7})(?::\d+)?(?![\w/])")
_NAME = re.compile(r"`([\w.-]+\.[A-Za-z][A-Za-z0-9]{0,7})`")


def lint(workspace: Workspace) -> list[Problem]:
    """Return every problem, errors first, each with its place and the way out; the run then writes no page."""
    return find(workspace) if workspace.enabled else []


def find(workspace: Workspace) -> list[Problem]:
    """Return every problem, for those who go on to mend them."""
    workspace.refresh(None)
    memories = list(workspace.store.find(Filter(None)))
    texts = _texts(workspace, memories)
    root = workspace.store.tree.root
    found = [
        *workspace.store.problems(),
        *contradictions(memories),
        *duplicates(memories),
        *outdated(memories),
        *dead_links(memories, texts, root, lambda memory, key: workspace.store.forgot(memory.scope, key, "")),
        *dead_page_links(_index_pages(root), root),
        *stale_claims(memories, texts, _project_roots(workspace)),
        *changed_code(workspace, memories),
        *told_nowhere(memories),
        *dated_ahead(memories),
        *empty(memories),
        *renamed(memories, texts),
        *orphans(root),
    ]
    hint = "`holdfast heal` redacts it. Change the secret too: it has been on disk."
    for path, text in _suspects(workspace, texts):
        for kind, line in redact.find(text):
            found.append(Problem("secret", path, f"a secret of the kind {kind}", hint, line, "error"))
    hint = "Forget it again, or store it with `holdfast remember` if it holds."
    for memory in memories:
        # By what it says: another fact may have come under the key.
        if workspace.store.forgot(memory.scope, "", memory.body):
            said = f"{memory.key} was forgotten and its file is there again"
            found.append(Problem("came-back", memory.path, said, hint))
    return sorted(found, key=lambda problem: (problem.severity != "error", problem.path, problem.line, problem.kind))


def _texts(workspace: Workspace, memories: list[Memory]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for place, memory in enumerate(memories, 1):
        try:
            texts[memory.path] = workspace.store.text(memory)
        except HoldfastError:
            texts[memory.path] = memory.body
        _tell(workspace, place, len(memories))
    return texts


def _suspects(workspace: Workspace, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the texts in which a secret may be; of most it is told of many at once that they hold none."""
    paths = list(texts)
    for first in range(0, len(paths), _TOGETHER):
        some = paths[first : first + _TOGETHER]
        places = redact_gate.suspects([texts[path] for path in some])
        yield from ((some[place], texts[some[place]]) for place in sorted(places))
        if workspace.progress:
            workspace.progress(len(paths) + first + len(some), 2 * len(paths))


def _tell(workspace: Workspace, done: int, files: int) -> None:
    """Tell how far it is: each file is read once, and once looked through for secrets, which takes the longest."""
    if workspace.progress and done % 100 == 0:
        workspace.progress(done, 2 * files)


def _index_pages(root: str) -> dict[str, str]:
    """Return of each index what the person wrote; what is generated is true again after the next command."""
    pages: dict[str, str] = {}
    for folder, names, found in os.walk(root):
        names[:] = [name for name in names if not os.path.islink(os.path.join(folder, name))]
        if layout.INDEX in found and not os.path.islink(os.path.join(folder, layout.INDEX)):
            path = os.path.join(folder, layout.INDEX)
            pages[os.path.relpath(path, root)] = index_pages.own_words(files.read(path).decode("utf-8", "replace"))
    return pages


def _project_roots(workspace: Workspace) -> dict[str, str]:
    """Return where each project was last seen, so that the files it speaks of can be looked for."""
    roots = workspace.registry.known().roots()
    try:
        project = workspace.project()
    except HoldfastError:
        return roots
    return {**roots, project.id: project.root}


def contradictions(memories: list[Memory]) -> Iterator[Problem]:
    """Name each key that says one thing here and another there: in two files of a scope, or in two scopes."""
    by_key: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        by_key[memory.key].append(memory)
    for key, found in sorted(by_key.items()):
        for other in found:
            one = _counterpart(other, found)
            if one is None or same_words(one.body) == same_words(other.body):
                continue
            text = f"{key} says something else in {one.path}"
            hint = "Keep one: `holdfast edit` it, or `holdfast move` one to another key."
            severity = "error" if one.scope == other.scope else "warning"
            yield Problem("contradiction", other.path, text, hint, severity=severity, other=one.path)


def duplicates(memories: list[Memory]) -> Iterator[Problem]:
    """Name pairs within a scope whose statements are equal or nearly so."""
    by_scope: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in memories:
        by_scope[str(memory.scope)].append(memory)
    for members in by_scope.values():
        for one, other, alike in _alike(sorted(members, key=lambda memory: memory.path)):
            exact = same_words(one.body) == same_words(other.body)
            if not exact and _NUMBER.findall(one.body) != _NUMBER.findall(other.body):
                # Facts made by one template are about different things.
                continue
            text = f"{'says the same as' if exact else f'is {alike:.0%} like'} {one.key}"
            hint = f"`holdfast forget {other.key}`, or store one with --supersedes {other.key}."
            yield Problem("duplicate" if exact else "near-duplicate", other.path, text, hint)


def outdated(memories: list[Memory]) -> Iterator[Problem]:
    """Name what a newer memory of the same scope and trust says otherwise than, unless it supersedes it.

    What says otherwise than a memory of another trust, or than a global one, contradicts it.
    """
    ended = {(memory.scope, key) for memory in memories for key in memory.supersedes}
    holding = [memory for memory in memories if (memory.scope, memory.key) not in ended and not memory.ended_by("")]
    by_clue: defaultdict[tuple[str, str], list[tuple[str, Memory, Claim]]] = defaultdict(list)
    holding.sort(key=lambda one: (one.scope.kind != "global", one.updated))
    claims = [Claim(kinds.parts(memory.body)[0]) for memory in holding]
    how_often = Counter(word for claim in claims for word in claim.said)
    for memory, claim in zip(holding, claims, strict=True):
        kept, asked = claim.clues(how_often)
        here = str(memory.scope)
        found = [(place, clue) for place in sorted({here, "global"}) for clue in sorted(asked)]
        some = [one for each in found if each in by_clue for one in by_clue[each][-_MAX_SHARING:]]
        for _, older, other in {one[0]: one for one in some}.values():
            if claim.differs(other) and not share_calls(claim.text, other.text):
                yield from _otherwise(memory, older)
        for clue in kept:
            by_clue[here, clue].append((f"{here} {memory.key}", memory, claim))


def _otherwise(newer: Memory, older: Memory) -> Iterator[Problem]:
    if (newer.scope, newer.trust) == (older.scope, older.trust):
        hint = f"`holdfast forget {older.key}`, or store the newer one with --supersedes {older.key}."
        yield Problem("outdated", older.path, f"{newer.key} is newer and says otherwise", hint, other=newer.path)
    elif newer.key != older.key:
        # `contradictions` reports those with the same key.
        said = f"{newer.key} says otherwise than {older.key} of {older.scope} ({WHOSE[older.trust]})"
        hint = "Where both hold, say in one of them when; else `holdfast forget` one."
        yield Problem("contradiction", newer.path, said, hint, other=older.path)


def dead_links(
    memories: list[Memory], texts: dict[str, str], root: str, forgotten: Callable[[Memory, str], bool] | None = None
) -> Iterator[Problem]:
    """Name links whose target is not there: a `[[key]]` that no reader could follow, a file that is gone.

    A memory may go on saying that it replaces one that was `forgotten` in its scope.
    """
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for memory in memories:
        keys[memory.key].add(str(memory.scope))
    for memory in memories:
        readable = {str(memory.scope), "global"}
        for target, line in links.wiki_links(texts.get(memory.path, "")):
            if not keys.get(target, set()) & readable:
                yield _dead(memory.path, line, f"[[{target}]] is not a memory of {memory.scope} or global")
        for key in memory.supersedes:
            there = str(memory.scope) in keys.get(key, set())
            if not there and not (forgotten and forgotten(memory, key)):
                yield _dead(memory.path, 0, f"supersedes {key}, which is not there")
        yield from _dead_file_links(memory.path, texts.get(memory.path, ""), root)


def dead_page_links(pages: dict[str, str], root: str) -> Iterator[Problem]:
    """Name links of pages to files that are gone; `pages` has of each index what the person wrote."""
    for path, text in pages.items():
        yield from _dead_file_links(path, text, root)


def stale_claims(memories: Iterable[Memory], texts: dict[str, str], root_of: dict[str, str]) -> Iterator[Problem]:
    """Report files that a project memory names and that are no longer in the project (`root_of`: id to folder)."""
    for memory in memories:
        root = root_of.get(memory.scope.owner) if memory.scope.kind == "project" else None
        if not root or not os.path.isdir(root):
            continue
        hint = "Correct the memory with `holdfast edit`, or forget it."
        for number, line in enumerate(memory.body.split("\n")):
            for name in named_files(line):
                # For a memory with anchors, the anchors say more.
                if not is_there(root, name) and not any(name in one for one in memory.anchors):
                    first = _first_line(texts.get(memory.path, ""), memory.body)
                    text = f"names {name}, which is not in {root}"
                    yield Problem("stale-claim", memory.path, text, hint, first + number if first else 0)


def changed_code(workspace: Workspace, memories: Iterable[Memory]) -> Iterator[Problem]:
    """Name memories whose code is not as it was when they were stored or confirmed last."""
    for one in anchors.stale(workspace, memories):
        hint = f"It holds: `holdfast confirm {one.memory.key}`. It does not: `holdfast edit` or `holdfast forget` it."
        yield Problem("changed-code", one.memory.path, one.warning, hint)


def told_nowhere(memories: Iterable[Memory]) -> Iterator[Problem]:
    """Report what the person said that sounds like a rule, and is never told at a call."""
    for memory in memories:
        if memory.trust == "user" and is_silent(memory):
            hint = f"Give it a condition: `{give_one(memory)}`, or none by `--when none`."
            yield Problem("told-nowhere", memory.path, f"it reads as a rule, and is {NOWHERE}", hint)


def dated_ahead(memories: Iterable[Memory]) -> Iterator[Problem]:
    """Report memories of a day to come, which all that is stored until then would be older than."""
    end = clock.seconds(clock.now()) + clock.DAY_SECONDS
    for memory in memories:
        if clock.seconds(memory.updated) > end:
            text = f"it is dated {memory.updated[:10]}, which is still to come"
            hint = "Look at the clock of this machine, and write the right time behind `updated:`."
            yield Problem("dated-ahead", memory.path, text, hint)


def empty(memories: Iterable[Memory]) -> Iterator[Problem]:
    """Report memories that say nothing, as an editor that was killed leaves them."""
    hint = "Write it again, take it from a backup or git, or forget it."
    for memory in memories:
        if not memory.body.strip():
            yield Problem("empty", memory.path, "the memory says nothing", hint)


def renamed(memories: Iterable[Memory], texts: dict[str, str]) -> Iterator[Problem]:
    """Report files that somebody renamed by hand, so that their `key:` no longer matches their name."""
    for memory in memories:
        text = texts.get(memory.path, "")
        if f"\nkey: {memory.key}\n" in text.partition("\n---")[0]:
            continue
        document = front_matter.parse(text)
        line = next((entry.line for entry in document.entries if entry.name == "key"), 0)
        said = front_matter.values(document)[0].get("key") if line else None
        if isinstance(said, str) and said and said != memory.key:
            text = f"its name makes it {memory.key}, but its `key:` still says {said}"
            hint = f"The name counts. Write `key: {memory.key}` there, or rename the file to {said}.md."
            yield Problem("renamed", memory.path, text, hint, line)


def orphans(root: str) -> Iterator[Problem]:
    """Name files below the memory tree that no recall can reach, links, and leftovers of a crash."""
    for folder, names, found in os.walk(root):
        here = os.path.relpath(folder, root)
        here = "" if here == "." else here
        for name in sorted(names):
            if os.path.islink(os.path.join(folder, name)):
                yield _link(f"{here}/{name}".lstrip("/"))
        names[:] = [name for name in names if not os.path.islink(os.path.join(folder, name)) and name != ".obsidian"]
        for name in sorted(found):
            path = f"{here}/{name}".lstrip("/")
            if os.path.islink(os.path.join(root, path)):
                yield _link(path)
            elif name.startswith(files.TEMPORARY):
                hint = "`holdfast heal` removes it."
                yield Problem("leftover", path, "a write was interrupted here; nothing of it was acknowledged", hint)
            elif name.endswith(".md") and not name.startswith(".") and not _reachable(here, name):
                text = "no recall reaches this file: it lies outside the folders of memories"
                hint = "Move it into a scope's memories/ folder, for example memory/global/memories/."
                yield Problem("orphan", path, text, hint)


def _reachable(here: str, name: str) -> bool:
    parts = here.split("/") if here else []
    if not parts or parts[0] == "system":
        return name == layout.INDEX or parts[:1] == ["system"]
    scope = layout.scope_of(here)
    if scope is None or (scope.owner and not is_id(scope.owner)):
        return False
    inside = parts[1:] if scope.kind == "global" else parts[2:]
    return not inside or inside[0] in (layout.MEMORIES, layout.DATA, "log")


def _link(path: str) -> Problem:
    return Problem("link", path, "a symbolic link is not followed", "Replace it by the file itself.", severity="error")


def _counterpart(memory: Memory, found: list[Memory]) -> Memory | None:
    """Return the memory of the same key that a reader of this one sees too: the first of its scope, or the global."""
    first = next(other for other in found if other.scope == memory.scope)
    if first is not memory:
        return first
    return None if memory.scope.kind == "global" else next((m for m in found if m.scope.kind == "global"), None)


def _dead(path: str, line: int, text: str) -> Problem:
    return Problem("dead-link", path, text, "Correct the link, or store what it should lead to.", line)


def _dead_file_links(path: str, text: str, root: str) -> Iterator[Problem]:
    for target, line in links.file_links(text):
        full = os.path.normpath(os.path.join(root, os.path.dirname(path), target))
        if not os.path.exists(full):
            yield _dead(path, line, f"({target}) is not there")


def _first_line(text: str, body: str) -> int:
    """Return the line of a file on which what it states begins, counted from 1; 0 where that cannot be told."""
    whole, rest = (each.replace("\r\n", "\n") for each in (text, front_matter.parse(text).body))
    place = rest.find(body)
    return whole.count("\n", 0, len(whole) - len(rest) + place) + 1 if place >= 0 else 0


def named_files(line: str) -> list[str]:
    """Return the files that a line names."""
    # The target of a link is a file of the memory tree, which `dead_links` checks.
    line = re.sub(r"\]\([^()]*\)", "]", line)
    if "://" in line:
        line = re.sub(r"\S+://\S+", "", line)
    # Without a folder, only the ending of a file tells it from a setting or a member: `retry.max`, `os.path`.
    names = [name for name in _NAME.findall(line) if is_file_ending(name.rpartition(".")[2])]
    return list(dict.fromkeys([*_PATH.findall(line), *names]))


def is_there(root: str, name: str) -> bool:
    """Whether a project has a file, by its path or by its name in some folder."""
    if os.path.exists(os.path.join(root, name)):
        return True
    wanted = "/" + name
    return any(path.endswith(wanted) for path in _files_by_name(root).get(os.path.basename(name), ()))


@lru_cache(maxsize=8)
def _files_by_name(root: str) -> dict[str, list[str]]:
    """Return where each file name occurs in the project, because a memory often names a file without its folder."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for folder, names, here in os.walk(root):
        names[:] = [name for name in names if not name.startswith(".") and name not in _NOT_SOURCE]
        for name in here:
            found[name].append(f"{folder}/{name}")
    return found


def _alike(memories: list[Memory]) -> Iterator[tuple[Memory, Memory, float]]:
    """Find pairs whose word sets overlap by NEAR or more, without comparing all with all.

    Two sets that are alike share a word among the rarest few of each: so many that too few would be left without them.
    Of the smaller of two they are fewer, so the small ones come first and are kept under these alone.
    """
    sets = [frozenset(words_of(memory.body) + grams(memory.body)) for memory in memories]
    rarity = Counter(word for words in sets for word in words)
    by_rare: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[int, int, float]] = []
    for place in sorted(range(len(sets)), key=lambda at: len(sets[at])):
        words = sets[place]
        if len(words) < _MIN_WORDS:
            continue
        ordered = sorted(words, key=lambda word: (rarity[word], word))
        seen = {other for word in ordered[: _rarest(len(words), NEAR)] for other in by_rare[word]}
        for word in ordered[: _rarest(len(words), 2 * NEAR / (1 + NEAR))]:
            by_rare[word].append(place)
        for other in seen:
            shared = len(words & sets[other])
            alike = shared / (len(words) + len(sets[other]) - shared)
            if alike >= NEAR:
                found.append((max(place, other), min(place, other), alike))
    for place, other, alike in sorted(found):
        yield memories[other], memories[place], alike


def _rarest(count: int, share: float) -> int:
    """Return how many of so many words there are of which one is shared by who shares this share of all."""
    # Less a little: eight of nine may come out as more than eight.
    return count - math.ceil(share * count - 1e-9) + 1
