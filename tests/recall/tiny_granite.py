"""A tiny transformer in the file format of granite's weights, with random numbers, and the same worked out by loops."""

from __future__ import annotations

import json
import math
import random
import struct
from pathlib import Path

from holdfast.recall.byte_pairs import letters_of_bytes
from holdfast.recall.granite import MAGIC, PACK, PACKAGE, UNLIKE

GROUP = 4
MERGES = ("t h", "th e", "Ġ the", "o n", "i on")


def write_pack(path: Path, *, width: int = 16, layers: int = 2, longest: int = 40, **meta: object) -> Path:
    """Write a file of weights and return its path; `meta` overrides what it says about itself."""
    path.parent.mkdir(parents=True, exist_ok=True)
    listed, blobs = [], []
    vocabulary = _vocabulary()
    for name, shape in _shapes(len(vocabulary), width, layers, longest).items():
        about, blob = _tensor(name, shape)
        listed.append({"name": name, "shape": shape, "len": len(blob), **about})
        blobs.append(blob)
    tokenizer = json.dumps({"model": {"vocab": vocabulary, "merges": MERGES}}).encode()
    header = {
        "format": 1,
        "meta": {"pooling": "cls", "max_length": longest, "revision": "0123456789abcdef", **meta},
        "arch": {"hidden": width, "layers": layers, "heads": 4, "layer_norm_eps": 1e-12, "position_offset": 2},
        "tokenizer_len": len(tokenizer),
        "tensors": listed,
    }
    head = json.dumps(header).encode()
    path.write_bytes(b"".join([MAGIC, struct.pack("<Q", len(head)), head, tokenizer, *blobs]))
    return path


def write_extra(folder: Path, **options: int) -> Path:
    """Lay the package of the extra in a folder for `sys.path`, with a tiny transformer in it."""
    write_pack(folder / PACKAGE / PACK, **options)
    (folder / PACKAGE / "__init__.py").write_text("raise RuntimeError('this package is found, not run')\n")
    return folder


def _vocabulary() -> dict[str, int]:
    merged = [merge.replace(" ", "") for merge in MERGES]
    return {piece: number for number, piece in enumerate(["<s>", "<pad>", "</s>", *letters_of_bytes(), *merged])}


def _shapes(words: int, width: int, layers: int, longest: int) -> dict[str, list[int]]:
    shapes = {"word_emb": [words, width], "pos_emb": [longest + 2, width], "type_emb": [2, width]}
    shapes |= {"emb_ln.w": [width], "emb_ln.b": [width]}
    sizes = {"qkv": (3 * width, width), "ao": (width, width), "f1": (2 * width, width), "f2": (width, 2 * width)}
    for layer in range(layers):
        for name, (out, into) in sizes.items():
            shapes |= {f"l{layer}.{name}.w": [out, into], f"l{layer}.{name}.b": [out]}
        shapes |= {f"l{layer}.{name}.{part}": [width] for name in ("aln", "fln") for part in "wb"}
    return shapes


def _tensor(name: str, shape: list[int]) -> tuple[dict[str, object], bytes]:
    chance, count = random.Random(name), math.prod(shape)
    if len(shape) < 2 or name in ("pos_emb", "type_emb"):
        middle = 1.0 if name.endswith("ln.w") else 0.0
        numbers = [chance.gauss(middle, 0.3) for _ in range(count)]
        return {"dtype": "f32", "group": 0}, struct.pack(f"<{count}f", *numbers)
    steps = [chance.uniform(0.001, 0.01) for _ in range(count // GROUP)]
    numbers = [chance.randint(-127, 127) for _ in range(count)]
    return {"dtype": "i8", "group": GROUP}, struct.pack(f"<{count}b{len(steps)}f", *numbers, *steps)


class Loops:
    """What granite.py promises, read from the same file and worked out number by number, without numpy."""

    def __init__(self, path: Path) -> None:
        raw = path.read_bytes()
        size = struct.unpack("<Q", raw[8:16])[0]
        self.header = json.loads(raw[16 : 16 + size])
        at = 16 + size + self.header["tokenizer_len"]
        self.vocabulary = json.loads(raw[16 + size : at])["model"]["vocab"]
        self.tensors = {}
        for about in self.header["tensors"]:
            self.tensors[about["name"]] = _read(about, raw[at : at + about["len"]])
            at += about["len"]
        self.width, self.heads = self.header["arch"]["hidden"], self.header["arch"]["heads"]
        unlike = [self.plain(self.letters(text)) for text in UNLIKE]
        self.middle = [sum(column) / len(unlike) for column in zip(*unlike, strict=True)]

    def letters(self, text: str) -> list[int]:
        """Return the tokens of an ASCII text; the merges are done one after the other, over the whole text."""
        pieces = [{" ": "Ġ", "\n": "Ċ"}.get(letter, letter) for letter in text]
        for merge in MERGES:
            pieces = _merge(pieces, *merge.split(" "))
        tokens = [self.vocabulary[piece] for piece in pieces][: self.header["meta"]["max_length"] - 2]
        return [self.vocabulary["<s>"], *tokens, self.vocabulary["</s>"]]

    def vector(self, text: str) -> list[float]:
        """Return the vector of a text."""
        found = self.plain(self.letters(text))
        return _unit([one - middle for one, middle in zip(found, self.middle, strict=True)])

    def plain(self, tokens: list[int]) -> list[float]:
        """Return the first token's last state, of length one."""
        of = self.tensors
        places = of["pos_emb"][self.header["arch"]["position_offset"] :]
        states = [
            self._norm(_plus(of["word_emb"][token], places[place], of["type_emb"][0]), "emb_ln")
            for place, token in enumerate(tokens)
        ]
        for layer in range(self.header["arch"]["layers"]):
            looked = self._looked(states, f"l{layer}")
            states = [self._norm(_plus(*pair), f"l{layer}.aln") for pair in zip(states, looked, strict=True)]
            inner = [[_gelu(number) for number in self._map(state, f"l{layer}.f1")] for state in states]
            out = [self._map(state, f"l{layer}.f2") for state in inner]
            states = [self._norm(_plus(*pair), f"l{layer}.fln") for pair in zip(states, out, strict=True)]
        return _unit(states[0])

    def _looked(self, states: list[list[float]], layer: str) -> list[list[float]]:
        wide, head = self.width, self.width // self.heads
        both = [self._map(state, f"{layer}.qkv") for state in states]
        out = []
        for asking in both:
            seen: list[float] = []
            for start in range(0, wide, head):
                query = asking[start : start + head]
                scores = [_dot(query, one[wide + start : wide + start + head]) / math.sqrt(head) for one in both]
                shares = [math.exp(score - max(scores)) for score in scores]
                for number in range(start, start + head):
                    values = [one[2 * wide + number] for one in both]
                    seen.append(_dot(shares, values) / sum(shares))
            out.append(self._map(seen, f"{layer}.ao"))
        return out

    def _map(self, state: list[float], name: str) -> list[float]:
        rows = zip(self.tensors[f"{name}.w"], self.tensors[f"{name}.b"], strict=True)
        return [_dot(row, state) + bias for row, bias in rows]

    def _norm(self, state: list[float], name: str) -> list[float]:
        mean = sum(state) / len(state)
        spread = math.sqrt(sum((one - mean) ** 2 for one in state) / len(state) + 1e-12)
        parts = zip(state, self.tensors[f"{name}.w"], self.tensors[f"{name}.b"], strict=True)
        return [(one - mean) / spread * weight + bias for one, weight, bias in parts]


def _read(about: dict, raw: bytes) -> list:
    count = math.prod(about["shape"])
    if about["dtype"] == "f32":
        numbers = struct.unpack(f"<{count}f", raw)
    else:
        whole, steps = struct.unpack(f"<{count}b", raw[:count]), struct.unpack(f"<{count // GROUP}f", raw[count:])
        numbers = [number * steps[place // GROUP] for place, number in enumerate(whole)]
    if len(about["shape"]) == 1:
        return list(numbers)
    wide = about["shape"][1]
    return [list(numbers[start : start + wide]) for start in range(0, count, wide)]


def _merge(pieces: list[str], first: str, second: str) -> list[str]:
    out: list[str] = []
    for piece in pieces:
        if out and out[-1] == first and piece == second:
            out[-1] = first + second
        else:
            out.append(piece)
    return out


def _dot(one: list[float], two: list[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))


def _plus(*several: list[float]) -> list[float]:
    return [sum(column) for column in zip(*several, strict=True)]


def _gelu(number: float) -> float:
    return number * (1 + math.erf(number / math.sqrt(2))) / 2


def _unit(numbers: list[float]) -> list[float]:
    length = math.sqrt(_dot(numbers, numbers))
    return [number / length for number in numbers]
