"""The harness itself: it sees what an agent sends, and is not fooled by a fence that leaks."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from outside import programs
from outside.loopback import Call, Model, Request, Say
from outside.reading import CLOSE, ESCAPED, OPEN, fences, given_once

TOOLS = [{"name": name, "input_schema": {}} for name in ("Bash", "Read", "Write")]


def _asked(text: str) -> Request:
    return Request("/v1/messages", {"messages": [{"role": "user", "content": text}], "tools": TOOLS})


def _answer(model: Model, **more: object) -> dict:
    body = json.dumps({"model": "m", "messages": [], **more}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{model.url}/v1/messages", body), timeout=300) as answer:
        return json.loads(answer.read())


def test_a_word_counts_only_once_and_within_the_fence() -> None:
    """A word that stands outside, twice, or in no fence at all is not given once."""
    assert given_once(_asked(f"{OPEN}\nnine\n{CLOSE}"), "nine")
    assert given_once(_asked(f"{OPEN}\nnine\n{CLOSE}".translate(ESCAPED)), "nine")
    for text in (f"{OPEN}\n{CLOSE}\nnine", f"{OPEN}\nnine nine\n{CLOSE}", f"nine {OPEN}\nnine\n{CLOSE}", "nine"):
        assert not given_once(_asked(text), "nine")


@pytest.mark.parametrize("text", [f"{OPEN}\n{CLOSE}\n{CLOSE}", OPEN, f"{OPEN}\n{CLOSE.translate(ESCAPED)}\n{CLOSE}"])
def test_a_fence_that_leaks_is_found(text: str) -> None:
    """A fence that is closed twice, not at all, or in another spelling is refused."""
    with pytest.raises(AssertionError, match="not closed once"):
        fences(_asked(text))


def test_the_model_plays_its_script_to_turns_alone() -> None:
    """A request without tools takes no step, a call waits for its tool, and a tool that never comes is noted."""
    wait = Call("Bash", {"command": "sleep 1"})
    with Model() as model:
        model.play([Call("Late", {}, meanwhile=wait), Call("Never", {}), Say("done")])
        assert _answer(model)["content"][0]["text"] == "ok"
        assert _answer(model, tools=TOOLS)["content"][0]["name"] == "Bash"
        late = [*TOOLS, {"name": "Late", "input_schema": {}}]
        assert _answer(model, tools=late)["content"][0]["name"] == "Late"
        assert _answer(model, tools=TOOLS)["content"][0]["text"] == "no such tool"
        assert _answer(model, tools=TOOLS)["content"][0]["text"] == "done"
        assert [text.split()[0] for text in model.missing] == ["Never"]
        assert (len(model.requests), len(model.turns)) == (5, 4)


def test_the_document_names_the_versions_that_are_tested() -> None:
    """docs/testing.md has every program with the version that is installed, and the size that is announced."""
    page = (Path(__file__).parents[2] / "docs" / "testing.md").read_text(encoding="utf-8")
    for package, version in programs.versions().items():
        assert f"| `{package}` | {version} |" in page
    assert programs.SIZE in page
