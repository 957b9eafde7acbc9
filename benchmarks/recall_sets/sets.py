"""Sets to measure recall on: haystacks of passages with questions whose answers are known.

The simple format, for anybody's own set, is one JSON file:

    {"haystacks": [{"name": "...",
                    "passages": [{"id": "...", "session": "...", "at": "2026-11-01", "speaker": "...", "text": "..."}],
                    "questions": [{"id": "...", "text": "...", "passages": ["id", ...], "sessions": ["id", ...],
                                   "older": ["id", ...]}]}]}

`passages` and `sessions` of a question are where its answer stands; a set may know only one of them. `older`, which may
be left out, are sessions with an answer that no longer holds. Of a passage, only `id` and `text` must be there. Public
sets are read as their authors publish them; what a folder or file is, is told by its content.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from holdfast.errors import BadInput

# What a file of JSON holds, as it comes.
Json = Any


@dataclass(frozen=True)
class Passage:
    """One turn, or one memory."""

    id: str
    session: str
    text: str
    at: str = ""
    speaker: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked, and where the answer stands; `older` are sessions with an answer that no longer holds."""

    id: str
    text: str
    passages: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Haystack:
    """What is searched at once."""

    name: str
    passages: list[Passage]
    questions: list[Question] = field(default_factory=list)


def find_sets(folder: str) -> dict[str, list[Haystack]]:
    """Return every set that the folder holds, by name."""
    found: dict[str, list[Haystack]] = {}
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".json"):
                continue
            for reader in READERS:
                haystacks = reader(os.path.join(place, name))
                if haystacks:
                    key = reader.__name__ if reader is not simple else name[:-5]
                    found.setdefault(key, []).extend(haystacks)
                    break
    return found


def simple(path: str) -> list[Haystack]:
    """Read the simple format of this page."""
    document = _json(path)
    if not _has(document, "haystacks"):
        return []
    try:
        return [_simple_haystack(haystack, str(place)) for place, haystack in enumerate(document["haystacks"])]
    except (KeyError, TypeError, AttributeError) as problem:
        raise BadInput(
            f"{path} is not in the simple format: {problem!r}", "recall_sets/sets.py has the format."
        ) from None


def _simple_haystack(haystack: Json, name: str) -> Haystack:
    passages = [
        Passage(p["id"], p.get("session", ""), p["text"], p.get("at", ""), p.get("speaker", ""))
        for p in haystack["passages"]
    ]
    questions = [
        Question(q["id"], q["text"], *(frozenset(q.get(part, ())) for part in ("passages", "sessions", "older")))
        for q in haystack["questions"]
    ]
    return Haystack(haystack.get("name", name), passages, questions)


def locomo(path: str) -> list[Haystack]:
    """Read LoCoMo: ten long conversations; the evidence of a question is a list of turn ids."""
    document = _json(path)
    if not (isinstance(document, list) and document and _has(document[0], "conversation")):
        return []
    return [_locomo_haystack(sample) for sample in document]


def _locomo_haystack(sample: Json) -> Haystack:
    passages = list(_locomo_turns(sample["conversation"]))
    sessions = {passage.id: passage.session for passage in passages}
    questions = []
    for place, qa in enumerate(sample["qa"]):
        named = re.findall(r"D:?(\d+):(\d+)", " ".join(qa["evidence"]))
        gold = frozenset(f"D{a}:{b}" for a, b in named) & sessions.keys()
        if gold:
            gold_sessions = frozenset(sessions[turn] for turn in gold)
            questions.append(Question(f"{sample['sample_id']}-{place}", qa["question"], frozenset(gold), gold_sessions))
    return Haystack(sample["sample_id"], passages, questions)


def _locomo_turns(conversation: Json) -> Iterator[Passage]:
    number = 1
    while f"session_{number}_date_time" in conversation:
        at = _date(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation.get(f"session_{number}", ()):
            seen = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Passage(turn["dia_id"], f"S{number}", turn["text"] + seen, at, turn["speaker"])
        number += 1


def devmembench(path: str) -> list[Haystack]:
    """Read DevMemBench: coding sessions, and questions with the sessions that answer them."""
    if os.path.basename(path) != "questions.json":
        return []
    sessions = _json(os.path.join(os.path.dirname(path), "sessions.json"))
    if not isinstance(sessions, list):
        return []
    passages = [
        Passage(f"{s['sessionId']}:{n}", s["sessionId"], message["content"], s["metadata"]["date"], message["role"])
        for s in sessions
        for n, message in enumerate(s["messages"])
    ]
    questions = [
        Question(q["questionId"], q["question"], sessions=frozenset(q["haystackSessionIds"]))
        for q in _json(path)
        if q["haystackSessionIds"]
    ]
    return [Haystack("devmembench", passages, questions)]


def devbench(path: str) -> list[Haystack]:
    """Read DevBench: single memories, and queries with the tags of those that answer them."""
    document = _json(path)
    if not _has(document, "memories", "queries"):
        return []
    passages = [Passage(m["id"], m["id"], m["content"], m["created_at_iso"][:10]) for m in document["memories"]]
    questions = [
        Question(q["id"], q["question"], frozenset(q["expected_tags"]), frozenset(q["expected_tags"]))
        for q in document["queries"]
        if q["expected_tags"]
    ]
    return [Haystack("devbench", passages, questions)]


def longmemeval(path: str) -> list[Haystack]:
    """Read samples of LongMemEval: each question with a haystack of its own."""
    document = _json(path)
    samples = document if isinstance(document, list) else [document]
    if not (samples and _has(samples[0], "haystack_sessions")):
        return []
    return [_longmemeval_haystack(sample) for sample in samples]


def _longmemeval_haystack(sample: Json) -> Haystack:
    passages = []
    for session, at, turns in zip(
        sample["haystack_session_ids"], sample["haystack_dates"], sample["haystack_sessions"], strict=True
    ):
        for n, turn in enumerate(turns):
            passages.append(
                Passage(f"{session}:{n}", session, turn["content"], at[:10].replace("/", "-"), turn["role"])
            )
    several = "questions" in sample
    texts = sample["questions"] if several else [sample["question"]]
    answers = sample["answer_session_ids"] if several else [sample["answer_session_ids"]]
    questions = [
        Question(f"{sample['question_id']}-{n}", text, sessions=frozenset(gold))
        for n, (text, gold) in enumerate(zip(texts, answers, strict=False))
    ]
    return Haystack(sample["question_id"], passages, questions)


def memorycode(path: str) -> list[Haystack]:
    """Read MemoryCode: rules that a mentor gives and later changes. Asked is the rule; the newest version is right."""
    document = _json(path)
    if not _has(document, "instructions", "sessions"):
        return []
    name = os.path.basename(path)[:-5]
    passages: list[Passage] = []
    rules: dict[int, list[tuple[int, str]]] = {}
    for number, (session, given) in enumerate(zip(document["sessions"], document["instructions"], strict=False)):
        at = f"2025-{1 + number // 28:02d}-{1 + number % 28:02d}" if number < 336 else "2025-12-31"
        for n, turn in enumerate(part for part in session["text"].split("\n\n") if part.strip()):
            speaker, _, text = turn.partition(": ")
            passages.append(Passage(f"{number}:{n}", str(number), text or turn, at, speaker if text else ""))
        for family, topic in _rules(session, given):
            rules.setdefault(family, []).append((number, topic))
    questions = [
        _rule_question(f"{name}-{family}", versions, passages)
        for family, versions in rules.items()
        if len(versions) > 1
    ]
    return [Haystack(name, passages, questions)] if questions else []


def _rule_question(name: str, versions: list[tuple[int, str]], passages: list[Passage]) -> Question:
    session, topic = str(versions[-1][0]), versions[-1][1]
    values = re.findall(r"'([^']+)'", topic)
    said = frozenset(p.id for p in passages if p.session == session and any(value in p.text for value in values))
    older = frozenset(str(number) for number, _ in versions[:-1]) - {session}
    return Question(name, _asked(topic), said, frozenset([session]), older)


def _rules(session: Json, given: Json) -> Iterator[tuple[int, str]]:
    """Return the family and the wording of each coding rule that the session gives or changes."""
    topics = [t for kind, t in zip(session["type"], session["topic"], strict=False) if kind.startswith("instruction")]
    families = [pair[0] for pair in given if isinstance(pair, list)]
    yield from zip(families, topics, strict=False)


def _asked(topic: str) -> str:
    """Return the question about a rule: its wording without the value that changes."""
    without = re.sub(r"'[^']*'", "", topic)
    return "What is the rule: " + " ".join(without.replace("always", "").split()) + "?"


def _json(path: str) -> Json:
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def _has(document: Json, *names: str) -> bool:
    return isinstance(document, dict) and all(name in document for name in names)


def _date(text: str, form: str) -> str:
    return datetime.strptime(text, form).strftime("%Y-%m-%d")


READERS: tuple[Callable[[str], list[Haystack]], ...] = (
    simple,
    locomo,
    devmembench,
    devbench,
    longmemeval,
    memorycode,
)
