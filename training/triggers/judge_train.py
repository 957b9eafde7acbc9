"""Teaches the judge on an accelerator: first a large teacher, then the small student that ships.

    python training/triggers/judge_train.py WORK teacher GROUP    WORK/teacher_GROUP.npz: what it says of every text
    python training/triggers/judge_train.py WORK student GROUP    WORK/student_GROUP.npz: what it says of those left out

GROUP is 0 to 4, the people who are left out, or -1 for nobody. The student of -1 hears the teachers of all groups and
writes WORK/judge.npz, too. Five teachers side by side took six minutes on an H200, five students and the last one as
long. `judge_bars.py` then sets the bars, and `pack_judge.py` packs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"
HEADS = 22
# Clear labels, and whether to keep a message, count more than what only some would say.
COUNTS = torch.tensor([1.0] * 9 + [0.5] * 9 + [1, 0.5, 1, 0.5], device=DEVICE)
GROUPS = 5
TEACHER_LAYERS, TEACHER_RATE, TEACHER_PASSES = 24, 8e-5, 3
STUDENT_RATE, STUDENT_SECONDS, BITS, BITS_GROUP = 2e-4, 300, 6, 64
# Of the real, mixed and written texts so many are looked at in one pass of the student.
SHARES = (0.5, 0.7, 0.3)
AHEAD = 8
MAX_TOKENS = 10_000


class WholeNumbers(torch.autograd.Function):
    """Weights as the whole numbers that ship, every 64 with a scale; gradients pass through."""

    @staticmethod
    def forward(_: Any, weight: torch.Tensor) -> torch.Tensor:
        """Return the weights rounded."""
        most = 2 ** (BITS - 1) - 1
        groups = weight.view(weight.shape[0], -1, BITS_GROUP)
        scale = groups.abs().amax(-1, keepdim=True).clamp(min=1e-8) / most
        return ((groups / scale).round().clamp(-most - 1, most) * scale).view_as(weight)

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> torch.Tensor:
        """Pass it through."""
        return gradient


def parameter(values: np.ndarray) -> nn.Parameter:
    """Return numbers that are learned further."""
    return nn.Parameter(torch.tensor(np.asarray(values, np.float32)))


class Teacher(nn.Module):
    """SmolLM2 without its last layers; the message is read off its end and off the mean of its pieces."""

    def __init__(self, start: Any) -> None:
        super().__init__()
        self.words, self.norm = parameter(start["words"]), parameter(start["output_norm.weight"])
        names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down", "attn_norm", "ffn_norm")
        self.layers = nn.ModuleList(
            nn.ParameterDict({name: parameter(start[f"blk.{at}.{name}.weight"]) for name in names})
            for at in range(TEACHER_LAYERS)
        )
        angles = torch.outer(torch.arange(400.0), 100_000.0 ** (-torch.arange(0, 64, 2.0) / 64))
        self.register_buffer("cosines", angles.cos())
        self.register_buffer("sines", angles.sin())
        self.heads = nn.Linear(2 * 576, HEADS)
        nn.init.constant_(self.heads.bias, -3.0)

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        """Return queries or keys turned by their place."""
        even, odd = x[..., 0::2], x[..., 1::2]
        cosines, sines = (each[: x.shape[2]].to(x.dtype) for each in (self.cosines, self.sines))
        return torch.stack((even * cosines - odd * sines, even * sines + odd * cosines), -1).flatten(-2)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, None]:
        """Return what the heads say."""
        x = F.embedding(numbers, self.words).bfloat16()
        count, wide, _ = x.shape

        def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return F.rms_norm(x, (576,), weight.to(x.dtype), 1e-5)

        for one in self.layers:
            inner = normed(x, one["attn_norm"])
            parts = [F.linear(inner, one[f"attn_{name}"]).view(count, wide, -1, 64).transpose(1, 2) for name in "qkv"]
            query, key = self.turned(parts[0]), self.turned(parts[1]).repeat_interleave(3, 1)
            seen = F.scaled_dot_product_attention(query, key, parts[2].repeat_interleave(3, 1), is_causal=True)
            x = x + F.linear(seen.transpose(1, 2).reshape(count, wide, 576), one["attn_output"])
            inner = normed(x, one["ffn_norm"])
            opened = F.silu(F.linear(inner, one["ffn_gate"])) * F.linear(inner, one["ffn_up"])
            x = x + F.linear(opened, one["ffn_down"])
        x = normed(x, self.norm)
        own = of_message(x, lengths, firsts)
        mean = (x * own).sum(1) / own.sum(1).clamp(min=1)
        last = x[torch.arange(count, device=x.device), lengths - 1]
        return self.heads(F.dropout(torch.cat([last, mean], -1), 0.1, self.training)).float(), None


class Student(nn.Module):
    """MiniLM with weights as they ship, and a head that says which pieces are the statement."""

    def __init__(self, start: Any) -> None:
        super().__init__()
        self.emb, self.pos = parameter(start["words"]), parameter(start["positions"][:300])
        self.typ = parameter(np.tile(start["type"], (2, 1)))
        self.g0, self.b0 = parameter(start["first_norm.weight"]), parameter(start["first_norm.bias"])
        ours = {"o": "attention", "u": "up", "d": "down", "n1": "attention_norm", "n2": "norm"}
        self.L = nn.ModuleList()
        for at in range(6):
            one = nn.ParameterDict()
            for part, letter in (("weight", "w"), ("bias", "b")):
                for name, piece in zip("qkv", np.split(start[f"{at}.qkv.{part}"], 3), strict=True):
                    one[name + letter] = parameter(piece)
                for name, theirs in ours.items():
                    one[name + letter] = parameter(start[f"{at}.{theirs}.{part}"])
            self.L.append(one)
        self.head, self.s1, self.s2 = nn.Linear(768, HEADS), nn.Linear(3 * 384, 64), nn.Linear(64, 1)
        nn.init.constant_(self.head.bias, -3.0)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return what the heads say, and how much each piece belongs to the statement."""
        whole, (count, wide) = WholeNumbers.apply, numbers.shape
        places = torch.arange(wide, device=numbers.device)[None]
        x = F.embedding(numbers, whole(self.emb)) + self.pos[:wide] + self.typ[(places >= firsts[:, None]).long()]
        x = F.dropout(F.layer_norm(x, (384,), self.g0, self.b0, 1e-12), 0.1, self.training)
        mask = (places < lengths[:, None])[:, None, None, :]
        for one in self.L:
            parts = [F.linear(x, whole(one[f"{name}w"]), one[f"{name}b"]) for name in "qkv"]
            parts = [part.view(count, wide, 12, 32).transpose(1, 2) for part in parts]
            seen = F.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2).reshape(count, wide, 384)
            seen = F.dropout(F.linear(seen, whole(one["ow"]), one["ob"]), 0.1, self.training)
            x = F.layer_norm(x + seen, (384,), one["n1w"], one["n1b"], 1e-12)
            opened = F.gelu(F.linear(x, whole(one["uw"]), one["ub"]))
            opened = F.dropout(F.linear(opened, whole(one["dw"]), one["db"]), 0.1, self.training)
            x = F.layer_norm(x + opened, (384,), one["n2w"], one["n2b"], 1e-12)
        own = of_message(x, lengths, firsts)
        mean = (x * own).sum(1) / own.sum(1).clamp(min=1)
        heads = self.head(F.dropout(torch.cat([x[:, 0], mean], -1), 0.1, self.training))
        sums = F.pad((x * own).float().cumsum(1), (0, 0, 1, 0))
        ends = torch.minimum(places + AHEAD, lengths[:, None] - 1).clamp(min=1)
        ahead = torch.gather(sums, 1, ends[..., None].expand(-1, -1, 384)) - sums[:, :-1]
        ahead = (ahead / (ends - places).clamp(min=1)[..., None]).to(x.dtype)
        inner = self.s1(torch.cat([x, ahead, x[:, :1].expand(-1, wide, -1)], -1))
        return heads.float(), self.s2(F.gelu(inner))[..., 0].float()


def of_message(x: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> torch.Tensor:
    """Return 1 for the pieces of the person's message."""
    places = torch.arange(x.shape[1], device=x.device)[None]
    return ((places >= firsts[:, None]) & (places < lengths[:, None] - 1)).to(x.dtype)[..., None]


class Texts:
    """All texts: real messages first, then the written ones, then pieces and mixtures of real ones."""

    def __init__(self, path: Path, group: int) -> None:
        data = np.load(path)
        self.real, self.written = int(data["real"]), int(data["written"])
        self.lengths = data["lengths"].astype(int)
        names = ("table", "lengths", "firsts", "spans")
        self.table, self.long, self.firsts, self.spans = (
            torch.tensor(data[n].astype(int), device=DEVICE) for n in names
        )
        groups, self.count = data["groups"], len(self.lengths)
        self.aims = torch.zeros(self.count, HEADS, device=DEVICE)
        self.aims[: self.real + self.written] = torch.tensor(data["labels"].astype(np.float32), device=DEVICE)
        self.left_out = np.flatnonzero(groups == group)
        self.own = np.flatnonzero(groups != group)
        self.others = self.real + np.arange(self.written)
        self.mixed = self.real + self.written + np.flatnonzero(groups[data["origins"]] != group)
        self.groups = groups

    def batches(self, places: np.ndarray, most: int, chance: np.random.Generator) -> list[np.ndarray]:
        """Return places in batches of texts that are about as long."""
        found: list[np.ndarray] = []
        for some in np.array_split(chance.permutation(places), max(1, len(places) // (most * 24))):
            now: list[int] = []
            for place in some[np.argsort(self.lengths[some], kind="stable")]:
                if now and (len(now) >= most or self.lengths[place] * (len(now) + 1) > MAX_TOKENS):
                    found.append(np.array(now))
                    now = []
                now.append(place)
            found.append(np.array(now))
        return [found[at] for at in chance.permutation(len(found))]

    def read(self, model: nn.Module, places: np.ndarray) -> tuple[torch.Tensor, Any]:
        """Let a model read some of the texts."""
        wide = int(self.lengths[places].max())
        with torch.autocast(DEVICE, torch.bfloat16):
            found: tuple[torch.Tensor, Any] = model(self.table[places, :wide], self.long[places], self.firsts[places])
        return found

    @torch.no_grad()
    def said(self, model: nn.Module, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what a model says of texts, and of their pieces."""
        model.eval()
        heads, spans = (
            np.zeros((len(places), HEADS), np.float32),
            np.zeros((len(places), self.table.shape[1]), np.float16),
        )
        for at in np.array_split(np.argsort(self.lengths[places]), max(1, len(places) // 256)):
            told, span = self.read(model, places[at])
            heads[at] = told.cpu().numpy()
            if span is not None:
                spans[at, : span.shape[1]] = span.cpu().numpy()
        model.train()
        return heads, spans


def optimiser(model: nn.Module, rate: float) -> torch.optim.Optimizer:
    """Return what changes the weights; the heads are new and change faster."""
    new = [one for name, one in model.named_parameters() if name.split(".")[0] in ("heads", "head", "s1", "s2")]
    old = [one for one in model.parameters() if not any(one is other for other in new)]
    return torch.optim.AdamW([{"params": old, "lr": rate}, {"params": new, "lr": 1e-3}], weight_decay=0.01, fused=True)


def step(texts: Texts, model: nn.Module, by: torch.optim.Optimizer, rates: list[float], places: np.ndarray) -> None:
    """Learn from one batch."""
    for group, rate in zip(by.param_groups, rates, strict=True):
        group["lr"] = rate
    told, spans = texts.read(model, places)
    counts = COUNTS.repeat(len(places), 1)
    if spans is None:
        # Of a written message nobody said whether to keep it.
        counts[torch.tensor(places >= texts.real, device=DEVICE), 18:20] = 0
    loss = (F.binary_cross_entropy_with_logits(told, texts.aims[places], reduction="none") * counts).sum(1).mean()
    if spans is not None:
        wanted = texts.spans[places, : spans.shape[1]].float()
        use = of_message(spans[..., None], texts.long[places], texts.firsts[places])[..., 0] * wanted.any(1)[:, None]
        apart = F.binary_cross_entropy_with_logits(spans, wanted, reduction="none") * use
        loss = loss + 8 * (apart.sum(1) / use.sum(1).clamp(min=1)).mean()
    by.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    by.step()


def teach_teacher(work: Path, group: int) -> None:
    """Teach with the written messages, then with the real ones, and write what it says of everything."""
    texts, chance = Texts(work / "teacher.npz", group), np.random.default_rng(0)
    model = Teacher(np.load(work / "teacher_start.npz")).to(DEVICE)
    for places, passes, most in ((texts.others, 1, 96), (texts.own, TEACHER_PASSES, 32)):
        by = optimiser(model, TEACHER_RATE)
        plan = [batch for _ in range(passes) for batch in texts.batches(places, most, chance)]
        for at, batch in enumerate(plan):
            share = min(1.0, (at + 1) / (0.06 * len(plan))) * max(0.02, 1 - at / len(plan))
            step(texts, model, by, [TEACHER_RATE * share, 1e-3 * share], batch)
    np.savez_compressed(
        work / f"teacher_{group}.npz", heads=texts.said(model, np.arange(texts.count))[0].astype(np.float16)
    )


def teach_student(work: Path, group: int) -> None:
    """Teach with real labels and with what the teacher of this group says, or what all of them say."""
    texts, chance = Texts(work / "student.npz", group), np.random.default_rng(0)
    which = [group] if group >= 0 else range(GROUPS)
    told = [np.load(work / f"teacher_{one}.npz")["heads"].astype(np.float32) for one in which]
    mean = torch.sigmoid(torch.tensor(sum(told) / len(told), device=DEVICE))
    texts.aims[texts.real :] = mean[texts.real :]
    if group < 0:
        unseen = np.stack([told[texts.groups[at]][at] for at in range(texts.real)])
        texts.aims[: texts.real] *= 0.7
        texts.aims[: texts.real] += 0.3 * torch.sigmoid(torch.tensor(unseen, device=DEVICE))
    model = Student(np.load(work / "student_start.npz")).to(DEVICE)
    by, began, steps, share = optimiser(model, STUDENT_RATE), time.monotonic(), 0, 0.0
    while share < 1:
        plan = []
        for places, part, most in zip((texts.own, texts.mixed, texts.others), SHARES, (32, 64, 96), strict=True):
            plan += texts.batches(chance.choice(places, int(part * len(places)), replace=False), most, chance)
        for at in chance.permutation(len(plan)):
            share, steps = (time.monotonic() - began) / STUDENT_SECONDS, steps + 1
            if share >= 1:
                break
            rate = min(1.0, steps / 300) * max(0.01, 1 - share)
            step(texts, model, by, [STUDENT_RATE * rate, 1e-3 * rate], plan[at])
    heads, spans = texts.said(model, texts.left_out if group >= 0 else np.arange(texts.real))
    np.savez_compressed(work / f"student_{group}.npz", heads=heads, spans=spans)
    if group < 0:
        np.savez(
            work / "judge.npz",
            **{name: one.cpu().numpy().astype(np.float16) for name, one in model.state_dict().items()},
        )


if __name__ == "__main__":
    {"teacher": teach_teacher, "student": teach_student}[sys.argv[2]](Path(sys.argv[1]), int(sys.argv[3]))
