"""schemathesis, a fuzzer that nobody here wrote, against `holdfast serve` by its own OpenAPI document."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

from support.archived import said, session, store
from support.sampling import LONG, count
from support.serving import Server

pytestmark = [pytest.mark.outside, pytest.mark.slow]
# What a missing If-Match gets is 428, which RFC 6585 made for it.
CONFIG = "[checks.missing_required_header]\nexpected-statuses = [428]\n"
# No schema can say that a key is not there or that a time means nothing, and wrong tokens are counted against their
# sender (test_api.py has both).
LEFT_OUT = "positive_data_acceptance,ignored_auth"
# The coverage phase sends 2,000 requests, whatever the number of examples.
PHASES = "examples,coverage,fuzzing,stateful" if LONG else "fuzzing,stateful"


@pytest.mark.skipif(find_spec("schemathesis") is None, reason="schemathesis is not installed: pip install '.[dev]'")
def test_no_request_breaks_it_or_gets_an_answer_that_is_not_promised(workspace, shop, cli, tmp_path) -> None:
    """Whatever is sent by the document or against it: no server error, and no status, type or field but those told."""
    with workspace() as h:
        store(h, session("told", shop, title="The upload"), said("human", "The upload fails."))
    cli("remember", "Deploys need the VPN.", "--key", "vpn")
    secret = cli("tokens", "new", "fuzzer", "--may", "review").out.strip()
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    words = ["--max-examples", str(count(50, 4)), "--exclude-checks", LEFT_OUT, "--no-color", "--seed", "1"]
    words += ["--phases", PHASES, "-H", f"Authorization: Bearer {secret}"]
    with Server(shop) as server:
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/api/v1/openapi.json", *words],
            cwd=tmp_path,
            env=dict(os.environ),
            capture_output=True,
            text=True,
            timeout=1200,
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert secret not in server.said
