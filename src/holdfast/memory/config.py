"""Settings: show them with where each value comes from, and change them in config.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import MutableMapping
from dataclasses import dataclass

import tomlkit
from tomlkit.exceptions import TOMLKitError

from holdfast import settings as table
from holdfast.base import files
from holdfast.errors import NotFound, Refused
from holdfast.privacy import redact
from holdfast.project.ids import check_id
from holdfast.settings import Setting, Value
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One setting as it is in force."""

    name: str
    value: Value
    default: Value
    origin: str
    help: str


def show_all(workspace: Workspace) -> list[ShownSetting]:
    """Return every setting, and the domain of each project that has one."""
    domains = [_shown_domain(workspace, table.DOMAINS + project) for project in sorted(workspace.settings.domains)]
    return [*(_shown(workspace, setting) for setting in table.SETTINGS), *domains]


def show(workspace: Workspace, name: str) -> ShownSetting:
    """Return one setting, or as `domains.PROJECT` the domain of a project."""
    if name.startswith(table.DOMAINS):
        return _shown_domain(workspace, name)
    if name not in table.BY_NAME:
        raise NotFound(f"there is no setting {name!r}", table.nearest(name))
    return _shown(workspace, table.BY_NAME[name])


def change(workspace: Workspace, name: str, text: str | None) -> ShownSetting:
    """Set the value in config.toml, or take it out where the text is None; every other byte of the file stays."""
    value = _value(name, text)
    if name in table.GUARDS:
        workspace.need_person(f"sets {name}")
    if text is not None and (kinds := redact.redact(f"{name} = {text}")[1] or redact.redact(text)[1]):
        hint = "Settings are kept as plain text. Name the variable or the file that has it instead."
        raise Refused(f"the value looks like a secret ({', '.join(kinds)}) and is not kept", hint)
    path = os.path.join(workspace.home, "config.toml")
    if not workspace.enabled and name != "enabled":
        raise Refused("memory is switched off, so nothing is written", "First: holdfast config set enabled true")
    before = files.read_if_there(path)
    after = _changed(before.decode("utf-8"), name, value).encode("utf-8")
    if after != before:
        files.make_folder(workspace.home)
        files.write(path, after)
    workspace.settings = table.load(workspace.home, workspace.environment)
    return show(workspace, name)


def _value(name: str, text: str | None) -> Value | None:
    if name.startswith(table.DOMAINS):
        return None if text is None else table.domain(name, text, "config set")
    table.known(name, "config")
    if name == "project.id" and text:
        check_id(text, name)
    return None if text is None else table.parse(name, text, "config set")


def _changed(text: str, name: str, value: Value | None) -> str:
    """Return the text of config.toml with the value in it, or without it; what would not read back is refused."""
    try:
        document = tomlkit.parse(text)
        _put(document, name, value)
        after = tomlkit.dumps(document)
        if table.flat(tomllib.loads(after)).get(name) == value:
            return after
    except (TOMLKitError, tomllib.TOMLDecodeError, TypeError):
        pass
    raise Refused(f"{name} cannot be put into config.toml as it is written", "Change it in an editor.")


def _put(document: tomlkit.TOMLDocument, name: str, value: Value | None) -> None:
    # A project, which has a line of its own in [domains], may have dots in its name.
    section, dot, leaf = name.partition(".")
    place: MutableMapping[str, object] = document
    if not dot:
        leaf = name
    else:
        if section not in document:
            if value is None:
                return
            document[section] = tomlkit.table()
        place = document[section]
    if value is None:
        place.pop(leaf, None)
    else:
        place[leaf] = value


def _shown_domain(workspace: Workspace, name: str) -> ShownSetting:
    domain = workspace.settings.domains.get(name.removeprefix(table.DOMAINS), "")
    origin = workspace.settings.origin.get(name, "default")
    return ShownSetting(name, domain, "", origin, "The domain that this project is in.")


def _shown(workspace: Workspace, setting: Setting) -> ShownSetting:
    name, settings = setting.name, workspace.settings
    return ShownSetting(name, settings[name], setting.default, settings.origin[name], setting.help)
