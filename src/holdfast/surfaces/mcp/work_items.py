"""What `work_item` does: show the work item at hand, add a criterion to it, verify one with evidence, close it."""

from __future__ import annotations

from holdfast.app import hand_over
from holdfast.errors import BadInput, NotFound
from holdfast.learning.work import items as work
from holdfast.learning.work.criteria import Criterion
from holdfast.learning.work.items import Shown
from holdfast.surfaces.mcp import arguments as given
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.caller import Request

_MAX_FILES = 40


def answer(request: Request, asked: given.WorkItem) -> tuple[results.Result, str]:
    """Do what the action says and return the work item as it is now."""
    result = _result_of(request, asked)
    return result, hand_over.fenced(_lines(result)) or "There is no open work item."


def _result_of(request: Request, asked: given.WorkItem) -> results.WorkShown:
    workspace = request.workspace
    if asked.action == "show":
        shown = work.show(workspace, asked.id) if asked.id else work.latest(workspace, request.session)
        return _result("shown", shown) if shown else results.WorkShown(action="none")
    if asked.action == "criterion":
        changed = work.criterion(workspace, _id(request, asked), _needed(asked, "text"), anti=asked.anti)
    elif asked.action == "verify":
        evidence = _needed(asked, "evidence")
        changed = work.verify(workspace, _id(request, asked), _needed(asked, "criterion"), evidence=evidence)
    else:
        changed = work.close(workspace, _needed(asked, "id"))
    return _result(changed.action, changed.shown).model_copy(update={"redacted": list(changed.redacted)})


def _id(request: Request, asked: given.WorkItem) -> str:
    if asked.id:
        return asked.id
    shown = work.latest(request.workspace, request.session)
    if shown is None:
        raise NotFound("there is no open work item here", "One opens when you act on what the person asked for.")
    return shown.work.id


def _needed(asked: given.WorkItem, name: str) -> str:
    value: str | None = getattr(asked, name)
    if not value or not value.strip():
        raise BadInput(f"{asked.action} needs {name}", "The action show tells the ids.")
    return value


def _result(action: str, shown: Shown) -> results.WorkShown:
    one, isc = shown.work, shown.criteria
    return results.WorkShown(
        action=action,
        id=one.id,
        title=_safe(one.title),
        status=one.status,
        effort=one.effort,
        ideal=_safe(isc.ideal),
        criteria=[_told(each) for each in isc.criteria],
        anti_criteria=[_told(each) for each in isc.anti_criteria],
        files_changed=[_safe(path) for path in one.lineage.files_changed[-_MAX_FILES:]],
        file_path=one.path,
    )


def _told(one: Criterion) -> results.CriterionShown:
    because = one.source_events[-1] if one.source_events else ""
    return results.CriterionShown(id=_safe(one.id), text=_safe(one.text), status=one.status, because=_safe(because))


def _safe(text: str) -> str:
    return " ".join(hand_over.safe(text).split())


def _lines(result: results.WorkShown) -> list[str]:
    if not result.id:
        return []
    lines = [f"{result.action}: {result.id} {result.title} ({result.status})"]
    lines += [f"- {one.id} {one.status}: {one.text}" for one in result.criteria]
    lines += [f"- {one.id} must not happen: {one.text} ({one.status})" for one in result.anti_criteria]
    return [*lines, f"Files: {', '.join(result.files_changed)}"] if result.files_changed else lines
