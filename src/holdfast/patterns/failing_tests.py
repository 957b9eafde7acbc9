"""Which test failed, by what runners of tests print."""

from __future__ import annotations

import re

_LOOK = 8_000
_MAX = 200
_FAILING = re.compile(
    r"^[ \t]*(?:FAILED[ \t]+|--- FAIL: |FAIL:?[ \t]+|[●✗✘×][ \t]+|\(fail\)[ \t]+|not ok \d+ - )(?P<test>\S.*)$"
    r"|^test (?P<rust>\S+) \.\.\. FAILED$",
    re.MULTILINE,
)
# How long it took, and what the test said, differ from time to time.
_BEHIND = re.compile(r" - .*$|[ \t]*[\[(]?\d[\d.]*m?s[\])]?$")


def failing_test(output: str) -> str:
    """Return the first test that an output names as failed; nothing where it names none."""
    match = _FAILING.search(output[-_LOOK:])
    if match is None:
        return ""
    name = _BEHIND.sub("", (match["test"] or match["rust"])[: 2 * _MAX]).strip()
    return f"failed {name}"[:_MAX] if any(letter.isalpha() for letter in name) else ""
