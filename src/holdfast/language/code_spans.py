"""Where a name is defined in a source text, and what stands there: by light rules that hold for most languages.

A definition is a line that says so (`def`, `class`, `fn`, `const` ...), one that opens the body of a function, or one
that sets a value (`name = ...`, `"name": ...`). What belongs to it is told by the indentation, as people and formatters
write it. Text is compared without any white space and without commas that close a list, so that what only a formatter
changed is the same.
"""

from __future__ import annotations

from holdfast.base.text import hash_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Span = tuple[int, int]
MAX_DEFINITIONS = 3
DIGITS = 12
_BEFORE = frozenset(
    (
        *("export", "default", "pub", "async", "static", "public", "private", "protected", "internal", "final"),
        *("abstract", "override", "inline", "extern", "unsafe", "declare", "readonly", "virtual", "constexpr"),
        *("sealed", "partial", "open", "data", "suspend", "local", "lazy", "mut", "ENV", "ARG", "required", "set"),
    )
)
_DEFINING = frozenset(
    (
        *("def", "class", "function", "fn", "func", "fun", "struct", "enum", "trait", "interface", "type", "const"),
        *("let", "var", "val", "module", "mod", "sub", "object", "record", "union", "protocol", "namespace", "typedef"),
        *("#define", "procedure", "macro_rules!", "defmodule", "defp", "defmacro", "defn", "defun", "macro"),
    )
)
# Behind one of these stands no definition, though a name with a parenthesis and a brace may follow.
_STATEMENTS = frozenset(
    (
        *("return", "if", "elif", "else", "while", "for", "switch", "case", "await", "throw", "new", "assert", "yield"),
        *("raise", "del", "not", "print", "in", "and", "or", "when", "match", "with", "catch", "try", "do", "use"),
        *("import", "from", "package", "go", "defer", "echo", "export", "select", "foreach", "unless", "until"),
    )
)
_NAMING = "._:$!?-"
_QUOTES = "\"'`"
_CLOSING = (")", "]", "}", "end", "fi", "done", "esac", "</")
_COMMENTS = ("#", "//", "--", "/*", "*")
# What may stand around a text of several lines, which may have any indentation.
_LONG_QUOTES = ('"""', "'''", "`")
# What a method is written behind in the languages that write its type first.
_TYPES = "_<>[]*&:,~.@? "
_BY_WORD, _BY_BODY, _BY_VALUE = 3, 2, 1


def squeezed(text: str) -> str:
    """Return the text without white space, and without a comma before a bracket that closes."""
    whole = "".join(text.split())
    return whole.replace(",)", ")").replace(",]", "]").replace(",}", "}") if "," in whole else whole


def digest(text: str) -> str:
    """Return what tells whether a text says the same, whatever its white space."""
    return hash_of(squeezed(text), length=DIGITS)


def defined(lines: Sequence[str], name: str, *, alone: bool = False) -> list[Span]:
    """Return the spans (first line, line behind the last) in which the name is defined; empty where that is not plain.

    A name may say in what it stands: `Session.close`, `tool.ruff.line-length`. With `alone` nothing else says that
    it is of this text: a value then counts only outside of everything, and under no name that is a plain word.
    """
    outer, _, own = name.replace("::", ".").replace("#", ".").rpartition(".")
    if not outer:
        return _plain(lines, own, alone=alone) or ([] if alone else _section(lines, own))
    found: list[Span] = []
    for start, end in defined(lines, outer):
        found += [(start + 1 + first, start + 1 + last) for first, last in _plain(lines[start + 1 : end], own)]
    return (found if len(found) <= MAX_DEFINITIONS else []) or _section(lines, name)


def _section(lines: Sequence[str], name: str) -> list[Span]:
    """Return the sections of settings under the heading `[name]`, and under those within it, as `[name.more]`."""
    heads = [place for place, line in enumerate(lines) if line.startswith("[")]
    found: list[Span] = []
    for place, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        head = lines[place].strip("[ ").partition("]")[0].replace('"', "").strip()
        if head == name or head.startswith(f"{name}."):
            found.append((place, end))
    return found


def _plain(lines: Sequence[str], name: str, *, alone: bool = False) -> list[Span]:
    found = [
        (rank, indentation(line), place)
        for place, line in enumerate(lines)
        if name in line and (rank := _rank(line, name, lines[place + 1] if place + 1 < len(lines) else ""))
    ]
    best = max([rank for rank, _, _ in found], default=0)
    found = [one for one in found if one[0] == best]
    if best == _BY_VALUE:
        # Inside of functions the same name is any local's.
        least = min(indent for _, indent, _ in found)
        is_word = name.isalpha() and name.islower()
        found = [] if alone and (least or is_word) else [one for one in found if one[1] == least]
    return [span_at(lines, place) for _, _, place in found] if len(found) <= MAX_DEFINITIONS else []


def _rank(line: str, name: str, following: str) -> int:
    """Return how a line defines the name: by a word, by the body that it opens, by a value; 0 where it does not."""
    rest = line.strip()
    if rest.startswith(_COMMENTS) and not rest.startswith("#define"):
        return 0
    rest = rest[2:].lstrip() if rest.startswith("- ") else rest
    said = False
    while True:
        word, _, more = rest.partition(" ")
        bare = word.partition("(")[0].rstrip("*")
        if (bare not in _BEFORE and bare not in _DEFINING) or (
            bare == name and (said or more[:1] in "=:{" or "(" in word)
        ):
            break
        said = said or bare in _DEFINING
        rest = more.lstrip(" *&")
        if said and rest.startswith("("):
            # In Go the receiver stands before the name of a method.
            rest = rest.partition(")")[2].lstrip()
    token, behind = _token(rest)
    is_it = token == name or (token.endswith(name) and token[-len(name) - 1] in ".:$")
    if said and is_it:
        return _BY_WORD
    if is_it and behind[:1] in ("=", ":", "?") and not behind.startswith(("==", "::", "?.")):
        return _BY_VALUE
    return _BY_BODY if _opens_body(line.strip(), name, following) else 0


def _token(text: str) -> tuple[str, str]:
    """Return the name at the head of a text, without its quotes, and what stands behind it."""
    if text[:1] in _QUOTES and text[:1]:
        token, _, behind = text[1:].partition(text[0])
        return token, behind.lstrip()
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] in _NAMING):
        # A colon or a dot at the end of a name is none of it.
        if text[end] in ":.?!" and not (text[end + 1 : end + 2].isalnum() or text[end + 1 : end + 2] in (":", "_")):
            break
        end += 1
    return text[:end], text[end:].lstrip()


def _opens_body(line: str, name: str, following: str) -> bool:
    """Whether the line is the head of a function without a word for it: `public int name(...) {`, `name() {`."""
    before, mark, behind = line.partition(f"{name}(")
    if not mark or line.endswith((";", ",")) or before.split(" ", 1)[0] in _STATEMENTS:
        return False
    if not all(letter.isalnum() or letter in _TYPES for letter in before) or (before and before[-1] not in " *&:.~"):
        return False
    if before.endswith(".") or behind.endswith((") =>", "=> {")):
        return False
    return line.endswith("{") or following.strip() == "{" or following.strip().startswith(("throws ", ": "))


def span_at(lines: Sequence[str], place: int) -> Span:
    """Return the span of the definition on a line: what is above it as `@...`, and its body by the indentation."""
    indent, first, last = indentation(lines[place]), place, place
    while (above := _decoration(lines, first, indent)) < first:
        first = above
    quoted = _leaves_open(lines[place], "")
    is_list = lines[place].rstrip().endswith(":")
    for at in range(place + 1, len(lines)):
        line = lines[at]
        stripped = line.strip()
        if quoted:
            quoted, last = _leaves_open(line, quoted), at
            continue
        if not stripped:
            continue
        here = indentation(line)
        goes_on = here > indent or (is_list and here == indent and stripped.startswith("- "))
        if not goes_on:
            if stripped.startswith(("#", "//")) and here < indent + 1 and not stripped.startswith("#["):
                # A comment or a directive at the margin: whether it is inside, what follows tells.
                continue
            if here == indent and (stripped.startswith(_CLOSING) or stripped == "{"):
                last = at
                if stripped.endswith((":", "{", "(", "[")):
                    continue
            break
        last, quoted = at, _leaves_open(line, "")
    return first, last + 1


def _decoration(lines: Sequence[str], first: int, indent: int) -> int:
    """Return the line on which the `@...` or `#[...]` begins that ends above a line; that line where none does."""
    at = first - 1
    if at < 0 or indentation(lines[at]) != indent or not lines[at].strip():
        return first
    if lines[at].lstrip()[0] in ")]":
        at -= 1
        while at > 0 and (indentation(lines[at]) > indent or not lines[at].strip()):
            at -= 1
    return at if lines[at].lstrip().startswith(("@", "#[")) and indentation(lines[at]) == indent else first


def _leaves_open(line: str, quoted: str) -> str:
    """Return the long quotation mark that is open behind the line; `quoted` is the one that was open before it."""
    for mark in (quoted,) if quoted else _LONG_QUOTES:
        if line.count(mark) % 2:
            return "" if quoted else mark
    return quoted


def indentation(line: str) -> int:
    """Return how far the line stands from the margin."""
    return len(line) - len(line.lstrip())


def digest_of_lines(text: str) -> tuple[str, int]:
    """Return the digest of some lines, and how many characters they have that are no white space."""
    bare = "".join(text.split())
    return hash_of(bare, length=DIGITS), len(bare)


def found_again(text: str, wanted: str, length: int) -> bool:
    """Whether whole lines with this digest and length stand anywhere in the text."""
    whole, ends = "".join(text.split()), [0]
    for line in text.split("\n"):
        ends.append(ends[-1] + len("".join(line.split())))
    is_end = frozenset(ends)
    starts = [at for at in is_end if at + length in is_end]
    return any(hash_of(whole[at : at + length], length=DIGITS) == wanted for at in starts)
