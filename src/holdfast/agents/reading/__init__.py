"""The readers of agents' transcripts: heavy, and loaded only by what reads sessions.

Here is what all of them ask of a text first: who really speaks where a person should, told by how the text begins and
by the blocks that programs add to it. `base` has the contract of a reader and the rest that they share.
"""

from __future__ import annotations

import re

OURS = "<holdfast-memory>"
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
_ADDED = re.compile(
    "<(system-reminder|holdfast-memory|ide_opened_file|ide_selection|session_context|environment_context)>"
)


def class_of(text: str, usual: str = "human") -> str:
    """Return the role of a text that stands where a person speaks; `usual` where nothing tells otherwise."""
    start = text[:120].lstrip()
    if start.startswith(OURS):
        return "ours"
    if start.startswith(SUMMARY_STARTS):
        return "summary"
    if start.startswith(COMMAND_STARTS):
        return "command"
    return "injected" if start.startswith(INJECTED_STARTS) else usual


def separated(text: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text with their roles, in order: what a person typed apart from what was added to it."""
    whole_role = class_of(text, usual)
    if whole_role in ("summary", "command") or ("</" not in text and OURS not in text):
        return [(whole_role, text)] if text.strip() else []
    parts, last, unclosed = [], 0, set()
    for found in _ADDED.finditer(text):
        if found.start() < last or found[1] in unclosed:
            continue
        end = text.find(f"</{found[1]}>", found.end())
        if end < 0:
            # What has no end is not a block, and looking for it again and again would take for ever.
            unclosed.add(found[1])
            continue
        end += len(found[0]) + 1
        parts += [text[last : found.start()], text[found.start() : end]]
        last = end
    return [(class_of(part, usual), part.strip()) for part in [*parts, text[last:]] if part.strip()]
