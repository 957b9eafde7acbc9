"""Who really speaks where a person should: told by how a text begins, and by the blocks that programs add to it.

It is the light part of what the readers of transcripts ask (`agents/reading`), for the hooks.
"""

from __future__ import annotations

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
_NOT_TYPED = (*COMMAND_STARTS, *SUMMARY_STARTS, *INJECTED_STARTS)


def typed(text: str) -> str:
    """Return what the person typed of a text, without the blocks that programs added; nothing where all is theirs."""
    if "</" in text:
        for name in ADDED:
            text = _without(text, f"<{name}>", f"</{name}>")
        text = _behind_blocks(text)
    return "" if text[:200].lstrip().startswith(_NOT_TYPED) else text.strip()


def _behind_blocks(text: str) -> str:
    """Return what stands behind the blocks before it, whatever a program calls them in this version."""
    for _ in range(MAX_LEADING):
        start = text.lstrip()
        name = start[1:_LONGEST_NAME].partition(">")[0] if start[:1] == "<" else ""
        is_block = ("-" in name or "_" in name) and name.replace("-", "").replace("_", "").isalpha()
        if not is_block or not name.islower() or name.startswith(PERSONS) or f"</{name}>" not in start:
            return text
        text = start.partition(f"</{name}>")[2]
    return text


def _without(text: str, opening: str, closing: str) -> str:
    pieces, last = [], 0
    start = text.find(opening)
    while start >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        pieces.append(text[last:start])
        last = end + len(closing)
        start = text.find(opening, last)
    return "".join([*pieces, text[last:]]) if last else text
