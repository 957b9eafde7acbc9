"""Receipts: what each session was given and why; and what a prompt would bring now."""

from __future__ import annotations

from itertools import islice

from starlette.responses import Response

from holdfast import agents
from holdfast.app.preview import preview
from holdfast.inject.receipts import latest, receipts
from holdfast.records import Receipt
from holdfast.surfaces.web.handling import Visit, known_projects, route

MAX_SHOWN = 40
# So many lines of a receipt are shown at once; the rest is folded.
MAX_ROWS = 8
_BUDGETS = {"start": "inject.start_characters", "prompt": "inject.prompt_characters"}


def _receipts(visit: Visit) -> Response:
    workspace, session, prompt = visit.workspace, visit.asked("session"), visit.asked("prompt")
    asked = prompt or visit.asked("try")
    found = receipts(workspace, session) if session else latest(workspace)
    budgets = {moment: workspace.settings.number(name) for moment, name in _BUDGETS.items()}
    return visit.page(
        "receipts.html",
        shown=MAX_ROWS,
        receipts=[(one, budgets.get(one.moment, 0), _left_out(one)) for one in islice(found, MAX_SHOWN)],
        preview=preview(workspace, prompt=prompt, agent=visit.asked("agent")) if asked else None,
        agents=[(name, agents.get(name).title) for name in agents.names()],
        projects=known_projects(workspace),
    )


def _left_out(receipt: Receipt) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what was left out, by why; what a reason says behind its colon is about the one memory."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, reason in receipt.left_out:
        why, _, more = reason.partition(": ")
        found.setdefault(why, []).append((name.rpartition("/")[2], more))
    return list(found.items())


ROUTES = [route("/receipts", _receipts)]
