"""Write an agent's plugin: hooks, server and skill in a folder of its own, without a change to any settings."""

from __future__ import annotations

import json
import os

from holdfast import agents
from holdfast.agents.base import SERVER, Change, Place
from holdfast.agents.editing.apply import apply as carry_out
from holdfast.agents.editing.plan import read
from holdfast.app import install
from holdfast.app.install import Plan
from holdfast.base.package import __version__
from holdfast.errors import NotFound, Refused
from holdfast.workspace import Workspace

SKILL = os.path.join(os.path.dirname(agents.__file__), "skill.md")
_WAY_OUT = "Name a folder that is empty or not there yet."


def plan(workspace: Workspace, name: str, folder: str, *, portable: bool = False) -> Plan:
    """Return the files that the plugin needs and that are not there as they should be."""
    agent = agents.get(name)
    root = os.path.abspath(folder)
    wanted = agent.plugin(install.command_of(workspace, portable=portable), __version__, _skill())
    if not wanted:
        known = [one.agent for one in install.overview(workspace)]
        takes = [one.name for one in known if one.plugin(install.command_of(workspace), "", "")]
        raise NotFound(
            f"{agent.title} takes no plugin from us",
            f"Use `holdfast install {name}`. With plugins: {', '.join(takes)}.",
        )
    _refuse_foreign(root, list(wanted))
    place = Place(root, root, "project", workspace.environment)
    changes = [_change(os.path.join(root, path), value, place) for path, value in wanted.items()]
    return Plan(agent, place, tuple(change for change in changes if change.before != change.after))


def apply(planned: Plan) -> None:
    """Write the files of the plan."""
    carry_out(list(planned.changes), planned.place)


def _change(path: str, value: object, place: Place) -> Change:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    return Change(path, read(path, place), text.encode("utf-8"))


def _refuse_foreign(root: str, paths: list[str]) -> None:
    """Refuse a folder with something in it, unless that is a plugin of ours."""
    if os.path.isfile(root):
        raise Refused(f"{root} is a file", _WAY_OUT)
    inside = os.listdir(root) if os.path.isdir(root) else []
    if inside and not any(_is_manifest(os.path.join(root, path)) for path in paths):
        raise Refused(
            f"{root} is not empty and holds no plugin of ours", "Name a folder that is empty or not there yet."
        )


def _is_manifest(path: str) -> bool:
    if os.path.basename(path) != "plugin.json":
        return False
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("name") == SERVER


def _skill() -> str:
    with open(SKILL, encoding="utf-8") as file:
        return file.read()
