"""Which project a session belongs to, asked once for each folder. It only looks, and writes nothing anywhere."""

from __future__ import annotations

import os
from contextlib import suppress

from holdfast import project as projects
from holdfast.errors import HoldfastError
from holdfast.project import Registry
from holdfast.project.registry import Known
from holdfast.project.rules import free_id, home_folder

# A session that changes its folder at each step must not fill the memory.
_MAX = 50_000
_BY_CONTENT = ("remote", "repository", "marker")


class ProjectOf:
    """Called with a folder it returns the id of its project, or nothing where it is none."""

    def __init__(self, registry: Registry, override: str = "") -> None:
        self._registry = registry
        self._override = override
        self._known: Known | None = None
        self._found: dict[str, str] = {}
        self._above: dict[str, str] = {}

    def __call__(self, folder: str) -> str:
        if self._override:
            return self._override
        if not folder.startswith("/") or "\0" in folder:
            return ""
        found = self._found.get(folder)
        if found is None:
            found = ""
            with suppress(HoldfastError, OSError, ValueError):
                if os.path.isdir(folder):
                    found = projects.resolve(folder, self._registry).id
                else:
                    found = self._gone(os.path.normpath(folder))
            if len(self._found) < _MAX:
                self._found[folder] = found
        return found

    def _gone(self, folder: str) -> str:
        """Return the project of a folder that is not there: as it was known, or of what it lay in, or by its path."""
        if self._known is None:
            self._known = self._registry.known()
        recorded = self._known.ids_at(folder)
        if recorded:
            return self._known.canonical(recorded[-1])
        above = os.path.dirname(folder)
        while not os.path.isdir(above):
            above = os.path.dirname(above)
        if above not in self._above:
            self._above[above] = self._by_content(above)
        return self._above[above] or self._known.canonical(free_id(os.path.basename(folder), folder, self._known))

    def _by_content(self, folder: str) -> str:
        """Return the project of a folder that git or a marker names, so that it holds for all that lay in it."""
        if folder in ("/", home_folder()):
            return ""
        found = projects.resolve(folder, self._registry)
        return found.id if found.rule in _BY_CONTENT else ""
