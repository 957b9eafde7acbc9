"""Every error that Holdfast raises on purpose.

    HoldfastError
      BadInput            2   what was given cannot be used
        BadKey            2   a key outside [a-z0-9-]{1,60}
        BadId             2   a project, session or profile id that cannot be a folder name
        BadSetting        2   an unknown setting, or a value of the wrong kind
        TooLarge          2   a body over the limit
      ScopeUnknown        2   a scope that has no owner here: no project, no session, no profile
      NotFound            3   no memory, project or setting of that name
      Conflict            4   the thing is there already, or changed meanwhile
        BrokenFile        4   a file that cannot be read as a memory, so it is not rewritten
        ChangedMeanwhile  4   it is no longer what the change was based on
      StoreUnavailable    5   the home cannot be read or written
        StoreFull         5   no space left on the device
        StoreBusy         5   another process holds the lock for too long
      Refused             6   a rule says no
        Forgotten         6   the statement was forgotten or corrected, and only the person may bring it back
        SwitchedOff       6   memory is switched off
        NeedsConsent      6   a destructive act without --yes and without a terminal to ask

The number is the exit code; docs/errors.md has a heading for each.
"""

from __future__ import annotations


class HoldfastError(Exception):
    """The root: what went wrong, and in `hint` the way out."""

    exit_code = 1
    http_status = 500

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


class BadInput(HoldfastError):
    """What was given cannot be used; nothing was changed."""

    exit_code = 2
    http_status = 422


class BadKey(BadInput):
    """A key that is not 1 to 60 of a-z, 0-9 and hyphen."""


class BadId(BadInput):
    """A project, session or profile id that is not 1 to 128 of A-Z, a-z, 0-9, dot, underscore and hyphen."""


class BadSetting(BadInput):
    """An unknown setting, or a value of the wrong kind."""


class TooLarge(BadInput):
    """A body over the limit."""

    http_status = 413


class ScopeUnknown(HoldfastError):
    """A scope whose owner is not known here; nothing ever falls into another scope."""

    exit_code = 2
    http_status = 422


class NotFound(HoldfastError):
    """Nothing of that name."""

    exit_code = 3
    http_status = 404


class Conflict(HoldfastError):
    """The thing is there already, or it changed meanwhile."""

    exit_code = 4
    http_status = 409


class BrokenFile(Conflict):
    """A file that cannot be read as a memory; it is left as it is."""


class ChangedMeanwhile(Conflict):
    """It is no longer what the change was based on; nothing was changed."""

    http_status = 412


class StoreUnavailable(HoldfastError):
    """The home cannot be read or written."""

    exit_code = 5
    http_status = 503


class StoreFull(StoreUnavailable):
    """No space left on the device; nothing was half-written."""

    http_status = 507


class StoreBusy(StoreUnavailable):
    """Another process holds the lock for too long."""


class Refused(HoldfastError):
    """A rule says no."""

    exit_code = 6
    http_status = 403


class Forgotten(Refused):
    """The statement was forgotten, and only the person may store it again; or it was corrected, and no import may."""


class SwitchedOff(Refused):
    """Memory is switched off, so nothing is written."""


class NeedsConsent(Refused):
    """A destructive act without --yes and without a terminal to ask."""
