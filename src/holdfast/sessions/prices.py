"""What tokens cost: a table of prices by model that the person can edit, and an estimate of what a session cost.

`prices.toml` beside this file has what is known; a `prices.toml` in the home adds to it and overrides it, model by
model. A model that neither has costs an unknown amount, never nothing and never a guess.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from holdfast.errors import BadSetting
from holdfast.records import Cost, Spend

FILE = "prices.toml"
_MILLION = 1_000_000
_Amount = Annotated[float, msgspec.Meta(ge=0, lt=1_000_000)]


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost, in dollars."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def of(self, cost: Cost) -> float:
        """Return what these tokens cost; what was thought is paid as what was said."""
        return (
            cost.input * self.input
            + (cost.output + cost.reasoning) * self.output
            + cost.cache_read * self.cache_read
            + cost.cache_write * self.cache_write
        ) / _MILLION


class _Row(msgspec.Struct, forbid_unknown_fields=True):
    """A price as it is written down: what is said of no cache costs as input."""

    input: _Amount
    output: _Amount
    cache_read: _Amount | None = None
    cache_write: _Amount | None = None

    def price(self) -> Price:
        """Return the price with nothing left open."""
        cached = [self.input if one is None else one for one in (self.cache_read, self.cache_write)]
        return Price(self.input, self.output, *cached)


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    """A file of prices. A name that means nothing is refused: a price must not be passed over in silence."""

    models: dict[str, _Row] = {}
    endings: tuple[str, ...] = ()
    free: tuple[str, ...] = ()


class Prices:
    """A table of prices. A model is found by its name without provider, date and words that change no price."""

    def __init__(
        self, by_model: Mapping[str, Price], endings: tuple[str, ...] = (), free: tuple[str, ...] = ()
    ) -> None:
        self._by_model = {_plain(name): price for name, price in by_model.items()}
        self._endings = endings
        self._free = frozenset(_plain(name) for name in free)

    def of(self, model: str) -> Price | None:
        """Return the price of a model, None where it is unknown."""
        words = _plain(model).split("-")
        while words:
            found = self._by_model.get("-".join(words))
            if found is not None:
                return found
            last = words.pop()
            if last not in self._endings and not (last.isdigit() and len(last) > 1):
                return None
        return None

    def is_free(self, model: str) -> bool:
        """Whether no model stands behind this name: an agent wrote the message itself."""
        return _plain(model) in self._free


def dollars(
    cost: Cost, models: Mapping[str, int], prices: Prices | None, spends: Sequence[Spend] = ()
) -> tuple[float, str]:
    """Return what a session cost and who says so: `agent`, `prices`, or nobody where a price is unknown.

    Tokens of which no spend tells the model are shared out by how much each model was used.
    """
    if cost.dollars > 0:
        return cost.dollars, "agent"
    if prices is None:
        return 0.0, ""
    paid = [spend for spend in spends if not prices.is_free(spend.model)]
    amounts = [spent(spend.cost, {spend.model: 1} if spend.model else models, prices) for spend in paid]
    if not spends:
        amounts = [spent(cost, models, prices)]
    if any(amount is None for amount in amounts):
        return 0.0, ""
    amount = round(sum(amount for amount in amounts if amount), 6)
    return (amount, "prices") if amount else (0.0, "")


def spent(cost: Cost, models: Mapping[str, int], prices: Prices) -> float | None:
    """Return what these tokens cost, shared out by how much each model was used; None where a price is unknown."""
    if cost == Cost():
        return 0.0
    used = {model: count for model, count in models.items() if not prices.is_free(model)}
    found = [(prices.of(model), count) for model, count in used.items()]
    whole = sum(used.values())
    if not whole or any(price is None for price, _ in found):
        return None
    return sum(price.of(cost) * count / whole for price, count in found if price)


def load(home: str = "") -> Prices:
    """Return the prices of the package, with those of the person's own file in the home before them."""
    own = os.path.join(home, FILE)
    tables = [_read(os.path.join(os.path.dirname(os.path.abspath(__file__)), FILE))]
    tables += [_read(own)] if home and os.path.exists(own) else []
    by_model = {name: row.price() for table in tables for name, row in table.models.items()}
    endings = tuple(word for table in tables for word in table.endings)
    return Prices(by_model, endings, tuple(name for table in tables for name in table.free))


def _read(path: str) -> _Table:
    try:
        with open(path, "rb") as file:
            return msgspec.convert(tomllib.load(file), _Table)
    except OSError as problem:
        raise BadSetting(f"{path} cannot be read: {problem.strerror}", "Check its owner and mode.") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BadSetting(f"{path} is not TOML: {problem}", "Correct that line, or remove the file.") from problem
    except msgspec.ValidationError as problem:
        hint = 'Write `"NAME" = { input = 1.0, output = 2.0 }` below [models]; cache_read and cache_write may be added.'
        raise BadSetting(f"{path} cannot be used: {problem}", hint) from problem


def _plain(model: str) -> str:
    """Return the name of a model as it is compared: no provider before it, no capitals, one sign between words."""
    name = model.casefold().rpartition("/")[2].partition("@")[0].partition(":")[0]
    name = "-".join(name.replace("_", "-").split())
    for provider in ("anthropic.", "openai.", "us.", "eu."):
        name = name.rpartition(provider)[2] if provider in name else name
    return name.replace(".", "-")
