"""What a command line does, as far as the names of its commands say: it looks, it runs tests, or it keeps the work.

This is no shell. A wrong guess costs a work item that is opened a little later, nothing more; the digest of a session
knows better afterwards. The names are data (`work_words/tools.txt`).
"""

from __future__ import annotations

from holdfast.base.minijson import loads
from holdfast.learning.work import text as work_text


def is_kind(command: str, kind: str) -> bool:
    """Whether a line has a command of that list: `tests`, `commits` or `look`."""
    return any(_begins(part, work_text.words("tools", kind)) for part in parts(command))


def _begins(part: str, entries: list[str]) -> bool:
    return any(part == entry or part.startswith(f"{entry} ") for entry in entries)


def parts(command: str) -> list[str]:
    """Return the commands of a line without what stands before them; quotes are not understood."""
    for sign in ("&&", "||", ";", "|", "\n"):
        command = command.replace(sign, "\0")
    wrappers = work_text.words("tools", "wrappers")
    found = []
    for part in command.split("\0"):
        spoken = part.split()
        while spoken and (spoken[0] in wrappers or "=" in spoken[0] or spoken[0].isdigit()):
            spoken.pop(0)
        spoken = _carried(spoken)
        if spoken:
            name = spoken[0] if spoken[0].startswith("./") else spoken[0].rpartition("/")[2]
            found.append(" ".join([name, *spoken[1:]]))
    return found


def _carried(spoken: list[str]) -> list[str]:
    """Return the words of the command that a shell is given to run; of any other line all of them."""
    is_shell = len(spoken) > 2 and spoken[0].rpartition("/")[2] in work_text.words("tools", "shells")
    if not is_shell or spoken[1][:1] != "-" or "c" not in spoken[1]:
        return spoken
    return " ".join(spoken[2:]).strip("'\"").split()


def only_looks(command: str) -> bool:
    """Whether a command line changes nothing, as far as its names say."""
    return ">" not in command and all(_begins(part, work_text.words("tools", "look")) for part in parts(command))


def subject_of(command: str) -> str:
    """Return the subject that a command line gives to a commit."""
    for sign in ("-m ", "-am ", "--message=", "--message "):
        rest = command.partition(f" {sign}")[2].strip()
        if rest:
            quote = rest[0] if rest[0] in "'\"" else ""
            return (rest[1:].partition(quote)[0] if quote else rest.split()[0]).split("\n")[0]
    return "a commit"


def runs(tool: str) -> bool:
    """Whether a tool of that name runs commands."""
    return _bare(tool) in {_bare(one) for one in work_text.words("tools", "shell")}


def spawned(tool: str, given: str) -> str:
    """Return which agent a call sets to work, nothing where it sets none."""
    if _bare(tool) not in {_bare(one) for one in work_text.words("tools", "spawn")}:
        return ""
    try:
        value = loads(given)
    except ValueError:
        value = None
    told = value if isinstance(value, dict) else {}
    kinds = [told[key] for key in work_text.words("tools", "kind") if isinstance(told.get(key), str) and told[key]]
    return str(kinds[0]) if kinds else tool


def _bare(name: str) -> str:
    last = name.replace(".", "__").rpartition("__")[2]
    return last.lower().replace("_", "").replace("-", "").replace(" ", "")
