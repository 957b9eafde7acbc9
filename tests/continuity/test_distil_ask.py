"""`holdfast distil --with`: who may be asked, what it may cost, and that nothing of an answer is taken on trust."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from holdfast.base.clock import now
from holdfast.continuity import log, notes, todo
from holdfast.continuity.distil import distil
from holdfast.continuity.distil_ask import Meter
from holdfast.continuity.log import LogEntry
from holdfast.continuity.notes import folders
from holdfast.memory.proposal_files import Proposals

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
FINE = {"section": "State", "Topic": "What it is", "State": "A shop."}


class Endpoint:
    """A server on loopback that answers with what a test sets, and keeps every request."""

    def __init__(self) -> None:
        self.text = json.dumps({"entries": [FINE]})
        self.status, self.raw, self.drip = 200, b"", 0.0
        self.usage: dict | None = {"prompt_tokens": 700, "completion_tokens": 30}
        self.requests: list[tuple[str, dict, dict]] = []
        handler = type("Handler", (_Handler,), {"endpoint": self})
        self.server = HTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self) -> bytes:
        """Return the body of the next answer."""
        if self.raw:
            return self.raw
        told: dict = {"choices": [{"message": {"role": "assistant", "content": self.text}}]}
        return json.dumps(told | ({"usage": self.usage} if self.usage else {})).encode()


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint

    def log_message(self, *words: object) -> None:
        return

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.endpoint.requests.append((self.path, dict(self.headers), body))
        data = self.endpoint.answer()
        self.send_response(self.endpoint.status)
        self.send_header("location", self.endpoint.url)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        try:
            size = 8 if self.endpoint.drip else len(data)
            for place in range(0, len(data), size):
                self.wfile.write(data[place : place + size])
                self.wfile.flush()
                time.sleep(self.endpoint.drip)
        except ConnectionError:
            return


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A server that runs for one test."""
    one = Endpoint()
    thread = threading.Thread(target=one.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield one
    one.server.shutdown()
    thread.join()
    one.server.server_close()


@pytest.fixture
def decided(workspace) -> None:
    """A project whose log tells of one decision, which the plain rules propose."""
    with workspace() as h:
        log.keep(notes.folders(h)[0], now()[:10], [f"decision: Keep orders in src/orders.sql, not in {TOKEN}"])


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a program of that name before all others on the PATH; it is a small shell script."""

    def make(name: str, script: str) -> Path:
        path = tmp_path / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
        return path

    return make


def sections(done) -> list[str]:
    """Return the sections of what is newly proposed."""
    return [one.title.partition(":")[0] for one in done.proposals]


def spent(home: Path) -> int:
    """Return the tokens of today."""
    return Meter(str(home), now()[:10], 0).spent()


def test_an_endpoint_words_a_proposal(workspace, decided, endpoint, home) -> None:
    """It gets the data without secrets and between marks; what it says is a proposal, and what it took is counted."""
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
        assert sections(done) == ["Decisions", "State"]
        assert Proposals(h.home).get(done.proposals[1].id).source == "distil"
    [(path, headers, body)] = endpoint.requests
    assert path == "/v1/chat/completions" and "authorization" not in {name.lower() for name in headers}
    asked = body["messages"][1]["content"]
    assert TOKEN not in json.dumps(body) and "src/orders.sql" in asked and asked.count("\nDATA ") == 2
    assert (done.help.sent, done.help.answered, done.help.spent_today, spent(home)) == (700, 30, 730, 730)
    assert any(line.startswith("sending about ") for line in workspace.said)


def test_without_usage_the_estimate_counts(workspace, decided, endpoint, home) -> None:
    """An endpoint that tells no tokens is counted by the length of what went to and fro."""
    endpoint.usage = None
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    assert done.help.sent == done.help.will_send > 100 and spent(home) == done.help.sent + done.help.answered


@pytest.mark.parametrize(
    "count", [int("9" * 4299), int("9" * 4300), 10**9, 1, 0, -700, True, 700.5, "700", None, [700], {"a": 700}]
)
def test_counts_that_cannot_be_are_not_believed(workspace, decided, endpoint, home, count: object) -> None:
    """Where an endpoint tells tokens that it cannot have taken, the estimate counts, and its answer is used."""
    endpoint.usage = {"prompt_tokens": count, "completion_tokens": count}
    endpoint.text = json.dumps({"entries": [FINE, {**FINE, "Topic": "Why", "State": "To sell. " * 20}]})
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    told = done.help
    assert sections(done) == ["Decisions", "State", "State"] and told.sent == told.will_send
    assert 50 < told.answered < 200 and spent(home) == told.spent_today == told.sent + told.answered


def test_a_count_of_too_many_digits_is_no_answer(workspace, decided, endpoint, home) -> None:
    """A number that Python does not read is told, and the plain proposals are there."""
    endpoint.raw = b'{"choices": [{"message": {"content": "{}"}}], "usage": {"prompt_tokens": %s}}' % (b"9" * 5000)
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    assert "chat completions" in done.help.failed and sections(done) == ["Decisions"] and spent(home) < 100_000


@pytest.mark.parametrize("usage", ['{"input_tokens": %s, "output_tokens": true}' % ("9" * 4299), "[]", '{"a": 1}'])
def test_counts_of_an_agent_are_not_believed_either(workspace, decided, program, tmp_path, home, usage: str) -> None:
    """What an agent prints as its tokens counts only where it can be."""
    result = json.dumps({"type": "result", "result": json.dumps({"entries": [FINE]})})
    (tmp_path / "result.json").write_text(f'{result[:-1]}, "usage": {usage}}}')
    program("claude", f"cat {tmp_path}/result.json")
    with workspace() as h:
        done = distil(h, wish="claude")
    assert sections(done) == ["Decisions", "State"] and done.help.sent == done.help.will_send
    assert spent(home) == done.help.sent + done.help.answered < 1_000


def test_help_does_not_take_the_place_of_what_was_found(workspace, shop, endpoint) -> None:
    """An entry of the name of one that the plain rules found is dropped, also where that waits since an earlier run."""
    with workspace() as h:
        log.write(folders(h)[0], LogEntry("s-9", "some-agent", now(), title="Orders", outcome="failure"))
        [plain] = [one for one in distil(h).proposals if "Last session" in one.title]
    endpoint.text = json.dumps({"entries": [{**FINE, "Topic": "Last session", "State": "All is well."}]})
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
        assert Proposals(h.home).get(plain.id).text == plain.text
    assert done.proposals == () and "found without it" in done.help.dropped[0]


def test_entries_that_fail_the_checks_are_dropped(workspace, decided, endpoint) -> None:
    """A new link, a new path and a secret in an answer are told and dropped, a path of the data is kept."""
    texts = ["see https://evil.example", "see src/evil.sql", f"use {TOKEN}", "kept in src/orders.sql"]
    endpoint.text = json.dumps({"entries": [{**FINE, "Topic": f"T{n}", "State": text} for n, text in enumerate(texts)]})
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    assert len(done.help.dropped) == 3 and [one.cells[0] for one in (s.entry for s in done.help.suggestions)] == ["T3"]
    assert TOKEN not in str(done.help)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"status": 500}, "status 500"),
        ({"status": 302}, "status 302"),
        ({"raw": b"not json"}, "chat completions"),
        ({"raw": b'{"choices": []}'}, "chat completions"),
        ({"raw": b'{"choices": [{"message": {"content": null}}]}'}, "without a text"),
        ({"raw": b"x" * 2_000_000}, "more than"),
        ({"text": "I would rather chat."}, "not JSON"),
        ({"text": "x" * 20_000}, "characters"),
    ],
)
def test_a_bad_answer_leaves_the_plain_result(workspace, decided, endpoint, change, why) -> None:
    """Whatever comes back, the plain proposals are there and the reason is told."""
    for name, value in change.items():
        setattr(endpoint, name, value)
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    assert why in done.help.failed and done.help.suggestions == () and sections(done) == ["Decisions"]
    assert done.help.spent_today > 0 and len(endpoint.requests) == 1


def test_a_slow_answer_is_given_up(workspace, decided, endpoint) -> None:
    """An answer that drips in does not hold the command beyond its time."""
    endpoint.drip = 0.3
    with workspace(flags={"distil.timeout_seconds": "1"}) as h:
        done = distil(h, wish=endpoint.url)
    assert "no answer within 1 seconds" in done.help.failed
    assert sections(done) == ["Decisions"]


def test_nobody_there_costs_nothing(workspace, decided, home) -> None:
    """An endpoint that cannot be reached is told, and no token is counted."""
    with workspace() as h:
        done = distil(h, wish="http://127.0.0.1:9/v1")
    assert "refused" in done.help.failed.lower() and spent(home) == 0 and sections(done) == ["Decisions"]


def test_what_cannot_prove_who_it_is_gets_nothing(workspace, decided, endpoint) -> None:
    """An address with https that does not speak TLS is told, and no request reaches it."""
    with workspace() as h:
        done = distil(h, wish=endpoint.url.replace("http:", "https:"))
    assert "SSL" in done.help.failed and endpoint.requests == [] and sections(done) == ["Decisions"]


def test_the_cap_of_a_day_holds(workspace, decided, endpoint, home) -> None:
    """Over the cap nobody is asked, whatever was spent before counts, and a new day begins at nothing."""
    with workspace(flags={"distil.daily_tokens": "5000"}) as h:
        assert distil(h, wish=endpoint.url).help.failed == ""
        done = distil(h, wish=endpoint.url)
    assert "distil.daily_tokens" in done.help.failed and len(endpoint.requests) == 1
    assert Meter(str(home), "2030-01-01", 10).spent() == 0
    with workspace(flags={"distil.daily_tokens": "0"}) as h:
        assert "distil.daily_tokens" in distil(h, wish=endpoint.url).help.failed


def test_a_project_called_tokens_does_not_reset_the_cap(workspace, decided, endpoint, home, monkeypatch) -> None:
    """What was spent counts in every project, whatever its id; the to-dos of that project are known as before."""
    with workspace() as h:
        distil(h, wish=endpoint.url)
    monkeypatch.setenv("HOLDFAST_PROJECT", "tokens")
    with workspace() as h:
        todo.add(h, "Write the refund test")
        for total in (1460, 2190):
            assert distil(h, wish=endpoint.url).help.spent_today == total
    assert (home / "state" / "distil" / "tokens.tsv").read_text().count("\t") == 1


@pytest.mark.parametrize("name", ["tokens.day", "tokens.lock"])
def test_without_a_meter_nobody_is_asked(workspace, decided, endpoint, home, tmp_path, name: str) -> None:
    """Where the tokens cannot be counted, nothing is sent, and the plain proposals are there."""
    folder = home / "state" / "distil"
    folder.mkdir(parents=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with workspace() as h:
        done = distil(h, wish=endpoint.url)
    assert "cannot be counted" in done.help.failed and endpoint.requests == [] and sections(done) == ["Decisions"]
    assert not (tmp_path / "elsewhere").exists()


def test_what_is_set_aside_counts_until_it_is_settled(home) -> None:
    """Two calls at once cannot get past the cap together, and one that dies counts in full."""
    meter = Meter(str(home), "2026-05-04", 100)
    assert meter.set_aside(60) and not meter.set_aside(60) and meter.spent() == 60
    meter.settle(60, 10)
    assert meter.spent() == 10 and meter.set_aside(90)
    tomorrow = Meter(str(home), "2026-05-05", 100)
    assert tomorrow.set_aside(50)
    meter.settle(90, 5)
    assert tomorrow.spent() == 50


def test_a_dry_run_sends_nothing(workspace, decided, endpoint, home, tree) -> None:
    """A dry run says how many tokens would go out, asks nobody and writes nothing."""
    before = tree(home)
    with workspace() as h:
        done = distil(h, wish=endpoint.url, dry_run=True)
    assert done.help.will_send > 100 and endpoint.requests == [] and tree(home) == before


def test_a_key_is_sent_only_where_it_is_named(workspace, decided, endpoint, monkeypatch) -> None:
    """The variable that distil.key_from names is the key; without it set nothing is sent at all."""
    monkeypatch.setenv("SHOP_KEY", "k-123")
    monkeypatch.setenv("OPENAI_API_KEY", "never")
    with workspace(flags={"distil.key_from": "SHOP_KEY", "distil.model": "small"}) as h:
        distil(h, wish=endpoint.url + "/chat/completions")
    [(path, headers, body)] = endpoint.requests
    assert path == "/v1/chat/completions" and body["model"] == "small"
    assert {name.lower(): value for name, value in headers.items()}["authorization"] == "Bearer k-123"


@pytest.mark.parametrize(
    ("wish", "code"),
    [
        ("http://example.com/v1", 6),
        ("http://127.0.0.1.example.com/v1", 6),
        ("http://10.0.0.1/v1", 6),
        ("ftp://127.0.0.1/", 2),
        ("https://", 2),
        ("http://127.0.0.1:port/", 2),
        ("https://me:pw@example.com/v1", 2),
        ("https://example.com/v1?key=1", 2),
        ("nobody", 2),
        ("gemini", 3),
    ],
)
def test_who_may_not_be_asked(cli, shop, monkeypatch, tmp_path, wish: str, code: int) -> None:
    """Notes go in the clear to this machine alone; credentials in an address and unknown names are refused."""
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = cli("distil", "--with", wish)
    assert ended.code == code, ended
    assert "pw" not in ended.err.replace("--with", "")


def test_a_key_that_is_missing_is_said_before(cli, shop) -> None:
    """A variable that is not set ends the command before anything is sent."""
    ended = cli("--set", "distil.key_from=NOT_SET", "distil", "--with", "https://127.0.0.1:9/v1")
    assert ended.code == 3 and "NOT_SET" in ended.err


@pytest.mark.parametrize("key", ["tango foxtrot 7\n", "t\u00e4ngo foxtrot"])
def test_a_key_that_no_header_can_have_is_refused(cli, shop, monkeypatch, key: str) -> None:
    """A key with an end of line, or with letters that no header has, ends the command before, and is not shown."""
    monkeypatch.setenv("SHOP_KEY", key)
    ended = cli("--set", "distil.key_from=SHOP_KEY", "distil", "--with", "https://127.0.0.1:9/v1")
    assert ended.code == 2 and "SHOP_KEY" in ended.err and "foxtrot" not in ended.err


def test_an_agent_that_hangs_is_ended_with_all_its_children(workspace, decided, program, tmp_path, home) -> None:
    """After its time the program and what it started are gone, and all that was set aside counts."""
    program("claude", f"sleep 300 & echo $! >{tmp_path}/child; wait")
    with workspace(flags={"distil.timeout_seconds": "1"}) as h:
        done = distil(h, wish="claude")
    assert "no answer within 1 seconds" in done.help.failed
    assert sections(done) == ["Decisions"] and spent(home) == done.help.spent_today > 1_000
    assert _is_gone(int((tmp_path / "child").read_text()))


def test_what_an_agent_leaves_behind_is_ended(workspace, decided, program, tmp_path) -> None:
    """A child that outlives an agent which answered is ended, too."""
    result = json.dumps({"type": "result", "is_error": False, "result": json.dumps({"entries": [FINE]})})
    (tmp_path / "result.json").write_text(result)
    program("claude", f"sleep 300 >/dev/null 2>&1 & echo $! >{tmp_path}/child; cat {tmp_path}/result.json")
    with workspace() as h:
        done = distil(h, wish="claude-code")
    assert done.help.failed == "" and sections(done) == ["Decisions", "State"]
    assert done.proposals[1].agent == "claude-code" and _is_gone(int((tmp_path / "child").read_text()))


def _is_gone(process: int) -> bool:
    until = time.monotonic() + 600
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    "script",
    [
        "exit 3",
        "echo no json",
        'echo \'{"is_error": true, "subtype": "error_max_turns"}\'',
        "head -c 3000000 /dev/zero",
        "head -c 3000000 /dev/zero >&2; echo {}",
        "echo '[]'",
    ],
)
def test_an_agent_that_fails_leaves_the_plain_result(workspace, decided, program, script: str) -> None:
    """An agent that prints something else, too much or nothing is told, and the plain proposals stay."""
    program("claude", script)
    with workspace() as h:
        done = distil(h, wish="claude")
    assert done.help.failed.startswith("claude-code: ") and sections(done) == ["Decisions"]


def test_what_an_agent_complains_about_is_told(workspace, decided, program) -> None:
    """The last line of its complaints is told, without secrets and control characters."""
    program("codex", f"echo ignored >&2; printf 'not logged in \\033[31m {TOKEN}\\n' >&2; exit 1")
    with workspace() as h:
        failed = distil(h, wish="codex").help.failed
    assert "not logged in" in failed and "exit code 1" in failed and "ignored" not in failed
    assert TOKEN not in failed and "\033" not in failed


def test_a_secret_at_the_end_of_a_long_complaint_is_not_told(workspace, decided, program) -> None:
    """What is told is cut to a length, and no beginning of a secret is left where that falls into one."""
    program("codex", f"echo '{'a' * 100} {'-' * 130}={TOKEN}' >&2; exit 1")
    with workspace() as h:
        failed = distil(h, wish="codex").help.failed
    assert "a" * 100 in failed and "ghp_" not in failed and len(failed) < 400


def test_the_agent_sees_neither_the_project_nor_our_memory(workspace, decided, program, tmp_path) -> None:
    """It runs in an empty folder, with its hooks of ours told to be silent, and the prompt is in no command line."""
    out = tmp_path / "seen"
    program("claude", f'{{ pwd; ls -A | wc -l; echo "$HOLDFAST_ENABLED"; echo "$@"; }} >{out}; cat >{out}.prompt')
    with workspace() as h:
        distil(h, wish="claude")
    folder, files, enabled, words = out.read_text().splitlines()
    assert "holdfast-distil-" in folder and not Path(folder).exists() and files.strip() == "0" and enabled == "false"
    assert "src/orders.sql" not in words and "src/orders.sql" in Path(f"{out}.prompt").read_text()


def test_servers_of_codex_are_switched_off_by_name(workspace, decided, program, tmp_path, machine) -> None:
    """Each server of its config is named on the command line; one that cannot be named refuses the whole."""
    config = machine / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('[mcp_servers.mine]\ncommand = "x"\n')
    program("codex", f'echo "$@" >{tmp_path}/words')
    with workspace() as h:
        distil(h, wish="codex")
    assert "-c mcp_servers.mine.enabled=false" in (tmp_path / "words").read_text()


def test_a_server_that_cannot_be_named_refuses_the_agent(cli, shop, program, machine) -> None:
    """Where a tool could not be switched off, the agent is not asked."""
    config = machine / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('[mcp_servers."a.b"]\ncommand = "x"\n')
    program("codex", "exit 1")
    ended = cli("distil", "--with", "codex")
    assert ended.code == 6 and "a.b" in ended.err


def test_the_meter_is_shown(cli, decided, endpoint) -> None:
    """Before, the command says what it sends; after, what that took, and what of the answer was dropped."""
    endpoint.text = json.dumps({"entries": [FINE, {**FINE, "State": "see evil.example"}]})
    ended = cli("distil", "--with", endpoint.url)
    assert "sending about " in ended.err and "took 700 tokens and answered with 30" in ended.err
    assert "730 of 100,000 tokens spent today" in ended.err and "dropped from its answer: entry 2" in ended.err
    told = cli("distil", "--with", endpoint.url, "--json").json["help"]
    assert (told["spent_today"], told["cap"], told["failed"], len(told["dropped"])) == (1460, 100_000, "", 1)
