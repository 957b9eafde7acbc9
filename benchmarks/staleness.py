"""Staleness: real edits replayed on files rebuilt from transcripts or taken from git, and who is warned.

    holdfast bench staleness --data FOLDER [--half first|second|all] [--json]

FOLDER has transcripts (`*.jsonl`, `*.json`) whose results of edits tell the file before and after, or is the work tree
of a git repository, whose commits are walked. Of each edit, statements about functions, settings and lines of the file
before are anchored by the code that stores any memory, and so are sentences of the session that name them; then the
file becomes what the edit made of it, and the memory is asked for its warning.

What an edit changed is told by other rules than those that anchor: Python by its own parser, TOML and JSON by theirs,
other languages by matching brackets outside of strings and comments, lines by a diff. White space is no change. Goals:
warned of at least 90 % of what changed, and of at most 5 % of what did not. Files fall into two halves by their names,
so that rules can be chosen on one of them and tried on the other.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from holdfast.base.clock import now
from holdfast.memory.anchors import anchored
from holdfast.records import Draft, Memory, Scope
from holdfast.workspace import Workspace

MIN_WARNED, MAX_FALSE = 0.90, 0.05
A_FILE = 12
MAX_COMMITS = 400
MAX_BYTES = 400_000
# What is not anchored warns of nothing, and counts so.
SAID = ("warned", "quiet", "not anchored")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")
SENTENCE = range(20, 300)
QUOTED = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|//[^\n]*|/\*.*?\*/|(?m:^\s*#[^\n]*)", re.S
)
DEFINED = re.compile(
    r"(?m)^[ \t]*(?:(?:export|default|pub(?:\([a-z]+\))?|async|static|public|private|protected|final)\s+)*"
    r"(?:func(?:\s*\([^)]*\))?|function\*?|class|struct|enum|interface|trait|fn|type|const|let|var|val|fun)\s+(\w+)"
)
WITH_BRACKETS = (".go", ".ts", ".tsx", ".js", ".jsx", ".rs", ".java", ".kt", ".swift", ".c", ".cc", ".cpp", ".h", ".cs")


class Edit(NamedTuple):
    """One edit: the file, what it said before and after, and what was said in its session."""

    path: str
    before: str
    after: str
    said: tuple[str, ...] = ()


class Claim(NamedTuple):
    """A statement, its kind, and whether what it names was changed by the edit."""

    kind: str
    text: str
    changed: bool


def main(arguments: list[str]) -> int:
    """Replay the edits and print who was warned; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="holdfast bench staleness", description=__doc__)
    parser.add_argument("--data", required=True, help="a folder of transcripts, or a work tree of git")
    parser.add_argument("--half", choices=("first", "second", "all"), default="all", help="which half of the files")
    parser.add_argument("--seed", type=int, default=1, help="which statements are made of a file with many")
    parser.add_argument("--commits", type=int, default=MAX_COMMITS, help="of a repository, so many of the last ones")
    parser.add_argument("--wrong", type=int, default=0, help="print so many of the wrong ones")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    folder = Path(options.data)
    edits = [*(of_git(folder, options.commits) if (folder / ".git").exists() else of_transcripts(folder))]
    halves = {"first": (0,), "second": (1,), "all": (0, 1)}[options.half]
    # Several snapshots of one session have the same edits.
    edits = [edit for edit in {edit[:3]: edit for edit in edits}.values() if crc32(edit.path.encode()) % 2 in halves]
    counts, wrong = replayed(edits, random.Random(options.seed))
    return told(counts, wrong[: options.wrong], len(edits), as_json=options.json)


def told(counts: Counter[tuple[str, bool, str]], wrong: list[str], edits: int, *, as_json: bool) -> int:
    """Print the counts; return 1 where a goal is missed."""
    kinds = sorted({kind for kind, _, _ in counts})
    rows: list[dict[str, Any]] = []
    for kind in [*kinds, "all"]:
        chosen = kinds if kind == "all" else [kind]
        of = {
            (changed, said): sum(counts[one, changed, said] for one in chosen)
            for changed in (True, False)
            for said in SAID
        }
        changed, same = (sum(of[side, said] for said in SAID) for side in (True, False))
        rows.append(
            {
                "kind": kind,
                "changed": changed,
                "warned": round(of[True, "warned"] / changed, 4) if changed else None,
                "unchanged": same,
                "false": round(of[False, "warned"] / same, 4) if same else None,
                "not_anchored": of[True, "not anchored"] + of[False, "not anchored"],
            }
        )
    every = rows[-1]
    if as_json:
        print(json.dumps({"edits": edits, "rows": rows, "wrong": wrong}, indent=2))
    else:
        print(f"{edits} edits")
        heads = ("changed", "warned", "same", "warned", "not anchored")
        print(f"{'statements about':18}" + "".join(f"{head:>14}" for head in heads))
        for row in rows:
            cells = [row[name] for name in ("changed", "warned", "unchanged", "false", "not_anchored")]
            shown = ["-" if cell is None else f"{cell:.1%}" if isinstance(cell, float) else str(cell) for cell in cells]
            print(f"{row['kind']!s:18}" + "".join(f"{cell:>14}" for cell in shown))
        print(*wrong, sep="\n")
    missed = (every["warned"] or 0) < MIN_WARNED or (every["false"] or 0) > MAX_FALSE
    return int(missed)


def replayed(edits: Iterable[Edit], chance: random.Random) -> tuple[Counter[tuple[str, bool, str]], list[str]]:
    """Store each claim on the file before, make the edit, and count who was warned."""
    counts: Counter[tuple[str, bool, str]] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-staleness-") as top:
        root = Path(top, "project")
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        for number, edit in enumerate(edits):
            file = root / edit.path
            file.parent.mkdir(parents=True, exist_ok=True)
            with Workspace(str(Path(top, "home")), folder=str(root), environment={"HOME": top}) as workspace:
                scope = workspace.scope("project")
                claims = [*claims_of(edit, chance)]
                file.write_text(edit.before, encoding="utf-8")
                subprocess.run(["git", "-C", str(root), "add", "-Af", "."], check=True)
                memories = [stored(workspace, scope, claim.text) for claim in claims]
                file.write_text(edit.after, encoding="utf-8")
                for claim, memory in zip(claims, memories, strict=True):
                    warning = workspace.fresh().warning(memory)
                    said = (
                        "not anchored"
                        if not any("@" in one for one in memory.anchors)
                        else "warned"
                        if warning
                        else "quiet"
                    )
                    counts[claim.kind, claim.changed, said] += 1
                    if (said == "warned") != claim.changed:
                        wrong.append(
                            f"{said}, {'changed' if claim.changed else 'same'}: {claim.text} {memory.anchors} #{number}"
                        )
            file.unlink()
    return counts, wrong


def stored(workspace: Workspace, scope: Scope, text: str) -> Memory:
    """Return the memory that a statement makes, anchored as it is stored."""
    draft = anchored(workspace, Draft(text, scope, trust="agent"))
    return Memory("k", scope, "", text, anchors=draft.anchors or (), updated=now())


def claims_of(edit: Edit, chance: random.Random) -> Iterator[Claim]:
    """Yield statements about what the file before defines, about lines of it, and what was said about it."""
    before, after = named(edit.path, edit.before), named(edit.path, edit.after)
    changed = [name for name in before if squeezed(before[name]) != squeezed(after.get(name, ""))]
    same = [name for name in before if name not in changed]
    chosen = [*chance.sample(changed, min(A_FILE, len(changed))), *chance.sample(same, min(A_FILE, len(same)))]
    kind = "settings" if edit.path.endswith((".toml", ".json")) else "symbols"
    for name in chosen:
        yield Claim(kind, f"`{name}` in {edit.path} is what counts.", name in changed)
    touched = touched_lines(edit.before, edit.after)
    lines = edit.before.split("\n")
    telling = [number for number, line in enumerate(lines, 1) if len(line.strip()) > 8]
    for side in (True, False):
        of_side = [number for number in telling if (number in touched) == side]
        for number in chance.sample(of_side, min(A_FILE // 4, len(of_side))):
            yield Claim("lines", f"See {edit.path}:{number} for it.", side)
    for text in edit.said:
        about = [
            name for name in before if re.search(rf"(?<![\w./-]){re.escape(name.rpartition('.')[2])}(?![\w/-])", text)
        ]
        code = [name for name in about if is_code(name.rpartition(".")[2], text)]
        is_about = Path(edit.path).name in text or any(f"`{name.rpartition('.')[2]}" in text for name in code)
        if code and is_about:
            yield Claim("sentences", text, any(name in changed for name in code))


def is_code(name: str, text: str) -> bool:
    """Whether a sentence writes a name as code."""
    return f"`{name}" in text or f"{name}(" in text or "_" in name.strip("_") or not (name.islower() or name.istitle())


def squeezed(text: str) -> str:
    """Return a text without white space, and without a comma that a formatter adds."""
    return re.sub(r",([)\]}])", r"\1", re.sub(r"\s+", "", text))


def touched_lines(before: str, after: str) -> set[int]:
    """Return the numbers of the lines of a text that are not in the other, white space aside."""
    one, two = (["".join(line.split()) for line in text.split("\n")] for text in (before, after))
    kept: set[int] = set()
    for block in difflib.SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks():
        kept.update(range(block.a + 1, block.a + block.size + 1))
    # A line that only moved is in the other text, too.
    return {number for number, line in enumerate(one, 1) if number not in kept and line not in two}


def named(path: str, text: str) -> dict[str, str]:
    """Return what a file defines, each name once, with its text."""
    try:
        if path.endswith(".py"):
            return of_python(text)
        if path.endswith(".toml"):
            return of_values(tomllib.loads(text))
        if path.endswith(".json"):
            return of_values(json.loads(text))
    except (SyntaxError, ValueError):
        return {}
    return of_brackets(text) if path.endswith(WITH_BRACKETS) else {}


def of_python(text: str) -> dict[str, str]:
    """Return the functions, classes, methods and constants of a module, by Python's own parser."""
    lines, found = text.split("\n"), defaultdict(list)
    for node in ast.parse(text).body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for one in (node, *inner):
            name = f"{node.name}." if one is not node and isinstance(node, ast.ClassDef) else ""
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                first = min([one.lineno, *(each.lineno for each in one.decorator_list)])
                found[name + one.name].append("\n".join(lines[first - 1 : one.end_lineno]))
            elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and not name:
                found[one.targets[0].id].append("\n".join(lines[one.lineno - 1 : one.end_lineno]))
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1}


def of_values(values: dict[str, Any], above: str = "") -> dict[str, str]:
    """Return each setting by its whole name."""
    found = {}
    for name, value in values.items() if isinstance(values, dict) else ():
        if re.fullmatch(r"[A-Za-z_][\w-]*", name):
            found[above + name] = json.dumps(value, default=str)
            found.update(of_values(value, f"{above}{name}.") if isinstance(value, dict) else {})
    return {name: value for name, value in found.items() if not above or value}


def of_brackets(text: str) -> dict[str, str]:
    """Return what is defined by a word in a language with brackets, up to the bracket that closes it."""
    hidden = QUOTED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    found = defaultdict(list)
    for match in DEFINED.finditer(hidden):
        if end := closing(hidden, match.end()):
            found[match.group(1)].append(text[match.start() : end])
    return {name: texts[0] for name, texts in found.items() if len(texts) == 1}


def closing(hidden: str, at: int) -> int:
    """Return where a definition ends: behind the brackets that it opens, on the line where none is open."""
    depth, opened = 0, False
    for place in range(at, len(hidden)):
        letter = hidden[place]
        depth += letter in "([{"
        depth -= letter in ")]}"
        opened = opened or letter == "{"
        if depth < 0:
            return place
        if (
            depth == 0
            and (letter in "\n;" or (opened and letter == "}"))
            and not hidden[at:place].rstrip().endswith(("=", ">", ",", "|", "&", ":"))
        ):
            return place + 1
    return len(hidden)


def of_transcripts(folder: Path) -> Iterator[Edit]:
    """Yield the edits of transcripts whose results tell what the whole file said before."""
    for path in sorted(folder.rglob("*.json*")):
        texts = path.read_text(encoding="utf-8", errors="replace")
        records = [one for line in (texts.split("\n") if path.suffix == ".jsonl" else [texts]) for one in parsed(line)]
        said = sentences(records)
        for one in (each for record in records for each in objects(record)):
            before, name = one.get("originalFile"), one.get("filePath")
            old, new = one.get("oldString"), one.get("newString")
            if not all(isinstance(each, str) and each for each in (before, name, old)) or not isinstance(new, str):
                continue
            after = before.replace(old, new) if one.get("replaceAll") else before.replace(old, new, 1)
            inside = "/".join(str(name).split("/")[-3:])
            if after != before and len(before) <= MAX_BYTES and re.fullmatch(r"[\w@./+-]+", inside):
                yield Edit(inside, before, after, tuple(said))


def parsed(line: str) -> list[Any]:
    """Return the record of a line, or nothing."""
    try:
        return [json.loads(line)]
    except ValueError:
        return []


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object within a record."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def sentences(records: list[Any]) -> list[str]:
    """Return the sentences that were said in a session."""
    texts = [
        one["text"]
        for record in records
        for one in objects(record)
        if one.get("type") == "text" and isinstance(one.get("text"), str)
    ]
    return list(
        dict.fromkeys(
            " ".join(found.split()) for text in texts for found in SENTENCE_END.split(text) if len(found) in SENTENCE
        )
    )


def of_git(folder: Path, commits: int) -> Iterator[Edit]:
    """Yield what commits changed in files that stayed where they were."""

    def git(*words: str) -> str:
        ended = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
        return ended.stdout.decode("utf-8", "replace") if not ended.returncode else ""

    for commit in git("rev-list", "--no-merges", f"--max-count={commits}", "HEAD").split():
        for path in git("diff-tree", "-r", "--name-only", "--diff-filter=M", "--no-commit-id", commit).split("\n")[:8]:
            before, after = git("show", f"{commit}~:{path}"), git("show", f"{commit}:{path}")
            if before and after and path and " " not in path and len(before) <= MAX_BYTES and "\0" not in before:
                yield Edit(path, before, after)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
