"""Many texts at once by numpy, where it is installed: for building an index, never on the hook path.

Importing this file fails without numpy; `holdfast.recall.embed` then goes on alone. The vectors are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.recall.embed import Model

# By name, because numpy is optional: a type checker without it must pass too.
numpy: Any = __import__("numpy")


def encode_many(model: Model, texts: Iterable[str], query: bool) -> list[Sequence[float]]:
    """Return the vector of each text, as arrays of float32."""
    table, bias = model.arrays(numpy)
    return [_vector(table, bias, model.weights(text, query)) for text in texts]


def _vector(table: Any, bias: Any, weights: dict[int, float]) -> Any:
    if not weights:
        return numpy.zeros(len(bias), numpy.float32)
    rows = numpy.fromiter(weights.keys(), numpy.int64, len(weights))
    shares = numpy.fromiter(weights.values(), numpy.float32, len(weights))
    total = shares @ table[rows].astype(numpy.float32) - 128.0 * shares.sum()
    length = numpy.linalg.norm(total)
    if length == 0.0:
        return numpy.zeros(len(bias), numpy.float32)
    moved = total / length + bias
    return moved / (numpy.linalg.norm(moved) or 1.0)
