"""`holdfast bench injection` runs and prints its figures."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from support.sampling import LONG

BENCHMARKS = Path(__file__).parent.parent.parent.parent / "benchmarks"


def test_the_bar_is_measured_for_several_heights(capsys, monkeypatch):
    """Both sets are told with meaning and without, for each bar, and how many characters a hook gives."""
    main = runpy.run_path(str(BENCHMARKS / "injection.py"))["main"]
    if not LONG:
        # Here only the form of the figures counts.
        names, read, others = main.__globals__, main.__globals__["read"], main.__globals__["others"]
        monkeypatch.setitem(names, "others", lambda: others()[:100])
        monkeypatch.setitem(names, "read", lambda name: (read(name)[0], read(name)[1][::4]))
    assert main(["--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = [row for row in printed if "bar" in row]
    given = [row for row in printed if "moment" in row]
    assert {(row["set"], row["moment"]) for row in given} == {
        (name, moment) for name in ("shop", "rover") for moment in ("start", "prompt")
    }
    assert all(0 < row["mean"] <= row["most"] <= 3_000 for row in given)
    assert len({(row["set"], row["meaning"], row["among"]) for row in found}) == 6
    assert all(row["brought"] <= row["should"] for row in found)


def test_what_an_agent_knows_is_counted_by_the_real_hooks(tmp_path, monkeypatch):
    """A memory that the start gave counts as known, in a home of one project and where others have their own."""
    names = runpy.run_path(str(BENCHMARKS / "injection.py"))["in_context"].__globals__
    said = {"m1": ("ann", "Use pnpm, never npm."), "m2": ("ben", "Postgres runs on port 5433.")}
    asked = {"m3": ("ann", "please rename the header of the cart"), "m4": ("ann", "thanks!")}
    rows = [
        {"id": id, "writer": who, "text": text, "keep": "y" if id in said else "n", "what": text if id in said else ""}
        for id, (who, text) in {**said, **asked}.items()
    ]
    (tmp_path / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.setitem(names, "homes", lambda: [("seen", 2, [["m3", "m1"], ["m4", "-"]])])
    found = {(row["set"], row["homes"]): row for row in names["in_context"](tmp_path)}
    for homes in ("one project", "own project"):
        row = found["seen", homes]
        assert (row["should"], row["prompt"], row["either"]) == (1, 0, 1)
        assert (row["should_not"], row["silent"]) == (1, 1)
    assert found["held", "one project"]["should"] == 0
