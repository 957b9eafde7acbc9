"""`holdfast-hook EVENT --agent X [--home DIR]`: what an agent tells on standard input goes in, an answer may come out.

It fails open. Whatever happens, it ends with 0, prints nothing that an agent could choke on, and notes trouble as one
line in `state/hook.log` of the home. It starts no process but the sweep at the end of a session (decision 0020).
"""

from __future__ import annotations

import gc
import os
import sys

from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from holdfast.surfaces.hook.bundle import Bundle

    Environment = os._Environ[str] | dict[str, str]

# An agent may send a whole file within a prompt. What is longer than this is read and thrown away.
MAX_INPUT = 16 * 1024 * 1024
_PIECE = 1 << 20
_ASK_THE_INDEX = ("start", "prompt", "stop", "end")
_INDEX = "holdfast.store.index"


class HookTrouble(HoldfastError):
    """Something that belongs into the log, in one line, and does not concern the agent."""


class OtherHost(HookTrouble):
    """Another program runs the hooks of this agent, so they stay silent."""


def main(arguments: list[str] | None = None, place: str = "", bundle: Bundle | None = None) -> NoReturn:
    """Run the hook and leave the process at once: an interpreter that tidies up takes time and gains nothing.

    `place` is where a bundle of modules belongs, `bundle` the one that is in use.
    """
    gc.disable()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        answer = run(words, os.environ, bundle)
        if answer:
            data = memoryview(answer.encode("utf-8", "replace") + b"\n")
            while data:
                data = data[os.write(1, data) :]
        if "holdfast.base.regexes" in sys.modules:
            from holdfast.base import regexes

            # The next hook that looks for secrets has the patterns that this one compiled.
            regexes.save()
        makes_bundle = bundle is None and place and not sys.dont_write_bytecode
        if makes_bundle and words[1:2] == ["--agent"] and "holdfast.agents" in sys.modules:
            # For the next hook of this event; it is named by event and agent, as an install writes them.
            from holdfast.surfaces.hook import bundling

            bundling.write(place, words[0], words[2])
    except BaseException:
        # Even an interrupt: an agent that stops its hook has gone on already.
        os._exit(0)
    os._exit(0)


def run(words: list[str], environment: Environment, bundle: Bundle | None = None) -> str:
    """Return what to print for one call; whatever goes wrong is a line in the log and nothing else."""
    given = _read_input()
    native, agent_name, home = _options(words)
    home = home or environment.get("HOLDFAST_HOME") or "~/.holdfast"
    home = os.path.abspath(os.path.expanduser(home))
    # Where memory was never set up there is nothing to say, and nothing is made for it.
    if not os.path.isdir(home):
        return ""
    try:
        return _answered(native, agent_name, home, given, environment, bundle)
    except Exception as problem:
        from holdfast.journal import hook_log

        # That another program runs our hooks is told by who asks for the agents.
        hook_log.add(home, f"{agent_name} {native}", problem, notice=not isinstance(problem, OtherHost))
        return ""


def _answered(
    native: str, agent_name: str, home: str, given: bytes | None, environment: Environment, bundle: Bundle | None
) -> str:
    if bundle is not None:
        if _INDEX in bundle.names:
            _load_sqlite()
        bundle.run()
    from holdfast import agents
    from holdfast.base.minijson import loads

    agent = agents.get(agent_name)
    if not agent.is_host(environment):
        raise OtherHost(agents.SILENT)
    if given is None:
        raise HookTrouble(f"more than {MAX_INPUT} bytes came in")
    text = given.decode("utf-8", "replace").lstrip("\ufeff")
    try:
        data = loads(text) if text.strip() else {}
    except ValueError as problem:
        raise HookTrouble(f"what came in is {problem}") from None
    if not isinstance(data, dict):
        raise HookTrouble("what came in is not a JSON object")
    call = agent.read_hook_input(native, data, environment)
    if call.moment == "nothing":
        return ""
    if call.moment == "other":
        raise HookTrouble("this event is not known")
    if call.moment in _ASK_THE_INDEX:
        _load_sqlite()
    from holdfast.app.hook import hook

    return hook(home, agent, call, environment)


def _load_sqlite() -> None:
    """Load SQLite without what its wrapper adds, which nobody here uses and which takes longer than SQLite itself.

    The wrapper brings `datetime`. SQLite's own module brings `functools` for one decorator, and gets one of ours.
    """
    if "sqlite3" in sys.modules:
        return
    stand_in = None if "functools" in sys.modules else type(sys)("functools")
    if stand_in is not None:
        stand_in.lru_cache = _lru_cache  # type: ignore[attr-defined]
        sys.modules["functools"] = stand_in
    try:
        sys.modules["sqlite3"] = __import__("_sqlite3")
    finally:
        if stand_in is not None:
            del sys.modules["functools"]


def _lru_cache(maxsize: int) -> Callable[[Callable[..., object]], object]:
    wrapper = __import__("_functools")._lru_cache_wrapper
    return lambda function: wrapper(function, maxsize, False, tuple)


def _options(words: list[str]) -> tuple[str, str, str]:
    """Return event, agent and home; what else stands on the line is none of ours."""
    options = {"--agent": "", "--home": ""}
    native, rest = "", list(words)
    while rest:
        word = rest.pop(0)
        name, sign, value = word.partition("=")
        if name in options:
            options[name] = value if sign else (rest.pop(0) if rest else "")
        elif not native:
            native = word
    return native, options["--agent"], options["--home"]


def _read_input() -> bytes | None:
    """Return all of standard input, or None where it is too much; it is read to its end, as agents expect."""
    pieces, size = [], 0
    try:
        while piece := os.read(0, _PIECE):
            size += len(piece)
            if size <= MAX_INPUT:
                pieces.append(piece)
    except OSError:
        return b""
    return b"".join(pieces) if size <= MAX_INPUT else None
