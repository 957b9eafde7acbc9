"""The table of features: which parts each has. A new feature is one package and one line here.

The order counts where it is walked: what is rated becomes a lesson, an incident names the lesson, and work is closed
in the end. A part is loaded by name when its moment has come, so that a hook loads what it needs and nothing else.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from holdfast.settings import Settings


@dataclass(frozen=True, slots=True)
class Feature:
    """A package with parts: `hook` at these moments, at those `on_calls` only where the transcript has new calls.

    What `judges` asks the judge about a session, which takes longer than everything else, so it comes behind that.
    """

    package: str
    moments: tuple[str, ...] = ()
    on_calls: tuple[str, ...] = ()
    switch: str = "learning.enabled"
    harvests: bool = False
    judges: bool = False
    forgets: bool = False

    @property
    def name(self) -> str:
        """The name that problems are reported under."""
        return self.package.rpartition(".")[2]

    def is_on(self, settings: Settings) -> bool:
        """Whether the person wants what it does at hooks."""
        return settings[self.switch] not in (False, "off")

    def part(self, name: str) -> ModuleType:
        """Load one of its parts: `hook`, `harvest` or `forget`."""
        module: ModuleType = __import__(f"holdfast.{self.package}.{name}", fromlist=[name])
        return module


FEATURES = (
    Feature(
        "continuity",
        ("start", "prompt", "tool", "tool-failed", "compact", "stop", "end"),
        switch="continuity.enabled",
        forgets=True,
    ),
    # Runs before the person's rules, because what it refuses it always refuses.
    Feature("learning.security", ("before-tool",), switch="security.block"),
    Feature("rules", ("start", "before-tool", "after-tool", "tool-failed", "compact"), switch="rules.enabled"),
    Feature("learning.said", judges=True, forgets=True),
    Feature("learning.ratings", ("prompt",), harvests=True, judges=True, forgets=True),
    Feature("learning.lessons", harvests=True, forgets=True),
    Feature("learning.incidents", harvests=True, forgets=True),
    Feature(
        "learning.fixes", ("after-tool", "tool", "tool-failed"), ("prompt", "stop", "end"), harvests=True, forgets=True
    ),
    Feature("learning.security", ("tool", "tool-failed"), harvests=True, forgets=True),
    Feature("learning.research", ("subagent-stop",), harvests=True, forgets=True),
    Feature("learning.work", ("start", "prompt", "tool", "stop", "end", "subagent-stop"), harvests=True, forgets=True),
    Feature("learning.synthesis", forgets=True),
    Feature("patterns", harvests=True, forgets=True),
)


def at_moment(moment: str) -> Iterator[Feature]:
    """Return the features whose hook part may have something to do at a moment."""
    return (one for one in FEATURES if moment in one.moments or moment in one.on_calls)
