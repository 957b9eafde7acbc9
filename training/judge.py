"""How good a student or a teacher is: by units that were set aside, and by the dev sets, which choose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from evaluate import measured
from student import Data, Student
from teachers import DEVICE

# Texts by their number, and whether they are queries, to vectors.
Encode = Callable[[torch.Tensor, bool], torch.Tensor]


def of_student(data: Data, student: Student) -> Encode:
    """Return the student as an encoder."""
    return lambda texts, query: student(data.bags.take(texts), query)


def of_teachers(data: Data, names: tuple[str, ...]) -> Encode:
    """Return an encoder by the teachers' own vectors; for the queries in dress it takes the plain ones."""
    place = torch.tensor([0, 1, 1, 2, 1, 0, 3], device=DEVICE)

    def encode(texts: torch.Tensor, _query: bool) -> torch.Tensor:
        at = place[texts // data.count] * data.count + texts % data.count
        return torch.cat([data.teachers[name][at].float() for name in names], 1)

    return encode


def reciprocal(queries: torch.Tensor, passages: torch.Tensor, right: torch.Tensor) -> float:
    """Return the mean reciprocal rank of the right passage, in per cent."""
    scores = queries @ passages.T
    ranks = (scores > scores.gather(1, right[:, None])).sum(1) + 1
    return (1 / ranks.float()).mean().item() * 100


@torch.no_grad()
def judge(data: Data, encode: Encode, most: int = 3000) -> dict[str, float]:
    """Return the mean reciprocal rank for each kind over its units that were set aside, and for each dev set."""
    out = {}
    for kind in sorted(set(data.kinds)):
        rows = np.flatnonzero((data.kinds == kind) & data.aside)[:most]
        places = np.flatnonzero(data.queried.cpu().numpy()[rows])
        if len(places) < 50:
            continue
        passages = encode(torch.tensor(rows, device=DEVICE), False)
        queries = encode(torch.tensor(rows[places] + data.count, device=DEVICE), True)
        out[kind] = reciprocal(queries, passages, torch.tensor(places, device=DEVICE))

    def by_text(texts: list[str], query: bool) -> np.ndarray:
        return encode(torch.tensor([data.dev[text] for text in texts], device=DEVICE), query).cpu().numpy()

    for (name, level), found in measured(data.dev_sets, by_text).items():
        out[f"dev {name} {level}"] = found["MRR"]
    return out


def told(found: dict[str, float]) -> tuple[float, str]:
    """Return what a variant is chosen by, the mean over the dev sets, and all figures in words."""
    sets: dict[str, list[float]] = {}
    for name, value in found.items():
        if name.startswith("dev "):
            sets.setdefault(name.split()[1], []).append(value)
    chosen = float(np.mean([np.mean(values) for values in sets.values()]))
    return chosen, f"choose {chosen:.2f} | " + " ".join(f"{name} {value:.1f}" for name, value in found.items())
