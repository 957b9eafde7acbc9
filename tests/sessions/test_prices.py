"""Prices: what tokens cost, by a table that the person can edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import BadSetting
from holdfast.records import Cost, Spend
from holdfast.sessions.prices import Price, Prices, dollars, load

TABLE = Prices({"big": Price(10.0, 50.0, 1.0, 12.5), "big-2": Price(1.0, 5.0, 0.1, 1.25)}, ("latest",), ("<none>",))


@pytest.mark.parametrize(
    ("model", "price"),
    [
        *[("big", 10.0), ("BIG", 10.0), ("vendor/big", 10.0), ("big-20260102", 10.0), ("big-latest", 10.0)],
        *[("big-2", 1.0), ("big_2", 1.0), ("big.2", 1.0), ("big-2-latest", 1.0), ("eu.vendor/big-2@20260102", 1.0)],
        *[("big-3", None), ("big-mini", None), ("bigger", None), ("", None)],
    ],
)
def test_a_model_is_found_by_its_name(model: str, price: float | None) -> None:
    """Provider, date and endings that change no price are left off; another version is another model."""
    found = TABLE.of(model)
    assert (found.input if found else None) == price


def test_every_kind_of_token_has_its_price() -> None:
    """Input, output, thinking, and reading and writing a cache are added up."""
    cost = Cost(input=1_000_000, output=100_000, cache_read=2_000_000, cache_write=400_000, reasoning=100_000)
    assert dollars(cost, {"big": 3}, TABLE) == (10 + 10 + 2 + 5, "prices")


def test_several_models_share_the_tokens() -> None:
    """They are shared out by use, and a message without a model costs nothing."""
    cost = Cost(input=1_000_000)
    assert dollars(cost, {"big": 1, "big-2": 2, "<none>": 9}, TABLE) == (4.0, "prices")


def test_what_each_model_spent_has_its_own_price() -> None:
    """Where a session tells which model spent what, nothing is shared out, but for what no model is told of."""
    million, uses = Cost(input=1_000_000), {"big": 1, "big-2": 9}
    spends = [Spend("2026-05-04", "big", million), Spend("2026-05-05", "big-2", million)]
    assert dollars(Cost(input=2_000_000), uses, TABLE, spends) == (11.0, "prices")
    assert dollars(Cost(input=3_000_000), uses, TABLE, [*spends, Spend("", "", million)]) == (12.9, "prices")
    assert dollars(Cost(input=3_000_000), uses, TABLE, [*spends, Spend("", "<none>", million)]) == (11.0, "prices")
    assert dollars(Cost(input=3_000_000), uses, TABLE, [*spends, Spend("", "else", million)]) == (0.0, "")


def test_an_unknown_price_is_not_guessed() -> None:
    """One model without a price makes the sum unknown, and so does no model at all."""
    assert dollars(Cost(input=1_000), {"big": 1, "else": 1}, TABLE) == (0.0, "")
    assert dollars(Cost(input=1_000), {}, TABLE) == (0.0, "")
    assert dollars(Cost(input=1_000), {"big": 1}, None) == (0.0, "")


def test_the_persons_file_overrides_the_package(tmp_path: Path) -> None:
    """Model by model: what it names is taken from it, the rest stays."""
    rows = ['"claude-opus-4-5" = { input = 1, output = 2 }', '"mine" = { input = 3, output = 4 }']
    text = "\n".join(['endings = ["turbo"]', "[models]", *rows])
    (tmp_path / "prices.toml").write_text(text, encoding="utf-8")
    own, known = load(str(tmp_path)), load()
    assert own.of("claude-opus-4-5-20251101") == Price(1.0, 2.0, 1.0, 1.0)
    assert own.of("mine-turbo") == Price(3.0, 4.0, 3.0, 3.0)
    assert known.of("mine") is None
    assert own.of("gpt-5-mini") == known.of("gpt-5-mini") is not None


@pytest.mark.parametrize(
    "text",
    [
        "[models",
        "models = 3",
        '[models]\n"x" = 3',
        '[models]\n"x" = { input = 1 }',
        '[models]\n"x" = { input = 1, output = -2 }',
        '[models]\n"x" = { input = 1, output = "2" }',
        '[models]\n"x" = { input = 1, output = 2, cached = 3 }',
        'endings = "latest"',
        '["my-model"]\ninput = 1\noutput = 2',
        b"\xff\xfe",
    ],
)
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, text: str | bytes) -> None:
    """A slip of the pen is an error that names the file, never a wrong sum."""
    path = tmp_path / "prices.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadSetting, match=r"prices\.toml"):
        load(str(tmp_path))
