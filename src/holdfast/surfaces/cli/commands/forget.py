"""`holdfast forget`."""

from __future__ import annotations

import click

from holdfast.actions import forget
from holdfast.actions.house import House
from holdfast.surfaces.cli.shared import (
    applied,
    complete_key,
    consent_options,
    consented,
    json_option,
    scope_option,
    with_house,
)
from holdfast.surfaces.cli.shared import command as make_command


@make_command("forget", "holdfast forget deploys-need-the-vpn")
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_key)
@scope_option("Only this scope.")
@consent_options
@json_option
@with_house
def command(house: House, keys: tuple[str, ...], scope: str | None, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Forget memories for good. A tombstone without their words stays, so that no import brings them back."""
    memories, steps = forget.plan(house, keys, scope=scope)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to forget"):
        forget.apply(house, memories)
        applied(steps, as_json, f"forgotten: {', '.join(memory.key for memory in memories)}")
