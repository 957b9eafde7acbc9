"""Whose words stand where a person speaks: told by how a text begins, and by the blocks that programs add to it."""

from __future__ import annotations

from holdfast.privacy import fence

OURS = fence.OPEN

# How texts begin that stand where a person speaks but were not typed by one.
COMMAND_STARTS = (
    *("<command-name>", "<command-message>", "<command-args>", "<local-command-stdout>", "<local-command-stderr>"),
    *("<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user_shell_command>"),
)
SUMMARY_STARTS = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
    "<conversation_summary>",
    "<state_snapshot>",
)
INJECTED_STARTS = (
    *("<system-reminder>", "<task-notification>", "<local-command-caveat>", "<user-prompt-submit-hook>"),
    *("<ide_opened_file>", "<ide_selection>", "<ide_diagnostics>", "<teammate-message", "<persisted-output>"),
    *("<environment_context>", "<user_instructions>", "<INSTRUCTIONS>", "<permissions", "<skill>", "<turn_aborted>"),
    *("<collaboration_mode>", "<model_switch>", "<subagent_notification>", "<apps_instructions>", "<plugins_"),
    *("<skills_instructions>", "<personality_spec>", "<multi_agent", "<session_context>", "<qwen:user-prompt-submit"),
    *("# AGENTS.md instructions", "[Request interrupted", "Stop hook feedback:", "Base directory for this skill:"),
    *("Caveat: The messages below were generated", "Warning: apply_patch was requested", "<hook_prompt"),
    *('{"task_id":', "<image>", "<image name=", "</image>"),
)
# Blocks that programs add before or behind what a person typed, in one and the same text.
ADDED = (
    *("system-reminder", "holdfast-memory", "ide_opened_file", "ide_selection", "session_context"),
    "environment_context",
)
# Blocks in which a person's own words stand.
PERSONS = ("user_", "user-query", "user-input", "user-message", "user-memory")
MAX_LEADING = 20
_LONGEST_NAME = 60
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz_-"


def class_of(text: str, usual: str = "human") -> str:
    """Return the role of a text that stands where a person speaks; `usual` where nothing tells otherwise."""
    start = text[:200].lstrip()
    if start.startswith(OURS):
        return "ours"
    if start.startswith(SUMMARY_STARTS):
        return "summary"
    if start.startswith(COMMAND_STARTS):
        return "command"
    return "injected" if start.startswith(INJECTED_STARTS) else usual


def typed(text: str) -> str:
    """Return what the person typed of a text, without the blocks that programs added; nothing where all is theirs."""
    return " ".join([part.strip() for role, part in separated(text) if role == "human"])


def separated(text: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text with their roles, in order: what a person typed apart from what was added to it.

    A text that begins as a program's stays so to its end.
    """
    whole_role = class_of(text, usual)
    if whole_role in ("summary", "command") or ("</" not in text and OURS not in text):
        return [(whole_role, text)] if text.strip() else []
    parts, last, names = [], 0, {*ADDED}
    while found := [(at, name) for name in names if (at := text.find(f"<{name}>", last)) >= 0]:
        start, name = min(found)
        end = text.find(f"</{name}>", start)
        # What is not there any more, or has no end and so is no block, is not looked for again.
        names = {each for _, each in found} - ({name} if end < 0 else set())
        if end >= 0:
            end += len(name) + 3
            parts += [text[last:start], text[start:end]]
            last = end
    return [one for part in [*parts, text[last:]] if part.strip() for one in _behind_blocks(part.strip(), usual)]


def _behind_blocks(part: str, usual: str) -> list[tuple[str, str]]:
    """Return a part with its role; of what a person typed the blocks before it, of any name, apart from it."""
    role = class_of(part, usual)
    found: list[tuple[str, str]] = []
    while role == usual and part[:1] == "<" and len(found) < MAX_LEADING:
        name, closed, _ = part[1:_LONGEST_NAME].partition(">")
        words = name.replace("-", "_").split("_")
        is_name = closed and len(words) > 1 and all(words) and not name.strip(_NAME_LETTERS)
        inner, end, rest = part.partition(f"</{name}>")
        if not is_name or not end or name.startswith(PERSONS):
            break
        found.append(("injected", inner + end))
        part = rest.strip()
    # What is left of a block when another was taken out of it.
    name = part[1:-1].removeprefix("/") if part[:1] == "<" and part[-1:] == ">" else ""
    is_tag = 0 < len(name) <= _LONGEST_NAME and not name.strip(_NAME_LETTERS)
    return [*found, ("injected" if role == usual and is_tag else role, part)] if part else found
