"""`holdfast hub`."""

from __future__ import annotations

import os

import click

from holdfast.agents import in_shell
from holdfast.errors import Refused
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import say

_ROLES = ("reader", "writer", "reviewer", "admin")
_RIGHTS = ("read", "write", "review")


@group("hub", "holdfast hub", workspace=False)
def _hub() -> None:
    """Run one memory for an organisation, on PostgreSQL. The URL is that of the role that owns the database."""
    ctx = click.get_current_context()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    elif in_shell(os.environ):
        raise Refused("an agent may not run a hub", "Ask the person to run it in a terminal of their own.")


@_hub.sub("migrate", "holdfast hub migrate postgresql://operator@db.example.com/holdfast", workspace=False)
@click.argument("url")
def _migrate(url: str) -> None:
    """Make a database a hub, or bring it to the newest version. What runs on it meanwhile goes on."""
    from holdfast.store.postgres_connection import migrate

    for one in migrate(url):
        click.echo(f"done  {one}")
    say("the database is at the newest version")


@_hub.sub(
    "member",
    "holdfast hub member postgresql://operator@db.example.com/holdfast acme payments kim --role writer",
    workspace=False,
)
@click.argument("url")
@click.argument("organisation")
@click.argument("team")
@click.argument("person")
@click.option("--role", type=click.Choice(_ROLES), default="reader", help="What they may do there. Default: reader.")
@click.option("--remove", is_flag=True, help="Take them out of the team instead.")
def _member(url: str, organisation: str, team: str, person: str, role: str, remove: bool) -> None:
    """Give a person a role in a team; organisation, team and person are made where they are not there yet.

    A reader reads, a writer changes memories, a reviewer also sees the audit; an admin does all of it.
    """
    from holdfast.store.organisations import Operator

    operator = Operator(url)
    if not remove:
        operator.add_organisation(organisation)
        operator.add_team(organisation, team)
    operator.set_member(organisation, team, person, "" if remove else role)
    click.echo(f"{'removed' if remove else role}  {person}  {organisation}/{team}")


@_hub.sub(
    "token",
    "holdfast hub token postgresql://operator@db.example.com/holdfast acme kim --may write --days 90",
    workspace=False,
)
@click.argument("url")
@click.argument("organisation")
@click.argument("person")
@click.option("--may", type=click.Choice(_RIGHTS), default="read", help="What it may do. Default: read.")
@click.option("--days", type=click.IntRange(1, 366), default=90, help="How many days it holds. Default: 90.")
@click.option("--name", default="token", metavar="NAME", help="What it is for.")
@click.option("--revoke", is_flag=True, help="End the person's tokens instead; with --name, those of that name.")
def _token(url: str, organisation: str, person: str, may: str, days: int, name: str, revoke: bool) -> None:
    """Make a token by which a person uses the hub. It is shown once; only a digest of it is kept.

    It may at most what the person may.
    """
    from holdfast.store.organisations import Operator

    operator = Operator(url)
    if revoke:
        given = click.get_current_context().get_parameter_source("name") is click.core.ParameterSource.COMMANDLINE
        click.echo(f"revoked  {operator.end_tokens(organisation, person, name if given else '')}")
        return
    rights = _RIGHTS[: _RIGHTS.index(may) + 1]
    click.echo(operator.new_token(organisation, person, name, rights, days))
    say(f"it may {may} as {person} of {organisation} for {days} days, and is not shown again")
