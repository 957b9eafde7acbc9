"""What hooks do for research: what a sub-agent handed over is written down, where the agent tells it."""

from __future__ import annotations

from holdfast.learning.research import model
from holdfast.parts import Effect
from holdfast.privacy.fence import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import HookRun

_MAX_SESSION = 200


def at_subagent_stop(run: HookRun) -> list[Effect]:
    """Keep the report of a sub-agent."""
    if not run.call.answer.strip():
        return []
    project = run.project()
    report = model.Report(
        at=run.at,
        agent=run.call.agent,
        session=kept(run.agent.archived_as(run.call) or run.session, _MAX_SESSION),
        parent=run.session_id,
        project=project.id if project else "",
        text=kept(run.call.answer, model.MAX_TEXT),
    )
    return [Effect(lambda: model.add(run.home, report))]
