"""Settings: show them with where each value comes from, and change them in config.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import MutableMapping

import tomlkit
from tomlkit.exceptions import TOMLKitError

from holdfast import settings as table
from holdfast.actions.house import House
from holdfast.errors import NotFound, Refused
from holdfast.light import dataclass
from holdfast.settings import Setting, Value
from holdfast.store import files


@dataclass(frozen=True, slots=True)
class Shown:
    """One setting as it is in force."""

    name: str
    value: Value
    default: Value
    origin: str
    help: str


def show_all(house: House) -> list[Shown]:
    """Return every setting, and the domain of each project that has one."""
    domains = [_shown_domain(house, table.DOMAINS + project) for project in sorted(house.settings.domains)]
    return [*(_shown(house, setting) for setting in table.SETTINGS), *domains]


def show(house: House, name: str) -> Shown:
    """Return one setting, or as `domains.PROJECT` the domain of a project."""
    if name.startswith(table.DOMAINS):
        return _shown_domain(house, name)
    if name not in table.BY_NAME:
        raise NotFound(f"there is no setting {name!r}", table.nearest(name))
    return _shown(house, table.BY_NAME[name])


def change(house: House, name: str, text: str | None) -> Shown:
    """Set the value in config.toml, or take it out where the text is None; every other byte of the file stays."""
    value = _value(name, text)
    path = os.path.join(house.home, "config.toml")
    if not house.enabled and name != "enabled":
        raise Refused("memory is switched off, so nothing is written", "First: holdfast config set enabled true")
    before = files.read_if_there(path)
    after = _changed(before.decode("utf-8"), name, value).encode("utf-8")
    if after != before:
        files.make_folder(house.home)
        files.write(path, after)
    house.settings = table.load(house.home, house.environment)
    return show(house, name)


def _value(name: str, text: str | None) -> Value | None:
    if name.startswith(table.DOMAINS):
        return None if text is None else table.domain(name, text, "config set")
    table.known(name, "config")
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


def _shown_domain(house: House, name: str) -> Shown:
    domain = house.settings.domains.get(name.removeprefix(table.DOMAINS), "")
    return Shown(name, domain, "", house.settings.origin.get(name, "default"), "The domain that this project is in.")


def _shown(house: House, setting: Setting) -> Shown:
    return Shown(
        setting.name,
        house.settings[setting.name],
        setting.default,
        house.settings.origin[setting.name],
        setting.help,
    )
