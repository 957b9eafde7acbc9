"""`holdfast hub`."""

from __future__ import annotations

import os

import click

from holdfast.agents import in_shell
from holdfast.base.text import count
from holdfast.errors import Refused
from holdfast.exchange import hub
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import say
from holdfast.surfaces.cli.tables import print_table, shown_time
from holdfast.workspace import Workspace

_ROLES = ("reader", "writer", "reviewer", "admin")
_RIGHTS = ("read", "write", "review")


@group("hub", "holdfast hub", workspace=False)
def _hub() -> None:
    """Share memories with teams of an organisation through a hub, or run one on PostgreSQL."""
    ctx = click.get_current_context()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    elif in_shell(os.environ):
        raise Refused("an agent may not use a hub", "Ask the person to run it in a terminal of their own.")


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


@_hub.sub("join", "holdfast hub join https://hub.example.com", json=False)
@click.argument("url")
@click.option(
    "--token", envvar="HOLDFAST_HUB_TOKEN", default="", metavar="TOKEN", help="Asked for where it is not given."
)
def _join(workspace: Workspace, url: str, token: str) -> None:
    """Join a hub with this home, by a token that its operator made for you.

    Then `hub sync` fetches what your teams share.
    """
    token = token or click.prompt("token", hide_input=True, err=True)
    joined, teams = hub.join(workspace, url, token.strip())
    click.echo(f"joined  {joined.joined.organisation}  as {joined.joined.person}  teams: {', '.join(teams) or 'none'}")


@_hub.sub("leave", "holdfast hub leave", json=False)
def _leave(workspace: Workspace) -> None:
    """Leave the hub: the token goes. What came from it stays, as imported memories."""
    hub.leave(workspace)
    click.echo("left")


_TEAM = click.option("--team", required=True, metavar="TEAM", help="The team.")
_REASON = click.option("--reason", required=True, metavar="TEXT", help="Why; the hub's audit keeps it.")


@_hub.sub("share", 'holdfast hub share vpn --team payments --reason "asked twice"', sees=PROJECT, json=False)
@click.argument("key")
@_TEAM
@_REASON
@click.option("--scope", type=click.Choice(("project", "global")), help="Where the memory is.")
def _share(workspace: Workspace, key: str, team: str, reason: str, scope: str | None) -> None:
    """Share a memory with a team, at the next `hub sync`. What is personal is refused, by you and by the hub."""
    memory = hub.client(workspace).share(key, team, reason, scope)
    click.echo(f"waits  {memory.key}  for {team}")


@_hub.sub("withdraw", 'holdfast hub withdraw vpn --team payments --reason "wrong"', sees=PROJECT, json=False)
@click.argument("key")
@_TEAM
@_REASON
@click.option("--scope", type=click.Choice(("project", "global")), default="project", help="Default: project.")
def _withdraw(workspace: Workspace, key: str, team: str, reason: str, scope: str) -> None:
    """Withdraw a memory of a team, at the next `hub sync`; every client drops it with its own next one."""
    hub.client(workspace).withdraw(key, team, reason, workspace.scope(scope))
    click.echo(f"waits  withdrawal of {key}  for {team}")


@_hub.sub("sync", "holdfast hub sync", json=False)
def _sync(workspace: Workspace) -> None:
    """Send what is to be shared and fetch what your teams changed. Cut off anywhere, the next one goes on."""
    done = hub.client(workspace).sync()
    told = ("sent", "refused", "stored", "removed", "kept", "receipts")
    click.echo("  ".join(f"{name} {done[name]}" for name in told if done[name]) or "nothing new")


@_hub.sub("trace", "holdfast hub trace deploys-need-the-vpn --team payments", json=False)
@click.argument("key")
@_TEAM
def _trace(workspace: Workspace, key: str, team: str) -> None:
    """List whose sessions were given a memory of a team, by receipts: who, which version and when.

    Who reviews the team sees everybody, others see themselves.
    """
    found = hub.client(workspace).trace(key, team)
    rows = [(one["person"], str(one["version"]), shown_time(one["at"]), one["kind"], one["owner"]) for one in found]
    print_table(("person", "version", "given", "scope", "owner"), rows)
    if not found:
        say("no session was given it, as far as you may see")


@_hub.sub("doctor", "holdfast hub doctor", json=False)
@click.argument("url", default="")
def _doctor(workspace: Workspace, url: str) -> int:
    """Check the hub that this home joined; with the URL of a database, as its application has it, check that."""
    if url:
        from holdfast.store.postgres_connection import check_hub

        problems = check_hub(url)
        click.echo("\n".join(problems) or "the database is as it should be")
        return 1 if problems else 0
    joined = hub.client(workspace)
    me = joined.call("GET", "me")
    click.echo(f"{joined.joined.url}  {me['organisation']}  {me['person']}  may {', '.join(me['rights'])}")
    click.echo(f"teams: {', '.join(me['teams']) or 'none'}")
    click.echo(
        f"{count(len(joined.waiting()), 'change')} to send, {count(len(joined.cached()), 'memory')} from the hub"
    )
    return 0
