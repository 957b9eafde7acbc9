"""Charts as SVG, made on the server: the policy of the page allows no inline style, so looks come from the sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta

from markupsafe import Markup, escape

_WIDTH, _HEIGHT, _FOOT = 720, 180, 22
_MAX_BARS = 60


def over_time(days: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return sums of equal spans of time, without a gap from the first day to the last, no more than can be shown."""
    known = {date.fromisoformat(day): value for day, value in days.items() if day}
    if not known:
        return []
    first, last = min(known), max(known)
    span = -(-((last - first).days + 1) // _MAX_BARS)
    starts = [first + timedelta(number) for number in range(0, (last - first).days + 1, span)]
    sums = [sum(known.get(start + timedelta(number), 0.0) for number in range(span)) for start in starts]
    labels = [f"{start}" if span == 1 else f"{start} to {start + timedelta(span - 1)}" for start in starts]
    return list(zip(labels, sums, strict=True))


def bars(shown: Sequence[tuple[str, float]], told: Callable[[float], str]) -> Markup:
    """Return bars with a title each; the first and the last label stand below."""
    if not shown:
        return Markup("")
    top = max(value for _, value in shown) or 1.0
    width = _WIDTH / len(shown)
    parts = []
    for number, (label, value) in enumerate(shown):
        height = max(1.0, (_HEIGHT - _FOOT - 18) * value / top) if value else 0.0
        wide = min(width * 0.76, 40.0)
        x = number * width + (width - wide) / 2
        parts.append(
            f'<rect class="bar" x="{x:.1f}" y="{_HEIGHT - _FOOT - height:.1f}" width="{wide:.1f}" '
            f'height="{height:.1f}" rx="2"><title>{escape(f"{label}: {told(value)}")}</title></rect>'
        )
    parts.append(f'<line class="axis" x1="0" x2="{_WIDTH}" y1="{_HEIGHT - _FOOT}" y2="{_HEIGHT - _FOOT}"/>')
    parts.append(f'<text x="0" y="{_HEIGHT - 6}">{escape(shown[0][0])}</text>')
    parts.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 6}" text-anchor="end">{escape(shown[-1][0])}</text>')
    parts.append(f'<text x="0" y="11">{escape(told(top))} at most</text>')
    label = escape(f"{len(shown)} bars from {shown[0][0]} to {shown[-1][0]}")
    return Markup(  # noqa: S704
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
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
