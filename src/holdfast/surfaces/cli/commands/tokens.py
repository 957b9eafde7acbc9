"""`holdfast tokens`."""

from __future__ import annotations

import click

from holdfast.app import tokens
from holdfast.app.tokens import RIGHTS, Token
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import answer, emit_json, say
from holdfast.surfaces.cli.tables import local_time, print_table
from holdfast.workspace import Workspace


@group("tokens", "holdfast tokens")
def _list(workspace: Workspace) -> None:
    """List the tokens that programs use with `holdfast serve`: what each may do, where, and when it was last used."""
    found = tokens.tokens(workspace.home)
    if emit_json({"tokens": [_token_json(one) for one in found]}):
        return
    heads = ("id", "name", "may", "projects", "made", "used", "until")
    print_table(heads, [_cells(one) for one in found])
    if not found:
        say("no token was made yet: holdfast tokens new NAME")


def _cells(one: Token) -> tuple[str, ...]:
    until = "over" if one.is_over else local_time(one.expires) if one.expires else "no expiry"
    used = local_time(one.used) if one.used else "never"
    return one.id, one.name, one.may, ", ".join(one.projects) or "(all)", local_time(one.created), used, until


def _token_json(one: Token) -> dict[str, object]:
    names = ("id", "name", "may", "projects", "created", "expires", "used")
    return {name: getattr(one, name) for name in names}


@_list.sub("new", "holdfast tokens new my-script --may write --project shop")
@click.argument("name")
@click.option("--may", type=click.Choice(RIGHTS), default="read", help="What it may do. Default: read.")
@click.option("--project", "projects", multiple=True, metavar="ID", help="Only in this project; may be repeated.")
@click.option(
    "--days", type=click.IntRange(1, tokens.MAX_DAYS), help="How many days it is valid. Default: until revoked."
)
def _new(workspace: Workspace, name: str, may: str, projects: tuple[str, ...], days: int | None) -> None:
    """Make a token for a program that uses `holdfast serve`. It is shown once; only a digest of it is kept.

    With `write`, the words of a program count for no more than an agent's; with `review`, it speaks for you.
    """
    token, secret = tokens.new(workspace, name, may=may, projects=projects, days=days)
    answer({**_token_json(token), "token": secret}, secret)
    where = f" in {', '.join(token.projects)}" if token.projects else ""
    say(f"token {token.id} may {token.may}{where}; it is not shown again (holdfast tokens revoke {token.id})")


@_list.sub("revoke", "holdfast tokens revoke my-script")
@click.argument("name", metavar="NAME|ID")
def _revoke(workspace: Workspace, name: str) -> None:
    """Take a token back; the next request with it is refused."""
    gone = tokens.revoke(workspace, name)
    answer(_token_json(gone), f"revoked  {gone.id}  {gone.name}")
