"""How near stored vectors are to one, in plain Python: for a few of them one by one, for many all at once."""

from __future__ import annotations

from _operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Up to so many it is quicker to go through them one by one.
_FEW = 30
_STEPS = 32_767
_UNSIGNED = bytes([*range(128, 256), *range(128)])
# A square over 64 fits a byte; what a byte stands for goes from nought up to 127 and from -128 back to -1.
_HALF = [min(255, (number * number + 32) // 64) for number in range(129)]
_SQUARES = bytes([*_HALF[:128], *_HALF[:0:-1]])


def cosines(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    """Return how near each stored vector is: what `embed.near` says, to three digits, several times as fast."""
    return _one_by_one(vector, stored) if len(stored) <= _FEW else _all_at_once(vector, stored)


def _one_by_one(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    squares = [sum(one.translate(_SQUARES)) for one in stored]
    dots = [sum(map(mul, vector, memoryview(one).cast("b"))) for one in stored]
    return [dot / (8 * square**0.5) if square else 0.0 for dot, square in zip(dots, squares, strict=True)]


def _all_at_once(vector: Sequence[float], stored: Sequence[bytes]) -> list[float]:
    """A number of every vector is a lane of one long integer, so that one multiplication weighs it in all of them."""
    rows, dim = len(stored), len(vector)
    joined = b"".join(stored)
    unsigned = joined.translate(_UNSIGNED)
    lanes = bytearray(rows * 4)
    more = less = offset = 0
    for place, number in enumerate(vector):
        weight = round(number * _STEPS)
        lanes[::4] = unsigned[place::dim]
        offset += weight * 128
        if weight >= 0:
            more += int.from_bytes(lanes, "little") * weight
        else:
            less -= int.from_bytes(lanes, "little") * weight
    above, below = (memoryview(one.to_bytes(rows * 4, "little")).cast("I") for one in (more, less))
    return [
        (up - down - offset) / _STEPS / (8 * square**0.5) if square else 0.0
        for up, down, square in zip(above, below, _squares(joined, rows, dim), strict=True)
    ]


def _squares(joined: bytes, rows: int, dim: int) -> list[int]:
    """Return for each row the sum of its squared numbers, over 64; up to 256 numbers that fits 16 bits."""
    squares = joined.translate(_SQUARES)
    lanes = bytearray(rows * 2)
    sums = [0] * rows
    for start in range(0, dim, 256):
        total = 0
        for place in range(start, min(start + 256, dim)):
            lanes[::2] = squares[place::dim]
            total += int.from_bytes(lanes, "little")
        part = memoryview(total.to_bytes(rows * 2, "little")).cast("H")
        sums = [one + more for one, more in zip(sums, part, strict=True)]
    return sums
