"""Which test failed, by what runners print."""

from __future__ import annotations

import pytest

from holdfast.patterns.session_acts import failing_test


@pytest.mark.parametrize(
    ("output", "test"),
    [
        ("FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s", "failed tests/test_a.py::test_b"),
        ("--- FAIL: TestCart (0.02s)\n    cart_test.go:3: got 1", "failed TestCart"),
        ("  ● Cart › adds up\n\n expected 3", "failed Cart › adds up"),
        ("test cart::adds ... FAILED", "failed cart::adds"),
        ("(fail) cart > adds up [12.00ms]", "failed cart > adds up"),
        ("not ok 3 - adds up", "failed adds up"),
        ("3 passed", ""),
    ],
)
def test_each_runner(output: str, test: str) -> None:
    """The first test that is named as failed is returned, without its time and message."""
    assert failing_test(output) == test
