"""The adapter of the benchmarks."""

from __future__ import annotations

import pytest

from holdfast.errors import NotFound
from holdfast.surfaces.cli import bench


def test_a_benchmark_that_is_not_there() -> None:
    """An unknown benchmark is not found, and those that there are are named."""
    with pytest.raises(NotFound) as caught:
        bench.bench("nonsense", [])
    assert all(name in caught.value.hint for name in bench.names())
