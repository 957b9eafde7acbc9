"""The log of hooks: one line for each trouble, in `state/hook.log` of the home. It is loaded where there is trouble."""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.errors import HoldfastError
from holdfast.journal import notices
from holdfast.privacy.redact import redact

_MAX_BYTES = 256 * 1024
_MAX_LINE = 300


def path(home: str) -> str:
    """Return where the log of a home is."""
    return os.path.join(home, "state", "hook.log")


def add(home: str, who: str, problem: Exception, *, notice: bool = True) -> None:
    """Add a line on what went wrong with whom. It never has what was said in a session; a full log begins again.

    Nobody reads a log, so it is a notice, too, unless somebody else tells it.
    """
    what = _described(problem)
    if notice:
        hint = getattr(problem, "hint", "") or "`state/hook.log` has when it happened."
        notices.report(home, "hook", f"a hook of {who} could not do all of its work: {what}", hint=hint)
    line = " ".join(redact(f"{now()} {who}: {what}")[0].split())[:_MAX_LINE]
    place = path(home)
    try:
        files.refuse_link(os.path.dirname(place))
        files.make_folder(os.path.dirname(place))
        if os.path.exists(place) and os.stat(place).st_size > _MAX_BYTES:
            os.replace(place, f"{place}.1")
        rows.append(place, ["".join([sign if sign.isprintable() else "?" for sign in line])], durable=False)
    except (HoldfastError, OSError):
        return


def _described(problem: Exception) -> str:
    """Return what went wrong. An error that nobody planned may quote what it met, so of it only the place is told."""
    kind = type(problem).__name__
    if isinstance(problem, (HoldfastError, OSError)) or type(problem).__module__ == "sqlite3":
        return f"{kind}: {problem}"
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{kind}{place}"
