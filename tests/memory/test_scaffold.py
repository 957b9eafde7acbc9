"""The tree of an empty memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import Refused
from holdfast.memory import scaffold


def test_the_templates_are_real_files() -> None:
    """Every page of the tree is laid from a Markdown file of the package."""
    for name in (*scaffold.PAGES.values(), "scope.md"):
        path = Path(scaffold.TEMPLATES) / name
        assert path.read_text(encoding="utf-8").startswith("# ")
        assert scaffold.template(name) == path.read_text(encoding="utf-8")


def test_the_plan_is_what_is_missing(tmp_path) -> None:
    """An empty root needs every folder and page; a whole one needs nothing."""
    steps = scaffold.plan(str(tmp_path), scaffold.HOME_FOLDERS)
    assert {step.act for step in steps} == {"make", "write"}
    scaffold.lay(str(tmp_path), steps)
    assert (tmp_path / "system" / "definition.md").is_file()
    assert scaffold.plan(str(tmp_path), scaffold.HOME_FOLDERS) == []


def test_a_page_that_is_there_is_not_planned(tmp_path) -> None:
    """Whatever stands where a page would be is the person's; a link there, even a dead one, is refused."""
    (tmp_path / "index.md").write_text("mine\n")
    targets = [step.target for step in scaffold.plan(str(tmp_path), ())]
    assert targets == [str(tmp_path / "system" / "definition.md")]
    (tmp_path / "index.md").unlink()
    (tmp_path / "index.md").symlink_to("nowhere")
    with pytest.raises(Refused, match="symbolic link"):
        scaffold.plan(str(tmp_path), ())
