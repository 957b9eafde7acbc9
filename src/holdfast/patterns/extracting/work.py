"""Signals of how the work went: files changed over and over, an overflow of the context, things looked up anew."""

from __future__ import annotations

from holdfast.base.text import count
from holdfast.patterns.acts import OVERFLOW, Act, Seen
from holdfast.patterns.extracting.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# So many changes of a file in a session are churn, or fewer where somebody came back to it again and again.
CHANGES = 8
RETURNS = 4


def churn(seen: Seen) -> Iterator[Found]:
    """Yield files that were changed many times, or returned to after other work, once each."""
    changes: dict[str, int] = {}
    returns: dict[str, int] = {}
    last: dict[str, Act] = {}
    touched: set[str] = set()
    for act in seen.acts:
        if act.kind == "edit" and act.result == "passed":
            for path in act.paths:
                changes[path] = changes.get(path, 0) + 1
                returns[path] = returns.get(path, 0) + (path not in touched)
                last[path] = act
                touched.add(path)
        elif act.kind != "edit" and not act.is_look and act.kind not in ("read", "search", "plan"):
            touched.clear()
    for path, times in changes.items():
        if times >= CHANGES or returns[path] >= RETURNS:
            text = f"{path} was changed {count(times, 'time')}, in {returns[path]} goes"
            yield Found(last[path], f"'{path.casefold()}'", text, bound=True)


def overflows(seen: Seen) -> Iterator[Found]:
    """Yield the places where the context ran over."""
    calls = 0
    for act in seen.acts:
        if act.kind == OVERFLOW:
            yield Found(act, "context summed up", act.text or f"the context ran over after {count(calls, 'call')}")
            calls = 0
        else:
            calls += 1


def lookups(seen: Seen) -> Iterator[Found]:
    """Yield what was looked up: the help of a command, a word in the files, the names in a folder; once each."""
    told: set[str] = set()
    for act in seen.acts:
        for sought, text in act.sought:
            if sought not in told:
                told.add(sought)
                yield Found(act, sought, text, bound=not sought.startswith("help: "))
