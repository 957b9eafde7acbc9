"""What hooks do for learning: at each moment the parts that have something to do there, each on its own.

A part's trouble is logged and takes nothing else away: not the other parts, not the answer, not the session. What
takes long is not done here; `harvest` does it behind.
"""

from __future__ import annotations

from holdfast.app.hook import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.app.hook import HookRun

# Which features may have something to do at a moment. Each has `hook.at(run)`. Work items read the
# transcript, so what lives on its calls comes behind them.
_PARTS: dict[str, tuple[str, ...]] = {
    "start": ("work",),
    "prompt": ("ratings", "work", "fixes"),
    "tool": ("work", "fixes", "security"),
    "tool-failed": ("fixes", "security"),
    "stop": ("work", "fixes"),
    "end": ("work", "fixes"),
    "subagent-stop": ("work", "security"),
}
# When fixes live on the calls that the transcript told; at most prompts it told none.
PAUSES = ("prompt", "stop", "end")


def keep(run: HookRun) -> None:
    """Let every part do what it does at this moment."""
    if not run.settings.flag("learning.enabled"):
        return
    for name in _PARTS.get(run.call.moment, ()):
        if name == "fixes" and run.call.moment in PAUSES and not run.told_calls:
            continue
        try:
            # By name, so that a hook loads the parts of its moment and no other.
            __import__(f"holdfast.learning.{name}.hook", fromlist=["at"]).at(run)
        except Exception as problem:
            tell(run, name, problem)
