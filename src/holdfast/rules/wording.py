"""How a rule is told at a call: as a line that comes with its result, or as the reason for which it is held."""

from __future__ import annotations

import os
import time

from holdfast.base import clock, files, minijson
from holdfast.base.text import DOTS, cut
from holdfast.parts import STOPPED, Effect
from holdfast.privacy.fence import safe, without_secrets
from holdfast.records import STRENGTHS, Given
from holdfast.rules import session_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.base import Agent
    from holdfast.parts import HookRun
    from holdfast.rules.matching import Found

MAX_SAID, MAX_HOLDING = 2, 4
# So much of a transcript's end has the calls of an answer; calls at once are not further apart, whatever the clock.
_MAX_CALLS, _MAX_APART_NS = 1 << 18, 60_000_000_000
# An agent writes its transcript a tenth of a second behind what it does, on a busy machine later.
_PAUSES = (0.02, 0.04, 0.08, 0.16, 0.3)
_MAX_CALL, _MAX_HELD = 120, 48
# One agent cuts a reason after 256 characters, so what to do comes before the rule, and in few words.
_HELD = (
    "Held by Holdfast before it ran, this once: `{}`. The person you work for has a rule about it. If it keeps the "
    "rule, or they agreed, make the call again: it goes through. "
)
_ASK_THEM = (
    "Held by Holdfast before it ran, this once: `{}`. Ask the person you work for first. If they agreed, or asked for "
    "just this, make the call again: it goes through. "
)
_RULE = "The rule: {}"
_ALSO = "And, about `{}`: {}"
_DENIED = (
    "Held by Holdfast, as each time: `{}`. Only the person you work for can change the rule (`holdfast edit {}`), so "
    "do not try it in another way. The rule: {}"
)
_ASKED = "A rule of yours is about this call ({}): {}"


def strength(wanted: str, trust: str, strongest: str, agent: Agent | None) -> tuple[str, str]:
    """Return what a rule does, and why where that is not what it would do by itself.

    No more than the settings let it, and than the agent can; only what the person said holds.
    """
    if trust != "user" or wanted not in STRENGTHS:
        return STRENGTHS[0], ""
    if STRENGTHS.index(wanted) > STRENGTHS.index(strongest):
        wanted, why = strongest, "rules.strongest lets no rule do more"
    else:
        why = ""
    if wanted != STRENGTHS[0] and agent is not None and not agent.guard:
        return STRENGTHS[0], f"{agent.title} lets no hook hold a call"
    if wanted == "ask" and agent is not None and not agent.asks:
        return "hold", f"{agent.title} lets no hook ask you"
    return wanted, why


def reason(does: str, call: str, text: str, key: str, wanted: str = "") -> str:
    """Return why a call is denied, held this once or put to the person, and the way out; `wanted` is what should be."""
    if does == "ask":
        return _ASKED.format(call, text)
    call = cut(call, _MAX_HELD, DOTS)
    if does == "deny":
        return _DENIED.format(call, key, text)
    return (_ASK_THEM if wanted == "ask" else _HELD).format(call) + _RULE.format(text)


def holding(run: HookRun, found: list[Found]) -> list[Effect]:
    """Return what holds the call: rules that deny it, else those that hold once, else those that ask the person."""
    by_strength: dict[str, list[Found]] = {}
    for one in found:
        does, _ = strength(one.row.does, one.row.trust, run.settings.text("rules.strongest"), run.agent)
        # Nobody who is not there can be asked.
        does = "hold" if does == "ask" and not _is_somebody_there(run) else does
        by_strength.setdefault(does, []).append(one)
    if denies := by_strength.get("deny"):
        texts = [reason("deny", _call(one), _text(one), one.row.key) for one in denies]
        return [
            Effect(hold=text, theirs=True, given=_given(one, "denied"))
            for one, text in zip(denies[:MAX_HOLDING], texts, strict=False)
        ]
    place = session_log.place_of(run.home, run.session)
    known, read = session_log.read(place), list[bytes]()
    holds = [
        one for one in by_strength.get("hold", ()) if _held(one) not in known or _was_made_before(run, known, one, read)
    ]
    if holds:
        return [_holding_once(run, place, one, holds) for one in holds[:MAX_HOLDING]]
    return [
        Effect(ask=reason("ask", _call(one), _text(one), one.row.key), theirs=True, given=_given(one, "asked"))
        for one in by_strength.get("ask", ())[:MAX_HOLDING]
    ]


def _is_somebody_there(run: HookRun) -> bool:
    """Whether a person sits in front of this call, whom the agent would ask."""
    variable, terminal = run.agent.in_terminal
    is_asked = run.call.mode in run.agent.asks and not run.call.subagent
    return is_asked and run.environment.get(variable) == terminal


def _holding_once(run: HookRun, place: str, one: Found, holds: list[Found]) -> Effect:
    """Return what holds a call this once; with the last one told, those beyond it count as held, so that it is true."""
    beyond = holds[MAX_HOLDING:] if one is holds[:MAX_HOLDING][-1] else []
    held_at = [session_log.held_at(_held(other), run.call.call_id) for other in (one, *beyond)]
    also = [*held_at, _said(run, one), *[_held(other) for other in beyond]]
    # What to do is said once, however many rules hold the call.
    is_first = one is holds[0]
    text = (
        reason("hold", _call(one), _text(one), "", one.row.does) if is_first else _ALSO.format(_call(one), _text(one))
    )
    # Of two calls at once each is held: neither was made by somebody who had read the reason.
    note = lambda: session_log.claim(place, _held(one), also, shared=True)  # noqa: E731
    return Effect(note, hold=text, theirs=True, given=_given(one, "held"))


def _was_made_before(run: HookRun, known: set[str], one: Found, read: list[bytes]) -> bool:
    """Whether this call was made before the reason could be read for which a rule held another: in the same answer.

    The file that has the agent's calls tells it, where it has this one, by the answer that both are part of or by
    their order; else they ran at once. What was `read` of it is asked for every rule: it is waited for once.
    """
    held, at = session_log.first_held(known, _held(one))
    if held and run.call.call_id and not read:
        read.append(_calls(run, at))
    calls = read[0] if held and read else b""
    first, this = calls.find(held.encode()), calls.find(run.call.call_id.encode())
    if first < 0 or this < 0 or not calls:
        return 0 < at - _made_ns(run) < _MAX_APART_NS
    if held == run.call.call_id:
        return False
    # An agent that runs a call while it still hears the answer may write down the reason before the other call.
    answers = [_answer(calls, place, run.agent.answer_path) for place in (first, this)]
    if all(answers):
        return answers[0] == answers[1]
    told_at = calls.find(STOPPED[1].encode(), first)
    return not -1 < told_at < this


def _calls(run: HookRun, held_ns: int) -> bytes:
    """Return the end of the file that has the agent's calls; one that writes it late is waited for, but not long."""
    beside = os.path.join(os.path.dirname(run.call.transcript), run.agent.calls_file)
    place = beside if run.agent.calls_file else run.call.transcript
    is_waited_for = place and run.agent.answer_path and time.time_ns() - held_ns < _MAX_APART_NS
    for pause in (*(_PAUSES if is_waited_for else ()), 0.0):
        try:
            calls = files.read_tail(place, _MAX_CALLS, follow=True)[0] if place else b""
        except OSError:
            calls = b""
        if run.call.call_id.encode() in calls:
            break
        time.sleep(pause)
    return calls


def _answer(calls: bytes, place: int, path: tuple[str, ...]) -> str:
    """Return the id of the answer that the line at this place is part of, or nothing."""
    start, end = calls.rfind(b"\n", 0, place) + 1, calls.find(b"\n", place)
    try:
        value = minijson.loads(calls[start : end if end >= 0 else None].decode("utf-8", "replace")) if path else ""
    except ValueError:
        return ""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else ""
    return value if isinstance(value, str) else ""


def _made_ns(run: HookRun) -> int:
    """Return when the agent called the hook, where it says so to the millisecond; else when the hook began."""
    at = run.call.made_at
    is_exact = at[19:20] == "." and at[20:23].isdigit() and at[23:] in ("Z", "+00:00")
    whole = clock.seconds(at) if is_exact else float("nan")
    return run.began_ns if whole != whole else int(whole) * 10**9 + int(at[20:23]) * 10**6


def saying(run: HookRun, found: list[Found]) -> list[Effect]:
    """Return what says the rules that this context was not told yet, the most specific of them."""
    place = session_log.place_of(run.home, run.session)
    known = session_log.read(place)
    new = [one for one in found if _said(run, one) not in known]
    return [_saying_once(place, _said(run, one), one) for one in new[:MAX_SAID]]


def _saying_once(place: str, line: str, one: Found) -> Effect:
    theirs = one.row.trust == "user"
    return Effect(lambda: session_log.claim(place, line), say=_text(one), theirs=theirs, given=_given(one, "said"))


def _given(one: Found, did: str) -> Given:
    return Given(one.scope, one.row.key, one.row.digest, f"{did} at {_call(one)}", -(-len(one.row.text) // 4))


def _text(one: Found) -> str:
    return safe(one.row.text, without_secrets)


def _call(one: Found) -> str:
    return safe(cut(one.fulfilled, _MAX_CALL, DOTS), without_secrets)


def _held(one: Found) -> str:
    # A rule that forbids several things holds each of them once.
    item = f"\t{one.item}" if one.item else ""
    return f"{session_log.HELD}\t\t{one.scope}\t{one.row.key}\t{one.row.digest}{item}"


def _said(run: HookRun, one: Found) -> str:
    return f"{session_log.SAID}\t{run.context}\t{one.scope}\t{one.row.key}\t{one.row.digest}"
