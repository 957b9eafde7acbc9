"""Charts as SVG, made on the server: the policy of the page allows no inline style, so looks come from the sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 720, 140
_MAX_BARS = 60


def over_time(days: Mapping[str, float]) -> tuple[list[tuple[str, float]], int]:
    """Return sums of equal spans without a gap from the first day to the last, and how many days each span has."""
    known = {date.fromisoformat(day): value for day, value in days.items() if day}
    if not known:
        return [], 1
    first, last = min(known), max(known)
    span = -(-((last - first).days + 1) // _MAX_BARS)
    starts = [first + timedelta(number) for number in range(0, (last - first).days + 1, span)]
    sums = [sum(known.get(start + timedelta(number), 0.0) for number in range(span)) for start in starts]
    labels = [f"{start}" if span == 1 else f"{start} to {start + timedelta(span - 1)}" for start in starts]
    return list(zip(labels, sums, strict=True)), span


def bars(shown: Sequence[tuple[str, float]], told: Callable[[float], str]) -> Markup:
    """Return bars with a title each; the first and the last label stand below."""
    if not shown:
        return Markup("")
    top = max(value for _, value in shown) or 1.0
    width = _WIDTH / len(shown)
    wide = min(width * 0.76, 40.0)
    parts = []
    for number, (label, value) in enumerate(shown):
        height = max(1.0, _HEIGHT * value / top) if value else 0.0
        parts.append(
            f'<rect class="bar" x="{number * width + (width - wide) / 2:.1f}" y="{_HEIGHT - height:.1f}" '
            f'width="{wide:.1f}" height="{height:.1f}"><title>{escape(f"{label}: {told(value)}")}</title></rect>'
        )
    first, last = (escape(shown[0][0].partition(" ")[0]), escape(shown[-1][0].rpartition(" ")[2]))
    drawing = (
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{len(shown)} bars from {first} to {last}">{"".join(parts)}</svg>'
    )
    most = f"<figcaption>{escape(told(top))} at most</figcaption>"
    # The words stand outside: on a narrow screen those of a drawing would shrink with it.
    return Markup(f'<figure>{most}{drawing}<div class="ends"><span>{first}</span><span>{last}</span></div></figure>')  # noqa: S704


def share(part: float, whole: float) -> Markup:
    """Return a bar of which the part of a whole is filled."""
    filled = 100 * min(part / whole, 1.0) if whole else 0.0
    return Markup(  # noqa: S704
        f'<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{filled:.0f} %">'
        f'<rect class="track" width="100" height="8"/><rect class="bar" width="{filled:.1f}" height="8"/></svg>'
    )


def interval(low: float | None, middle: float | None, high: float | None, neutral: float) -> Markup:
    """Return a change with its bounds around the value that means no change."""
    if low is None or middle is None or high is None:
        return Markup("")
    reach = max(abs(low - neutral), abs(high - neutral), 1e-9) * 1.1
    x = [110 + 100 * (value - neutral) / reach for value in (low, middle, high)]
    label = escape(f"{middle:.2f}, between {low:.2f} and {high:.2f}")
    return Markup(  # noqa: S704
        f'<svg class="chart" viewBox="0 0 220 20" role="img" aria-label="{label}"><line class="axis" x1="110" x2="110" '
        f'y1="0" y2="20"/><line class="bound" x1="{x[0]:.1f}" x2="{x[2]:.1f}" y1="10" y2="10"/>'
        f'<circle class="point" cx="{x[1]:.1f}" cy="10" r="5"/></svg>'
    )
