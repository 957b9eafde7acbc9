"""The MCP conformance suite against `holdfast mcp` and `/mcp`, for the two revisions that clients speak."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from outside.agents import Person
from outside.mcp_bridge import Bridge
from outside.token_proxy import TokenProxy
from support.serving import Server

HERE = Path(__file__).parent
REVISIONS = ("2025-11-25", "2026-07-28")
SECONDS = 1200


def _entries(revision: str) -> list[str]:
    lines = (HERE / f"conformance-{revision}.yml").read_text().splitlines()
    return [line.strip()[2:] for line in lines if line.strip().startswith("- ")]


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_suite_passes_but_for_what_is_known(person: Person, revision: str, holdfast) -> None:
    """Every check of the revision passes that is not listed with its reason, and none that is listed does."""
    holdfast("remember", "--scope", "global", "The person likes British English.")
    with Bridge(person.environment(), str(person.folder)) as bridge:
        run_suite(person, revision, bridge.url, HERE / f"conformance-{revision}.yml")


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_suite_passes_over_http_without_a_bridge(person: Person, revision: str, holdfast, tmp_path: Path) -> None:
    """`holdfast serve` speaks both revisions; what only standard input and output cannot pass, it passes."""
    known = tmp_path / "known.yml"
    lines = (HERE / f"conformance-{revision}.yml").read_text().splitlines()
    known.write_text("\n".join(line for line in lines if "standard input and output" not in line))
    holdfast("remember", "--scope", "global", "The person likes British English.")
    with TokenProxy() as proxy:
        proxy.secret = holdfast("tokens", "new", "suite", "--may", "write").strip()
        with Server(person.folder, "--public-url", proxy.url, environment=person.environment()) as server:
            proxy.port = server.port
            run_suite(person, revision, f"{proxy.url}/mcp", known)


def run_suite(person: Person, revision: str, url: str, known: Path) -> None:
    """Run the checks of a revision; what may fail is in a file of known failures."""
    environment = person.environment()
    program = person.programs / "node_modules" / ".bin" / "conformance"
    suite = ["node", "--import", str(HERE / "older_node.mjs"), str(program), "server", "--requirements", revision]
    baseline = ["--expected-failures", str(known)]
    done = subprocess.run(
        [*suite, *baseline, "--url", url, "--output-dir", str(person.home / "results")],
        env=environment,
        cwd=person.home,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_known_failure_is_one_check_with_a_reason(revision: str) -> None:
    """No entry excuses a whole scenario, and each says why."""
    for entry in _entries(revision):
        check, sign, reason = entry.partition(" # ")
        assert check.count(":") == 1, entry
        assert sign and len(reason) > 20, entry
