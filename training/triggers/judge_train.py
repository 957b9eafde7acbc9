"""Teaches both readers of the judge on an accelerator, with each group of people left out in turn, and with none.

    python training/triggers/judge_train.py WORK teacher     WORK/teacher.npy: what the teacher says of every text
    python training/triggers/judge_train.py WORK first       WORK/first_heads.npz, WORK/first.npz
    python training/triggers/judge_train.py WORK second      WORK/second_heads.npz, WORK/second.npz

Models that differ only in whom they left out are taught side by side: all their weights have a first axis, one slice a
model. `*_heads.npz` has what was said of people who were left out; `judge_bars.py` sets the bars by these.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
HALF = torch.bfloat16 if DEVICE == "cuda" else torch.float32
HEADS, GROUPS, NOBODY, AHEAD = 22, 5, -1, 8
# Clear labels, and whether to keep a message, count more than what only some would say.
COUNTS = torch.tensor([1.0] * 9 + [0.5] * 9 + [1, 0.5, 1, 0.5], device=DEVICE)
# What a piece of a statement counts, and where it begins and ends; one message in thirteen has one.
INSIDE, BOUNDS = 8.0, 2.0
# Layers, rate, and passes over the real messages.
TEACHER = (24, 1e-4, 3)
BITS_GROUP = 64
# Of the real, mixed and written texts a reader looks at so many in one pass, in batches of so many.
SHARES = ((1.0, 32), (0.5, 64), (0.3, 96))


class Plan(NamedTuple):
    """How a reader is taught: what it starts with, layers, bits of weights and words, rate, passes, and its heads."""

    start: str
    layers: int
    bits: int
    word_bits: int
    half: float
    rate: float
    passes: int
    heads: int = 12


FIRST = Plan("first_start.npz", 6, 6, 6, 0.0, 2e-4, 4)
SECOND = Plan("second_start.npz", 8, 4, 4, 0.5, 1e-4, 4)


class WholeNumbers(torch.autograd.Function):
    """Weights as the whole numbers that ship, every 64 with a scale; gradients pass through."""

    @staticmethod
    def forward(_: Any, weight: torch.Tensor, bits: int, half: float) -> torch.Tensor:
        """Return the weights rounded. With `half`, the largest is not met, so that the others are met better."""
        most = 2 ** (bits - 1) - 1
        groups = weight.reshape(*weight.shape[:-1], -1, BITS_GROUP)
        scale = groups.abs().amax(-1, keepdim=True).clamp(min=1e-8) / (most + half)
        return ((groups / scale).round().clamp(-most - 1, most) * scale).view_as(weight)

    @staticmethod
    def backward(_: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        """Pass it through."""
        return gradient, None, None


def many(values: np.ndarray, count: int) -> nn.Parameter:
    """Return numbers that are learned further, by each model for itself."""
    one = torch.tensor(np.asarray(values, np.float32), device=DEVICE)
    return nn.Parameter(one[None].repeat(count, *[1] * one.ndim))


def new(count: int, rows: int, wide: int) -> tuple[nn.Parameter, nn.Parameter]:
    """Return the weights of a new layer."""
    return (
        nn.Parameter(torch.randn(count, rows, wide, device=DEVICE) / wide**0.5 / 2),
        nn.Parameter(torch.zeros(count, rows, device=DEVICE)),
    )


def times(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """Return texts times the weights of their model."""
    models, count, wide, size = x.shape
    found = torch.bmm(x.reshape(models, count * wide, size), weight.transpose(1, 2)).view(models, count, wide, -1)
    return found if bias is None else found + bias[:, None, None].to(found.dtype)


def rows_of(numbers: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return the rows of a table, each out of its model's."""
    models, size, wide = weight.shape
    return F.embedding(
        numbers + (torch.arange(models, device=DEVICE) * size)[:, None, None], weight.view(models * size, wide)
    )


def of_message(wide: int, lengths: torch.Tensor, firsts: torch.Tensor) -> torch.Tensor:
    """Return which pieces are of the person's message."""
    places = torch.arange(wide, device=DEVICE)
    return (places >= firsts[..., None]) & (places < lengths[..., None] - 1)


def apart(wide: int, kinds: int, farthest: int = 128) -> torch.Tensor:
    """Return how far apart two pieces are, as MPNet tells distances: near ones exactly, far ones roughly."""
    places = torch.arange(wide, device=DEVICE)
    ahead = places[None, :] - places[:, None]
    far, half, near = ahead.abs(), kinds // 2, kinds // 4
    rough = near + ((far.clamp(min=1) / near).log() / np.log(farthest / near) * (half - near)).long().clamp(min=0)
    return (ahead > 0) * half + torch.where(far < near, far, rough.clamp(max=half - 1))


def spans(model: Any, x: torch.Tensor, own: torch.Tensor, lengths: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """Return how much each piece belongs to the statement, begins it and ends it."""
    wide = x.shape[2]
    places = torch.arange(wide, device=DEVICE)
    sums = F.pad((x * own).float().cumsum(2), (0, 0, 1, 0))
    ends = torch.minimum(places + AHEAD, lengths[..., None] - 1).clamp(min=1)
    ahead = torch.gather(sums, 2, ends[..., None].expand(*ends.shape, x.shape[3])) - sums[:, :, :-1]
    ahead = (ahead / (ends - places).clamp(min=1)[..., None]).to(x.dtype)
    inner = torch.cat([x, ahead, whole.expand(-1, -1, wide, -1)], -1)
    inner = F.gelu(times(inner, model.s1w.to(HALF), model.s1b))
    return times(inner, model.s2w.to(HALF), model.s2b).float()


class Encoder(nn.Module):
    """MiniLM or MPNet, side by side, with weights as they ship; without bits, as they are."""

    def __init__(self, start: Any, models: int, plan: Plan) -> None:
        super().__init__()
        self.plan, self.size = plan, start["words"].shape[1]
        self.emb, self.pos = many(start["words"], models), many(start["positions"][:340], models)
        self.typ = many(np.tile(start["type"], (2, 1)), models)
        self.g0, self.b0 = many(start["first_norm.weight"], models), many(start["first_norm.bias"], models)
        self.apart = torch.tensor(start["apart"], device=DEVICE) if "apart" in start else None
        ours = {"o": "attention", "u": "up", "d": "down", "n1": "attention_norm", "n2": "norm", "q": "qkv"}
        self.L = nn.ModuleList()
        for at in range(plan.layers):
            one = nn.ParameterDict()
            for part, letter in (("weight", "w"), ("bias", "b")):
                for name, theirs in ours.items():
                    one[name + letter] = many(start[f"{at}.{theirs}.{part}"], models)
            self.L.append(one)
        self.hw, self.hb = new(models, HEADS, 2 * self.size)
        self.s1w, self.s1b = new(models, 64, 3 * self.size)
        self.s2w, self.s2b = new(models, 3, 64)
        nn.init.constant_(self.hb, -3.0)

    def whole(self, weight: torch.Tensor, bits: int = 0) -> torch.Tensor:
        """Return weights as they ship."""
        found = WholeNumbers.apply(weight, bits or self.plan.bits, self.plan.half) if self.plan.bits else weight
        return found.to(HALF)

    def normed(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Return pieces of which each is as large as any."""
        found = F.layer_norm(x, (self.size,), None, None, 1e-12)
        return found * weight[:, None, None].to(x.dtype) + bias[:, None, None].to(x.dtype)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return what the heads say, and of each piece whether it is in the statement, begins it and ends it."""
        models, count, wide = numbers.shape
        places = torch.arange(wide, device=DEVICE)

        def dropped(x: torch.Tensor) -> torch.Tensor:
            return F.dropout(x, 0.1, self.training)

        x = rows_of(numbers, self.whole(self.emb, self.plan.word_bits)) + self.pos[:, None, :wide].to(HALF)
        x = x + rows_of((places >= firsts[..., None]).long(), self.typ).to(HALF)
        x = dropped(self.normed(x, self.g0, self.b0))
        mask = (places < lengths[..., None]).reshape(models * count, 1, 1, wide)
        if self.apart is not None:
            near = self.apart[apart(wide, len(self.apart))].permute(2, 0, 1)[None]
            mask = torch.where(mask, near, -1e4).to(HALF)
        for one in self.L:
            parts = times(x, self.whole(one["qw"]), one["qb"]).view(models * count, wide, 3, self.plan.heads, -1)
            parts = parts.permute(2, 0, 3, 1, 4)
            seen = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], attn_mask=mask)
            seen = seen.transpose(1, 2).reshape(x.shape)
            x = self.normed(x + dropped(times(seen, self.whole(one["ow"]), one["ob"])), one["n1w"], one["n1b"])
            opened = F.gelu(times(x, self.whole(one["uw"]), one["ub"]))
            x = self.normed(x + dropped(times(opened, self.whole(one["dw"]), one["db"])), one["n2w"], one["n2b"])
        own = of_message(wide, lengths, firsts)[..., None].to(x.dtype)
        mean = (x * own).sum(2) / own.sum(2).clamp(min=1)
        both = dropped(torch.cat([x[:, :, 0], mean], -1))[:, :, None]
        return times(both, self.hw.to(HALF), self.hb)[:, :, 0].float(), spans(self, x, own, lengths, x[:, :, :1])


class Decoder(nn.Module):
    """The first layers of SmolLM2, side by side: the teacher."""

    def __init__(self, start: Any, models: int, layers: int) -> None:
        super().__init__()
        self.size = start["words"].shape[1]
        self.words, self.norm = many(start["words"], models), many(start["output_norm.weight"], models)
        names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down", "attn_norm", "ffn_norm")
        self.layers = nn.ModuleList(
            nn.ParameterDict({name: many(start[f"blk.{at}.{name}.weight"], models) for name in names})
            for at in range(layers)
        )
        angles = torch.outer(torch.arange(400.0), 100_000.0 ** (-torch.arange(0, 64, 2.0) / 64)).to(DEVICE)
        self.cosines, self.sines = angles.cos(), angles.sin()
        self.hw, self.hb = new(models, HEADS, 2 * self.size)
        self.s1w, self.s1b = new(models, 64, 3 * self.size)
        self.s2w, self.s2b = new(models, 3, 64)
        nn.init.constant_(self.hb, -3.0)

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        """Return queries or keys turned by their place."""
        even, odd = x[..., 0::2], x[..., 1::2]
        cosines, sines = (each[: x.shape[2]].to(x.dtype) for each in (self.cosines, self.sines))
        return torch.stack((even * cosines - odd * sines, even * sines + odd * cosines), -1).flatten(-2)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return what the heads say, and of each piece whether it is in the statement, begins it and ends it."""
        x = rows_of(numbers, self.words.to(HALF))
        models, count, wide, size = x.shape

        def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return F.rms_norm(x, (size,), None, 1e-5) * weight[:, None, None].to(x.dtype)

        for one in self.layers:
            by = {name: value.to(HALF) for name, value in one.items() if "norm" not in name}
            inner = normed(x, one["attn_norm"])
            parts = [
                times(inner, by[f"attn_{name}"]).view(models * count, wide, -1, 64).transpose(1, 2) for name in "qkv"
            ]
            query, key = self.turned(parts[0]), self.turned(parts[1]).repeat_interleave(3, 1)
            seen = F.scaled_dot_product_attention(query, key, parts[2].repeat_interleave(3, 1), is_causal=True)
            x = x + times(seen.transpose(1, 2).reshape(models, count, wide, size), by["attn_output"])
            inner = normed(x, one["ffn_norm"])
            x = x + times(F.silu(times(inner, by["ffn_gate"])) * times(inner, by["ffn_up"]), by["ffn_down"])
        x = normed(x, self.norm)
        own = of_message(wide, lengths, firsts)[..., None].to(x.dtype)
        mean = (x * own).sum(2) / own.sum(2).clamp(min=1)
        last = torch.gather(x, 2, (lengths - 1)[..., None, None].expand(-1, -1, 1, size))
        both = F.dropout(torch.cat([last[:, :, 0], mean], -1), 0.1, self.training)[:, :, None]
        return times(both, self.hw.to(HALF), self.hb)[:, :, 0].float(), spans(self, x, own, lengths, last)


class Texts:
    """All texts: real messages first, then the written ones, then pieces and mixtures of real ones."""

    def __init__(self, path: Path) -> None:
        data = np.load(path)
        self.real, self.written = int(data["real"]), int(data["written"])
        self.lengths, self.groups, self.origins = data["lengths"].astype(int), data["groups"], data["origins"]
        names = ("table", "lengths", "firsts", "spans", "labels")
        self.table, self.long, self.firsts, self.spans, labels = (
            torch.tensor(data[name].astype(int), device=DEVICE) for name in names
        )
        self.aims = torch.zeros(len(self.lengths), HEADS, device=DEVICE)
        self.aims[: len(labels)] = labels.float()

    def own(self, group: int) -> np.ndarray:
        """Return the real messages of the people who are not left out."""
        return np.flatnonzero(self.groups != group)

    def others(self, _: int = NOBODY) -> np.ndarray:
        """Return the written messages."""
        return self.real + np.arange(self.written)

    def mixed(self, group: int) -> np.ndarray:
        """Return the mixtures of messages of those who are not left out."""
        return self.real + self.written + np.flatnonzero(self.groups[self.origins] != group)

    def batches(self, places: list[np.ndarray], most: int, chance: np.random.Generator) -> list[np.ndarray]:
        """Return batches with a row for each model; the texts of one are about as long in all rows."""
        count, rows = min(map(len, places)) // most, []
        for each in places:
            each = chance.permutation(each)[: count * most]
            parts = np.array_split(each.reshape(count, most), max(1, count // 24))
            sorted_ = [part.ravel()[np.argsort(self.lengths[part.ravel()], kind="stable")] for part in parts]
            rows.append(np.concatenate(sorted_).reshape(count, most))
        return list(np.stack(rows, 1)[chance.permutation(count)])

    def read(self, model: nn.Module, places: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Let each model read its texts."""
        # Few widths, so that each is prepared once.
        wide = min(-(-int(self.lengths[places].max()) // 16) * 16, self.table.shape[1])
        at = torch.as_tensor(places, device=DEVICE)
        found: tuple[torch.Tensor, torch.Tensor] = model(self.table[at, :wide], self.long[at], self.firsts[at])
        return found

    @torch.no_grad()
    def said(self, model: nn.Module, places: list[np.ndarray], most: int = 128) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return what each model says of its own texts, and of their pieces."""
        model.eval()
        count, found = max(map(len, places)), []
        orders = [np.argsort(self.lengths[each], kind="stable") for each in places]
        rows = np.stack([np.resize(each[order], count) for each, order in zip(places, orders, strict=True)])
        heads = np.zeros((*rows.shape, HEADS), np.float32)
        marks = np.zeros((*rows.shape, self.table.shape[1], 3), np.float16)
        for at in np.array_split(np.arange(count), max(1, count // most)):
            told, pieces = self.read(model, np.ascontiguousarray(rows[:, at]))
            heads[:, at], marks[:, at, : pieces.shape[2]] = told.cpu().numpy(), pieces.cpu().numpy()
        for model_at, order in enumerate(orders):
            back = np.argsort(order)
            found.append((heads[model_at, : len(order)][back], marks[model_at, : len(order)][back]))
        model.train()
        return found


def learn(
    texts: Texts, model: nn.Module, plan: list[np.ndarray], aims: list[torch.Tensor], rate: float, warm: int
) -> None:
    """Learn from batch after batch; the heads are new and change faster."""
    fresh = [one for name, one in model.named_parameters() if name in ("hw", "hb", "s1w", "s1b", "s2w", "s2b")]
    old = [one for one in model.parameters() if not any(one is other for other in fresh)]
    by = torch.optim.AdamW([{"params": old}, {"params": fresh}], weight_decay=0.01, fused=DEVICE == "cuda")
    started = time.time()
    for at, places in enumerate(plan):
        share = min(1.0, (at + 1) / warm) * max(0.01, 1 - at / len(plan))
        by.param_groups[0]["lr"], by.param_groups[1]["lr"] = rate * share, 1e-3 * share
        by.zero_grad(set_to_none=True)
        wrong = loss(texts, model, places, aims)
        wrong.backward()
        clip(model)
        by.step()
        if at % 100 == 0:
            print(
                f"{at}/{len(plan)} {float(wrong.detach()) / len(places):.3f} {time.time() - started:.0f} s", flush=True
            )


def loss(texts: Texts, model: nn.Module, places: np.ndarray, aims: list[torch.Tensor]) -> torch.Tensor:
    """Return how far models are from their aims, and from the statements: what is in them, where they begin and end."""
    told, marked = texts.read(model, places)
    at = torch.as_tensor(places, device=DEVICE)
    wanted = torch.stack([aims[model_at][at[model_at]] for model_at in range(len(places))])
    wrong = F.binary_cross_entropy_with_logits(told, wanted, reduction="none") * COUNTS
    heads = wrong.sum(-1).mean(1).sum()
    wide = marked.shape[2]
    pieces = texts.spans[at, :wide].float()
    has = pieces.any(-1, keepdim=True).float()
    own = of_message(wide, texts.long[at], texts.firsts[at])
    inside = F.binary_cross_entropy_with_logits(marked[..., 0], pieces, reduction="none") * own * has
    found = INSIDE * (inside.sum(-1) / own.sum(-1).clamp(min=1)).mean(1).sum()
    edges = F.pad(pieces, (1, 1)).diff(dim=-1)
    begins, ends = (edges[..., :-1] > 0).float(), (edges[..., 1:] < 0).float()
    for which, aim in ((1, begins), (2, ends)):
        chances = marked[..., which].masked_fill(~own, -1e4).log_softmax(-1)
        found = found - BOUNDS * (chances * aim).sum(-1).mean(1).sum()
    return heads + found


def clip(model: nn.Module) -> None:
    """Shorten the gradient of each model to 1."""
    own = [one for one in model.parameters() if one.grad is not None]
    long = torch.stack([one.grad.float().pow(2).flatten(1).sum(1) for one in own]).sum(0).sqrt()
    for one in own:
        one.grad.mul_((1 / (long + 1e-6)).clamp(max=1).view(-1, *[1] * (one.ndim - 1)))


def teacher(work: Path) -> None:
    """Teach with the written messages, then with the real ones; write what is said of every text, by each model."""
    layers, rate, passes = TEACHER
    who, chance, texts = [*range(GROUPS)], np.random.default_rng(0), Texts(work / "teacher.npz")
    torch.manual_seed(0)
    model = Decoder(np.load(work / "teacher_start.npz"), GROUPS, layers).to(DEVICE)
    for places, times_, most in ((texts.others, 1, 96), (texts.own, passes, 32)):
        plan = [one for _ in range(times_) for one in texts.batches([places(group) for group in who], most, chance)]
        learn(texts, model, plan, [texts.aims] * GROUPS, rate, int(0.06 * len(plan)) + 1)
    told = [said for said, _ in texts.said(model, [np.arange(len(texts.lengths))] * GROUPS)]
    np.save(work / "teacher.npy", np.stack(told).astype("f2"))


def reader(work: Path, name: str, how: Plan) -> None:
    """Teach a reader, with real labels and with what the teacher says of everything else."""
    who, chance = [*range(GROUPS), NOBODY], np.random.default_rng(0)
    texts = Texts(work / "texts.npz")
    told = np.load(work / "teacher.npy").astype("f4")
    aims = [texts.aims.clone() for _ in who]
    for aim, said in zip(aims, [*told, told.mean(0)], strict=True):
        aim[texts.real :] = torch.sigmoid(torch.tensor(said[texts.real :], device=DEVICE))
    torch.manual_seed(0)
    model = Encoder(np.load(work / how.start), len(who), how).to(DEVICE)
    plan: list[np.ndarray] = []
    for _ in range(how.passes):
        one_pass = []
        for places, (share, most) in zip((texts.own, texts.mixed, texts.others), SHARES, strict=True):
            some = [chance.choice(each, int(share * len(each)), replace=False) for each in map(places, who)]
            one_pass += texts.batches(some, most, chance)
        plan += [one_pass[at] for at in chance.permutation(len(one_pass))]
    learn(texts, model, plan, aims, how.rate, len(plan) // 12 + 1)
    keep_left_out(work / f"{name}_heads.npz", texts, model)
    weights = {name: one[-1].detach().float().cpu().numpy() for name, one in model.named_parameters()}
    if model.apart is not None:
        weights["apart"] = model.apart.cpu().numpy()
    np.savez(work / f"{name}.npz", **weights)


def keep_left_out(path: Path, texts: Texts, model: nn.Module) -> None:
    """Write what each model says of the people whom it had not seen."""
    left_out = [np.flatnonzero(texts.groups == group) for group in range(GROUPS)]
    heads = np.zeros((texts.real, HEADS), np.float32)
    pieces = np.zeros((texts.real, texts.table.shape[1], 3), np.float16)
    asked = [*left_out, left_out[0]][: len(model.emb)]
    for places, (told, marked) in zip(left_out, texts.said(model, asked), strict=False):
        heads[places], pieces[places] = told, marked
    np.savez_compressed(path, heads=heads, spans=pieces)
    clear, order = texts.aims[: texts.real, 20].cpu().numpy() > 0, np.argsort(-heads[:, 20])
    precise = np.cumsum(clear[order]) / np.arange(1, len(order) + 1)
    found = clear[order][: int(0.15 * len(order))].sum() / clear.sum()
    print(f"{path.name}: average precision {precise[clear[order]].mean():.3f}, in 15 % {found:.3f}", flush=True)


if __name__ == "__main__":
    WORK = Path(sys.argv[1])
    {
        "teacher": lambda: teacher(WORK),
        "first": lambda: reader(WORK, "first", FIRST),
        "second": lambda: reader(WORK, "second", SECOND),
    }[sys.argv[2]]()
