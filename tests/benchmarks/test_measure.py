"""The benchmark of measuring: its simulation runs through real hooks and says what it found."""

from __future__ import annotations


def test_a_small_simulation_is_reported(cli) -> None:
    """With few sessions and runs there is a row with an effect and one without, and the sizes are those asked for."""
    report = cli("bench", "measure", "--runs", "4", "--sessions", "60", "--json").json
    effect, none = report["simulation"]
    assert (effect["truth"], effect["runs"], none["truth"], none["runs"]) == ("effect", 4, "none", 4)
    withheld, given = effect["sessions"]["withheld-given"]
    assert withheld + given == 60 and min(withheld, given) > 10
    assert none["lifts"] == [0.0, 0.0] and effect["lifts"][1] < 0
    assert effect["held"]["withheld-given"] >= 3
    assert sum(none["verdicts"].values()) == 4
    assert all(row["held"] > 0.9 for row in report["intervals"])
