"""The demo."""

from __future__ import annotations

import os
import tempfile

from holdfast.surfaces.cli.demo import STORY, demo


def test_the_demo_leaves_nothing_behind(cli, home, tmp_path, monkeypatch) -> None:
    """Every scene ends well, whatever the person's own settings; no file is left, and their home is not touched."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("HOLDFAST_RECALL_LIMIT", "nonsense")
    monkeypatch.setenv("HOLDFAST_PROJECT", "mine")
    ended = cli("demo")
    assert ended.code == 0 and "is gone" in ended.err
    assert all(
        heading in ended.out and " ".join(["holdfast", command[0]]) in ended.out for _, heading, command in STORY
    )
    assert "redacted" in ended.out
    assert os.listdir(tmp_path) == [] and not home.exists()


def test_the_demo_can_be_kept(home, tmp_path) -> None:
    """With a folder to keep it in, the home of the story is there to look around."""
    scenes = demo(str(tmp_path))
    next(scenes)
    scenes.close()
    assert (tmp_path / "home" / "memory" / "index.md").is_file() and not home.exists()
