"""The command that erases, with proof."""

from __future__ import annotations

import sys
import time

import click

from holdfast.app import erase
from holdfast.app import erase_target as targets
from holdfast.app.erase_target import EraseTarget
from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.text import count
from holdfast.errors import BadInput, Conflict
from holdfast.sessions.browse import span
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import confirm_steps, emit_json, plan_json, say
from holdfast.workspace import Workspace

_MAX_BYTES = 4 * targets.MAX_TEXT


@command("erase", "holdfast erase --file name.txt --dry-run")
@click.argument("words", nargs=-1, metavar="")
@click.option("--file", metavar="FILE", help="A file that has the text; - is standard input, the default.")
@click.option("--lines", is_flag=True, help="Each line of the file is a text of its own.")
@click.option("--memory", "keys", multiple=True, type=options.KEY, help="A memory, by its key.")
@options.scope("The scope of that memory.")
@click.option("--session", "session_ids", multiple=True, metavar="ID", help="A session, with its sub-agents.")
@click.option("--project", "project_id", default="", metavar="ID", help="A project, with its memories and sessions.")
@options.since("Everything from this time on")
@options.until("Up to this time; default: now")
@click.option("--verify", "key", default="", metavar="KEY", help="Look once more for a text that was erased.")
@options.consent
def _erase(
    workspace: Workspace,
    words: tuple[str, ...],
    file: str | None,
    lines: bool,
    keys: tuple[str, ...],
    scope: str | None,
    session_ids: tuple[str, ...],
    project_id: str,
    since: str,
    until: str,
    key: str,
) -> None:
    """Erase a text, a memory, a session, a project or a span of time from every file of the home, and prove it.

    A text comes from a file or from standard input: a command line is seen by other programs and kept by the shell.
    The report says what was searched, in which encodings, and holds no word of it. Its key is printed once.
    """
    if words:
        hint = "Run `holdfast erase` and type it when asked, or pipe it in, or give --file FILE."
        raise BadInput("a text to erase is not taken from the command line, where others see it", hint)
    if sum(map(bool, (file, keys, session_ids, project_id, since or until))) > 1:
        raise BadInput("more than one thing to erase is named", "Erase them one after the other.")
    if not invocation().dry_run:
        erase.finish_interrupted(workspace)
    if key:
        _verify(workspace, key, text_of(file))
        return
    if keys:
        target = targets.of_memories(workspace, [workspace.locate(one, scope) for one in keys])
    elif session_ids:
        target = targets.of_sessions(workspace, session_ids)
    elif project_id:
        target = targets.of_project(workspace, project_id)
    elif since or until:
        begin, end = span(since or "1970-01-01", until)
        target = targets.of_span(workspace, begin, end or iso(time.time() + 1))
    else:
        target = targets.of_texts(workspace, text_of(file).splitlines() if lines else [text_of(file)])
    _carry_out(workspace, target)


def text_of(file: str | None) -> str:
    """Return the text to erase; at a terminal it is asked for, and not shown."""
    if file is None and sys.stdin.isatty():
        return str(click.prompt("The text to erase (it is not shown)", hide_input=True, err=True))
    try:
        data = files.read_head(file, _MAX_BYTES) if file and file != "-" else sys.stdin.buffer.read(_MAX_BYTES)
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except OSError as problem:
        raise BadInput(f"{file} cannot be read: {problem.strerror}", "Give a file that has the text.") from None
    except UnicodeDecodeError:
        raise BadInput("the text is neither UTF-8 nor UTF-16", "Save it as UTF-8.") from None


def _carry_out(workspace: Workspace, target: EraseTarget) -> None:
    planned = targets.plan(workspace, target)
    if not confirm_steps(planned.steps, "it is nowhere in the home", planned.kept):
        return
    report, key = erase.erase(workspace, target)
    document = {**plan_json(planned.steps, planned.kept, applied=True), "report": report, "key": key}
    if not emit_json(document):
        click.echo("\n".join(report.lines()))
        if not key:
            say("only a text has a key to verify it by; the report is in erased.jsonl")
    if key and not invocation().json:
        click.echo(f"key       {key}")
        say("the key is kept nowhere; `holdfast erase --verify KEY --file FILE` proves later that FILE was erased")
    if report.left:
        hint = "Close what writes it, then erase it again; files outside the home are yours to change."
        many = len(report.left)
        raise Conflict(f"{count(many, 'file')} still {'holds' if many == 1 else 'hold'} it", hint)


def _verify(workspace: Workspace, key: str, text: str) -> None:
    report, looked = erase.verify(workspace, key, text)
    document = {"erased": report["at"], "files": looked.files, "places": looked.count}
    if not emit_json(document):
        click.echo(f"erased    {report['at']}")
        click.echo(f"searched  {count(looked.files, 'file')}, {count(looked.bytes, 'byte')}")
        click.echo(f"found now {count(looked.count, 'place') if looked.count else 'nothing'}")
    if looked.count:
        raise Conflict("it is in the home again", "Erase it again; it was said again since then.")
