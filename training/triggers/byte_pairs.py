"""Which byte pairs of a vocabulary are kept: those that enough texts have, and all that they are made of."""

from __future__ import annotations


def kept_pairs(
    merges: list[tuple[str, str]], counts: dict[str, int], fewest: int
) -> tuple[list[tuple[int, int]], list[str]]:
    """Return the pairs that enough texts have, with all that they are made of, and the letters of every piece."""
    letters = [byte_letter(byte) for byte in range(256)]
    parents = {one + two: (one, two) for one, two in merges}
    wanted: set[str] = set()

    def want(piece: str) -> None:
        if len(piece) > 1 and piece in parents and piece not in wanted:
            wanted.add(piece)
            for part in parents[piece]:
                want(part)

    for piece, count in counts.items():
        if count >= fewest:
            want(piece)
    made = [one + two for one, two in merges if one + two in wanted]
    numbers = {piece: number for number, piece in enumerate([*letters, *made])}
    return [(numbers[parents[piece][0]], numbers[parents[piece][1]]) for piece in made], [*letters, *made]


def byte_letter(byte: int) -> str:
    """Return the letter that stands for a byte in vocabularies of this kind."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return chr(byte) if byte in seen else chr(256 + [one for one in range(256) if one not in seen].index(byte))
