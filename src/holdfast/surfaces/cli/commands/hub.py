"""`holdfast hub`."""

from __future__ import annotations

import os
import sys
from typing import Any
from urllib.parse import urlencode

import click

from holdfast.agents import in_shell
from holdfast.base.text import count
from holdfast.errors import NotFound, Refused
from holdfast.exchange import hub
from holdfast.exchange.hub_calls import ToldMe, ToldTeam
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.hub_shown import show_audit, show_proposal, show_team
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import answer, confirm_steps, emit_json, report_applied, say
from holdfast.surfaces.cli.tables import print_table, shown_time
from holdfast.workspace import Workspace

STATES = ("open", "approved", "rejected", "replaced")
RULES = ("open", "reviewed")
_GROUPS = ("agent", "project", "week", "signal")
_ROLES = ("reader", "writer", "reviewer", "admin")
_RIGHTS = ("read", "write", "review", "admin")


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
    """Give a person a role in a team; an organisation, team or person that does not exist yet is created.

    A reader reads, a writer changes memories, a reviewer also sees the audit; an admin does all of it.
    """
    from holdfast.store.organisations import Operator

    operator = Operator(url)
    if not remove:
        operator.add_organisation(organisation)
        operator.add_team(organisation, team)
    if not operator.set_member(organisation, team, person, "" if remove else role):
        raise NotFound(f"{person} is not in {team} of {organisation}", "Nothing was changed.")
    click.echo(f"{'removed' if remove else role}  {person}  {organisation}/{team}")


@_hub.sub(
    "group",
    "holdfast hub group postgresql://operator@db.example.com/holdfast acme payments-devs payments --role writer",
    workspace=False,
)
@click.argument("url")
@click.argument("organisation")
@click.argument("group")
@click.argument("team")
@click.option("--role", type=click.Choice(_ROLES), default="reader", help="What its people may do. Default: reader.")
@click.option("--remove", is_flag=True, help="Take the role away instead.")
def _group(url: str, organisation: str, group: str, team: str, role: str, remove: bool) -> None:
    """Give a group of the sign-in provider a role in a team, which its people have from their next sign-in on.

    A team that has groups goes by them: whoever is in none of them leaves the team at their next sign-in.
    """
    from holdfast.store.organisations import Operator

    Operator(url).set_group(organisation, group, team, "" if remove else role)
    click.echo(f"{'removed' if remove else role}  {group}  {organisation}/{team}")


@_hub.sub("account", "holdfast hub account postgresql://operator@db.example.com/holdfast acme kim", workspace=False)
@click.argument("url")
@click.argument("organisation")
@click.argument("person")
def _account(url: str, organisation: str, person: str) -> None:
    """Let a person sign in with another account of the provider: the next account with their name becomes theirs."""
    from holdfast.store.organisations import Operator

    Operator(url).forget_account(organisation, person)
    click.echo(f"free  {person}  {organisation}")


@_hub.sub(
    "token",
    "holdfast hub token postgresql://operator@db.example.com/holdfast acme kim --may write --days 90",
    workspace=False,
)
@click.argument("url")
@click.argument("organisation")
@click.argument("person")
@click.option(
    "--may",
    type=click.Choice(_RIGHTS),
    multiple=True,
    default=("read",),
    help="What it may do; each right includes those before it. Default: read.",
)
@click.option("--days", type=click.IntRange(1, 366), default=90, help="How many days it is valid. Default: 90.")
@click.option("--name", default="token", metavar="NAME", help="What it is for.")
@click.option("--revoke", is_flag=True, help="End the person's tokens instead; with --name, those of that name.")
def _token(url: str, organisation: str, person: str, may: tuple[str, ...], days: int, name: str, revoke: bool) -> None:
    """Make a token by which a person uses the hub. It is shown once; only a digest of it is kept.

    It can do no more than the person can.
    """
    from holdfast.store.organisations import Operator

    operator = Operator(url)
    if revoke:
        given = click.get_current_context().get_parameter_source("name") is click.core.ParameterSource.COMMANDLINE
        click.echo(f"revoked  {operator.end_tokens(organisation, person, name if given else '')}")
        return
    rights = _RIGHTS[: max(map(_RIGHTS.index, may)) + 1]
    click.echo(operator.new_token(organisation, person, name, rights, days))
    told = f"for {person} of {organisation}, with the rights {', '.join(rights)}"
    say(f"{told}; it ends in {count(days, 'day')} and is not shown again")


@_hub.sub(
    "retention", "holdfast hub retention postgresql://operator@db.example.com/holdfast acme --dry-run", workspace=False
)
@click.argument("url")
@click.argument("organisation")
@click.option("--days", type=click.IntRange(1), default=90, help="How long a memory stays untouched. Default: 90.")
@options.consent
def _retention(url: str, organisation: str, days: int) -> None:
    """Remove memories of an organisation that have expired, and rows that are kept only for a while.

    As at home, what is global, pinned, or of type feedback, decision or lesson stays. Clients drop the rest at their
    next sync.
    """
    from holdfast.exchange import hub_keeping
    from holdfast.store.organisations import Operator

    operator = Operator(url)
    plan = hub_keeping.plan_retention(operator, organisation, days)
    if confirm_steps(plan.steps, "nothing has expired"):
        hub_keeping.apply_retention(operator, organisation, plan)
        report_applied(plan.steps, f"removed {count(len(plan.memories), 'memory')} of {organisation}")


@_hub.sub("erase", "holdfast hub erase postgresql://operator@db.example.com/holdfast acme --dry-run", workspace=False)
@click.argument("url")
@click.argument("organisation")
@click.option("--file", metavar="FILE", help="Holds the text that must go; else it is asked for, or piped in.")
@options.consent
def _erase(url: str, organisation: str, file: str | None) -> None:
    """Take a text out of every table of an organisation, whichever memory, history, proposal or reason holds it.

    It is not taken from the command line, which other programs see and the shell keeps.
    Then PostgreSQL rewrites its files. Its write-ahead log keeps the text for a while, and so do backups: Holdfast
    cannot reach those.
    """
    from holdfast.exchange import hub_keeping
    from holdfast.store.organisations import Operator
    from holdfast.surfaces.cli.commands.erase import text_of

    text = text_of(file).strip()
    operator = Operator(url)
    plan = hub_keeping.plan_erase(operator, organisation, text)
    if confirm_steps(plan.steps, "no table holds it"):
        refused = hub_keeping.apply_erase(operator, organisation, text, plan)
        report_applied(plan.steps, f"erased from {count(len(plan.steps), 'place')} of {organisation}")
        for problem in refused:
            say(f"not done, a superuser can: {problem}")


@_hub.sub("audit", "holdfast hub audit postgresql://operator@db.example.com/holdfast acme")
@click.argument("url")
@click.argument("organisation")
@options.since("Done since")
@options.until("Done until")
@click.option("--person", default="", metavar="NAME", help="Only what they did; an operator is operator:ROLE.")
@click.option("--team", default="", metavar="TEAM", help="Only this team.")
@options.limit(200)
def _audit(workspace: Workspace, url: str, organisation: str, **given: Any) -> None:
    """Show who did what in an organisation, the latest first: people, and operators by their role in the database."""
    from holdfast.sessions.browse import span
    from holdfast.store.organisations import Operator

    since, until = span(given["since"], given["until"])
    show_audit(Operator(url).audit(organisation, since, until, given["person"], given["team"], given["limit"]))


@_hub.sub("join", "holdfast hub join https://hub.example.com", json=False)
@click.argument("url")
@click.option(
    "--token", envvar="HOLDFAST_HUB_TOKEN", default="", metavar="TOKEN", help="Asked for where it is not given."
)
def _join(workspace: Workspace, url: str, token: str) -> None:
    """Join a hub with this home, by a token: one that you make on its page, under Account, or get from its operator.

    Then `hub sync` fetches what your teams share, and `hub allow` lets it in.
    """
    hub.check_address(url)
    if not token:
        say(f"a token of yours: {url.rstrip('/')}/account, or ask the operator")
        token = click.prompt("token", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    joined, teams = hub.join(workspace, url, token.strip())
    click.echo(f"joined  {joined.joined.organisation}  as {joined.joined.person}  teams: {', '.join(teams) or 'none'}")


@_hub.sub("leave", "holdfast hub leave", json=False)
def _leave(workspace: Workspace) -> None:
    """Leave the hub: the token is removed. What came from it stays, as imported memories."""
    hub.leave(workspace)
    click.echo("left")


_TEAM = click.option("--team", required=True, metavar="TEAM", help="The team.")
_REASON = click.option("--reason", required=True, metavar="TEXT", help="Why; the hub's audit keeps it.")


@_hub.sub("share", 'holdfast hub share vpn --team payments --reason "asked twice"', sees=PROJECT)
@click.argument("key", type=options.KEY)
@_TEAM
@_REASON
@click.option("--scope", type=click.Choice(("project", "global")), help="Where the memory is.")
def _share(workspace: Workspace, key: str, team: str, reason: str, scope: str | None) -> None:
    """Share a memory with a team, at the next `hub sync`. What is personal is refused, here and by the hub."""
    memory = hub.client(workspace).share(key, team, reason, scope)
    told = {"key": memory.key, "scope": str(memory.scope), "team": team}
    answer(told, f"waits  {memory.key}  for {team}")


@_hub.sub("withdraw", 'holdfast hub withdraw vpn --team payments --reason "wrong"', sees=PROJECT)
@click.argument("key", type=options.KEY)
@_TEAM
@_REASON
@click.option("--scope", type=click.Choice(("project", "global")), help="Default: where this home knows it.")
def _withdraw(workspace: Workspace, key: str, team: str, reason: str, scope: str | None) -> None:
    """Withdraw a memory of a team, at the next `hub sync`; every client drops it at its own next sync."""
    where = hub.client(workspace).withdraw(key, team, reason, workspace.scope(scope) if scope else None)
    told = {"key": key, "scope": str(where), "team": team}
    answer(told, f"waits  withdrawal of {key}  {where}  for {team}")


@_hub.sub("sync", "holdfast hub sync")
def _sync(workspace: Workspace) -> int:
    """Send what is to be shared and fetch what your teams changed. If it is interrupted, the next one continues."""
    joined = hub.client(workspace)
    done = joined.sync()
    told = ("sent", "proposed", "refused", "stored", "removed", "kept", "waits", "receipts", "digests")
    document = {name: done[name] for name in told}
    answer(document, "  ".join(f"{name} {many}" for name, many in document.items() if many) or "nothing new")
    for team in joined.gate.open_teams():
        say(f"what {team} shares waits for your decision: `holdfast hub allow {team} --dry-run` shows it")
    return Refused.exit_code if done["refused"] else 0


@_hub.sub("allow", "holdfast hub allow payments --dry-run")
@click.argument("team")
@click.option("--trust", is_flag=True, help="Also accept what the team changes later, without asking again.")
@options.consent
def _allow(workspace: Workspace, team: str, trust: bool) -> None:
    """Let agents be given what a team of the hub shares, as it is now; what is new and changed is shown first.

    What the team changes later waits for your decision again, unless you trust it. What it withdraws is removed at
    once.
    """
    joined = hub.client(workspace)
    plan = joined.plan(team)
    steps = [one.step for one in plan]
    nothing = f"nothing that {team} shares waits; `holdfast hub sync` fetches what is new"
    if not steps and not invocation().dry_run:
        joined.allow(team, [], trust=trust)
        nothing = f"{team} is allowed{', and what it changes comes in without asking' if trust else ''}; {nothing}"
    if confirm_steps(steps, nothing):
        done = joined.allow(team, plan, trust=trust)
        report_applied(steps, f"allowed {count(done['stored'], 'memory')} of {team}{', and trusted' if trust else ''}")


@_hub.sub("deny", "holdfast hub deny payments")
@click.argument("team")
def _deny(workspace: Workspace, team: str) -> None:
    """Take back what `hub allow` let in of a team, and tell agents nothing of it. What you changed stays yours."""
    gone = hub.client(workspace).deny(team)
    answer({"removed": gone}, f"denied; {count(len(gone), 'memory')} of it went")


@_hub.sub("trace", "holdfast hub trace deploys-need-the-vpn")
@click.argument("key")
@click.option("--team", default="", metavar="TEAM", help="Only this team.")
def _trace(workspace: Workspace, key: str, team: str) -> None:
    """List whose sessions were given a memory, also a withdrawn one, by receipts: who, which version and when.

    Reviewers of a team see everybody in it; others see only themselves.
    """
    joined = hub.client(workspace)
    found = joined.trace(key, team)
    if emit_json({"given": found}):
        return
    since = ["withdrawn" if one["is_gone"] else "changed" if one.get("is_changed") else "" for one in found]
    rows = [
        (one["person"], one["team"], str(one["version"]), shown_time(one["at"]), became)
        for one, became in zip(found, since, strict=True)
    ]
    print_table(("person", "team", "version", "given", "since"), rows)
    if not found:
        near = {place[3] for place in (*joined.cached(), *joined.gate.waits()) if place[3].startswith(key)} - {key}
        known = f"; known here: {', '.join(sorted(near))}" if near else ""
        say(f"no session was given a memory of the key {key}, as far as you may see{known}")


@_hub.sub("mine", "holdfast hub mine")
@click.option("--withdraw", is_flag=True, help="Take all of it back.")
def _mine(workspace: Workspace, withdraw: bool) -> None:
    """Show the figures of your sessions that the hub has, or take them back. The setting hub.digests names the team."""
    joined = hub.client(workspace)
    if withdraw:
        gone = joined.take_back()
        answer({"withdrawn": gone}, f"taken back: figures of {count(gone, 'session')}")
        if workspace.settings.text("hub.digests"):
            say("hub.digests is still set: `holdfast config unset hub.digests` ends it")
        return
    found = joined.mine()
    if emit_json({"digests": found}):
        return
    rows = [
        (one["week"], one["team"], one["project"], one["agent"], one["outcome"], str(len(one["signals"])))
        for one in found
    ]
    print_table(("week", "team", "project", "agent", "outcome", "signals"), rows)
    if not found:
        say("the hub has no figures of your sessions")


@_hub.sub("figures", "holdfast hub figures payments --by agent")
@click.argument("team")
@click.option("--by", type=click.Choice(_GROUPS), default="agent", help="What they are grouped by. Default: agent.")
def _figures(workspace: Workspace, team: str, by: str) -> None:
    """Show what sessions of a team's people are like, by groups that are large enough to hide each of them.

    With `--by signal`, what recurs over that many people.
    """
    found = hub.client(workspace).figures(team, by)
    if emit_json({"groups": found}):
        return
    names = list(found[0]) if found else []
    print_table(names, [tuple(str(one[name]) for name in names) for one in found])
    if not found:
        say("no group is large enough to be shown")


@_hub.sub("review", 'holdfast hub review 12 --approve --reason "true since March"')
@click.argument("id", type=click.IntRange(1), required=False)
@click.option("--approve", is_flag=True, help="Let it be shared.")
@click.option("--reject", is_flag=True, help="Reject it; this is also how you take back a proposal of your own.")
@click.option(
    "--reason", default="", metavar="TEXT", help="Why; whoever proposed it reads this, and the audit keeps it."
)
@click.option("--state", type=click.Choice(STATES), default="open", help="Which are listed. Default: open.")
def _review(workspace: Workspace, id: int | None, approve: bool, reject: bool, reason: str, state: str) -> None:
    """List proposals to the teams that you review, and your own; with an ID, show one as a diff.

    Nobody approves what they proposed themselves, unless the team has nobody else or its admin allows it.
    """
    joined = hub.client(workspace)
    if (approve or reject) and (id is None or approve == reject or not reason.strip()):
        raise click.UsageError("A decision has an ID, one of --approve and --reject, and --reason.")
    if approve or reject:
        done = joined.decide(id or 0, approve=approve, reason=reason)
        answer(done, f"{done['state']}  {done['id']}  in {done['team']}")
        return
    found = joined.proposals(state, id)
    if emit_json({"proposals": found}):
        return
    if id is not None:
        show_proposal(found[0])
        return
    rows = [
        (str(one["id"]), one["team"], one["key"], one["person"], shown_time(one["made"]), one["reason"])
        for one in found
    ]
    print_table(("id", "team", "key", "by", "made", "reason"), rows)
    if not found:
        say("nothing waits for you" if state == "open" else f"no proposal was {state}")


@_hub.sub("admin", "holdfast hub admin payments --rule reviewed")
@click.argument("team", default="everyone")
@click.option("--rule", type=click.Choice(RULES), help="Whether what is shared with the team is reviewed first.")
@click.option("--own", is_flag=True, help="With --rule: reviewers may approve their own proposals.")
@click.option("--person", default="", metavar="NAME", help="The person whose role or token it is about.")
@click.option("--role", type=click.Choice(_ROLES), help="What that person may do in the team.")
@click.option("--remove", is_flag=True, help="Take that person out of the team.")
@click.option("--token", type=click.Choice(_RIGHTS), help="Make a token with this right for that person.")
@click.option("--days", type=click.IntRange(1, 366), default=90, help="How many days the token is valid. Default: 90.")
@click.option("--revoke", is_flag=True, help="End the tokens of that person.")
def _admin(workspace: Workspace, team: str, **given: Any) -> None:
    """Set the rule and the people of a team that you are admin of; without an option, list them.

    An admin of `everyone` does so for every team, adds people, and makes and ends their tokens.
    """
    joined = hub.client(workspace)
    workspace.need_person("sets up teams of a hub")
    asked = _asked_of_admin(team, given)
    if not asked:
        show_team(joined.call("GET", f"team?{urlencode({'team': team})}", ToldTeam))
        return
    done: dict[str, Any] = {}
    for path, sent in asked:
        done |= joined.call("POST", path, dict[str, Any], sent)
    lines = [f"{done['rule']}  {team}"] if "rule" in done else []
    lines += [f"{done['role'] or 'removed'}  {done['person']}  {team}"] if "role" in done else []
    lines += [f"revoked  {done['ended']}"] if "ended" in done else []
    answer(done, "\n".join([*lines, *([done["token"]] if "token" in done else [])]))
    if "token" in done:
        say(f"for {given['person']}; it ends in {count(given['days'], 'day')} and is not shown again")


def _asked_of_admin(team: str, given: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return what is to be sent, each with its path; nothing where no option is given."""
    person, asked = given["person"], list[tuple[str, dict[str, Any]]]()
    about_person = bool(given["role"] or given["remove"] or given["token"] or given["revoke"])
    if bool(person) != about_person or (given["own"] and not given["rule"]):
        raise click.UsageError("Give --rule, or --person with --role, --remove, --token or --revoke, or nothing.")
    if given["rule"]:
        asked.append(("rule", {"team": team, "rule": given["rule"], "own": given["own"]}))
    if given["role"] or given["remove"]:
        role = "" if given["remove"] else given["role"]
        asked.append(("role", {"team": team, "person": person, "role": role}))
    if given["revoke"]:
        asked.append(("tokens", {"person": person, "name": "", "days": 0}))
    if given["token"]:
        rights = _RIGHTS[: _RIGHTS.index(given["token"]) + 1]
        asked.append(("tokens", {"person": person, "rights": rights, "days": given["days"]}))
    return asked


@_hub.sub("doctor", "holdfast hub doctor", json=False)
@click.argument("url", default="")
def _doctor(workspace: Workspace, url: str) -> int:
    """Check the hub that this home joined, or the database at URL, the one that the application uses.

    With a URL it also looks at the sign-in provider that the settings name.
    """
    if url:
        from holdfast.store.postgres_connection import check_hub
        from holdfast.surfaces.web.oidc import check_provider

        problems = check_hub(url) + check_provider(workspace.settings, workspace.environment)
        well = "and the provider are as they" if workspace.settings.text("oidc.issuer") else "is as it"
        click.echo("\n".join(problems) or f"the database {well} should be")
        return 1 if problems else 0
    joined = hub.client(workspace)
    me = joined.call("GET", "me", ToldMe)
    click.echo(f"{joined.joined.url}  {me['organisation']}  {me['person']}  rights: {', '.join(me['rights'])}")
    click.echo(f"teams: {', '.join(me['teams']) or 'none'}")
    click.echo(
        f"{count(len(joined.waiting()), 'change')} to send, {count(len(joined.cached()), 'memory')} from the hub"
    )
    return 0
