"""Every benchmark says what it takes, and refuses what it does not."""

from __future__ import annotations

import pytest

from holdfast.surfaces.cli.bench import bench, names


@pytest.mark.parametrize("name", names())
def test_a_benchmark_says_what_it_takes(capsys, name: str) -> None:
    """`--help` prints the usage, and an option that is not known is refused before anything is measured."""
    for argument, code in (("--help", 0), ("--no-such-option", 2)):
        with pytest.raises(SystemExit) as ended:
            bench(name, [argument])
        assert ended.value.code == code
        assert f"usage: holdfast bench {name}" in "".join(capsys.readouterr())
