"""How what a hub tells is printed: a proposal, a team and its people, the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.exchange.hub_calls import Row, ToldTeam
from holdfast.surfaces.cli.output import emit_json, say
from holdfast.surfaces.cli.tables import print_table, shown_time

if TYPE_CHECKING:
    from holdfast.store.organisations import AuditRow


def show_proposal(one: Row) -> None:
    """Print a proposal: what it is about, why, and what would change."""
    click.echo(
        f"{one['id']}  {one['state']}  {one['team']}  {one['kind']} {one['owner']}  {one['key']}  ({one['type']})"
    )
    click.echo(f"by {one['person']}, {shown_time(one['made'])}: {one['reason']}")
    if one["decided_by"]:
        click.echo(f"{one['state']} by {one['decided_by']}: {one['answer']}")
    for line in one["diff"]:
        click.echo(line)
    if one["is_stale"]:
        say("the memory has changed since; this can be rejected, or proposed again")
    elif one["state"] != "open":
        say("its words are not kept once it is decided")


def show_team(found: ToldTeam) -> None:
    """Print the rule of a team and its people."""
    if emit_json(found):
        return
    own = ", and reviewers may approve their own proposals" if found["own"] else ""
    click.echo(f"{found['team']} is {found['rule']}{own}")
    print_table(("person", "role"), [(one["person"], one["role"]) for one in found["people"]])


def show_audit(found: list[AuditRow]) -> None:
    """Print rows of the audit, the latest first."""
    if emit_json({"audit": [one._asdict() for one in found]}):
        return
    rows = [(shown_time(one.at), one.person, one.act, one.team, one.key, one.reason) for one in found]
    print_table(("at", "person", "act", "team", "key", "reason"), rows)
    if not found:
        say("the audit has no such row")
