"""How the config files of agents call this installation, and how such a line is known again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.language.tools import KINDS

HOOK_PROGRAM, HOOK_FILE = "holdfast-hook", "holdfast/surfaces/hook/run.py"
# The characters of a word that no shell treats specially.
_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,"


@dataclass(frozen=True, slots=True)
class Launcher:
    """How the config files of agents call this installation.

    The plain form starts Python itself without its site packages, which is the fastest; `portable` writes the names
    of our programs instead, for files that several people share. `home` is set where it is not the usual one. `guards`:
    all calls of tools are judged before they run, where the agent can be told to leave one. `rules`: hooks stand around
    the calls that run commands and change files, and around those of `tools` that some rule names besides.
    """

    python: str
    runner: str
    program: tuple[str, ...]
    home: str = ""
    portable: bool = False
    guards: bool = False
    rules: bool = False
    tools: tuple[str, ...] = ()

    def hook(self, agent: str, native: str) -> list[str]:
        """Return the words that run the hook for one of the agent's events."""
        start = [HOOK_PROGRAM] if self.portable else [self.python, "-I", "-S", "-E", self.runner]
        return [*start, native, "--agent", agent, *(["--home", self.home] if self.home else [])]

    def hook_line(self, agent: str, native: str) -> str:
        """Return the same as one line for a POSIX shell."""
        return shell_line(self.hook(agent, native))

    def bound(self, acting: str, looking: Mapping[str, str]) -> str:
        """Return the tools to which hooks around a call are bound: those that act, and those that a rule names.

        `looking` are those that do not act, by their kind; what is no kind is an agent's own name, maybe with stars.
        """
        named = [looking.get(one.casefold(), "" if one.casefold() in KINDS else one) for one in self.tools]
        every = [one for names in (acting, *named) for one in names.split("|")]
        # Anything else is not the name of a tool, and would be read as a pattern.
        return "|".join(dict.fromkeys(one.replace("*", ".*") for one in every if one.replace("*", "").isidentifier()))

    def mcp(self, agent: str) -> list[str]:
        """Return the words that start the MCP server."""
        start = ["holdfast"] if self.portable else list(self.program)
        return [*start, *(["--home", self.home] if self.home else []), "mcp", "--agent", agent]


def shell_line(words: list[str]) -> str:
    """Return the words as one line that a POSIX shell reads back as exactly these words."""
    return " ".join(
        word if word and not word.strip(_PLAIN) else "'" + word.replace("'", "'\\''") + "'" for word in words
    )


def is_hook_of(agent: str, text: object) -> bool:
    """Whether the text is a command line of ours for that agent; this is the tag by which ours are found again."""
    if not isinstance(text, str) or not (HOOK_FILE in text or HOOK_PROGRAM in text):
        return False
    return f" --agent {agent}" in text and text.partition(f" --agent {agent}")[2][:1] in ("", " ")
