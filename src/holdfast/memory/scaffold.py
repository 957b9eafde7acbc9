"""The scaffold: the tree of an empty memory, laid from real Markdown files.

Only what is missing is written. A page that is there is the person's, whatever it holds.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.records import Step

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
HOME_FOLDERS = ("global/memories", "global/data", "projects", "agents", "sessions", "system")
WORKSPACE_FOLDERS = ("memories", "data", "system")
PAGES = {"index.md": "index.md", "system/definition.md": "definition.md"}


def plan(root: str, folders: tuple[str, ...]) -> list[Step]:
    """Return what is missing below the root."""
    steps = [
        Step("make", os.path.join(root, folder), "a folder of the tree")
        for folder in folders
        if not os.path.isdir(os.path.join(root, folder))
    ]
    for page, template in PAGES.items():
        if not os.path.lexists(os.path.join(root, page)):
            steps.append(Step("write", os.path.join(root, page), f"from the template {template}"))
    return steps


def lay(root: str, steps: list[Step]) -> None:
    """Do what the plan says."""
    for step in steps:
        if step.act == "make":
            files.make_folder(step.target)
    for step in steps:
        if step.act == "write":
            files.write(step.target, template(PAGES[os.path.relpath(step.target, root)]).encode())


def template(name: str) -> str:
    """Return the text of a template of the package."""
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
        return file.read()
