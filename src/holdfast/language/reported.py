"""Whether a sentence of a message stands in what somebody else wrote: a mail, a log, notes, a text to translate.

It is told by what stands before and around the sentence. In doubt the words are another's: a person who is not heard
asks again, but what a stranger wrote must not become the person's own rule. Only messages of several lines and
sentences that ask to keep something are looked at, so nothing here has to be fast, but a prompt hook calls it and
nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.sentences import is_pasted, sentences
from holdfast.language.word_lists import lists

_FOLDER = __file__.rpartition("/")[0] + "/request_words"
_BULLETS = ("- ", "* ", "• ", "+ ", "– ")
_SIGNS = " \t-*•+–#_\"'([)].,;!?"
_PASTE = "[pasted "
# A verb that takes a text is among the first words of its sentence, behind "can you please".
_FIRST = 5
_MAX_NAME = 2
_MAX_INTRODUCTION = 8
_MAX_SOURCE = 4
# A name in a chat has so many words, and what a person says below another's text.
_MAX_CHATTER = 3
_MAX_LAST = 15
# What is longer is a document from there on.
_MAX_SOUGHT = 40_000
_HALVES = ("am", "pm", "uhr")
# A paragraph of fewer sentences is not told from talk.
_MIN_PROSE = 4


def is_reported(text: str, sentence: str, statement: str) -> bool:
    """Whether a sentence of a text, which asks to keep this statement, is in the words of somebody else."""
    at = max(0, text.find(sentence))
    behind = sentence.find(statement)
    before = sentence[: behind if behind > 0 else len(sentence)]
    head = text[:at] + before
    above = head.split("\n")
    return (
        _PASTE in head.lower()
        or not all(_is_own_lead(part) for part in _before_colons(before))
        or _is_introduced(above)
        or _is_announced(above)
        or _is_in_a_letter(text, above)
        or _is_below_fields(above)
        or _has_a_speaker(above[-1])
        or _is_among_printed(text, len(above) - 1)
        or _is_in_prose(text, at, sentence)
    )


def own_part(text: str) -> str:
    """Return a message up to where somebody else speaks: in a mail, a chat, a letter, or behind "Jo wrote:"."""
    lines = text[:_MAX_SOUGHT].split("\n")
    above, passed = "", 0
    for at, line in enumerate(lines) if len(lines) > 1 else ():
        bare = line.strip()
        if bare and _is_anothers(lines, at, above):
            return text[:passed]
        above, passed = bare or above, passed + len(line) + 1
    return text


def around_others(text: str) -> str:
    """Return what a person says before what another wrote, and in a short last paragraph below that."""
    own = own_part(text)
    last = text[len(own) :].rstrip().rpartition("\n\n")[2]
    is_own = 0 < len(last.split()) <= _MAX_LAST and "\n" not in last and not _ends_a_letter(last)
    return "\n".join([part for part in (own.strip(), last.strip() if is_own and own != text else "") if part]) or text


def is_anothers(text: str, sentence: str) -> bool:
    """Whether a sentence of a message stands in what somebody else wrote."""
    at = max(0, text.find(sentence))
    above = text[:at].split("\n")
    return at >= len(own_part(text)) or any(map(_has_header, above)) or _is_in_a_letter(text, above)


def _is_anothers(lines: list[str], at: int, above: str) -> bool:
    """Whether with this line somebody else begins to speak, whom it names itself or the last line above it."""
    line = lines[at]
    bare = line.strip()
    if _is_of_a_chat(line) or bare.lower().strip("- ").startswith(tuple(_words("forwarded"))):
        return True
    if above[-1:] == ":" and any(map(_says_whose, _before_colons(above))):
        return True
    if bare[-1] in ",!" and len(bare.split()) <= _MAX_SOURCE and not _words("greets").isdisjoint(_small(bare)[:1]):
        # The greeting of a letter, which has an end, or words above it.
        return bool(above) or any(map(_ends_a_letter, lines[at + 1 :]))
    return _has_header(line) and any(map(_has_header, lines[at + 1 : at + _MAX_SOURCE]))


def _is_of_a_chat(line: str) -> bool:
    """Whether a line names who wrote in a chat, and when: "jo_t  2:31 PM", "[11:05] Weber, Jo", "@jo 3 days ago"."""
    bare = line.strip()
    if bare[0] == "[":
        when, _, rest = bare[1:].partition("]")
        name = rest.partition(":")[0].split()
        return _is_time(when.split()[-1:]) and 0 < len(name) <= _MAX_CHATTER and all(word.istitle() for word in name)
    said = bare.lower().replace("—", " ").replace("–", " ").split()
    if len(said) > _MAX_CHATTER + _MAX_SOURCE:
        return False
    if said[-1] in ("ago", "vor") or (bare[0] == "@" and not _words("said").isdisjoint(said)):
        return bare[0] == "@" or not _words("said").isdisjoint(said)
    is_marked = "  " in bare or "—" in bare or "\t" in bare or said[-1] in _HALVES
    named = [word for word in said if word not in _HALVES and word not in _words("day")]
    return is_marked and 1 < len(named) <= _MAX_CHATTER + 1 and _is_time(named[-1:])


def _is_time(said: list[str]) -> bool:
    return any(":" in word[1:-1] and word.strip("[](),").replace(":", "").isdigit() for word in said)


def _says_whose(said: list[str]) -> bool:
    """Whether words before a colon say that somebody else wrote what follows."""
    told, by, own = _words("said"), _words("by"), _words("own")
    signs = [at for at, word in enumerate(said) if at >= len(said) - _MAX_SOURCE and (word in told or word in by)]
    for at in signs:
        is_another = own.isdisjoint(said[max(0, at - 2) : at]) if said[at] in told else said[at + 1 : at + 2]
        if is_another and own.isdisjoint(said[at + 1 : at + 2]) and not _asks_to_keep(said):
            return True
    return _names_a_document(" ".join(said))


def _ends_a_letter(line: str) -> bool:
    said = _small(line)
    return len(said) <= _MAX_SOURCE and not _words("regards").isdisjoint(said)


def _is_introduced(above: list[str]) -> bool:
    """Whether a line up to the sentence says that another's words follow: behind it in its paragraph, or to the end."""
    last = len(above) - 1
    paragraph = max([at for at, line in enumerate(above) if not line.strip()], default=-1)
    for at, line in enumerate(above):
        if _has_header(line):
            return True
        bare = line.strip()
        opens = bare.endswith(":") or (at < last and above[at + 1].lstrip().startswith(_BULLETS))
        reaches = opens or at > paragraph
        works_on, parts = _words("works on"), _before_colons(bare) if reaches else []
        if any(_says_whose(said) or not (works_on.isdisjoint(said[:_FIRST]) or _asks_to_keep(said)) for said in parts):
            return True
        if at < last and (_takes_a_text(bare) or (opens and _names_a_document(bare))):
            return True
        if at == last and any(_takes_a_text(one) for one in bare.replace("? ", ". ").split(". ")[:-1]):
            return True
    first = next((line.lstrip() for line in above if line.strip()), "")
    return first.startswith(_BULLETS) and last > 0 and above[-1].lstrip().startswith(_BULLETS)


def _is_own_lead(said: list[str]) -> bool:
    """Whether the words before a colon within the sentence are the person's: a label, or what asks to keep."""
    own = _words("label") | _words("own") | _words("talk")
    return not said or said[0] in _words("about") or not own.isdisjoint(said) or _asks_to_keep(said)


def _is_announced(above: list[str]) -> bool:
    """Whether a line with a colon at its end announces the paragraph of the sentence; a list is the person's."""
    lines = [line.strip() for line in above]
    start = next((at for at in range(len(lines) - 1, 0, -1) if not lines[at]), 0)
    inside = lines[start:-1]
    before = [line for line in lines[:start] if line]
    leads = [line for line in (*before[-1:], *inside) if line.endswith(":")]
    is_list = any(line.startswith(_BULLETS) or line[:1].isdigit() for line in (*inside, lines[-1]))
    return not is_list and any(not _asks_to_keep(_small(line)) for line in leads)


def _is_in_a_letter(text: str, above: list[str]) -> bool:
    """Whether a letter begins above the sentence or ends below it."""
    below = text.split("\n")[len(above) :]
    starts = tuple(_words("dear"))
    greetings = [line.strip().lower().partition(",")[0] for line in above]
    return any(one.startswith(starts) and len(one.split()) <= _MAX_SOURCE for one in greetings) or any(
        _ends_a_letter(line) for line in below
    )


def _is_below_fields(above: list[str]) -> bool:
    """Whether fields ("Priority: High") or who wrote when ("Jo 10:32") stand right above the sentence."""
    fields = 0
    for line in reversed(above[:-1]):
        said = line.split()
        if not said:
            break
        if len(said) <= _FIRST and (_is_time(said) or said[0][0] == "@"):
            return True
        fields += said[0][0].isupper() and said[0][-1] == ":" and len(said) > 1
    return fields > 1


def _has_header(line: str) -> bool:
    """Whether a line has the name of a part of a mail or an issue: at its beginning, or with a capital letter."""
    headers = _words("header")
    for at, word in enumerate(line.replace("*", "").lstrip(_SIGNS).split()):
        name = word[:-1]
        if word[-1] == ":" and name.lower() in headers and (at == 0 or name.istitle()):
            return True
    return False


def _before_colons(line: str) -> list[list[str]]:
    """Return the words of the sentence before each colon that parts a line, in small letters."""
    found: list[list[str]] = []
    pieces = (line + " ").split(": ")
    for place in range(1, len(pieces)):
        before = ": ".join(pieces[:place])
        for end in (". ", "! ", "? ", ": "):
            before = before.rpartition(end)[2]
        found.append(_small(before))
    return found


def _takes_a_text(line: str) -> bool:
    """Whether a sentence without a colon asks to work on the text behind it: "Translate to German", "Reply to this"."""
    said = _small(line)
    points_at_it = len(said) <= _MAX_INTRODUCTION and not _words("this").isdisjoint(said)
    is_named = points_at_it and not (_words("document") | _words("by")).isdisjoint(said)
    if " ".join(said).startswith(tuple(_words("asks"))) or (is_named and not _asks_to_keep(said)):
        return True
    at = next((at for at, word in enumerate(said[:_FIRST]) if word in _words("text alone")), -1)
    if at < 0 or _asks_to_keep(said) or any(sign in line for sign in '"„“`«'):
        return False
    rest = said[at + 1 :]
    points = [place for place, word in enumerate(rest) if word in _words("this")]
    if not points:
        return said[at].startswith(("transl", "übers", "uebers")) and rest[:1] in (["to"], ["into"], ["ins"])
    return rest[points[0] + 1 : points[0] + 2] == [] or rest[points[0] + 1] in _words("behind this")


def _names_a_document(line: str) -> bool:
    said = _small(line)
    return len(said) <= _MAX_INTRODUCTION and not _words("document").isdisjoint(said) and not _asks_to_keep(said)


def _has_a_speaker(line: str) -> bool:
    """Whether a line begins with a name and a colon, as those of a conversation do."""
    name, colon, _ = line.lstrip(_SIGNS).partition(":")
    parts = name.split()
    if not colon or not 0 < len(parts) <= _MAX_NAME or not all(part[0].isupper() for part in parts):
        return False
    said = _small(name)
    return _words("label").isdisjoint(said) and not _asks_to_keep(said)


def _asks_to_keep(said: list[str]) -> bool:
    """Whether words have a request to keep something, or name the rules that shall have it."""
    text = f" {' '.join(said)} "
    if any(".md" in word and not word.startswith("readme") for word in said):
        return True
    english, german, other = (lists(f"{_FOLDER}/{language}.txt") for language in ("en", "de", "other"))
    own = [words for kind in ("keep", "before a colon", "rules", "files") for words in english[kind]]
    own += [*_words("kept in"), *german["keep"], *other["memory"]]
    stores = {*english["store"], *german["store"]}
    if any(word in stores for word in said[:_FIRST]):
        return True
    phrases = [f" {one} " for one in own]
    return any(one in text for one in phrases) or any(one in text for one in other["keep"])


def _is_among_printed(text: str, at: int) -> bool:
    """Whether a line stands in a paragraph with lines that a program printed, or has such before and behind it."""
    lines = text.split("\n")
    printed = _printed(lines)
    if any(one < at for one in printed) and any(one > at for one in printed):
        return True
    start = end = at
    while start > 0 and lines[start - 1].strip():
        start -= 1
    while end + 1 < len(lines) and lines[end + 1].strip():
        end += 1
    return any(start <= one <= end and one != at for one in printed)


def _printed(lines: list[str]) -> list[int]:
    """Return which lines a program printed; fenced ones and quotes are apart by themselves."""
    found, is_fenced = [], False
    for at, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            is_fenced = not is_fenced
        elif bare and not is_fenced and bare[0] not in ">`~":
            begins = bare.lower().split(None, 2)[:2]
            is_led = begins[0][-1] == ":" and begins[0][:-1] in _words("printed")
            is_named = bare[0].islower() and (is_led or begins[-1].rstrip(":") in _words("printed"))
            if is_named or is_pasted(line, bare):
                found.append(at)
    return found


def _is_in_prose(text: str, at: int, sentence: str) -> bool:
    """Whether a sentence stands within a long paragraph in which nobody talks to anybody."""
    start = text.rfind("\n\n", 0, at) + 1
    end = text.find("\n\n", at)
    parts = sentences(" ".join(text[start : end if end >= 0 else len(text)].split()))
    place = next((number for number, one in enumerate(parts) if one.text == sentence), 0)
    if place == 0 or len(parts) < _MIN_PROSE:
        return False
    talk = _words("talk")
    rest = [one for one in parts if one.text != sentence]
    if any(one.is_question or one.text[:1].islower() for one in rest):
        return False
    return not any(f" {phrase} " in f" {' '.join(one.words)} " for one in rest for phrase in talk)


def _small(text: str) -> list[str]:
    return [bare for bare in (word.strip(_SIGNS + ":").lower() for word in text.split()) if bare]


def _words(kind: str) -> frozenset[str]:
    return frozenset(lists(f"{_FOLDER}/reported.txt")[kind])
