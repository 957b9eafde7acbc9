"""Whose words stand where a person speaks: the person's, or a program's. Hooks and transcripts ask here alike.

Agents put notices, outputs, files and the words of other agents where a person speaks, and whoever writes a file, a web
page or a branch name writes some of that. So no tag found in a text decides, but how the text is built:

- A text that begins as a program's stays so to its end. What stands behind a closing tag may be written by whoever
  wrote what stands before it.
- A text that begins as the person's is theirs, but for what they pasted or a program added: all from a tag to the last
  end of that tag is data. All to the end of the text is, from the line with which an agent begins the files that it
  adds, and from a control tag that is never closed: whoever wrote what follows could write an end, too.
- An agent that frames the person's words says how, and its adapter names the frame: a line before them, a tag around
  them, a block before them. Where the frame could be forged by what stands in it, all is data.

In doubt it is data. Every function here takes a time that grows with the length of the text and not faster.
"""

from __future__ import annotations

from holdfast.base.text import is_hidden
from holdfast.privacy import fence

OURS = fence.OPEN
# Our fence as an agent shows it that writes what hooks print as HTML.
_ESCAPED = OURS.replace("<", "&lt;").replace(">", "&gt;")

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
    *("# AGENTS.md instructions", "[Request interrupted", "Stop hook feedback:", "Base directory for this skill:"),
    *("Caveat: The messages below were generated", "Warning: apply_patch was requested", '{"task_id":', "</image>"),
    *("[SYSTEM NOTIFICATION", "[MESSAGE FROM NON-USER SOURCE", "[TALK FROM A VOICE CALL", "[Image: source:"),
    *("--- CONTEXT ENTRY BEGIN ---", "[Image: original", "Here is the user's editor context"),
    *("Here is a summary of changes in the user's editor context",),
    *("PreToolUse:", "PostToolUse:", "SessionStart:", "PreToolUse hook", "PostToolUse hook", "SessionStart hook"),
    *("UserPromptSubmit hook", "User has answered your questions", "The user wants to clarify these questions"),
)
# How a notice without a tag begins, and what its first sentence says of a file or of the person.
_NOTED = ("note: ", "warning: ", "reminder: ", "[note] ", "system: ")
_CHANGED = (" was ", " were ", " has been ", " have been ", " is being ")
_BY = (
    *("by the user", "by a linter", "by the linter", "by a formatter"),
    *("by another program", "by another process", "by another agent"),
)
_OF_USER = (
    *(
        "opened the file",
        "opened a file",
        "selected the lines",
        "selected lines",
        "selected the following",
        "sent a new",
    ),
    *("sent a message", "sent the following", "interrupted the", "has interrupted", "rejected the", "has rejected"),
    *("denied the", "has denied", "approved the", "has approved", "named this session", "doesn't want to proceed"),
    *("did not approve", "indicated that they", "has requested", "asked you to", "has asked you", "wants you to"),
)
# Behind it stands to the end of the message what the agent read because the person named it with an @.
REFERENCED = "--- Content from referenced files ---"
# So begins what an agent adds to a plan that the person approved, to the end of the message.
_BEHIND_A_PLAN = "If you need specific details from before exiting plan mode"
# Tags of programs whose names could be a person's own. One with a hyphen, an underscore or a colon is a machine's.
PROGRAM_TAGS = frozenset(
    (
        *("channel", "context", "goal", "hook", "image", "instructions", "memory", "notification", "permissions"),
        *("reminder", "skill", "system", "tick"),
    )
)
# Tags of pages, with which a message may begin that a person pasted one into.
PAGE_TAGS = frozenset(
    (
        *("a", "abbr", "article", "aside", "audio", "b", "blockquote", "body", "br", "button", "canvas", "caption"),
        *("cite", "code", "col", "colgroup", "dd", "del", "details", "dialog", "div", "dl", "dt", "em", "embed"),
        *("fieldset", "figcaption", "figure", "footer", "form", "g", "h1", "h2", "h3", "h4", "h5", "h6", "head"),
        *("header", "hr", "html", "i", "iframe", "img", "input", "ins", "kbd", "label", "legend", "li", "link"),
        *("main", "mark", "meta", "nav", "noscript", "object", "ol", "optgroup", "option", "p", "path", "picture"),
        *("pre", "q", "rect", "s", "samp", "script", "section", "select", "small", "source", "span", "strong"),
        *("style", "sub", "sup", "svg", "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead"),
        *("time", "title", "tr", "u", "ul", "var", "video"),
    )
)
_LONGEST_NAME = 60
_MAX_TAG = 200
_MAX_BLOCKS = 20
_MAX_SAID = 300
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAME_LETTERS = _LETTERS + "0123456789_-:."
_ENDS_NAME = "> /\n\t\r"
# What may stand before the beginning of a text and is not seen: spaces, control characters, joiners and marks.
_BLANK = "".join(
    [
        *[chr(code) for code in (*range(0x21), *range(0x7F, 0xA1), 0xAD, 0x34F, 0x61C, 0x1680, 0x180E, 0x3000, 0xFEFF)],
        *[
            chr(code)
            for code in (*range(0x2000, 0x2010), *range(0x2028, 0x2030), *range(0x205F, 0x2070), 0x2800, 0xFFFC)
        ],
        *map(chr, range(0x300, 0x370)),
    ]
)


def class_of(text: str, usual: str = "human") -> str:
    """Return the role of a text that stands where a person speaks; `usual` where nothing tells otherwise."""
    start = _in_brackets(_seen(text))
    if start.startswith(OURS):
        return "ours"
    if start.startswith(SUMMARY_STARTS):
        return "summary"
    if start.startswith(COMMAND_STARTS):
        return "command"
    is_added = start.startswith((*INJECTED_STARTS, REFERENCED)) or _reports(start)
    if is_added or _begins_with_program_tag(start) or _wraps_control(start):
        return _data(text)
    return usual


def _seen(text: str) -> str:
    """Return a text from the first character on that anybody sees."""
    at = 0
    while at < len(text) and (text[at] in _BLANK or is_hidden(text[at], 0)):
        at += 1
    return text[at:]


def _reports(start: str) -> bool:
    """Whether the first sentence tells an agent what the user or a program did: the person would say "I"."""
    told = start[:_MAX_SAID].lower().replace("\n", " \n")
    for sign in (". ", ".\n", " \n", ": \n"):
        told = told.partition(sign)[0] + " "
    if "?" in told or not ("the user" in told or any(by in told for by in _BY)):
        return False
    for note in _NOTED:
        told = told.removeprefix(note)
    by = min([place for place in map(told.find, _BY) if place >= 0], default=-1)
    is_changed = by > 0 and any(verb in told[:by] for verb in _CHANGED)
    is_done = told.startswith("the user ") and told.removeprefix("the user ").startswith(_OF_USER)
    return is_changed or is_done


def _wraps_control(start: str) -> bool:
    """Whether a text begins with tags of a page, comments or declarations, and a control tag right behind them."""
    for _ in range(_MAX_BLOCKS):
        is_page = start[:2] in ("<!", "<?") or _tag(start, 1 + start.startswith("</")) in PAGE_TAGS
        end = start.find("-->" if start.startswith("<!--") else ">", 0, 10 * _MAX_TAG) if is_page else -1
        if start[:1] != "<" or end < 0:
            return False
        start = _seen(start[end:].lstrip("->"))
        if start[:1] == "<" and fence.is_control(start[1:]):
            return True
    return False


def _in_brackets(start: str) -> str:
    """Return a text with the bracket that it begins with, and the end of that tag, however they are written."""
    if start[:1] == "<" or not start or start[0] not in fence.BRACKETS_OTHERWISE:
        return start
    head = fence.with_brackets(start[:_MAX_TAG])
    return head + start[_MAX_TAG:] if head[:1] == "<" else start


def typed(text: str) -> str:
    """Return what the person typed of a text, without what is data in it; nothing where all is a program's."""
    return words_in(separated(text))


def words_in(parts: list[tuple[str, str]]) -> str:
    """Return what the person typed of a text that was parted."""
    return apart(parts)[0]


def apart(parts: list[tuple[str, str]]) -> tuple[str, str]:
    """Return what the person typed of a text that was parted, and what is data in it."""
    typed = [part for role, part in parts if role == "human"]
    return " ".join(typed), " ".join([part for role, part in parts if role != "human"])


def separated(text: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text with their roles, in order: what a person typed apart from what is data in it."""
    role = class_of(text, usual)
    if role != usual:
        return _told([(role, text)])
    text, mark, added = text.partition(REFERENCED if REFERENCED in text else _BEHIND_A_PLAN)
    parts: list[tuple[str, str]] = []
    last, ends, at = 0, _last_ends(text), text.find("<")
    while at >= 0:
        name = _tag(text, at + 1)
        end = ends.get(name, 0) if name else 0
        if name and end <= at and _is_programs(name) and _stands_alone(text, at):
            end = len(text)
        if end > at:
            parts += [(usual, text[last:at]), (_data(text[at:end]), text[at:end])]
            last = end
        at = text.find("<", max(at + 1, last))
    return _told([*parts, (usual, text[last:]), (_data(added), mark + added)])


def behind_line(text: str, line: str, starts: tuple[str, ...], usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text in which a program wrote this line between what it added and the person's words.

    Such a text begins in one of these ways. Where the line stands in it twice, one is forged, and nobody knows which.
    """
    before, *behind = f"\n{text}".split(f"\n{line}")
    is_framed = _seen(text).startswith(starts)
    if class_of(text, usual) != usual or not (behind or is_framed):
        return separated(text, usual)
    if len(behind) != 1 or not (is_framed or all(role == usual for role, _ in separated(before, usual))):
        return _told([(_data(text), text)])
    return _told([(_data(before), before)]) + separated(behind[0], usual)


def within(text: str, tag: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text in which the person's words stand in this tag, with added ones before and behind.

    The person may have typed the tag, too, but only where nothing is before theirs can it be told from a forged one.
    """
    first, last = f"<{tag}>", f"</{tag}>"
    if first not in text and last not in text:
        return separated(text, usual)
    before, _, rest = text.partition(first)
    inner, _, after = rest.rpartition(last)
    pieces = inner.split(last)
    depth = 0
    for piece in pieces[:-1]:
        depth += piece.count(first) - 1
        if depth < 0:
            break
    is_nested = depth >= 0 and depth + pieces[-1].count(first) == 0
    is_first = not before.strip() or (len(pieces) == 1 and first not in inner)
    if last not in rest or not is_nested or not is_first or first in after or _closes_what_it_did_not_open(after):
        return _told([(_data(text), text)])
    added = [(_data(part), part) for part in (before, after)]
    return _told(added[:1]) + separated(inner, usual) + _told(added[1:])


def behind_block(text: str, tag: str, usual: str = "human") -> list[tuple[str, str]]:
    """Return the parts of a text that begins with blocks of this tag, in which the agent writes no `<` as it is."""
    first, last = f"<{tag}>", f"</{tag}>"
    parts: list[tuple[str, str]] = []
    while _seen(text).startswith(first):
        block, end, rest = text.partition(last)
        if not end or block.count("<") != 1 or len(parts) >= _MAX_BLOCKS:
            return _told([*parts, (_data(text), text)])
        parts.append((_data(block), block + end))
        text = rest
    # The agent writes its blocks before the words. A tag behind them shows that it wrote a bracket as it is after all.
    is_forged = bool(parts) and (first in text or last in text)
    return _told(parts) + ([(_data(text), text)] if is_forged else separated(text, usual))


def _told(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(role, part.strip()) for role, part in parts if part.strip()]


def _data(text: str) -> str:
    """Return the role of a text that is no person's: ours where it has in it what we handed over."""
    return "ours" if OURS in text or _ESCAPED in text else "injected"


def _begins_with_program_tag(start: str) -> bool:
    """Whether a text begins with a tag as no person would; one that is neither known nor closed is said."""
    written = _tag(start, 1, lower=False) if start[:1] == "<" else ""
    name = written.lower()
    # Other letters or spaces in the name of a control tag make it no person's.
    if start[:1] == "<" and not name:
        return fence.is_control(start[1:])
    if not name or name in PAGE_TAGS:
        return False
    if _is_programs(name):
        return True
    # A component of a page is written like a name.
    is_component = written[0].isupper() and not written.isupper()
    return not is_component and name in _last_ends(start)


def _is_programs(name: str) -> bool:
    return name in PROGRAM_TAGS or any(sign in name for sign in "-_:")


def _stands_alone(text: str, at: int) -> bool:
    """Whether a tag is more than a word of a sentence: one that is spoken of has the end of that sentence behind it."""
    before = text[max(0, at - _LONGEST_NAME) : at].rpartition("\n")
    if (before[1] or at <= _LONGEST_NAME) and not before[2].strip(_BLANK):
        return True
    words = _tag(text, at + 1).replace("_", "-").replace(":", "-").split("-")
    if PROGRAM_TAGS.isdisjoint(words) and not fence.is_control(text[at + 1 : at + _MAX_TAG]):
        # Something to be filled in, as in "resume <session-id>", has a name that no agent writes.
        return False
    end = text.find(">", at, at + _MAX_TAG) + 1
    if not end:
        return False
    rest = text[end : end + _MAX_SAID].strip(_BLANK)
    if text[end : end + 1].isalnum() or text[end : end + _LONGEST_NAME].lstrip(" \t\r")[:1] == "\n":
        return True
    is_more = "\n" in rest or rest[:1].isupper() or any(f"{sign} " in rest for sign in ".!?:;")
    return is_more or len(text) - end > _MAX_SAID


def _closes_what_it_did_not_open(after: str) -> bool:
    """Whether the words before this text stand within a block, so that they are of whoever filled that."""
    opened, at = set(), after.find("<")
    while at >= 0:
        closed = _tag(after, at + 2) if after.startswith("</", at) else ""
        if closed and closed not in opened:
            return True
        opened.add(_tag(after, at + 1))
        at = after.find("<", at + 1)
    return False


def _tag(text: str, at: int, *, lower: bool = True) -> str:
    """Return the name of the tag whose bracket stands before this place; nothing where there is none."""
    if text[at : at + 1] not in _LETTERS:
        return ""
    piece = text[at : at + _LONGEST_NAME + 1]
    name = piece[: len(piece) - len(piece.lstrip(_NAME_LETTERS))]
    # A colon at the end is that of an address, as in `<https://example.org>`.
    if not name or name[-1] == ":" or piece[len(name) : len(name) + 1] not in _ENDS_NAME:
        return ""
    return name.lower() if lower else name


def _last_ends(text: str) -> dict[str, int]:
    """Return where the last closing tag of each name ends."""
    ends: dict[str, int] = {}
    at = text.find("</")
    while at >= 0:
        name = _tag(text, at + 2)
        if name:
            end = at + 2 + len(name)
            ends[name] = text.find(">", end, end + _LONGEST_NAME) + 1 or end
        at = text.find("</", at + 2)
    return ends
