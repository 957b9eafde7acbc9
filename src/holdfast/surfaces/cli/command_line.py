"""The command line as a whole: which commands there are, what was asked for besides one, and how it is called here."""

from __future__ import annotations

import os
import re
import sys

import click

# `holdfast --help` shows the commands in this order and under these headings.
GROUPS = {
    "Everyday commands": {
        "up": "Prepare this home, connect agents and see what to do next.",
        "remember": "Store a memory.",
        "recall": "Find memories by words and by meaning.",
        "list": "List memories, newest first.",
        "show": "Show one memory.",
        "edit": "Edit a memory in your editor.",
        "forget": "Forget memories for good.",
        "sessions": "List, read and search the sessions of every agent.",
        "catch-up": "Show where a project stands, for somebody who comes back.",
        "install": "Connect an agent, or list the agents on this machine.",
        "status": "Show agents, sessions and memories at a glance.",
        "serve": "Open the memory in a browser: see, decide and correct.",
    },
    "Memory": {
        "related": "Show what is related to a memory, and why.",
        "history": "Show what a memory said before.",
        "confirm": "Confirm that memories still hold although their code changed, or list such memories.",
        "pin": "Pin a memory, so that it never expires.",
        "unpin": "Unpin a memory.",
        "move": "Move a memory to another scope or key.",
        "merge": "Make one memory of several.",
        "clear": "Forget every memory of a scope.",
        "erase": "Erase a text, a session, a project or a span of time from every file, with proof.",
        "proposals": "Show what waits to become a memory, and decide on it.",
        "when": "Show which rules apply to a command, and what they would do.",
        "preview": "Show what an agent would be given here and now, and why.",
        "receipts": "Show what each session was given, and why.",
    },
    "Sharing": {
        "import": "Propose memories from what agents and other tools have noted.",
        "export": "Write memories to one file, to keep or to hand on.",
        "audit": "Look through another tool's store, and change nothing.",
        "sync": "Keep this home in step with your other machines, through git.",
        "team": "Share memories with a team, as reviewed files of the repository.",
        "hub": "Run one memory for an organisation, on PostgreSQL.",
        "native": "Keep an agent's own memory in step, or switch it off.",
        "allow": "Let agents be given what a repository has in its memory/ folder.",
        "deny": "Take back what `allow` let in.",
    },
    "Sessions": {
        "sweep": "Take the sessions of every agent into the archive.",
        "schedule": "Let the system run a sweep at regular intervals.",
        "timeline": "Show what was done in a project, day by day.",
        "activity": "Show which files were changed, by whom and when.",
    },
    "Project": {
        "project": "Show which project this folder is, and why; list all projects.",
        "todo": "Keep what you want done in this project, as check boxes.",
        "decide": "Record a decision of this project, with its reason.",
        "work": "See the work that agents were asked for, and how far along it is.",
        "distil": "Propose entries for the page of this project.",
    },
    "Learning": {
        "lesson": "Record a lesson of this project, and what went wrong.",
        "rate": "Rate a session from 1 to 10, or list the ratings of this project.",
        "harvest": "Learn from archived sessions: ratings, lessons, incidents, fixes.",
        "fixes": "List what made failed commands work, which agents are told, and reject it.",
        "patterns": "Show what recurs over sessions, good and bad, and decide on it.",
        "measure": "Show whether patterns and memories help, and what they cost.",
        "replay": "Show what today's rules would have done in your own sessions.",
        "synthesis": "Sum up ratings: their trend, what recurs, and what came of it.",
        "research": "List and read what sub-agents found out.",
        "security": "List tool calls that destroy, read a secret or write outside the project.",
    },
    "Upkeep": {
        "doctor": "Check this installation, this home and the connected agents.",
        "lint": "Find problems in memories.",
        "heal": "Repair what is safe to repair.",
        "tidy": "Move groups of a crowded scope into sub-folders.",
        "prune": "Remove memories that have expired.",
        "reindex": "Rebuild the index from the files.",
        "updates": "Show what Holdfast changed, moved or removed, and undo it.",
        "config": "Show and change settings.",
        "uninstall": "Disconnect an agent: take out of its files what install put in.",
        "plugin": "Write a plugin for an agent, without touching its settings.",
        "mcp": "Serve the memory to an agent over MCP.",
        "tokens": "Make and revoke tokens for programs that use `holdfast serve`.",
        "init": "Create the memory tree in the home, or in a workspace.",
        "demo": "Play a short story in a throw-away home.",
        "completion": "Print the completion script for your shell.",
        "bench": "Measure this installation on this machine.",
    },
}
COMMANDS = {name: about for group in GROUPS.values() for name, about in group.items()}


class Invocation:
    """What the command line asked for besides its command; `ctx.obj` of every command."""

    def __init__(self, home: str | None = None, flags: dict[str, str] | None = None) -> None:
        self.home = home
        self.flags = flags or {}
        self.where: dict[str, str] = {}
        self.json = False
        self.dry_run = False
        self.yes = False
        self.utc = False


def invocation(ctx: click.Context | None = None) -> Invocation:
    """Return what the command line asked for."""
    root = (ctx or click.get_current_context()).find_root()
    root.obj = root.obj or Invocation()
    found: Invocation = root.obj
    return found


def program() -> str:
    """Return how a shell here calls this program: by its name where the shell finds it, else by what works."""
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        if os.access(os.path.join(folder, "holdfast"), os.X_OK):
            return "holdfast"
    import shlex

    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == "holdfast" and os.access(script, os.X_OK):
        return shlex.quote(script)
    return f"{shlex.quote(sys.executable)} -m holdfast"


def runnable(text: str) -> str:
    """Return a hint of ours with each command in it as a shell here understands it."""
    if "holdfast " not in text or (name := program()) == "holdfast":
        return text
    call = rf"(?<![\w/.-])holdfast (?=(?:--|{'|'.join(COMMANDS)})\b)"
    return re.sub(call, lambda _: f"{name} ", text)
