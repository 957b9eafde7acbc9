"""`holdfast replay`."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from holdfast.app import replay
from holdfast.app.replay import OTHERWISE, SAME
from holdfast.app.replay_records import Corrections, Failures, Repeated, Replayed, ReplayMoment, RuleUse
from holdfast.base.terminal import style
from holdfast.base.text import count
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import PROJECT, command
from holdfast.surfaces.cli.output import Bar, emit_json, print_problems, say, say_empty
from holdfast.surfaces.cli.tables import shown_time
from holdfast.workspace import Workspace

_MAX_PLACES = 3
_BECAME = {SAME: "found the same itself", OTHERWISE: "in vain: found another way"}


@command("replay", "holdfast replay --since 90d", sees=PROJECT, means={"project": "Only this project."}, pure=True)
@options.since("Count only from then on")
@options.limit(10)
@options.utc
def _replay(workspace: Workspace, since: str, limit: int) -> None:
    """Run today's rules over your archived sessions in order of time, knowing at each moment only what was known then:
    which failures had their fix in hand, which corrections were said before, which rules would have spoken. Nothing
    is written.
    """
    bar = Bar("reading sessions")
    project = workspace.project().id if workspace.asked_project else ""
    try:
        done = replay.replay(workspace, since=since, project=project, pace=bar.show if sys.stderr.isatty() else None)
    finally:
        bar.stop()
    if emit_json(done):
        return
    if not done.sessions:
        nothing = "there is nothing to replay; `holdfast sweep` reads sessions in"
        say_empty(workspace, "no session fits what was asked for" if since or project else nothing)
        return
    parts = _failures(done.failures, limit), _corrections(done.corrections, limit), _rules(done, limit)
    click.echo("\n".join([*_head(done), *[line for part in parts for line in ("", *part)]]))
    print_problems(done.problems)
    if max(len(done.failures.kinds), len(done.corrections.examples), len(done.rules)) > limit:
        say("--limit shows more examples, --json all of them")


def _head(done: Replayed) -> Iterator[str]:
    between = f"{shown_time(done.first)[:10]} to {shown_time(done.last)[:10]}"
    left = f"; {done.without_events} more have only a digest left" if done.without_events else ""
    yield f"{count(done.sessions, 'session')} with {count(done.calls, 'call')}, {between}{left}"


def _failures(found: Failures, limit: int) -> Iterator[str]:
    yield style("Failures", "bold")
    kinds = count(found.different, "kind")
    if not found.repeated:
        yield f"  {count(found.total, 'failure')} of {kinds}; none of them came again in a later session"
        return
    yield (
        f"  {count(found.total, 'failure')} of {kinds}; {count(found.repeated, 'kind')} came again in later sessions"
        f" ({count(found.again, 'time')}), {found.in_hand} of them with the fix already known"
    )
    if found.said:
        left = found.said - found.same - found.in_vain
        yield f"  the fix would have been said {count(found.said, 'time')}, with {count(found.tokens, 'token')}:"
        yield f"    {found.same} where the session then found the same itself, with {count(found.spared, 'call')} more"
        yield f"    {found.in_vain} in vain, as it found another way"
        yield f"    {left} where nothing shows what helped"
    if found.known_well:
        well = count(found.known_well, "time")
        yield f"  {well} it had worked in two sessions by then, and so stood as a lesson that sessions start with"
    for one in found.kinds[:limit]:
        yield from _repeated(one)


def _repeated(one: Repeated) -> Iterator[str]:
    yield f"  {len(one.times)}x {one.text}"
    yield f"      first in {one.first}"
    said = [each for each in one.times if each.said]
    for each in (said or one.times)[:_MAX_PLACES]:
        yield f"      again in {_place(each)}" + (
            f", {_BECAME[each.became]} in {count(each.calls, 'call')}" if each.became else ""
        )
    if len(said or one.times) > _MAX_PLACES:
        yield f"      and {len(said or one.times) - _MAX_PLACES} more"
    untold = f"a fix was known, which is not told: {one.untold}" if one.untold else "no fix was known"
    yield f"      {said[-1].said if said else untold}"


def _corrections(found: Corrections, limit: int) -> Iterator[str]:
    yield style("Corrections", "bold")
    yield f"  {count(found.total, 'correction')}; {found.repeated} repeated what an earlier session had been told"
    yield (
        f"  {found.stood} repeated what a memory already said; {found.given} of these memories would have come"
        " with an earlier prompt"
    )
    for one in found.examples[:limit]:
        yield f"  {_place(one)}: {one.text}"
        yield f"      {one.source}: {one.said}"


def _rules(done: Replayed, limit: int) -> Iterator[str]:
    yield style("Rules", "bold")
    said, held, vain, tokens = (
        sum(getattr(one, name) for one in done.rules) for name in ("said", "held", "in_vain", "tokens")
    )
    have = (
        "1 memory has a condition" if done.with_condition == 1 else f"{done.with_condition} memories have a condition"
    )
    would = f"{len(done.rules)} would have acted: {count(said, 'time')} said, {count(held, 'time')} held"
    yield f"  {have}; {would if done.rules else 'none would have acted'}"
    if done.rules:
        often = (said + held) * 1_000 / max(1, done.calls)
        yield f"  {vain} of these in vain: the call went well uncorrected, or you had asked for what was held"
        yield f"  {count(tokens, 'token')} in all; {often:.1f} lines in 1,000 calls"
    for one in done.rules[:limit]:
        yield from _rule(one)


def _rule(one: RuleUse) -> Iterator[str]:
    done = ", ".join([f"{number}x {word}" for word, number in (("said", one.said), ("held", one.held)) if number])
    yield f"  {done}, {one.in_vain} in vain, {count(one.tokens, 'token')}: {one.key} ({one.condition})"
    yield f"      {one.text}"
    for each in sorted(one.examples, key=lambda each: each.became != "")[:_MAX_PLACES]:
        yield f"      {_place(each)}: {each.text}" + (f", {each.became}" if each.became else "")
    if len(one.examples) > _MAX_PLACES:
        yield f"      and {len(one.examples) - _MAX_PLACES} more"


def _place(one: ReplayMoment) -> str:
    return f"{one.session}:{one.line} ({shown_time(one.at)[:10]})"
