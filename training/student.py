"""What is trained, and what it is trained on, both on the accelerator.

The student is what `holdfast.recall.embed` computes: the sum of a row for each entry of the vocabulary in the text,
weighed by a power of how often it stands there, brought to length one, plus a bias, and to length one again; a query
has a gain for each row besides.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from distil import reduced
from prepare import TEACHERS
from teachers import DEVICE

Bag = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class Bags:
    """Texts as rows and weights on the device: `take(texts)` gives what an embedding bag wants."""

    def __init__(self, flat: np.ndarray, starts: np.ndarray, rows: int) -> None:
        sizes = torch.tensor(np.diff(starts), device=DEVICE)
        text = torch.repeat_interleave(torch.arange(len(sizes), device=DEVICE), sizes)
        # One entry for each row of a text.
        found = torch.tensor(flat, device=DEVICE)
        keys, places = torch.unique(text * rows + found[:, 0].long(), return_inverse=True)
        self.rows = (keys % rows).int()
        self.counts = torch.zeros(len(keys), device=DEVICE).index_add_(0, places, found[:, 1])
        self.starts = F.pad(torch.bincount(keys // rows, minlength=len(sizes)).cumsum(0), (1, 0))
        self.power = 0.5

    def take(self, texts: torch.Tensor, drop: float = 0.0) -> Bag:
        """Return rows, offsets and weights of some texts; `drop` leaves that share of the rows out, by chance."""
        first, sizes = self.starts[texts], self.starts[texts + 1] - self.starts[texts]
        offsets = F.pad(sizes.cumsum(0), (1, 0))
        total = int(offsets[-1])
        at = torch.arange(total, device=DEVICE)
        at = at + torch.repeat_interleave(first - offsets[:-1], sizes, output_size=total)
        weights = self.counts[at] ** self.power
        if drop:
            weights = weights * (torch.rand_like(weights) > drop)
        return self.rows[at].long(), offsets[:-1], weights


class Student(torch.nn.Module):
    """The table, the gain of each row in a query, and the bias."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(table)
        self.gains = torch.nn.Parameter(torch.zeros(len(table), device=DEVICE))
        self.bias = torch.nn.Parameter(torch.zeros(table.shape[1], device=DEVICE))

    def forward(self, bag: Bag, query: bool = False) -> torch.Tensor:
        """Return vectors of length one."""
        rows, offsets, weights = bag
        if query:
            weights = weights * torch.exp(self.gains[rows])
        summed = F.embedding_bag(rows, self.table, offsets, mode="sum", per_sample_weights=weights)
        return F.normalize(F.normalize(summed, dim=1) + self.bias, dim=1)


class Data:
    """Everything that training reads, on the device."""

    def __init__(self, work: Path) -> None:
        loaded = torch.load(work / "data.pt", weights_only=False)
        self.kinds = np.array(loaded["kinds"])
        self.count = len(self.kinds)
        self.vocabulary: list[str] = loaded["vocabulary"]
        self.sizes: list[int] = loaded["sizes"]
        self.dev_sets, self.dev = loaded["dev_sets"], loaded["dev"]
        self.bags = Bags(loaded["flat"], loaded["starts"], len(self.vocabulary))
        self.queried = torch.tensor(loaded["queried"], device=DEVICE)
        self.sentenced = torch.tensor(loaded["sentenced"], device=DEVICE)
        self.fit = loaded["queried"] | loaded["sentenced"]
        self.parts = torch.tensor(loaded["parts"], device=DEVICE)
        # One group in fifty is never trained on, of whatever kind.
        aside = {group: hashlib.md5(group.encode()).digest()[0] < 5 for group in set(loaded["groups"])}
        self.aside = np.array([aside[group] for group in loaded["groups"]])
        self.teachers = {}
        self.words = {}
        for name in TEACHERS:
            vectors = torch.load(work / f"{name}.pt")
            self.words[name] = vectors[-len(self.vocabulary) :]
            self.teachers[name] = vectors[: -len(self.vocabulary)].to(DEVICE)


def first_table(data: Data, given: dict[str, Any]) -> torch.Tensor:
    """Return the table that training starts from: the teachers' vectors of each entry, frequent entries small."""
    table = reduced([data.words[name] for name in TEACHERS], given["dim"])
    bags = data.bags
    share = torch.bincount(bags.rows[: int(bags.starts[data.count])].long(), minlength=len(table)) / data.count
    table = table * (given["common"] / (given["common"] + share))[:, None].clamp(min=0.02)
    table[sum(data.sizes[:2]) :] *= 0.3
    return table
