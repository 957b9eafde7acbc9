"""A model's help with distilling: the person's own agent, started without a terminal, or an endpoint on the network.

It is asked only when the person says so, within the cap of tokens for a day. It may fail in any way: then the reason is
told, and what was found without it stays.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import secrets
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents.headless import ROLE, Answered, Headless
from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.text import DOTS, address_parts, cut
from holdfast.continuity import distil_help, page
from holdfast.continuity.distil_rules import Material, Suggestion, suggest
from holdfast.errors import BadInput, HoldfastError, NotFound, Refused
from holdfast.inject.block import tokens_of
from holdfast.privacy import fence, redact
from holdfast.privacy.fence import harmless_line
from holdfast.settings import variable_of
from holdfast.workspace import Workspace

MAX_OUTPUT = 1_048_576
_MAX_REASON = 300
# An answer within its bound, about; so much is set aside for it.
_ANSWER_TOKENS = distil_help.MAX_ANSWER // 4
_CHAT = "/chat/completions"
# An agent sends instructions of its own along, and a model may think at length; but none takes as many for one answer.
_MAX_TOLD = 1_000_000
# Words of this many times four letters on average are in no text, so fewer tokens cannot have been.
_MIN_TOLD = 8
# With these nobody was reached, so nothing was spent.
_NOT_REACHED = (ConnectionRefusedError, FileNotFoundError, socket.gaierror)
# What is known of a project stands beside it in `<id>.tsv`, so no project can have the name of this file.
_METER = "tokens.day"
# Where it stood before; a project of the id `tokens` keeps its to-dos there, so it is read and never written.
_FORMER_METER = "tokens.tsv"
# A thousand billion: no day takes as many, so a longer number is no count.
_COUNT = re.compile(r"(\d{4}-\d\d-\d\d)\t(\d{1,12})\n?", re.ASCII)
_WAIT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Help:
    """What a model's help came to: whom we asked, what it was sent and answered with in tokens, and the cap of the day.

    `will_send` is our estimate before; `sent` and `answered` are what it told afterwards, or our estimate where it told
    nothing that can be. `failed` says why nothing came of it; `dropped` why single entries did not pass.
    """

    by: str
    will_send: int
    cap: int
    spent_today: int
    sent: int = 0
    answered: int = 0
    suggestions: tuple[Suggestion, ...] = ()
    dropped: tuple[str, ...] = ()
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Helper:
    """Somebody who can be asked: a name to show, the one of the agent, and what answers a prompt."""

    name: str
    agent: str
    ask: Callable[[str, int], Answered]


class Meter:
    """How many tokens help took on a day, within the cap of the day: `state/distil/tokens.day`.

    Before a model is asked, what it may take is written down; afterwards that is replaced by what it took. So a call
    that dies counts in full, and two at once do not get past the cap together. A file that is no meter counts nothing.
    """

    def __init__(self, home: str, day: str, cap: int) -> None:
        self.folder = os.path.join(home, "state", "distil")
        self.day, self.cap = day, cap

    def spent(self) -> int:
        """Return what was spent today, or is set aside for a call that runs."""
        day, number = self._read(_METER)
        if day < self.day:
            day, number = self._read(_FORMER_METER)
        return number if day == self.day else 0

    def set_aside(self, tokens: int) -> bool:
        """Take so many tokens of the day; False where the cap does not leave as many, and then nothing is taken."""
        with self._lock():
            spent = self.spent()
            if spent + tokens > self.cap:
                return False
            self._write(spent + tokens)
        return True

    def settle(self, aside: int, took: int) -> None:
        """Count what a call took in the place of what was set aside for it."""
        with self._lock():
            # A call that ends on the next day must not take back what that one has counted.
            if self._read(_METER)[0] <= self.day:
                self._write(max(0, self.spent() - aside) + took)

    def _read(self, name: str) -> tuple[str, int]:
        """Return the day and the count of a file; neither where it is missing or says anything else."""
        text = files.read_if_there(os.path.join(self.folder, name), 64).decode("utf-8", "replace")
        found = _COUNT.fullmatch(text)
        return (found[1], int(found[2])) if found else ("", 0)

    def _lock(self) -> files.Lock:
        files.make_folder(self.folder)
        return files.Lock(os.path.join(self.folder, "tokens.lock"), _WAIT_SECONDS)

    def _write(self, tokens: int) -> None:
        files.write(os.path.join(self.folder, _METER), f"{self.day}\t{tokens}\n".encode())


def whom(workspace: Workspace, wish: str) -> Helper:
    """Return who is meant by a name or an address; BadInput, NotFound or Refused where nobody is."""
    if "://" in wish:
        return _endpoint(workspace, wish)
    for name in agents.names():
        # A package of others that is broken takes only its own agent away.
        agent = None
        with suppress(NotFound):
            agent = agents.get(name)
        if agent is None or wish not in (agent.name, *agent.programs):
            continue
        program = files.on_path(agent.programs, workspace.environment.get("PATH", ""))
        headless = agent.headless(program, workspace.environment) if program else None
        if headless is None:
            why = "is not on the PATH" if not program else "cannot be asked with its tools off"
            raise NotFound(f"{agent.title} {why}", "Install it, or give the address of an endpoint.")
        return Helper(agent.name, agent.name, _by_program(workspace, headless))
    raise BadInput(f"there is no agent {wish[:60]!a}", "Give one that is installed, or the address of an endpoint.")


def help_with(workspace: Workspace, material: Material, asked: Helper, *, dry_run: bool) -> Help:
    """Ask for suggestions, and return what came of it. Nothing that goes wrong is raised. A dry run only counts."""
    data = distil_help.data_of(material, _clean)
    prompt = distil_help.prompt(data, secrets.token_hex(8))
    will_send = tokens_of(ROLE + prompt)
    meter = Meter(workspace.home, now()[:10], workspace.settings.number("distil.daily_tokens"))
    try:
        spent = meter.spent()
        if dry_run:
            return Help(asked.name, will_send, meter.cap, spent, failed="nothing is sent in a dry run")
        workspace.say(f"sending about {will_send:,} tokens to {asked.name}; {spent:,} of {meter.cap:,} spent today")
        aside = will_send + _ANSWER_TOKENS
        if not meter.set_aside(aside):
            left = max(0, meter.cap - meter.spent())
            failed = f"it may take {aside:,} tokens, and {left:,} are left today (distil.daily_tokens)"
            return Help(asked.name, will_send, meter.cap, meter.spent(), failed=failed)
    except HoldfastError as problem:
        # Without a count there is no cap, so nobody is asked.
        return Help(asked.name, will_send, meter.cap, 0, failed=f"the tokens of today cannot be counted: {problem}")
    plain = frozenset(page.identity(one.entry, with_value=False) for one in suggest(material))
    return _asked(workspace, asked, prompt, data, meter, aside, plain)


def _asked(
    workspace: Workspace, asked: Helper, prompt: str, data: str, meter: Meter, aside: int, plain: frozenset[str]
) -> Help:
    will_send = tokens_of(ROLE + prompt)
    failed, took, checked, answer = "", aside, distil_help.Checked(), None
    try:
        answer = asked.ask(prompt, workspace.settings.number("distil.timeout_seconds"))
        checked = distil_help.check(answer.text, data, _clean)
    except (HoldfastError, OSError, ValueError, http.client.HTTPException) as problem:
        # A secret that was cut would not be known for one.
        told = cut(redact.redact(harmless_line(str(problem)))[0], _MAX_REASON, DOTS)
        failed = f"{asked.name}: {told or type(problem).__name__}"
        took = 0 if isinstance(problem, _NOT_REACHED) else aside
    if answer is None:
        # Where nobody told what it took, all that was set aside counts.
        return Help(asked.name, will_send, meter.cap, _settled(meter, aside, took), failed=failed)
    sent, answered = _believed(answer.sent, will_send), _believed(answer.answered, tokens_of(answer.text))
    spent = _settled(meter, aside, sent + answered)
    # What the plain rules found stays as they worded it.
    own = [entry for entry in checked.entries if page.identity(entry, with_value=False) in plain]
    dropped = [*checked.dropped, *(f"{one.section}: {one.name[:60]!a} was found without it" for one in own)]
    found = [entry for entry in checked.entries if entry not in own]
    worded = tuple(Suggestion(entry, f"worded by {asked.name}", asked.agent) for entry in found)
    return Help(asked.name, will_send, meter.cap, spent, sent, answered, worded, tuple(dropped), failed)


def _believed(told: int, estimate: int) -> int:
    """Return how many tokens somebody says that it took, or our estimate where it cannot have been as many or few."""
    # An adapter of others may hand over anything.
    is_possible = type(told) is int and max(1, estimate // _MIN_TOLD) <= told <= max(_MAX_TOLD, estimate)
    return told if is_possible else estimate


def _settled(meter: Meter, aside: int, took: int) -> int:
    """Count what a call took, and return what is spent today; where it cannot be written, what was set aside stays."""
    try:
        meter.settle(aside, took)
        return meter.spent()
    except HoldfastError:
        return aside


def _clean(text: str) -> str:
    return fence.safe(text, lambda one: redact.redact(one)[0])


def _by_program(workspace: Workspace, headless: Headless) -> Callable[[str, int], Answered]:
    # Its hooks may be ours, and what is asked here must not come back as a session of the person's.
    environment = {name: value for name, value in workspace.environment.items() if name not in headless.without}
    environment[variable_of("enabled")] = "false"

    def ask(prompt: str, seconds: int) -> Answered:
        with tempfile.TemporaryDirectory(prefix="holdfast-distil-") as folder:
            code, out, complaint = _run(headless.words, prompt, folder, environment, seconds)
        try:
            return headless.read(out)
        except ValueError as problem:
            raise ValueError(f"{problem} (exit code {code}) {complaint}") from None

    return ask


def _run(
    words: tuple[str, ...], prompt: str, folder: str, environment: dict[str, str], seconds: int
) -> tuple[int, str, str]:
    """Run a program in an empty folder and return its exit code, its output and the last line of its complaints.

    Its whole group is gone afterwards.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        given.write(prompt.encode("utf-8", "replace"))
        given.seek(0)
        process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=given, stdout=out, stderr=complaints, start_new_session=True
        )
        try:
            code = _waited(process, (out.fileno(), complaints.fileno()), seconds)
        finally:
            # It and all that it started end, also where it ended by itself and left something behind.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        told = [os.pread(file.fileno(), MAX_OUTPUT, 0).decode("utf-8", "replace") for file in (out, complaints)]
    return code, told[0], told[1].strip().rpartition("\n")[2]


def _waited(process: subprocess.Popen[bytes], written: tuple[int, ...], seconds: int) -> int:
    """Return the exit code of a program; TimeoutError when its time is over, ValueError when it prints too much."""
    until = time.monotonic() + seconds
    code: int | None = None
    while code is None:
        with suppress(subprocess.TimeoutExpired):
            code = process.wait(timeout=min(0.2, max(0.0, until - time.monotonic())))
        if any(os.fstat(one).st_size > MAX_OUTPUT for one in written):
            raise ValueError(f"it printed more than {MAX_OUTPUT:,} bytes")
        if code is None and time.monotonic() >= until:
            raise TimeoutError(f"no answer within {seconds} seconds; it was ended")
    return code


def _endpoint(workspace: Workspace, address: str) -> Helper:
    """Return an endpoint that speaks OpenAI's chat completions: over TLS, or in the clear on this machine alone."""
    parts = address_parts(address)
    host, port = parts.hostname or "", parts.port
    if parts.scheme not in ("https", "http") or not host:
        raise BadInput(f"{address[:80]!a} is not the address of an endpoint", "Example: http://127.0.0.1:11434/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        hint = "Give the plain address; `distil.key_from` names the variable that has the key."
        raise BadInput("the address has more than host and path", hint)
    is_here = host.casefold() == "localhost"
    with suppress(ValueError):
        is_here = is_here or ipaddress.ip_address(host).is_loopback
    if parts.scheme == "http" and not is_here:
        raise Refused(f"{host} would be sent notes in the clear", "Use https, or an endpoint on this machine.")
    key = _key(workspace)
    path = parts.path.rstrip("/")
    path = path if path.endswith(_CHAT) else path + _CHAT

    def ask(prompt: str, seconds: int) -> Answered:
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
        if parts.scheme == "https":
            safe = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=safe)
        messages = [{"role": "system", "content": ROLE}, {"role": "user", "content": prompt}]
        wanted = {"model": workspace.settings.text("distil.model"), "messages": messages, "max_tokens": _ANSWER_TOKENS}
        return _post(connection, path, json.dumps(wanted).encode(), key, seconds)

    return Helper(host if port is None else f"{host}:{port}", "", ask)


def _key(workspace: Workspace) -> dict[str, str]:
    name = workspace.settings.text("distil.key_from")
    value = workspace.environment.get(name, "") if name else ""
    if name and not value:
        raise NotFound(f"the variable {name} is not set", "Set it, or unset distil.key_from.")
    if not (value.isascii() and value.isprintable()):
        # What the library of Python says of such a header has the key in it.
        raise BadInput(f"the variable {name} holds a character that no key has", "Set it again, without a line break.")
    return {"authorization": f"Bearer {value}"} if value else {}


def _post(
    connection: http.client.HTTPConnection, path: str, body: bytes, key: dict[str, str], seconds: int
) -> Answered:
    """Send one request and return the answer; a redirection is none, and a slow drip ends with the time."""
    is_over = threading.Event()
    connection.connect()
    reached = connection.sock

    def cut_off() -> None:
        is_over.set()
        with suppress(OSError):
            reached.shutdown(socket.SHUT_RDWR)

    # The time-out of a socket begins again with each byte, so somebody else has to look at the clock.
    clock = threading.Timer(seconds, cut_off)
    clock.start()
    try:
        connection.request("POST", path, body, {"content-type": "application/json", **key})
        answer = connection.getresponse()
        data = answer.read(MAX_OUTPUT + 1)
    except (OSError, http.client.HTTPException):
        if is_over.is_set():
            raise TimeoutError(f"no answer within {seconds} seconds") from None
        raise
    finally:
        clock.cancel()
        connection.close()
    if is_over.is_set():
        raise TimeoutError(f"no answer within {seconds} seconds")
    if answer.status != http.client.OK:
        raise ValueError(f"it answered with status {answer.status}")
    if len(data) > MAX_OUTPUT:
        raise ValueError(f"it answered with more than {MAX_OUTPUT:,} bytes")
    return _chat_answer(data)


def _chat_answer(data: bytes) -> Answered:
    try:
        told = json.loads(data)
        text = told["choices"][0]["message"]["content"]
        usage = told.get("usage") or {}
        sent, answered = usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError("it did not answer as chat completions do") from None
    if not isinstance(text, str):
        raise ValueError("it answered without a text")
    return Answered(text, *(one if type(one) is int else 0 for one in (sent, answered)))
