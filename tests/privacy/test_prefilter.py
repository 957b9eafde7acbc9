"""The cheap look never says no where a secret is, and keeps `re` out of the hook for ordinary prompts."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.privacy import redact

LISTS = Path(__file__).parent.parent.parent / "benchmarks" / "secret_lists"
SOURCE = holdfast.__file__.rpartition("/holdfast/")[0]
ORDINARY = [
    "please fix the login page, the tests pass on my machine",
    "why is the primary key of the orders table a string? use a token bucket instead",
    "see https://example.com/docs/auth for the password rules",
    "the secret to fast builds is caching",
    "add -u to the command and log in again",
    "the deploy token is rotated every 30 days, ask for it in room 4",
    "the credentials of staging stand in the vault and the phrase below the title is translated",
    "see https://github.com/bottlepy/bottle-patterns and INDENTATION_OF_BLOCKS",
    "login pages keep the session for 15 minutes, then the password is asked for again",
    "rephrase the second heading so that people know what they can do",
    "move ~/.claude/hooks/check.py and src/hooks/useAuth.ts into one folder",
]


def loads_re(text: str) -> bool:
    """Whether redacting the text in a fresh process loads `re`."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from holdfast.privacy.redact import redact\n"
        "redact(sys.argv[2]); print('re' in sys.modules)"
    )
    command = [sys.executable, "-I", "-S", "-E", "-c", code, SOURCE, text]
    return "True" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_prompt_needs_no_pattern(text):
    """Everyday words that also name secrets do not cost a hook the import of `re`."""
    assert not loads_re(text)


def test_a_prompt_with_a_secret_is_looked_at():
    """Where a secret can be, the patterns are tried."""
    assert loads_re("the password = hunter2xx9")


def test_it_never_says_no_to_a_known_secret(monkeypatch):
    """Without the cheap look not one secret more is found, in the lists of secrets and of ordinary text."""
    rows = [json.loads(line) for name in ("fake_secrets", "ordinary_text") for line in open_lines(name)]
    texts = [base64.b64decode(row["text"]).decode() for row in rows]
    quick = [redact.redact(text) for text in texts]
    monkeypatch.setattr(redact, "may_begin", lambda text, at, beginning: True)
    monkeypatch.setattr(redact, "may_be_given", lambda text, at, kind: True)
    monkeypatch.setattr(redact, "may_be_token", lambda word: True)
    assert len(texts) > 2_000
    assert [redact.redact(text) for text in texts] == quick


def test_the_look_before_the_patterns_are_loaded_says_no_to_no_secret_either():
    """What spares a hook the patterns is told by the words near a name, and misses nothing that they would find."""
    texts = [base64.b64decode(json.loads(line)["text"]).decode() for line in open_lines("fake_secrets")]
    loaded = [redact.redact(text) for text in texts]
    for text, found in zip(texts, loaded, strict=True):
        redact._value_of.clear()
        assert redact.redact(text) == found


def open_lines(name: str) -> list[str]:
    """Return the lines of a list."""
    return (LISTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
