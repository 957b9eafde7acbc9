"""Anchoring memories to the code that they name: when they are stored, when they are confirmed, and as code moves on.

What is named is found in the statement (`language/code_names.py`) and looked for in the project: a file that is there,
a symbol that a named file defines, and else a symbol that exactly one tracked file defines. What is not plain is not
anchored. Of code only digests are kept, and none of a text that has a secret in it.

A fact that is anchored to code which the default branch has not, and never had, was learned on the branch that is
checked out: it says so in `branch:` and is given only there, until that code is on the default branch, by whatever kind
of merge. What a person lays down (a rule, a decision, a lesson) holds everywhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from holdfast.base.clock import Deadline, now, seconds
from holdfast.errors import BadInput, HoldfastError
from holdfast.language import code_names, code_spans, conditions, derived, runs
from holdfast.privacy import redact
from holdfast.project import anchors, git, git_program
from holdfast.project.anchors import MAX_ANCHORS, Anchor, Freshness, parsed
from holdfast.records import Draft, Filter, Memory, Scope, replace
from holdfast.store.kinds import LAID_DOWN
from holdfast.store.merge import content_of
from holdfast.workspace import Workspace

_MAX_HOLDING = 20
_MIN_ALONE, _MAX_USES = 4, 2
_MIN_LINES, _ENOUGH_LINES = 4, 400
_BLOB_DIGITS = 12
# They change all the time, or say nothing that a fact could be about: it counts that they are there.
_ALWAYS_CHANGING = (".lock", ".log", ".md", ".txt", ".rst", ".csv", ".jsonl", "-lock.json", "-lock.yaml", ".sum")


@dataclass(frozen=True, slots=True)
class StaleMemory:
    """A memory whose code changed: its warning, and the commands that show the change.

    A file that was renamed is told by the name that it has now.
    """

    memory: Memory
    warning: str
    ways: tuple[str, ...] = ()


def anchored(workspace: Workspace, draft: Draft) -> Draft:
    """Return the draft with the anchors of what it states, and the branch where it holds only there."""
    statement = content_of(draft).statement
    is_ours = draft.scope.kind == "project"
    names = code_names.named(statement) if is_ours else code_names.Names()
    root = _root(workspace, draft.scope) if is_ours and (any(names) or draft.when or "/" in statement) else ""
    if not root:
        return replace(draft, anchors=())
    is_rule = draft.type in ("user", "feedback")
    at = _changed_by_rule(statement, draft.when or "")
    kept = _found(root, names, only_there=is_rule, told_at=at)
    found = tuple(map(str, _with_named(root, kept, statement, draft.when or "")))
    laid_down = draft.trust == "user" and draft.type in LAID_DOWN
    return replace(draft, anchors=found, branch="" if is_rule or laid_down else _branch(root, found))


def confirm(workspace: Workspace, memory: Memory) -> Memory:
    """Anchor a memory again to the code as it is now, because it was found to hold; nothing else of it changes.

    It holds with the code as it was before, too, which other branches may have. A fact of another branch is refused
    where nothing of its code is: it would lose both, and nobody looking from here can say whether it holds.
    """
    workspace.need_enabled()
    workspace.need_reach(memory.scope.kind)
    root = _root(workspace, memory.scope)
    asked = Draft(memory.body, memory.scope, type=memory.type, trust=memory.trust, when=memory.when)
    draft = anchored(workspace, asked)
    if root and _is_elsewhere(root, memory) and not _has_code(root, memory):
        hint = f"git switch {memory.branch}, and then: holdfast confirm {memory.key}"
        raise BadInput(f"{memory.key} is of the branch {memory.branch}, and its code is not here", hint)
    followed = [_defined_now(root, one, as_it_was=False) for one in _followed(root, memory)] if root else []
    # Where the definition went from, no line that only mentions it is meant, nor the whole file.
    left = {one.was for one in followed if one.symbol and one.was}
    lost = {one.path for one in followed if one.symbol and _is_gone(root, one)}
    again = {
        (one.path, one.symbol, one.first): one
        for one in [_whole(root, one) if one.path in lost else one for one in parsed(draft.anchors or ())]
        if one.symbol or one.path not in left
    }
    for one in followed:
        # The statement still uses the old name, which no longer finds it.
        text = anchors.read(root, one.path) if one.was and one.digest else None
        is_there = one.was and not one.digest and os.path.lexists(os.path.join(root, one.path))
        if made := one if is_there else _made(replace(one, digest="", blob=""), text) if text is not None else None:
            again[made.path, made.symbol, made.first] = made
    found = anchors.confirmed(memory.anchors, tuple(map(str, again.values()))[:MAX_ANCHORS])
    # A memory of the whole project stays one: confirming it on a branch says that it holds there too.
    changed = {"anchors": found, "branch": draft.branch if memory.branch else ""}
    return workspace.store.change(memory.scope, memory.key, updated=now(), **changed)


def let_go(before: Memory, after: Memory) -> str:
    """Return what a confirmed memory is no longer checked against, because the code has it no more; mostly nothing."""
    kept = parsed(after.anchors)
    symbols = {one.symbol for one in kept if one.symbol}
    lost = [one.symbol for one in parsed(before.anchors) if one.symbol and one.symbol not in symbols]
    if before.anchors and not kept:
        return "nothing that it names is in the code any more, so no change of code will mark it as stale"
    return f"{', '.join(lost)}: not in the code any more, so only {kept[0].path} is checked from now on" if lost else ""


def stale(workspace: Workspace, memories: Iterable[Memory]) -> list[StaleMemory]:
    """Return the memories whose code changed or moved, or whose branch is gone unmerged."""
    checks: dict[Scope, Freshness] = {}
    known: dict[tuple[str, str], dict[str, str]] = {}
    found = []
    for memory in memories if workspace.has_home else ():
        if memory.scope.kind != "project" or not (memory.anchors or memory.branch) or memory.ended_by(""):
            continue
        if memory.scope not in checks:
            owners = (memory.scope.owner,)
            checks[memory.scope] = Freshness(workspace.home, _root(workspace, memory.scope), owners, most=0)
        check = checks[memory.scope]
        now_at = (
            replace(memory, anchors=tuple(map(str, _followed(check.root, memory, known)))) if check.root else memory
        )
        if check.root and _is_elsewhere(check.root, memory) and not check.holds_here(now_at):
            # It is given on its own branch alone, where its code may well be as it was.
            continue
        not_held = check.stale(now_at)
        is_lost = check.root and not _is_there(check.root, memory.branch) and not check.holds_here(now_at)
        lost = memory.branch if is_lost else ""
        warning = f"learned on the branch {lost}, which is gone and not merged" if lost else check.warning(now_at)
        if lost or not_held or (warning and now_at.anchors != memory.anchors):
            found.append(StaleMemory(memory, warning, _ways(check.root, [one for one, _ in not_held])))
    for check in checks.values():
        check.keep()
    return found


def _ways(root: str, not_held: list[Anchor]) -> tuple[str, ...]:
    """Return how to see what became of the files: a file that is gone has nothing to compare with."""
    return tuple(
        f"what changed: git diff {one.blob} {one.path}"
        if os.path.lexists(os.path.join(root, one.path))
        else f"what was there: git show {one.blob}"
        for one in not_held
        if one.blob
    )


def settle(workspace: Workspace, scopes: tuple[Scope, ...] | None = None) -> int:
    """Follow files that were renamed, and let go of branches that were merged; return how many memories changed.

    What a condition names is followed like what the statement names, and what is told at the change of a file is no
    claim about what stands in it.
    """
    changed, known = 0, dict[tuple[str, str], dict[str, str]]()
    for memory in list(workspace.store.find(Filter(scopes, anchored=True))):
        root = _root(workspace, memory.scope) if memory.scope.kind == "project" else ""
        if not root:
            continue
        told_at = _changed_by_rule(memory.body, memory.when)
        kept = [_loose(one, told_at) for one in _followed(root, memory, known)]
        # What the statement itself names was looked up when it was stored.
        followed = tuple(map(str, _with_named(root, kept, "", memory.when) if memory.when else kept))
        branch = _branch_now(root, memory) if memory.branch else ""
        if (followed, branch) != (tuple(map(str, parsed(memory.anchors))), memory.branch):
            workspace.store.change(memory.scope, memory.key, anchors=followed, branch=branch)
            changed += 1
    return changed


def _branch_now(root: str, memory: Memory) -> str:
    """Return the branch of a fact: none once it is merged; if it is gone, the one that is checked out with its code."""
    if is_merged(root, memory):
        return ""
    here = git.branch_at(root)
    if not here or _is_there(root, memory.branch):
        return memory.branch
    texts = [(one, anchors.read(root, one.path)) for one in parsed(memory.anchors) if one.digest]
    is_here = texts and all(text is not None and anchors.verdict(one, text) == anchors.HOLDS for one, text in texts)
    return here if is_here else memory.branch


def is_merged(root: str, memory: Memory) -> bool:
    """Whether the default branch has, or had, the code that the memory was learned from."""
    default = git_program.default_branch(root)
    if not default or memory.branch == default:
        return bool(default)
    pinned = [one for one in parsed(memory.anchors) if one.digest]
    return bool(pinned) and all(_is_on(root, default, one) for one in pinned)


def _is_on(root: str, branch: str, anchor: Anchor) -> bool:
    texts = git_program.on_branch(root, branch, anchor.path)
    return any(anchors.verdict(anchor, anchors.code_of(anchor.path, text)) == anchors.HOLDS for text in texts)


def _is_there(root: str, branch: str) -> bool:
    """Whether a branch is there; where git does not answer it counts as there."""
    if not branch or branch == git.branch_at(root):
        return True
    listed = git_program.run(root, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    return listed is None or any(ref.endswith(f"/{branch}") for ref in listed.split("\n"))


def _is_elsewhere(root: str, memory: Memory) -> bool:
    """Whether a fact belongs to an existing branch other than the one that is checked out."""
    return bool(memory.branch) and memory.branch != git.branch_at(root) and _is_there(root, memory.branch)


def _has_code(root: str, memory: Memory) -> bool:
    """Whether all that a memory is anchored to is here, as it was or changed."""
    texts = [(one, anchors.read(root, one.path)) for one in _followed(root, memory)]
    return all(text is not None and anchors.named_text(one, text) is not None for one, text in texts if one.digest)


def _branch(root: str, found: tuple[str, ...]) -> str:
    """Return the branch that is checked out, where what was found is only there."""
    here, default = git.branch_at(root), git_program.default_branch(root)
    pinned = [one for one in parsed(found) if one.digest]
    if not here or not default or here == default or not pinned:
        return ""
    # A hook asks no program: until the next sweep it may hold only where it was said.
    is_known = not Deadline.is_set() and git_program.has(root, "HEAD")
    return "" if is_known and all(_is_on(root, default, one) for one in pinned) else here


def _root(workspace: Workspace, scope: Scope) -> str:
    """Return the folder of a project: this one, or where another was last seen; nothing where it is not there."""
    if not workspace.has_home:
        return ""
    try:
        project = workspace.project()
        if scope.owner in project.ids:
            return project.root
    except HoldfastError:
        pass
    root = workspace.registry.known().roots().get(scope.owner, "")
    return root if os.path.isdir(root) else ""


def _followed(root: str, memory: Memory, known: dict[tuple[str, str], dict[str, str]] | None = None) -> list[Anchor]:
    """Return the anchors of a memory, each where git knows the file to be now; `known` is what it said already."""
    found = parsed(memory.anchors)
    lost = [one for one in found if not os.path.lexists(os.path.join(root, one.path))]
    asked, known = (root, memory.created[:10]), {} if known is None else known
    if lost and asked not in known:
        known[asked] = git_program.renames(*asked)
    moved = known.get(asked, {})
    now_at = {one.path: _moved_to(one.path, moved) for one in lost}
    return [
        replace(one, path=path, was="" if path == one.was else one.was or one.path)
        if anchors.is_inside(path := now_at.get(one.path, ""))
        else (_defined_now(root, one) if _is_newer(root, one, memory) else one)
        for one in found
    ]


def _is_newer(root: str, one: Anchor, memory: Memory) -> bool:
    """Whether the file of a symbol was written since the memory was: only then need it be read."""
    try:
        return bool(one.symbol) and os.lstat(os.path.join(root, one.path)).st_mtime >= seconds(memory.updated)
    except (OSError, ValueError):
        return False


def _is_gone(root: str, one: Anchor) -> bool:
    """Whether the file of a symbol is there and no longer defines it."""
    text = anchors.read(root, one.path) if one.symbol and one.digest else None
    return text is not None and anchors.named_text(one, text) is None


def _defined_now(root: str, one: Anchor, *, as_it_was: bool = True) -> Anchor:
    """Return a symbol's anchor where one other file defines it by now, and `as_it_was`; else the anchor as it is."""
    for there in _alone(root, one.symbol) if _is_gone(root, one) else ():
        moved = replace(one, path=there.path, was="" if there.path == one.was else one.was or one.path, blob="")
        text = anchors.read(root, there.path) or ""
        return moved if not as_it_was or anchors.verdict(moved, text) == anchors.HOLDS else one
    return one


def _whole(root: str, one: Anchor) -> Anchor:
    """Return the anchor of the whole file in the place of one of its lines."""
    text = anchors.read(root, one.path) if one.first else None
    return (_made(Anchor(one.path), text) or one) if text is not None else one


def _moved_to(path: str, moved: dict[str, str]) -> str:
    """Return where a file is by now, or a folder: where all that was in it went by the names that it had there."""
    if path in moved:
        return moved[path]
    inside = [(old[len(path) :], new) for old, new in moved.items() if old.startswith(f"{path}/")]
    places = {new.removesuffix(rest) if new.endswith(rest) else "" for rest, new in inside}
    return places.pop() if len(places) == 1 else ""


def _changed_by_rule(statement: str, when: str) -> tuple[str, ...]:
    """Return the files at whose change a statement is told: "after changing a.sql run ..." is no claim about it."""
    if when:
        condition = conditions.read(when)
        return condition.paths if condition else ()
    return derived.at_change(statement)


def _loose(one: Anchor, told_at: tuple[str, ...]) -> Anchor:
    """Return the anchor of a whole file without its digest where a rule is told when that file changes."""
    is_whole = one.digest and not one.symbol and not one.first
    is_told = is_whole and any(runs.fits_path(path, at) for path in (one.path, one.was) if path for at in told_at)
    return replace(one, digest="", length=0, blob="") if is_told else one


def _with_named(root: str, found: list[Anchor], statement: str, when: str) -> list[Anchor]:
    """Return the anchors with those of the files and folders that the condition names, so that it follows them."""
    given = conditions.read(when) if when else None
    told = None if when else derived.derive(statement)
    condition = given or (told.condition if told else None)
    for pattern in condition.paths if condition else ():
        path = _literal(pattern)
        known = {name for one in found for name in (one.path, one.was)}
        full = os.path.join(root, path)
        # git knows no renames in a folder that is not committed, such as one for builds.
        is_file = given and os.path.isfile(full)
        is_there = is_file or (os.path.isdir(full) and git_program.called(root, f"{path}/**"))
        if anchors.is_inside(path) and path not in known and is_there:
            found = [*found, Anchor(path)]
    return found[:MAX_ANCHORS]


def _literal(pattern: str) -> str:
    """Return the folders and the file that a pattern names before its first `*`; nothing where it only excepts."""
    parts = pattern.removeprefix("./").rstrip("/").split("/") if pattern[:1] not in ("!", "/", "~") else []
    stars = [number for number, part in enumerate(parts) if set(part) & set("*?[{")]
    return "/".join(parts[: stars[0]] if stars else parts)


def _found(root: str, names: code_names.Names, *, only_there: bool, told_at: tuple[str, ...] = ()) -> list[Anchor]:
    """Return the anchors of what is named, those of symbols and lines before those of whole files.

    A file at whose change a rule is told (`told_at`) need only be there.
    """
    texts = {path: text for path, _, _ in names.files for path, text in _named_file(root, path)}
    by_symbol = [*_in_files(names, texts)]
    known = {one.symbol for one in by_symbol}
    used = [one for name in names.sure if name not in known for one in _uses(name, texts)]
    elsewhere = [] if only_there or used else [name for name in names.sure if name not in known]
    by_symbol += [one for name in elsewhere for one in _alone(root, name)]
    spans = {
        (one.path, line + 1)
        for one in by_symbol
        for first, last in code_spans.defined(texts.get(one.path, "").split("\n"), one.symbol)
        for line in range(first, last)
    }
    lined = [
        Anchor(path, first=first, last=last)
        for named, first, last in names.files
        for path, text in _named_file(root, named)
        # Lines inside an anchored symbol move with it.
        if first and last <= text.count("\n") + 1 and (path, first) not in spans
    ]
    narrow = [*by_symbol, *lined, *(one for one in used if (one.path, one.first) not in spans)]
    whole = [Anchor(path) for path in texts if path not in {one.path for one in (*narrow, *used)}]
    made: list[Anchor] = []
    for one in (*narrow, *whole):
        text = texts.get(one.path) or anchors.read(root, one.path) or ""
        is_file = not one.symbol and not one.first
        loose = only_there or (is_file and (one in used or one.path.endswith(_ALWAYS_CHANGING)))
        if found := Anchor(one.path) if loose else _made(one, text):
            made.append(found)
    made = list(dict.fromkeys(_loose(one, told_at) for one in made))[:MAX_ANCHORS]
    ids = git_program.blobs(root, [one.path for one in made if one.digest]) if any(one.digest for one in made) else {}
    return [replace(one, blob=ids.get(one.path, "")[:_BLOB_DIGITS]) if one.digest else one for one in made]


def _uses(name: str, texts: dict[str, str]) -> Iterator[Anchor]:
    """Yield where the one named file uses a symbol that it does not define: a few lines, or the whole file."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    holding = {path: text for path, text in texts.items() if word.search(text)}
    for path, text in holding.items() if len(holding) == 1 else ():
        lines = [number for number, line in enumerate(text.split("\n"), 1) if word.search(line)]
        # A name that is everywhere means no line in particular, and no change of the file need concern it.
        yield from (
            [Anchor(path, first=line, last=line) for line in lines] if len(lines) <= _MAX_USES else [Anchor(path)]
        )


def _named_file(root: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of the file that is meant by a name: the one there, or the only one that is called so."""
    name = os.path.relpath(name, root) if name.startswith(root + "/") else name
    there = [name] if os.path.lexists(os.path.join(root, name)) else git_program.called(root, name)
    if len(there) == 1 and anchors.is_inside(there[0]) and (text := anchors.read(root, there[0])) is not None:
        yield there[0], text


def _in_files(names: code_names.Names, texts: dict[str, str]) -> Iterator[Anchor]:
    """Yield the symbols that exactly one of the named files defines."""
    for name in (*names.sure, *names.likely):
        found = {path: code_spans.defined(text.split("\n"), name) for path, text in texts.items()}
        defining = [path for path, spans in found.items() if spans]
        # An everyday word counts as a name only where it is defined once.
        is_plain = name in names.likely and name.isalpha() and name.islower()
        if is_plain and sum(map(len, found.values())) > 1:
            continue
        if len(defining) == 1 and not (name in names.likely and any(name in sure for sure in names.sure)):
            yield Anchor(defining[0], name)


def _alone(root: str, name: str) -> Iterator[Anchor]:
    """Yield the anchor of a symbol whose file is not named, where exactly one tracked file defines it."""
    own = name.replace("::", ".").rpartition(".")[2]
    holding = git_program.with_word(root, own) if len(own) >= _MIN_ALONE else []
    found = []
    for path in holding if len(holding) <= _MAX_HOLDING else ():
        text = anchors.read(root, path) if anchors.is_inside(path) and not path.endswith(_ALWAYS_CHANGING) else None
        if text and code_spans.defined(text.split("\n"), name, alone=True):
            found.append(Anchor(path, name))
    if len(found) == 1:
        yield found[0]


def _made(anchor: Anchor, text: str) -> Anchor | None:
    """Return the anchor with the digest of what it names; None where that is not there, or has a secret in it."""
    lines, whole = text.split("\n"), "".join(text.split())
    # A lone bracket is found everywhere; the lines around it tell it from others.
    while anchor.first and anchor.last - anchor.first < len(lines):
        named = anchors.named_text(anchor, text)
        bare = "".join((named or "").split())
        if named is None or (len(bare) >= _MIN_LINES and whole.count(bare) == 1) or len(bare) > _ENOUGH_LINES:
            break
        anchor = replace(anchor, first=max(1, anchor.first - 1), last=min(len(lines), anchor.last + 1))
    named = anchors.named_text(anchor, text)
    if not named or not named.strip() or redact.find(named):
        return None
    if anchor.first:
        digest, length = code_spans.digest_of_lines(named)
        return replace(anchor, digest=digest, length=length)
    return replace(anchor, digest=code_spans.digest(named))
