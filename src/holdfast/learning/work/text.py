"""What the words of a message say about work: its title, its topic, whether it goes on, and whether it is done.

The words are data, one file a language, in `words/`. Nothing heavy is imported: hooks ask this when an agent acts.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of, with_capital
from holdfast.language.word_lists import spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TITLE = 72
MAX_SLUG = 50
SHORT_ASK = 25
_FEW_LETTERS = 3
_STEM = 5
_MAX_LOOKED_AT = 4_000
_TITLE_WORDS = 12
GREETING_WORDS = 2
_MAX_LEADING = 20
_BEGINNING = 4
_MAX_ASKING = 15
_MAX_HEADS = 6
_EXCLUDING = 12
# A message of more characters is a document, for the most part.
LONG_ASK = 1_500
# What a terminal shows before a command.
_TERMINAL = ("➜ ", "❯ ", "$ ", "% ", "» ", ">>> ")
# A clause that says no more than that it is done is short.
_MAX_CLOSING = 160
_MAX_THING = 4
_FOLDER = __file__.rpartition("/")[0] + "/words"
_LATIN = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "á": "a", "à": "a", "ñ": "n", "ç": "c"}
_every: dict[str, frozenset[str]] = {}


class _Plain(dict[int, int | None]):
    """What each letter becomes of which only letters and digits are kept; filled with those that were met."""

    def __missing__(self, code: int) -> int | None:
        letter = chr(code)
        self[code] = code if letter.isalnum() else None if letter in "'’`´" else ord(" ")
        return self[code]


_plain = _Plain()


@dataclass(frozen=True, slots=True)
class Topic:
    """What a piece of work is about: stems of its telling words, and the names of its files."""

    stems: frozenset[str]
    files: frozenset[str]


def every(list_name: str) -> frozenset[str]:
    """Return the entries of a list in all languages."""
    if list_name not in _every:
        _every[list_name] = frozenset(spoken(_FOLDER, list_name))
    return _every[list_name]


def plain(text: str) -> list[str]:
    """Return the words of a text in small letters, without signs."""
    return text.translate(_plain).casefold().split()


def without_code(text: str) -> str:
    """Return a message without fenced code and quoted lines; of one that begins in a terminal the last paragraph."""
    lines, fenced = [], False
    if text.lstrip().startswith(_TERMINAL):
        # Who pastes what a terminal shows says below it what is wanted.
        paragraphs = [one for one in text.split("\n\n") if one.strip()]
        text = paragraphs[-1] if len(paragraphs) > 1 else text.strip().rpartition("\n")[2]
    for line in text[:_MAX_LOOKED_AT].split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            lines.append(line)
    return "\n".join(lines)


def first_part(text: str) -> str:
    """Return the first part of a message that says what it asks for, without what only asks politely."""
    whole = without_code(text).strip() or text.strip("` \n")
    lines = [line.strip().lstrip("\"'“„#*-> ").strip() for line in whole.split("\n")]
    lines = [line for line in lines if line][:_MAX_HEADS]
    # A heading of a word or two says less than what follows it.
    telling = [line for line in lines if len(plain(line)) > GREETING_WORDS]
    sentence = (telling or lines or [""])[0]
    for end in (". ", "! ", "? "):
        head = sentence.partition(end)[0]
        # A greeting is a sentence, too, and says nothing.
        sentence = head if len(plain(head)) > GREETING_WORDS else sentence
    spoken = sentence.split()
    parts = parts_of(" ".join(_without_lead(spoken) or spoken))
    return parts[0].rstrip(".,;:!? ") if parts else ""


def title_of(text: str) -> str:
    """Return the first words of a message that say what it asks for."""
    spoken = first_part(text).split()
    spoken = _without_end(spoken[:_TITLE_WORDS]) if len(spoken) > _TITLE_WORDS else spoken
    title = " ".join(spoken).rstrip(".,;:!? ")
    while len(title) > MAX_TITLE and " " in title:
        title = title.rpartition(" ")[0]
    return with_capital(title[:MAX_TITLE])


def parts_of(sentence: str) -> list[str]:
    """Return the parts of a sentence, cut where one begins that demands something of its own."""
    if sentence.endswith("?"):
        return [sentence]
    spoken = sentence.split()
    found: list[list[str]] = [[]]
    behind = every("behind")
    for place, word in enumerate(spoken):
        ahead = f" {' '.join(plain(' '.join(spoken[place : place + 3])))} "
        before = spoken[place - 1] if place else ""
        is_cut = before.endswith((",", ";", ":", "-")) or "".join(plain(before)) in behind
        is_new = _begins_with(ahead, "starts") or excludes(plain(" ".join(spoken[place : place + _EXCLUDING])))
        if found[-1] and (is_new or (is_cut and _begins_with(ahead, "restarts"))):
            found.append([])
        found[-1].append(word)
    return [" ".join(part[:-1] if len(part) > 1 and part[-1].casefold() in behind else part) for part in found if part]


def _without_lead(spoken: list[str]) -> list[str]:
    """Return the words behind those that only ask politely."""
    polite = every("polite")
    longest = max(len(entry.split()) for entry in polite)
    while spoken:
        heads = {count: " ".join(plain(" ".join(spoken[:count]))) for count in range(1, min(longest, len(spoken)) + 1)}
        leading = [count for count, head in heads.items() if head in polite]
        if not leading:
            break
        spoken = spoken[leading[-1] :]
    return spoken


def excludes(spoken: list[str]) -> bool:
    """Whether words begin with `without` doing something, in English or German."""
    if spoken[:1] == ["without"]:
        return spoken[1:2] != [] and spoken[1].endswith("ing")
    return spoken[:1] == ["ohne"] and "zu" in spoken


def first_words(spoken: list[str]) -> str:
    """Return the first words behind those that only ask politely, with a space around."""
    return f" {' '.join(_without_lead(spoken[:_MAX_LEADING])[:_BEGINNING])} "


def _without_end(spoken: list[str]) -> list[str]:
    """Return the words up to the last one that says something."""
    small = every("small") | every("joining")
    while len(spoken) > GREETING_WORDS and "".join(plain(spoken[-1])) in small:
        spoken = spoken[:-1]
    return spoken


def slug_of(title: str) -> str:
    """Return the title as a part of a folder's name; a digest where its script leaves nothing."""
    folded = "".join([_LATIN.get(letter, letter) for letter in title.casefold()])
    parts = "".join([letter if letter.isascii() and letter.isalnum() else " " for letter in folded]).split()
    # A title that is only partly Latin keeps little of its meaning that way.
    if not parts or sum(map(len, parts)) * 2 < sum(letter.isalnum() for letter in title):
        return "w-" + hash_of(title, length=12)
    while len("-".join(parts)) > MAX_SLUG and len(parts) > 1:
        parts.pop()
    return "-".join(parts)[:MAX_SLUG]


def topic(texts: Iterable[str], files: Iterable[str] = ()) -> Topic:
    """Return what these texts and files are about."""
    small = every("small")
    spoken = [word for text in texts for word in plain(without_code(text))]
    stems = {word[:_STEM] for word in spoken if len(word) >= _FEW_LETTERS and word not in small and not word.isdigit()}
    names = {path.rstrip("/").rpartition("/")[2].casefold() for path in files}
    return Topic(frozenset(stems), frozenset(names - {""}))


def likeness(one: Topic, other: Topic) -> float:
    """Return from 0 to 1 how much two topics share: words, and by name the files of the other."""
    if one.files & other.files:
        return 1.0
    shared = len(one.stems & other.stems)
    return shared / max(1, min(len(one.stems), len(other.stems)))


def files_named(text: str) -> tuple[str, ...]:
    """Return what looks like the name of a file in a message."""
    found = [word.strip("`'\"()[]{}<>@,;:!?").rstrip(".") for word in text[:_MAX_LOOKED_AT].split()]
    # A line and a column may stand behind the name.
    found = [word.partition(":")[0] for word in found if "://" not in word]
    return tuple(word for word in found if _looks_like_a_file(word))


def _looks_like_a_file(word: str) -> bool:
    name = word.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    return bool(dot and stem and ending.isalnum() and 0 < len(ending) <= 5 and not ending.isdigit())


def points_back(text: str) -> bool:
    """Whether a message goes on with what was asked before, by how it begins or by words that point there."""
    spoken = plain(without_code(text))
    if _begins_with(f" {' '.join(spoken[:_MAX_LEADING])} ", "on"):
        return True
    # Behind its first words, such a word points to something in the message itself.
    return says(first_words(spoken), "pointing")


def says(joined: str, list_name: str) -> bool:
    """Whether words with a space around them have an entry of a list."""
    return any(f" {entry} " in joined for entry in every(list_name))


def _begins_with(joined: str, list_name: str) -> bool:
    return any(joined.startswith(f" {entry} ") for entry in every(list_name))


def verdict(text: str) -> str:
    """Return what the person's words say of the work: `done`, `good`, `bad`, or nothing."""
    joined = f" {' '.join(plain(text[: _MAX_CLOSING * 2]))} "
    if says(joined, "bad"):
        return "bad"
    if len(text) > _MAX_CLOSING or "?" in text:
        return ""
    done, good = every("done"), every("good")
    clauses = _clauses(text)
    if clauses and all(clause in done or clause in good or _thing_of(clause) for clause in clauses):
        return "done" if any(clause in done for clause in clauses) else "good"
    return ""


def things_that_work(text: str) -> str:
    """Return the words for the things of which a short message says that they work; nothing where it names none."""
    return " ".join([thing for clause in _clauses(text) if (thing := _thing_of(clause))])


def _thing_of(clause: str) -> str:
    """Return what a clause such as "the cart works now" speaks of; nothing where it is another, or tells of a part."""
    first, _, rest = clause.partition(" ")
    ending = next((entry for entry in every("working") if rest.endswith(f" {entry}")), "")
    thing = rest.removesuffix(ending).split()
    fits = first in every("thing") and bool(ending) and len(thing) <= _MAX_THING
    return " ".join(thing) if fits and every("partly").isdisjoint(thing) else ""


def _clauses(text: str) -> list[str]:
    """Return the clauses of a short message, without those that change nothing."""
    parted = "".join(["\n" if letter in ".,;!:()-–\n" else letter for letter in text])
    trimmed = [_trimmed(" ".join(plain(part))) for part in parted.split("\n")]
    return [clause for clause in trimmed if clause]


def _trimmed(clause: str) -> str:
    """Return a clause without fillers before and behind it."""
    before = ""
    while clause != before:
        before = clause
        for entry in every("filler"):
            clause = "" if clause == entry else clause.removeprefix(f"{entry} ").removesuffix(f" {entry}")
    return clause


def is_question(text: str) -> bool:
    """Whether a message only wants to know something: each sentence is a question, and none asks to do it."""
    told = without_code(text).strip()
    spoken = plain(told)
    joined = f" {' '.join(spoken)} "
    if says(joined, "asks"):
        return False
    if not told.endswith("?"):
        return len(spoken) <= _MAX_ASKING and "\n" not in told and _begins_with(joined, "questions")
    ends = [letter for at, letter in enumerate(told) if letter in ".!?" and told[at + 1 : at + 2] in ("", " ", "\n")]
    return all(letter == "?" for letter in ends)


def steered(text: str) -> str:
    """Return what a message asks for behind its slash command; nothing where that only steers the agent's program."""
    told = text.strip()
    if told[:1] == "!":
        return ""
    name, _, rest = told[1:].partition(" ")
    if told[:1] != "/" or "/" in name:
        return told
    return "" if name.casefold().partition(":")[0] in every("steer") else rest.strip()
