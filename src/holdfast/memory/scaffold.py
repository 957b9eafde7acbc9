"""The scaffold: the tree of an empty memory, laid from real Markdown files.

Only what is missing is written. A page that is there is the person's, whatever it holds. Nothing is written through a
link: a clone may bring one that leads out of it.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.errors import Refused
from holdfast.records import Step

TEMPLATES = os.path.join(os.path.dirname(__file__), "templates")
HOME_FOLDERS = ("global/memories", "global/data", "projects", "agents", "sessions", "system")
WORKSPACE_FOLDERS = ("memories", "data", "system")
PAGES = {"index.md": "index.md", "system/definition.md": "definition.md"}


def link_in(root: str, folders: tuple[str, ...]) -> str:
    """Return the first folder or page of the tree that is a symbolic link or lies behind one, if there is one."""
    top, name = os.path.split(root)
    found = (files.link_on_the_way(top, f"{name}/{path}") for path in (*folders, *PAGES))
    return next((link for link in found if link), "")


def plan(root: str, folders: tuple[str, ...]) -> list[Step]:
    """Return what is missing below the root; Refused where a link stands in the way."""
    if link := link_in(root, folders):
        raise Refused(f"{link} is a symbolic link", "Put a folder or file there instead; Holdfast does not follow it.")
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


def is_laid(root: str) -> bool:
    """Whether a tree was laid here: it has a map and the doctrine, one of them as we write it."""
    pages = {page: os.path.join(root, page) for page in PAGES}
    if not all(os.path.isfile(path) for path in pages.values()):
        return False
    begun = {page: template(PAGES[page]).encode()[:80] for page in pages}
    return any(files.read_head(path, 80) == begun[page] for page, path in pages.items())


def template(name: str) -> str:
    """Return the text of a template of the package."""
    with open(os.path.join(TEMPLATES, name), encoding="utf-8") as file:
        return file.read()
