"""Teaches both readers of the judge on an accelerator, with each group of people left out in turn, and with none.

    python training/triggers/judge_train.py WORK teachers    WORK/teacher_N.npy: what three teachers say of every text
    python training/triggers/judge_train.py WORK first       WORK/first_heads.npz, WORK/judge.npz
    python training/triggers/judge_train.py WORK second      WORK/second_heads.npz, WORK/second.npz

Models that differ only in whom they left out are taught side by side: all their weights have a first axis, one slice a
model. So five teachers take two and a half minutes on an H200, six of the first reader three, and of the second two.
`*_heads.npz` has what was said of people who were left out; `judge_bars.py` sets the bars by these.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"
HEADS, GROUPS, NOBODY, AHEAD = 22, 5, -1, 8
# Clear labels, and whether to keep a message, count more than what only some would say.
COUNTS = torch.tensor([1.0] * 9 + [0.5] * 9 + [1, 0.5, 1, 0.5], device=DEVICE)
# Layers, rate, and passes over the real messages, of each teacher.
TEACHERS = ((24, 8e-5, 3), (30, 8e-5, 3), (24, 1.2e-4, 4))
SECOND = (16, 1.3e-4, 4)
FIRST_RATE, FIRST_PASSES = 2e-4, 4
FIRST_BITS, SECOND_BITS, WORD_BITS, BITS_GROUP = 6, 4, 6, 64
# Of the real, mixed and written texts the first reader looks at so many in one pass, in batches of so many.
SHARES = ((0.5, 32), (0.7, 64), (0.3, 96))


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


def spans(model: nn.Module, x: torch.Tensor, own: torch.Tensor, lengths: torch.Tensor, whole: Any) -> torch.Tensor:
    """Return how much each piece belongs to the statement."""
    wide = x.shape[2]
    places = torch.arange(wide, device=DEVICE)
    sums = F.pad((x * own).float().cumsum(2), (0, 0, 1, 0))
    ends = torch.minimum(places + AHEAD, lengths[..., None] - 1).clamp(min=1)
    ahead = torch.gather(sums, 2, ends[..., None].expand(*ends.shape, x.shape[3])) - sums[:, :, :-1]
    ahead = (ahead / (ends - places).clamp(min=1)[..., None]).to(x.dtype)
    inner = times(torch.cat([x, ahead, whole.expand(-1, -1, wide, -1)], -1), model.s1w, model.s1b)
    return times(F.gelu(inner), model.s2w, model.s2b)[..., 0].float()


class Decoder(nn.Module):
    """The first layers of SmolLM2: a teacher, and with weights of few bits the second reader."""

    def __init__(self, start: Any, models: int, layers: int, bits: int = 0) -> None:
        super().__init__()
        self.bits = bits
        self.words, self.norm = many(start["words"], models), many(start["output_norm.weight"], models)
        names = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down", "attn_norm", "ffn_norm")
        self.layers = nn.ModuleList(
            nn.ParameterDict({name: many(start[f"blk.{at}.{name}.weight"], models) for name in names})
            for at in range(layers)
        )
        angles = torch.outer(torch.arange(400.0), 100_000.0 ** (-torch.arange(0, 64, 2.0) / 64)).to(DEVICE)
        self.cosines, self.sines = angles.cos(), angles.sin()
        self.hw, self.hb = new(models, HEADS, 2 * 576)
        self.s1w, self.s1b = new(models, 64, 3 * 576)
        self.s2w, self.s2b = new(models, 1, 64)
        nn.init.constant_(self.hb, -3.0)

    def whole(self, weight: torch.Tensor, bits: int) -> torch.Tensor:
        """Return weights as they ship; a teacher's as they are."""
        return WholeNumbers.apply(weight, bits, 0.5) if self.bits else weight

    def turned(self, x: torch.Tensor) -> torch.Tensor:
        """Return queries or keys turned by their place."""
        even, odd = x[..., 0::2], x[..., 1::2]
        cosines, sines = (each[: x.shape[2]].to(x.dtype) for each in (self.cosines, self.sines))
        return torch.stack((even * cosines - odd * sines, even * sines + odd * cosines), -1).flatten(-2)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return what the heads say, and how much each piece belongs to the statement."""
        x = rows_of(numbers, self.whole(self.words, WORD_BITS)).bfloat16()
        models, count, wide, size = x.shape

        def normed(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            return F.rms_norm(x, (size,), None, 1e-5) * weight[:, None, None].to(x.dtype)

        for one in self.layers:
            by = {name: self.whole(value, self.bits) for name, value in one.items() if "norm" not in name}
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
        both = F.dropout(torch.cat([last[:, :, 0], mean], -1), 0.1, self.training)
        return times(both[:, :, None], self.hw, self.hb)[:, :, 0].float(), spans(self, x, own, lengths, last)


class Encoder(nn.Module):
    """MiniLM with weights as they ship: the first reader."""

    def __init__(self, start: Any, models: int) -> None:
        super().__init__()
        self.emb, self.pos = many(start["words"], models), many(start["positions"][:340], models)
        self.typ = many(np.tile(start["type"], (2, 1)), models)
        self.g0, self.b0 = many(start["first_norm.weight"], models), many(start["first_norm.bias"], models)
        ours = {"o": "attention", "u": "up", "d": "down", "n1": "attention_norm", "n2": "norm"}
        self.L = nn.ModuleList()
        for at in range(6):
            one = nn.ParameterDict()
            for part, letter in (("weight", "w"), ("bias", "b")):
                for name, piece in zip("qkv", np.split(start[f"{at}.qkv.{part}"], 3), strict=True):
                    one[name + letter] = many(piece, models)
                for name, theirs in ours.items():
                    one[name + letter] = many(start[f"{at}.{theirs}.{part}"], models)
            self.L.append(one)
        self.hw, self.hb = new(models, HEADS, 768)
        self.s1w, self.s1b = new(models, 64, 3 * 384)
        self.s2w, self.s2b = new(models, 1, 64)
        nn.init.constant_(self.hb, -3.0)

    def forward(self, numbers: torch.Tensor, lengths: torch.Tensor, firsts: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return what the heads say, and how much each piece belongs to the statement."""
        models, count, wide = numbers.shape
        places = torch.arange(wide, device=DEVICE)

        def whole(weight: torch.Tensor) -> torch.Tensor:
            return WholeNumbers.apply(weight, FIRST_BITS, 0.0)

        def dropped(x: torch.Tensor) -> torch.Tensor:
            return F.dropout(x, 0.1, self.training)

        def normed(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
            found = F.layer_norm(x, (384,), None, None, 1e-12)
            return found * weight[:, None, None].to(x.dtype) + bias[:, None, None].to(x.dtype)

        x = rows_of(numbers, whole(self.emb)) + self.pos[:, None, :wide]
        x = dropped(normed(x + rows_of((places >= firsts[..., None]).long(), self.typ), self.g0, self.b0))
        mask = (places < lengths[..., None]).reshape(models * count, 1, 1, wide)
        for one in self.L:
            parts = [times(x, whole(one[f"{name}w"]), one[f"{name}b"]) for name in "qkv"]
            parts = [part.view(models * count, wide, 12, 32).transpose(1, 2) for part in parts]
            seen = F.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2).reshape(x.shape)
            x = normed(x + dropped(times(seen, whole(one["ow"]), one["ob"])), one["n1w"], one["n1b"])
            opened = F.gelu(times(x, whole(one["uw"]), one["ub"]))
            x = normed(x + dropped(times(opened, whole(one["dw"]), one["db"])), one["n2w"], one["n2b"])
        own = of_message(wide, lengths, firsts)[..., None].to(x.dtype)
        mean = (x * own).sum(2) / own.sum(2).clamp(min=1)
        heads = times(dropped(torch.cat([x[:, :, 0], mean], -1))[:, :, None], self.hw, self.hb)[:, :, 0]
        return heads.float(), spans(self, x, own, lengths, x[:, :, :1])


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
        wide, at = int(self.lengths[places].max()), torch.as_tensor(places, device=DEVICE)
        with torch.autocast(DEVICE, torch.bfloat16):
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
        marks = np.zeros((*rows.shape, self.table.shape[1]), np.float16)
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
    by = torch.optim.AdamW([{"params": old}, {"params": fresh}], weight_decay=0.01, fused=True)
    for at, places in enumerate(plan):
        share = min(1.0, (at + 1) / warm) * max(0.01, 1 - at / len(plan))
        by.param_groups[0]["lr"], by.param_groups[1]["lr"] = rate * share, 1e-3 * share
        by.zero_grad(set_to_none=True)
        loss(texts, model, places, aims).backward()
        clip(model)
        by.step()


def loss(texts: Texts, model: nn.Module, places: np.ndarray, aims: list[torch.Tensor]) -> torch.Tensor:
    """Return how far models are from their aims, and the pieces that they mark from the statements."""
    told, marked = texts.read(model, places)
    at = torch.as_tensor(places, device=DEVICE)
    wanted = torch.stack([aims[model_at][at[model_at]] for model_at in range(len(places))])
    counts = COUNTS.repeat(*told.shape[:2], 1)
    if isinstance(model, Decoder):
        # Of a written message nobody said whether to keep it.
        counts[..., 18:20] *= (at < texts.real)[..., None]
    apart = (F.binary_cross_entropy_with_logits(told, wanted, reduction="none") * counts).sum(-1).mean(1).sum()
    wide = marked.shape[2]
    pieces = texts.spans[at, :wide].float()
    use = of_message(wide, texts.long[at], texts.firsts[at]).float() * pieces.any(-1, keepdim=True)
    wrong = F.binary_cross_entropy_with_logits(marked, pieces, reduction="none") * use
    return apart + 8 * (wrong.sum(-1) / use.sum(-1).clamp(min=1)).mean(1).sum()


def clip(model: nn.Module) -> None:
    """Shorten the gradient of each model to 1."""
    own = [one for one in model.parameters() if one.grad is not None]
    long = torch.stack([one.grad.float().pow(2).flatten(1).sum(1) for one in own]).sum(0).sqrt()
    for one in own:
        one.grad.mul_((1 / (long + 1e-6)).clamp(max=1).view(-1, *[1] * (one.ndim - 1)))


def decoder(work: Path, who: list[int], how: tuple[int, float, int], bits: int, seed: int) -> tuple[Texts, Decoder]:
    """Teach with the written messages, then with the real ones."""
    layers, rate, passes = how
    texts, chance = Texts(work / "teacher.npz"), np.random.default_rng(seed)
    torch.manual_seed(seed)
    model = Decoder(np.load(work / "teacher_start.npz"), len(who), layers, bits).to(DEVICE)
    for places, times_, most in ((texts.others, 1, 96), (texts.own, passes, 32)):
        plan = [one for _ in range(times_) for one in texts.batches([places(group) for group in who], most, chance)]
        learn(texts, model, plan, [texts.aims] * len(who), rate, int(0.06 * len(plan)) + 1)
    return texts, model


def teachers(work: Path) -> None:
    """Write what each teacher says of every text, with each group left out: (groups, texts, heads)."""
    for seed, how in enumerate(TEACHERS):
        texts, model = decoder(work, [*range(GROUPS)], how, 0, seed)
        everything = [np.arange(len(texts.lengths))] * GROUPS
        np.save(
            work / f"teacher_{seed}.npy", np.stack([said for said, _ in texts.said(model, everything)]).astype("f2")
        )


def second(work: Path) -> None:
    """Teach the second reader."""
    who = [*range(GROUPS), NOBODY]
    texts, model = decoder(work, who, SECOND, SECOND_BITS, 0)
    keep_left_out(work / "second_heads.npz", texts, model)
    kept = {}
    for name, one in model.named_parameters():
        weight = one[-1].detach().float().cpu().numpy()
        if weight.ndim == 2 and name not in ("hw", "s1w", "s2w"):
            bits = WORD_BITS if name == "words" else SECOND_BITS
            most, groups = 2 ** (bits - 1) - 1, weight.reshape(-1, BITS_GROUP)
            scales = (np.maximum(np.abs(groups).max(1), 1e-8) / (most + 0.5)).astype("<f2")
            whole = np.rint(groups / np.maximum(scales.astype("f4"), 1e-12)[:, None]).clip(-most - 1, most).astype("i1")
            if bits == SECOND_BITS:
                above = (whole.ravel() + 2 ** (bits - 1)).astype(np.uint8)
                whole = above[0::2] | (above[1::2] << bits)
            kept |= {f"{name}|q": whole, f"{name}|s": scales, f"{name}|n": np.array(weight.shape)}
        else:
            kept[name] = weight.astype(np.float16)
    np.savez(work / "second.npz", **kept)


def first(work: Path) -> None:
    """Teach the first reader, with real labels and with what the teachers say of everything else."""
    who, chance = [*range(GROUPS), NOBODY], np.random.default_rng(0)
    texts = Texts(work / "student.npz")
    told = np.mean([np.load(work / f"teacher_{seed}.npy").astype("f4") for seed in range(len(TEACHERS))], 0)
    aims = [texts.aims.clone() for _ in who]
    for aim, said in zip(aims, [*told, told.mean(0)], strict=True):
        aim[texts.real :] = torch.sigmoid(torch.tensor(said[texts.real :], device=DEVICE))
    unseen = np.stack([told[texts.groups[at]][at] for at in range(texts.real)])
    aims[-1][: texts.real] *= 0.7
    aims[-1][: texts.real] += 0.3 * torch.sigmoid(torch.tensor(unseen, device=DEVICE))
    torch.manual_seed(0)
    model = Encoder(np.load(work / "student_start.npz"), len(who)).to(DEVICE)
    plan: list[np.ndarray] = []
    for _ in range(FIRST_PASSES):
        one_pass = []
        for places, (share, most) in zip((texts.own, texts.mixed, texts.others), SHARES, strict=True):
            some = [chance.choice(each, int(share * len(each)), replace=False) for each in map(places, who)]
            one_pass += texts.batches(some, most, chance)
        plan += [one_pass[at] for at in chance.permutation(len(one_pass))]
    learn(texts, model, plan, aims, FIRST_RATE, 300)
    keep_left_out(work / "first_heads.npz", texts, model)
    named = {"hw": "head.weight", "hb": "head.bias"}
    named |= {f"s{at}{one}": f"s{at}.{part}" for at in (1, 2) for one, part in (("w", "weight"), ("b", "bias"))}
    weights = {named.get(name, name): one[-1].detach().cpu().numpy() for name, one in model.named_parameters()}
    np.savez(work / "judge.npz", **weights)


def keep_left_out(path: Path, texts: Texts, model: nn.Module) -> None:
    """Write what each model says of the people whom it had not seen."""
    left_out = [np.flatnonzero(texts.groups == group) for group in range(GROUPS)]
    heads = np.zeros((texts.real, HEADS), np.float32)
    pieces = np.zeros((texts.real, texts.table.shape[1]), np.float16)
    for places, (told, marked) in zip(left_out, texts.said(model, [*left_out, left_out[0]]), strict=False):
        heads[places], pieces[places] = told, marked
    np.savez_compressed(path, heads=heads, spans=pieces)


if __name__ == "__main__":
    {"teachers": teachers, "first": first, "second": second}[sys.argv[2]](Path(sys.argv[1]))
