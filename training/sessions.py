"""Make the dev set about real agent sessions: `python training/sessions.py TRANSCRIPTS OUT.json`.

TRANSCRIPTS is a folder of sessions, `agent/owner__repo/...`, as agents keep them; it is no part of this project. What
people and agents said in them becomes one haystack in the simple format of `benchmarks/recall_sets/sets.py`, with the
questions of `sessions.tsv`. A passage is called `<file>#<line>`; in a file that is one JSON document, the line is the
number of the message. Only what is needed here is read: the adapters of the product are another matter.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

QUESTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions.tsv")
KINDS = ("instruction", "preference", "decision", "fact", "fix", "request", "progress")
LONGEST_PASSAGE = 20_000

# A record of an agent, as it comes.
Json = Any


@dataclass(frozen=True)
class Turn:
    """What one side said, and on which line of the file it stands."""

    line: int
    at: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Asked:
    """A question of the tsv, and the line that it stands on."""

    line: int
    text: str
    kind: str
    gold: tuple[str, ...]
    older: tuple[str, ...]


class BadSet(Exception):
    """The set cannot be made; the message says what is wrong where."""


def claude(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read Claude Code: one content block a line. Sidechains and what the program itself put in are left out."""
    for line, record in records:
        if record.get("type") not in ("user", "assistant"):
            continue
        message = record.get("message") or {}
        own = record.get("isMeta") or record.get("isCompactSummary") or message.get("model") == "<synthetic>"
        if not (own or record.get("isSidechain")):
            yield Turn(line, record.get("timestamp", ""), record["type"], _text(message.get("content")))


def codex(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read Codex: of the two channels that hold each message, the one without injected context."""
    speakers = {"user_message": "user", "agent_message": "assistant"}
    for line, record in records:
        payload = record.get("payload") or {}
        if record.get("type") == "event_msg" and payload.get("type") in speakers:
            yield Turn(line, record.get("timestamp", ""), speakers[payload["type"]], payload.get("message") or "")


def copilot(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read Copilot: `content` is what was said, without what the program added to it."""
    speakers = {"user.message": "user", "assistant.message": "assistant"}
    for line, record in records:
        if record.get("type") in speakers:
            yield Turn(line, record.get("timestamp", ""), speakers[record["type"]], record["data"].get("content") or "")


def gemini(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read Gemini: messages of the person and of the model; notices of the program are left out."""
    speakers = {"user": "user", "gemini": "assistant"}
    for line, record in records:
        if record.get("type") in speakers:
            text = _text(record.get("content"))
            yield Turn(line, record.get("timestamp", ""), speakers[record["type"]], text)


def opencode(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read an export of OpenCode: the text parts of each message that nobody made up."""
    for line, record in records:
        info = record.get("info") or {}
        if info.get("role") in ("user", "assistant"):
            parts = [part for part in record.get("parts", ()) if not part.get("synthetic")]
            at = datetime.fromtimestamp(info["time"]["created"] / 1000, UTC).isoformat()
            yield Turn(line, at, info["role"], _text(parts))


def pi(records: Iterable[tuple[int, Json]]) -> Iterator[Turn]:
    """Read Pi: the text of the person's and the assistant's messages."""
    for line, record in records:
        message = record.get("message") or {}
        if record.get("type") == "message" and message.get("role") in ("user", "assistant"):
            yield Turn(line, record.get("timestamp", ""), message["role"], _text(message.get("content")))


Reader = Callable[[Iterable[tuple[int, Json]]], Iterator[Turn]]
READERS: dict[str, Reader] = {
    "claude-code": claude,
    "codex": codex,
    "copilot": copilot,
    "gemini": gemini,
    "opencode": opencode,
    "pi": pi,
}
# Published test data of other tools is invented talk; only sessions from real work are read.
INVENTED = ("jazzyalex__agent-sessions", "kenn-io__agentsview", "tuo-lei__vibe-replay")
COMMAND_OR_NOTICE = re.compile(
    r"(<(command-|local-command|bash-|task-notification|environment_context|user_instructions|turn_aborted|skill>)"
    r"|# AGENTS\.md instructions|\[Request interrupted|Caveat: )"
)
INJECTED = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|session_context|current_datetime)>.*?</\1>", re.DOTALL
)


def _text(content: Json) -> str:
    """Return the text blocks of a content, which is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content or () if isinstance(block, dict) and block.get("type", "text") == "text"]
    return "\n\n".join(block.get("text") or "" for block in blocks)


def said(text: str) -> str:
    """Return what was really said in a message: nothing for an echo of a command or an injected context."""
    text = INJECTED.sub("", text).strip()
    return "" if COMMAND_OR_NOTICE.match(text) else text[:LONGEST_PASSAGE]


def records_of(path: str) -> Iterator[tuple[int, Json]]:
    """Yield the records of a file with their lines, or the messages of a document with their numbers, from 1."""
    with open(path, encoding="utf-8", errors="replace") as file:
        whole = file.read()
    try:
        document = json.loads(whole)
    except ValueError:
        document = None
    if isinstance(document, dict) and isinstance(document.get("messages"), list):
        yield from enumerate(document["messages"], 1)
        return
    for line, row in enumerate(whole.split("\n"), 1):
        try:
            record = json.loads(row)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield line, record


def passages_of(folder: str) -> list[Json]:
    """Return the passages of all sessions below the folder; the same words at the same time are one passage."""
    passages = []
    seen: set[tuple[str, str, str]] = set()
    for path, reader in _files(folder):
        name = os.path.relpath(path, folder).replace(os.sep, "/")
        for turn in reader(records_of(path)):
            text = said(turn.text)
            if not text or (turn.at, turn.speaker, text) in seen:
                continue
            seen.add((turn.at, turn.speaker, text))
            place = {"id": f"{name}#{turn.line}", "session": name, "at": turn.at[:10]}
            passages.append({**place, "speaker": turn.speaker, "text": text})
    return passages


def _files(folder: str) -> Iterator[tuple[str, Reader]]:
    """Yield the sessions below a folder, those of invented talk left out, and of growing ones the newest snapshot."""
    for agent, reader in READERS.items():
        for place, _, names in sorted(os.walk(os.path.join(folder, agent))):
            if not any(invented in place for invented in INVENTED):
                yield from ((os.path.join(place, name), reader) for name in sorted(names) if name.endswith(".jsonl"))
    for place, _, names in sorted(os.walk(os.path.join(folder, "_growth"))):
        agent = os.path.basename(place).partition("__")[0]
        if agent in READERS and names:
            yield os.path.join(place, max(names)), READERS[agent]


def read_questions(path: str) -> list[Asked]:
    """Return the questions of a tsv; a row that is not in its format is an error."""
    asked = []
    with open(path, encoding="utf-8") as file:
        for line, row in enumerate(file, 1):
            if row.startswith("#") or not row.strip():
                continue
            cells = [*row.rstrip("\n").split("\t"), ""]
            if len(cells) not in (4, 5) or cells[1] not in KINDS or not cells[2].split():
                raise BadSet(f"{path}:{line} is not `question, kind, gold, older`, with a kind of {', '.join(KINDS)}")
            asked.append(Asked(line, cells[0], cells[1], tuple(cells[2].split()), tuple(cells[3].split())))
    return asked


def the_set(passages: list[Json], asked: list[Asked]) -> Json:
    """Return the document; a gold or older passage that is not among the passages is an error that names all."""
    session = {passage["id"]: passage["session"] for passage in passages}
    missing = [f"line {q.line}: {place}" for q in asked for place in (*q.gold, *q.older) if place not in session]
    if missing:
        raise BadSet("\n".join([f"{len(missing)} passages of the questions are not in the sessions:", *missing]))
    questions = []
    for q in asked:
        gold = sorted({session[place] for place in q.gold})
        older = sorted({session[place] for place in q.older} - set(gold))
        where = {"passages": list(q.gold), "sessions": gold, "older": older, "older_passages": list(q.older)}
        questions.append({"id": f"{q.kind}-{q.line}", "text": q.text, "kind": q.kind, **where})
    return {"haystacks": [{"name": "sessions", "passages": passages, "questions": questions}]}


def main(arguments: list[str]) -> int:
    """Write the set, and print how large it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transcripts")
    parser.add_argument("out")
    parser.add_argument("--questions", default=QUESTIONS, help="another tsv than the one beside this script")
    options = parser.parse_args(arguments)
    try:
        document = the_set(passages_of(options.transcripts), read_questions(options.questions))
    except (BadSet, OSError) as problem:
        print(f"sessions.py: {problem}", file=sys.stderr)
        return 1
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
    (haystack,) = document["haystacks"]
    sessions = {passage["session"] for passage in haystack["passages"]}
    print(f"{len(sessions)} sessions, {len(haystack['passages'])} passages, {len(haystack['questions'])} questions")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
