"""The demo."""

from __future__ import annotations

import os
import tempfile

from holdfast.surfaces.cli.demo import demo


def test_the_demo_leaves_nothing_behind(home, tmp_path, monkeypatch) -> None:
    """Every scene ends well, whatever the person's own settings; no file is left, and their home is not touched."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("HOLDFAST_RECALL_LIMIT", "nonsense")
    monkeypatch.setenv("HOLDFAST_PROJECT", "mine")
    scenes = list(demo())
    assert [scene.code for scene in scenes] == [0] * len(scenes)
    assert all(scene.heading and scene.output for scene in scenes)
    assert "redacted" in "".join(scene.output for scene in scenes)
    assert os.listdir(tmp_path) == [] and not home.exists()


def test_the_demo_can_be_kept(home, tmp_path) -> None:
    """With a folder to keep it in, the home of the story is there to look around."""
    scenes = demo(str(tmp_path))
    next(scenes)
    scenes.close()
    assert (tmp_path / "home" / "memory" / "index.md").is_file() and not home.exists()
