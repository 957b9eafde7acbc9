"""`holdfast receipts`."""

from __future__ import annotations

import click

from holdfast.app.receipts import receipts
from holdfast.records import Given, Receipt
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say_empty, with_workspace
from holdfast.workspace import Workspace

_SHOWN = 10


@make_command("receipts", "holdfast receipts --limit 3")
@click.argument("of_session", metavar="[SESSION]", default="")
@click.option("--limit", "-n", type=click.IntRange(1), default=_SHOWN, help=f"At most so many. Default: {_SHOWN}.")
@json_option
@with_workspace
def command(workspace: Workspace, of_session: str, limit: int, as_json: bool) -> None:
    """Show what sessions were given, newest first: each memory, why, about how many tokens, and what was left out.

    SESSION is the beginning of an agent's session id.
    """
    found = receipts(workspace, of_session, limit=limit)
    if as_json:
        print_json({"receipts": [_json(receipt) for receipt in found]})
        return
    for receipt in found:
        _show(receipt)
    if not found:
        say_empty(workspace, "no session was given anything yet")


def _show(receipt: Receipt) -> None:
    session = click.style(receipt.session or "(no session)", bold=True)
    held = ", withheld" if receipt.withheld else ""
    click.echo(f"{session}  {receipt.agent}  {receipt.moment}  {receipt.at}  about {receipt.tokens} tokens{held}")
    for given in receipt.given:
        click.echo(f"  {given.scope}/{given.key}  {given.tokens} tokens  {given.why}")
    for name, reason in receipt.left_out:
        click.echo(f"  left out: {name}  {reason}")


def _json(receipt: Receipt) -> dict[str, object]:
    return {
        "at": receipt.at,
        "agent": receipt.agent,
        "session": receipt.session,
        "moment": receipt.moment,
        "characters": receipt.characters,
        "tokens": receipt.tokens,
        "holdout": receipt.holdout,
        "withheld": receipt.withheld,
        "given": [_given_json(given) for given in receipt.given],
        "left_out": [{"name": name, "reason": reason} for name, reason in receipt.left_out],
    }


def _given_json(given: Given) -> dict[str, object]:
    return {
        "scope": given.scope.kind,
        "owner": given.scope.owner,
        "key": given.key,
        "digest": given.digest,
        "why": given.why,
        "tokens": given.tokens,
    }
