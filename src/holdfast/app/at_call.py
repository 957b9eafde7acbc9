"""What a hook answers around a call of a tool: a line that comes with its result, or that the call is not made.

Parts look and return; here one place chooses, notes that it was told, and prints what the agent takes. A line that an
agent cannot take at this moment waits in `state/waiting` for its next prompt. Whatever goes wrong, the call goes on.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.minijson import dumps
from holdfast.base.text import hash_of
from holdfast.inject import receipts
from holdfast.parts import STOPPED
from holdfast.privacy.fence import by_trust
from holdfast.records import Given, Receipt, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.parts import Effect, HookRun

    Named = tuple[str, Effect]

# What a call may bring at most.
MAX_LINES = 2
_WAITING = ("state", "waiting")
_MAX_WAITING = 8


def answer(run: HookRun, effects: list[Named]) -> str:
    """Return what to print for what parts want told at this call, after each has noted that it is."""
    # All reasons to hold a call are given at once, so that the same call goes through when it is repeated.
    stops = [one for one in effects if one[1].hold] or [one for one in effects if one[1].ask]
    # A line about a call that does not run comes with the one that does.
    wanted = stops or [one for one in effects if one[1].say][:MAX_LINES]
    told = [effect for name, effect in wanted if _is_noted(run, name, effect)]
    if not told:
        return ""
    return _stopped(run, told) if stops else _said(run, told)


def _is_noted(run: HookRun, name: str, effect: Effect) -> bool:
    """Do what goes with telling it. What cannot be noted is not told: it would come again and again."""
    try:
        return effect.do is None or effect.do() is not False
    except Exception as problem:
        run.log(name, problem)
        return False


def _stopped(run: HookRun, effects: list[Effect]) -> str:
    reason = "\n".join([one.hold or one.ask for one in effects])
    if not reason.startswith(STOPPED):
        reason = f"{STOPPED[1]}: {reason}"
    tell = run.agent.refusal_output if effects[0].hold else run.agent.question_output
    output = tell(run.call, reason)
    if output:
        _receipt(run, effects, len(reason))
    return output


def _said(run: HookRun, effects: list[Effect]) -> str:
    text = by_trust(
        [f"- {one.say}" for one in effects if one.theirs], [f"- {one.say}" for one in effects if not one.theirs]
    )
    output = run.agent.injection_output(run.call, text) if run.call.moment in run.agent.injects else ""
    if output:
        return "" if _receipt(run, effects, len(text)) else output
    if not run.call.subagent and "prompt" in run.agent.injects:
        _keep_waiting(run, effects)
    return ""


def _receipt(run: HookRun, effects: list[Effect], size: int) -> bool:
    """Write down what was given; return whether it is withheld from this session. What holds a call never is."""
    share = run.settings.share("measure.holdout")
    withheld = effects[0].say != "" and receipts.is_withheld(run)
    given = tuple([one.given for one in effects if one.given is not None])
    who = run.at, run.call.agent, run.session_id, run.call.moment
    run.journal.append(receipts.event_of(Receipt(*who, given, (), size, -(-size // 4), share, withheld)), durable=False)
    return withheld


def _path(run: HookRun) -> str:
    return os.path.join(run.home, *_WAITING, hash_of(run.call.agent, run.session))


def _keep_waiting(run: HookRun, effects: list[Effect]) -> None:
    lines = []
    for one in effects:
        given = one.given or Given(Scope("page"), hash_of(one.say, length=8), "", "", 0)
        place = given.scope.kind, given.scope.owner, given.key, given.digest, given.why
        lines.append(dumps(["theirs" if one.theirs else "", one.say, *place]))
    files.make_folder(os.path.dirname(_path(run)))
    rows.append(_path(run), lines, durable=False)


def waiting(run: HookRun) -> list[tuple[bool, str, Given]]:
    """Return the lines that wait for this prompt: whether the person said it, the line, how it is noted as given."""
    found = [row for row in map(rows.texts_in, rows.read(_path(run))) if row is not None and len(row) == 7]
    files.discard(_path(run))
    return [
        (bool(theirs), line, Given(Scope(kind, owner), key, digest, why, -(-len(line) // 4)))
        for theirs, line, kind, owner, key, digest, why in dict.fromkeys(found[:_MAX_WAITING])
    ]
