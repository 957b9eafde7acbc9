"""What a person chose: in a dialog of the agent's, or by naming one of the options of the agent's last message.

"Go for option 1", "the latter" and "A and C" are decisions only with their meaning, which the agent gave: `chosen`
takes it from the options that the message before lists, by number or letter, or offers as "X or Y?". Where the words
do something else than to choose, or it is not plain which option they mean, nothing was chosen: a wrong decision is
worse than none. What an option says is the agent's wording, so it stands in quotes. A prompt hook calls this, so
nothing heavy is imported.
"""

from __future__ import annotations

from itertools import pairwise

from holdfast.base.light_records import dataclass
from holdfast.language.sentences import CJK, plain, sentences
from holdfast.language.word_lists import among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

_MAX_TEXT = 400
_MIN_WORD = 4
_MAX_OPTION = 140
_MAX_SAID = 100
_MAX_QUESTION = 120
_MAX_QUESTIONS = 10
_MAX_LABEL = 60
_MAX_OTHERS = 5
# One agent writes this before what was typed beside an option.
_NOTE = "user_note: "
_MAX_BEFORE = 12_000
_HIGHEST = 20
_TWO = 2
_LETTERS = "abcdefgh"
_MARKS = "*_`~#>•-–—\"'“” \t"
_NTH = ("first", "second", "third", "fourth", "last")
_COUNTS = {"both": 2, "beide": 2, "beides": 2, "ambos": 2, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_THE = (["the"], ["die"], ["das"], ["den"], ["la"], ["le"], ["el"], ["a"])
_ENDS = "?;, "
_OF_THEM = frozenset(("of", "them", "these", "those", "the"))
_IF = ("if", "otherwise", "else", "wenn", "falls", "sonst")
_AND = frozenset(("and", "und", "et", "y", "e", "plus", "then"))
# Signs for one of these between two names: "1 & 2", "A+C"; the first two mean those between them, too: "1-3".
_JOINTS = ("-", "–", "+", "&", ",")
_TO = _JOINTS[:2]
# What stands behind one of these is left out: "all but 2".
_BUT = ("but", "except", "besides", "minus", "without", "außer", "sauf", "menos", "excepto")
_ELSE = ("or ", "something else", "anything else", "none of", "other", "neither", "oder ", "etwas anderes")
_OPENERS = (
    *("would you like me to ", "would you like to ", "would you prefer ", "would you like ", "do you want me to "),
    *("do you want to ", "do you want ", "do you prefer ", "should i ", "shall i ", "should we ", "shall we ", "or "),
)
_table = "choices"


@dataclass(frozen=True, slots=True)
class _Option:
    """One option of a list: its number from 1 on, whether a letter stands for that, and what it says."""

    number: int
    lettered: bool
    text: str


@dataclass(frozen=True, slots=True)
class _Listed:
    """Options that belong together; `called`: by a word such as "option".

    `offered`: the agent asks which of them to take.
    """

    options: list[_Option]
    called: bool
    offered: bool


@dataclass(frozen=True, slots=True)
class _Named:
    """What a message names: numbers or places of options, -1 the last and 0 every one, and by what.

    `by` is `called`, `point` or `bare` for numbers, `place`, or `every`. `more`: the sentence says more than that, and
    `restated` what stands behind a colon or a bracket.
    """

    numbers: tuple[int, ...]
    by: str
    lettered: bool
    sentence: str
    more: bool
    count: int = 0
    restated: str = ""


def answered(given: object, answers: object) -> list[tuple[str, str]]:
    """Return what a person answered in a dialog, as roles and texts: `choice` what was chosen, `human` what was typed.

    `given` is what the agent asked: one question, or several with the options of each. `answers` has them by the text,
    the id or the number of their question, or in order.
    """
    asked = given if isinstance(given, dict) else {}
    questions = asked.get("questions") or [asked]
    found: list[tuple[str, str]] = []
    for place, one in enumerate(questions[:_MAX_QUESTIONS] if isinstance(questions, list) else ()):
        question = one if isinstance(one, dict) else {}
        text = question.get("question")
        if isinstance(text, str) and text.strip():
            names = (text, question.get("id"), str(place))
            found += _answer(text, _labels(question), _given(answers, names, place))
    return found


def _given(answers: object, names: tuple[object, ...], place: int) -> list[str]:
    """Return the texts that answer a question."""
    if isinstance(answers, dict):
        answers = next((answers[name] for name in names if isinstance(name, str) and name in answers), None)
        answers = answers.get("answers") if isinstance(answers, dict) else answers
    elif isinstance(answers, list):
        answers = answers[place] if place < len(answers) else None
    texts = answers if isinstance(answers, list) else [answers]
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def _labels(question: dict[str, object]) -> list[str]:
    options = question.get("options") or question.get("choices")
    every = options if isinstance(options, list) else []
    labels = [one.get("label") if isinstance(one, dict) else one for one in every]
    return [label.strip() for label in labels if isinstance(label, str) and label.strip()]


def _answer(question: str, labels: list[str], texts: list[str]) -> list[tuple[str, str]]:
    """Return the options that were taken, with what was asked, and what was typed beside or instead of them."""
    taken: list[str] = []
    typed: list[str] = []
    for text in texts:
        rest = text.removeprefix(_NOTE)
        while label := next((one for one in labels if rest == one or rest.startswith(f"{one}, ")), ""):
            taken.append(label)
            rest = rest[len(label) + 2 :]
        if rest and rest.casefold().strip("[](). ") not in among(_table, "nothing"):
            typed.append(rest)
    # What is asked stands at the end of a long question.
    whole = _one_line(question)
    last = whole.rpartition(". ")[2] if len(whole) > _MAX_QUESTION else whole
    asked = f'asked: "{_cut(last, _MAX_QUESTION)}"'
    others = [f'"{_label(one)}"' for one in labels if one not in taken][:_MAX_OTHERS]
    found = []
    if taken:
        besides = f"; other options: {', '.join(others)}" if others else ""
        names = " and ".join([f'"{_label(one)}"' for one in taken])
        found.append(("choice", f"Chose {names} ({asked}{besides})"))
    elif typed and not typed[0].endswith("?"):
        found.append(("choice", f'Answered "{_cut(_one_line(typed[0]), _MAX_OPTION)}" ({asked})'))
    return found + [("human", text) for text in typed]


def _label(label: str) -> str:
    return _cut(_one_line(label.removesuffix("(Recommended)")), _MAX_LABEL)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def chosen(text: str, before: str) -> str:
    """Return what a message chooses of what the agent's last message offers, in words; nothing in doubt."""
    named = _named(text) if len(text) <= _MAX_TEXT and before else None
    if named is None:
        return ""
    lists = _lists(before[-_MAX_BEFORE:])
    listed = _meant(named, lists)
    if listed is None:
        return _either(named, before) if not lists else ""
    options = {option.number: option for option in listed.options}
    numbers = named.numbers
    if named.by == "every":
        numbers = _every(named, listed)
    elif numbers == (-1,):
        numbers = (len(options),)
    if named.count == _TWO and named.by == "place" and len(options) != _TWO:
        return ""
    found = [options[number] for number in numbers if number in options and options[number].text]
    is_whole = len(found) == len(numbers) > 0
    return _told(named, found, options) if is_whole and (not named.restated or _is_like(named.restated, found)) else ""


def offers(answer: str) -> bool:
    """Whether a message of the agent's offers something that can be named by its number or place."""
    lists = _lists(answer)
    return any(one.called or one.offered for one in lists) or (not lists and bool(_sides(answer)))


def _every(named: _Named, listed: _Listed) -> tuple[int, ...]:
    """Return the numbers that "both" and "all three" mean; none where there are not so many."""
    small = {one.number: one.text.casefold() for one in listed.options}
    own = tuple(number for number, text in small.items() if text.startswith(("both", "all ")))
    if own:
        # "3. Both" is an option of its own.
        return own if len(own) == 1 else ()
    numbers = tuple(number for number, text in small.items() if not text.startswith(_ELSE))
    return numbers if len(numbers) == (named.count or len(numbers)) else ()


def _is_like(said: str, found: list[_Option]) -> bool:
    """Whether words that restate an option have one in common with it; else another list is meant."""
    words = {word for sentence in sentences(said) for word in sentence.words if len(word) >= _MIN_WORD}
    known = {word for one in found for sentence in sentences(one.text) for word in sentence.words}
    return not words or not words.isdisjoint(known)


def _told(named: _Named, found: list[_Option], options: dict[int, _Option]) -> str:
    names = [_LETTERS[one.number - 1].upper() if one.lettered else str(one.number) for one in found]
    if named.by == "every" and len(found) > 1:
        name = "both" if len(found) == 2 else f"all {len(found)}"
    else:
        name = f"option{'s' if len(found) > 1 else ''} {' and '.join(names)}"
    most = _MAX_OPTION // (1 + len(found) // 3)
    said = "; ".join([f'"{_cut(one.text.rstrip(_ENDS), most)}"' for one in found])
    if not named.more:
        return f"Chose {name}: {said}"
    # "1, and if that's not enough 3" is nothing without what 3 is; "with 3 columns" names none.
    words = pairwise([*named.sentence.casefold().split(), _IF[0]])
    ends = [word.strip(".,;!") for word, after in words if word[-1] in ".,;!" or after in _IF]
    others = [options[int(end)] for end in ends if end.isdecimal() and options.get(int(end)) not in (None, *found)]
    meant = "".join([f' ({one.number}: "{_cut(one.text.rstrip(_ENDS), most)}")' for one in others])
    return f'Chose {name}: {said}, saying: "{_cut(named.sentence, _MAX_SAID)}"{meant}'


def _named(text: str) -> _Named | None:
    """Return what a message names, where one sentence of it chooses and no other names an option."""
    small = text.strip()
    alone = _number(small.strip("#().*: "))
    if alone:
        return _Named((alone[0],), "bare", alone[1], small, more=False)
    small = _spaced(small)
    points = [line.strip().lstrip("0123456789")[:1] for line in small.split("\n") if line.strip()[:1].isdecimal()]
    if "{" in small or any(sign in (".", ")", "-") for sign in points):
        # A list of its own answers several questions, or says what to do.
        return None
    parts = sentences(small)
    found = [(part, _in_sentence(part)) for part in parts]
    choosing = [one for _, one in found if one is not None]
    others = [part.words for part, one in found if one is None]
    return choosing[0] if len(choosing) == 1 and not any(map(_names_an_option, others)) else None


def _spaced(text: str) -> str:
    """Return a text with words for signs that join names, and in a script without spaces some around these."""
    for sign in _JOINTS:
        first, *others = text.split(sign)
        for part in others:
            names = [_number(name.strip("#(). ")) for name in (*first.rsplit(None, 1)[-1:], *part.split(None, 1)[:1])]
            one, other = names if len(names) == _TWO else (None, None)
            if not one or not other or (sign in _TO and (len(others) > 1 or one[0] >= other[0] or one[1] != other[1])):
                first += sign + part
                continue
            between = range(one[0] + 1, other[0]) if sign in _TO else ()
            said = [_LETTERS[number - 1] if one[1] else str(number) for number in between]
            first = " and ".join([first.rstrip(), *said, part.lstrip()])
        text = first
    if text.isascii():
        return text
    for word in (*among(_table, "takes"), *among(_table, "called")):
        if word >= CJK:
            text = text.replace(word, f" {word} ")
    pairs = pairwise(text + " ")
    text = "".join([f"{one} " if one.isascii() and one.isalnum() and after >= CJK else one for one, after in pairs])
    return text.replace("。", ". ").replace("，", ", ").replace("、", ", ")


def _names_an_option(words: list[str]) -> bool:
    return any(word in among(_table, "called") and _number(after) for word, after in pairwise(words))


def _in_sentence(sentence: Sentence) -> _Named | None:
    words, small, takes = sentence.words, among(_table, "small"), among(_table, "takes")
    at, taken = 0, False
    while at < len(words) and (found := _reference(sentence, at)) is None:
        if words[at] not in small and words[at] not in takes:
            return None
        taken = taken or words[at] in takes
        at += 1
    if at == len(words) or found is None:
        return None
    named, end = found
    # "B, but do we have one?" chooses first.
    chooses_first = at == 0 and words[end : end + 1] == ["but"]
    if sentence.is_question and not chooses_first and not (taken and words[0] in ("can", "could", "please")):
        return None
    return named if _goes_on_well(sentence, end, named.by, taken=taken) else None


def _reference(sentence: Sentence, at: int) -> tuple[_Named, int] | None:
    """Return what is named at this word, and behind which word the name ends."""
    words = sentence.words
    word, after = words[at], words[at + 1] if at + 1 < len(words) else ""
    if word in among(_table, "every"):
        end, count = at + 1, _COUNTS.get(word, 0)
        while end < len(words) and (words[end] in _OF_THEM or words[end] in among(_table, "called")):
            end += 1
        if end < len(words) and (words[end] in _COUNTS or words[end].isdecimal()):
            count, end = _COUNTS.get(words[end]) or int(words[end]), end + 1
        return _name(sentence, (), "every", end, count=count)
    for number, kind in enumerate(_NTH, 1):
        if word in among(_table, kind):
            is_one = after in among(_table, "one")
            # "Build first" and "First, build it" say when, not which.
            is_alone = len(words) == 1 and "," not in sentence.after[at]
            ends = is_alone or (words[at - 1 : at] in _THE and (not after or bool(sentence.after[at])))
            place = -1 if kind == "last" else number
            end, of_two = at + 2 if is_one else at + 1, 2 if word in ("former", "latter") else 0
            return _name(sentence, (place,), "place", end, count=of_two) if is_one or ends else None
    by = "called" if word in among(_table, "called") else "point" if word in among(_table, "point") else "bare"
    first = at if by == "bare" else at + 1
    if by == "bare" and word == sentence.raw[at] == "a" and after and after not in _AND and not sentence.after[at]:
        # An article.
        return None
    numbers, lettered, end = _numbers(sentence, first)
    if by == "bare" and end == at + 1 and after in among(_table, "called"):
        by, end = "called", end + 1
    return _name(sentence, numbers, by, end, lettered=lettered) if numbers else None


def _name(
    sentence: Sentence, numbers: tuple[int, ...], by: str, end: int, *, lettered: bool = False, count: int = 0
) -> tuple[_Named, int]:
    behind = sentence.after[end - 1] if numbers else ""
    rest = sentence.words[end:]
    restated = " ".join(rest) if ":" in behind or ")" in behind else ""
    more = not restated and not all(word in among(_table, "behind") or word in among(_table, "takes") for word in rest)
    return _Named(numbers, by, lettered, sentence.text, more, count, restated), end


def _numbers(sentence: Sentence, at: int) -> tuple[tuple[int, ...], bool, int]:
    """Return the numbers or letters that stand here, joined by commas or an "and", and behind which word they end."""
    words, found, lettered = sentence.words, list[int](), False
    while at < len(words):
        number = _number(words[at].strip("#()"))
        if not number or (found and number[1] != lettered):
            break
        found.append(number[0])
        lettered, at = number[1], at + 1
        if at < len(words) - 1 and words[at] in _AND and _number(words[at + 1].strip("#()")):
            at += 1
        elif "," not in sentence.after[at - 1]:
            break
    return tuple(dict.fromkeys(found)), lettered, at


def _number(word: str) -> tuple[int, bool] | None:
    """Return the number that a word is, and whether a letter stands for it."""
    if word.isascii() and word.isdecimal() and 0 < int(word) <= _HIGHEST:
        return int(word), False
    small = word.lower()
    return (_LETTERS.index(small) + 1, True) if len(small) == 1 and small in _LETTERS else None


def _goes_on_well(sentence: Sentence, end: int, by: str, *, taken: bool) -> bool:
    """Whether what stands behind a name leaves it a choice: "option 2 fails" is a report, "use 2 columns" a task."""
    rest = sentence.words[end:]
    if rest in ([], ["next"]):
        return True
    if rest[0] in among(_table, "judges"):
        return (len(rest) == 1 or rest[1] in among(_table, "good")) and among(_table, "not").isdisjoint(rest)
    if rest[0] in among(_table, "not") or (by == "every" and rest[0] in _BUT and any(map(_number, rest[1:2]))):
        return False
    if _names_an_option(rest):
        return False
    is_apart = bool(sentence.after[end - 1].strip("'")) or rest[0] in among(_table, "behind")
    # "Option 3 Write the plan first": a sentence of its own, without the stop.
    is_apart = is_apart or (by == "called" and sentence.raw[end].istitle() and len(sentence.raw[end]) > 1)
    return is_apart or (taken and by == "called") or rest[0] in among(_table, "takes")


def _lists(before: str) -> list[_Listed]:
    """Return the lists of options in a message, in order."""
    lines = before.split("\n")
    last: dict[tuple[bool, bool, bool], list[tuple[int, _Option]]] = {}
    found: list[tuple[bool, list[tuple[int, _Option]]]] = []
    for place, line in enumerate(lines):
        listed = _option(lines, place)
        if listed is None:
            continue
        called, option = listed
        kind = called, option.lettered, not line[:2].strip()
        items = last.get(kind)
        if items is None or option.number != items[-1][1].number + 1:
            items = last[kind] = []
            found.append((called, items))
        items.append((place, option))
    return [
        _Listed([option for _, option in items], called, _is_offered(lines, items))
        for called, items in found
        if len(items) > 1 or called
    ]


def _is_offered(lines: list[str], items: list[tuple[int, _Option]]) -> bool:
    """Whether the agent asks which of the points to take: in the line before them, in them, or right behind them."""
    lead = next((line for line in reversed(lines[: items[0][0]]) if line.strip()), "").casefold()
    behind = next((line for line in lines[items[-1][0] + 1 :] if line.strip() and line[0] not in " -*"), "").casefold()
    in_lead = "?" in lead or "？" in lead or any(phrase in lead for phrase in among(_table, "offers"))
    return in_lead or "?" in items[-1][1].text or any(phrase in behind for phrase in among(_table, "asks"))


def _option(lines: list[str], place: int) -> tuple[bool, _Option] | None:
    """Return the option that a line lists, and whether it is called one; what it says may stand on the next line."""
    line = lines[place].lstrip(_MARKS)
    if line[:1] == "|":
        return _in_table(lines, place)
    while line and not line[0].isalnum() and line[0] not in "([":
        line = line[1:].lstrip(_MARKS)
    word, _, rest = line.partition(" ")
    called = plain(word) in among(_table, "called")
    if not called and not line.isascii():
        label = next((one for one in among(_table, "called") if one >= CJK and line.startswith(one)), "")
        called, rest = bool(label), line[len(label) :].lstrip()
    head = rest.lstrip(_MARKS) if called else line
    name = head.lstrip("([")[:2].rstrip(".):：、,*]-– \t")
    number = _number(name)
    behind = head.lstrip("([")[len(name) :]
    if number is None or (behind and behind[0].isalnum()):
        return None
    sign = behind.lstrip("*_ ")[:1]
    if not called and (sign not in (".", ")", ":", "、") or (sign == ":" and number[1]) or behind[1:2].isdigit()):
        return None
    said = _plain_text(behind.lstrip("*_ ").lstrip(".):：、,]-–— ") if sign != "(" else behind.lstrip("*_ "))
    if not said:
        said = _plain_text(next((line for line in lines[place + 1 : place + 3] if line.strip()), ""))
    return called, _Option(*number, said)


def _in_table(lines: list[str], place: int) -> tuple[bool, _Option] | None:
    """Return the option that a row of a table lists whose head calls it one."""
    cells = [cell.strip(_MARKS) for cell in lines[place].strip().strip("|").split("|")]
    number = _number(cells[0])
    first = place
    while first and lines[first - 1].lstrip().startswith("|"):
        first -= 1
    head = plain(lines[first].strip().strip("|").partition("|")[0].strip(_MARKS))
    is_option = number and len(cells) > 1 and head in among(_table, "called")
    return (True, _Option(*number, _plain_text(cells[1]))) if is_option and number else None


def _plain_text(line: str) -> str:
    """Return what an option says without its marks; of "(Direct transfer) is the simplest" what the brackets say."""
    text = " ".join(line.replace("**", "").replace("`", "").split()).strip("*_#>-–—: ")
    inner, closed, _ = text[1:].partition(")")
    return inner if text[:1] == "(" and closed else text


def _meant(named: _Named, lists: list[_Listed]) -> _Listed | None:
    """Return the list that a message means; None where there is none, or more than one that it may be."""
    called = [one for one in lists if one.called]
    others = [one for one in lists if not one.called]
    pool = called or others if named.by == "called" else others or called if named.by == "point" else lists
    # A list of which only the end is known, or one option, has no first, no last and not all.
    whole = [one for one in pool if one.options[0].number == 1 and len(one.options) > 1]
    if named.by in ("place", "every"):
        rivals = fitting = whole
    else:
        wanted = frozenset(named.numbers)
        same = [{one.number for one in each.options if one.lettered == named.lettered} for each in pool]
        rivals = [each for each, numbers in zip(pool, same, strict=True) if not wanted.isdisjoint(numbers)]
        fitting = [each for each, numbers in zip(pool, same, strict=True) if wanted <= numbers]
    if len(rivals) > 1 and named.by == "called" and called:
        fitting = [one for one in fitting if one in whole]
    elif len(rivals) > 1:
        fitting = [one for one in fitting if one.offered or (one.called and one in whole)]
    elif named.count <= _TWO:
        fitting = [one for one in fitting if one.called or one.offered]
    return fitting[0] if len(fitting) == 1 else None


def _sides(before: str) -> list[str]:
    """Return the two sides of a last "X or Y?"; none where there is no such question."""
    question = next((one for one in reversed(sentences(before[-_MAX_SAID * 6 :])) if one.is_question), None)
    text = question.text.rstrip("?* ") if question else ""
    sides = [side.strip() for side in (text.split(", or ") if ", or " in text else text.split(" or "))]
    starts = [next((len(one) for one in _OPENERS if side.casefold().startswith(one)), 0) for side in sides]
    is_either = len(sides) == _TWO and starts[0]
    return [_plain_text(side[start:]) for side, start in zip(sides, starts, strict=True)] if is_either else []


def _either(named: _Named, before: str) -> str:
    """Return which side of a last "X or Y?" a message takes."""
    sides = [f'"{side}"' for side in _sides(before)]
    if not sides or named.by not in ("place", "every") or named.numbers not in ((1,), (2,), (-1,), ()):
        return ""
    if named.by == "every":
        return f"Chose both: {'; '.join(sides)}" if named.count in (0, _TWO) else ""
    place = 0 if named.numbers == (1,) else 1
    return f"Chose {sides[place]}, not {sides[1 - place]}"


def _cut(text: str, most: int) -> str:
    """Return a text of an option or a sentence within its bound, cut between words."""
    return text if len(text) <= most else text[: most - 1].rpartition(" ")[0] + "…"
