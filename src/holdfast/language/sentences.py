"""The sentences that a person wrote in a message, apart from code, quotes, pasted lines and documents."""

from __future__ import annotations

from holdfast.base.light_records import dataclass

# Of a message longer than this only its two ends are looked at, so that the time is bounded.
_END = 6_000
_LONGEST_SENTENCE = 600
_OPENING = "([{*_~'"
_CLOSING = ".,:;!?)]}*_~…'"
_QUOTES = {'"': '"', "„": "“", "“": "”", "«": "»", "`": "`"}
# Behind a comma these begin a question that is a sentence of its own.
_OPENERS = (
    *("can you", "could you", "would you", "can we", "could we", "should we", "do you", "what do you", "what's "),
    *("why ", "how ", "does ", "kannst du", "könntest du", "können sie", "könnten sie", "können wir", "sollen wir"),
    *("was meinst", "was denkst", "warum ", "wieso ", "wie "),
)
_SHORT = (
    " mr mrs ms dr nr vs e.g i.e z.b d.h ca bzw inkl hr fr str st art prof mag dipl ing max min rev ext dept fol approx"
    " abb abs bsp evtl exkl ggf gem insb lt mind mio mrd o.g s.o s.u sog std tel ugs u.a usw v.a vgl zzgl "
)
# What has a number: behind these "no." is one, and ends no sentence.
_NUMBERED = (
    " account article case customer document entry file id invoice issue item job line lot model order page part phone"
    " project record ref reference room row serial step table ticket vendor version "
)
_BRANCHES = ("feature/", "feat/", "fix/", "bugfix/", "hotfix/", "release/", "rel/", "chore/", "origin/", "docs/")
_ENDINGS = (
    " py js ts tsx jsx go rs java kt swift c h cc cpp hpp cs rb php css scss html md txt rst json yaml yml toml xml csv"
    " tsv sql sh lock svg png jpg gif pdf ini cfg conf log vue proto ipynb gd "
)
_FENCES = ("```", "~~~", '"""')
# How a message begins that tells an agent who it is, below a heading or two. What is so long a program wrote.
_ROLES = ("you are ", "your name is ", "your role is ", "act as ", "you will act as ", "du bist ", "dein name ist ")
_MIN_BRIEFING = 1_500
_MAX_HEADINGS = 3
_LEVELS = ("ERROR", "WARN", "WARNING", "INFO", "DEBUG", "FATAL", "Traceback", "Exception")
_CODE = ("//", "/*", "* @", "def ", "class ", "func ", "const ", "import ", "return ", "$ ", ">>> ", "+++ ")
_CODE_ENDS = ("{", "}", ";", "};", ");", "=>", "):")
# With one of these and a colon a line announces what a program printed.
_PRINTED = (
    *("log", "logs", "output", "error", "errors", "stdout", "stderr", "traceback", "terminal", "console", "fehler"),
)
_BREAKS = frozenset((",", ":", ";", "-", "."))
# Nothing is stated in one word.
_MIN_WORDS = 2
# German: who may begin a clause, and what stands apart from a verb in a main clause.
_PRONOUNS = frozenset(("ich", "du", "er", "sie", "es", "wir", "ihr", "man", "das", "dies"))
_APART = ("zurück", "statt", "fest", "nach", "auf", "aus", "ein", "mit", "vor", "weg", "los", "ab", "an", "zu")
_NOT_APART = ("antwort", "analys", "annull", "abonn", "anonym", "mitteil")
_MIN_VERB = 3
# Quoted text becomes this letter, as often as it is long, so that places in the line stay what they are.
HIDDEN = "\x01"
# Scripts that put no spaces between words begin here.
CJK = "\u3000"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: as it was typed, its words in plain letters, the words as typed, and the signs after each."""

    text: str
    words: list[str]
    raw: list[str]
    after: list[str]
    is_question: bool


def is_briefing(text: str) -> bool:
    """Whether a message tells the agent at length who it is: a program wrote it, whoever sent it."""
    if len(text) < _MIN_BRIEFING:
        return False
    lines = [line for line in (line.strip(' \t"#*') for line in text[:_MIN_BRIEFING].split("\n")) if line]
    return any(line.casefold().startswith(_ROLES) for line in lines[:_MAX_HEADINGS])


def shorter(text: str) -> str:
    """Return a text, or of a long one its beginning and its end."""
    return text if len(text) <= 2 * _END else text[:_END] + "\n\n" + text[-_END:]


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of the person's own words."""
    found: list[Sentence] = []
    for line in _own_lines(text):
        hidden = _without_quotes(line)
        for start, end in _pieces(hidden):
            sentence = _sentence(hidden[start:end], line[start:end].strip())
            if sentence.words:
                found.append(sentence)
    return found


def plain(text: str) -> str:
    """Return a text in small letters, with umlauts as those write them who have none on their keyboard."""
    small = text.lower()
    if small.isascii():
        return small
    return small.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue").replace("ß", "ss")


def shapes(raw: str) -> tuple[str, ...]:
    """Return what a word is by its shape alone: a URL, a path, a version and so on; nothing for an ordinary word."""
    if raw.isalpha():
        return _of_letters(raw)
    if raw[0] == HIDDEN:
        return ("<quoted>",)
    if "://" in raw or raw.startswith("www."):
        return ("<datum>", "<url>", "<firm>")
    if "@" in raw[1:]:
        return ("<datum>", "<mail>", "<firm>")
    if raw.isdigit():
        return ("<number>",)
    if raw[0] == "#":
        return ("<datum>", "<ticket>") if raw[1:].isdigit() else ("<datum>", "<channel>")
    before, dash, behind = raw.partition("-")
    if dash and behind.isdigit() and before.isupper() and before.isalpha() and len(before) > 1:
        return ("<datum>", "<ticket>")
    return _of_signs(raw)


def _of_letters(raw: str) -> tuple[str, ...]:
    if raw[0].islower() or raw.isupper():
        return ("<ed>",) if len(raw) > 4 and raw.endswith("ed") else ()
    humps = sum(letter.isupper() for letter in raw)
    return ("<name>",) if humps < 3 else ("<camel>",)


def _of_signs(raw: str) -> tuple[str, ...]:
    digits = sum(letter.isdigit() for letter in raw)
    if "/" in raw:
        # A path or a branch, not two words of which one may be chosen.
        is_path = raw[0] in "/~.@" or raw.count("/") > 1 or "." in raw or "_" in raw or raw.startswith(_BRANCHES)
        return ("<datum>", "<path>") if digits or is_path else ()
    if digits and raw.lstrip("vV").replace(".", "").replace(",", "").isdigit():
        return ("<datum>", "<version>", "<number>")
    if "_" in raw or "=" in raw:
        return ("<datum>", "<id>", "<firm>") if raw.isupper() or "=" in raw else ("<datum>", "<id>")
    if "(" in raw:
        return ("<quoted>",)
    name, dot, ending = raw.partition(":")[0].rpartition(".")
    if dot and name:
        if f" {ending.lower()} " in _ENDINGS:
            return ("<file>",)
        is_host = "." in name and raw[-1].isalnum()
        return ("<datum>", "<id>", "<firm>") if is_host else ("<datum>", "<id>")
    if digits or ":" in raw:
        return ("<datum>", "<id>") if digits > 1 or "-" in raw or ":" in raw or raw[0].isupper() else ("<id>",)
    return ("<dashed>",) if "-" in raw else ()


def _own_lines(text: str) -> list[str]:
    """Return the lines that a person wrote themselves: no fenced code, no log, no quoted mail, no document."""
    lines: list[str] = []
    fence = ""
    for line in _without_printed(text.split("\n")):
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) or bare.endswith(fence) else fence
        elif bare.startswith(_FENCES):
            fence = bare[:3] if bare.count(bare[:3]) == 1 else ""
        elif _is_heading(bare):
            # From its first heading on a text is a document, not talk.
            break
        elif bare and not is_pasted(line, bare):
            lines.append(bare)
    return lines


def _without_printed(lines: list[str]) -> list[str]:
    """Return lines without the paragraph behind each that announces what a program printed: "log:", "the output:"."""
    kept: list[str] = []
    printed = begun = False
    for line in lines:
        bare = line.strip()
        if printed and not bare.startswith(_FENCES) and (bare or not begun):
            begun = begun or bool(bare)
            continue
        kept.append(line)
        printed, begun = bare[-1:] == ":" and bare[:-1].lower().rpartition(" ")[2] in _PRINTED, False
    return kept


def _is_heading(bare: str) -> bool:
    marks = len(bare) - len(bare.lstrip("#"))
    return 0 < marks < 5 and bare[marks : marks + 1] == " " and bare[marks + 1 : marks + 2].isupper() and len(bare) < 90


def is_pasted(line: str, bare: str) -> bool:
    """Whether a line looks like code, the line of a log, of a stack trace, of a table or of a quoted mail."""
    if bare[0] == "<" and _is_spoken_of(bare):
        return False
    if bare[0] in ">|<" or bare[:1] == "#" or bare.startswith(_CODE) or bare.endswith(_CODE_ENDS) or "\t" in bare:
        return True
    if line.startswith("    ") and bare[:1] not in "-*•" and not bare[:1].isdigit():
        return True
    first = bare.split(None, 1)[0].strip("[]():,")
    if bare.startswith(("at ", "File ")) and ("(" in bare or '"' in bare) and ":" in bare:
        return True
    if sum(letter.isdigit() for letter in first) > 5 and ("-" in first or ":" in first):
        return True
    if bare[0] == "[" and "]" in bare[1:30] and any(letter.isdigit() for letter in bare[:30]):
        return True
    words = bare[:200].replace(":", " ").replace("[", " ").replace("]", " ").split()
    if any(word in _LEVELS or word.endswith(("Error", "Exception")) for word in words[:5]):
        return True
    if sum("=" in word for word in words) > 1 or any(_is_place(word) for word in bare[:200].split()[:2]):
        return True
    signs = sum(bare.count(sign) for sign in "{}()[];=<>|$\\%+*/_")
    return signs > len(bare) // 8 and len(bare) > 20


def _is_spoken_of(bare: str) -> bool:
    """Whether a line begins with an address or an empty tag in brackets and goes on with words about it."""
    first, _, rest = bare.partition("> ")
    is_named = "://" in first or "@" in first or first[-1] == "/"
    return is_named and " " not in first and rest[:1].isalpha() and "<" not in rest


def _is_place(word: str) -> bool:
    """Whether a word is a place in a file, as compilers write it: `src/a.go:76:31:`."""
    parts = word.split(":")
    return len(parts) > 2 and parts[1].isdigit() and "." in parts[0] and not parts[0][0].isdigit()


def _without_quotes(line: str) -> str:
    """Return a line with each quoted piece and each piece of code in it as one word that stands for it."""
    if not any(quote in line for quote in _QUOTES):
        return line
    kept: list[str] = []
    done = 0
    for at, letter in enumerate(line):
        if letter in _QUOTES and at >= done and (at == 0 or not line[at - 1].isalnum()):
            closing = _QUOTES[letter]
            end = line.find(closing, at + 1)
            if end < 0 and closing in "“”":
                end = line.find('"', at + 1)
            if end > at:
                kept += (line[done:at], HIDDEN * (end + 1 - at))
                done = end + 1
    return "".join((*kept, line[done:]))


def _pieces(line: str) -> list[tuple[int, int]]:
    """Return where the sentences of a line begin and end; a question behind a comma is one of its own."""
    pieces: list[tuple[int, int]] = []
    start = at = 0
    # A sentence ends before a space.
    while (at := line.find(" ", at + 1)) > 0:
        if line[at - 1] in ".!?;" and not _goes_on(line, at - 1):
            pieces += _cut(line, start, at)
            start = at
    return pieces + _cut(line, start, len(line))


def _cut(line: str, start: int, end: int) -> list[tuple[int, int]]:
    small = line[start:end].lower()
    if ", " in small:
        for opener in _OPENERS:
            place = small.find(f", {opener}")
            if place > 0:
                return [(start, start + place + 1), (start + place + 2, end)]
    return [(start, end)]


def _goes_on(line: str, at: int) -> bool:
    """Whether a dot ends no sentence: it stands behind a short number ("am 3. Mai") or an abbreviation ("Mr. Wit")."""
    if line[at] != "." or line[at + 1 : at + 2] != " ":
        return False
    before = line[max(0, at - 7) : at].rpartition(" ")[2].lstrip("([").lower()
    day, dot, month = before.partition(".")
    if day.isdigit() and len(day) < 3 and (not dot or (month.isdigit() and len(month) < 3)):
        # A day ("am 3. Mai") goes on; a day with its month ("bis 4.2. fertig") where no new sentence begins.
        return not dot or line[at + 2 : at + 3].islower()
    if before == "no" and not line[at + 2 : at + 3].isupper():
        return f" {line[: at - 2].rstrip().rpartition(' ')[2].lower()} " in _NUMBERED
    return before != "" and f" {before} " in _SHORT


def _sentence(piece: str, text: str) -> Sentence:
    words: list[str] = []
    raw: list[str] = []
    after: list[str] = []
    tokens = piece[:_LONGEST_SENTENCE].replace("’", "'").split()
    if tokens and len(tokens[0]) < 4 and tokens[0][-1] in ".)" and tokens[0][:-1].isdigit():
        # A first word that only counts the points of a list: `3.` or `3)`.
        del tokens[0]
    for token in tokens:
        core = token.lstrip(_OPENING)
        bare = core.rstrip(_CLOSING)
        signs = core[len(bare) :]
        if not bare.strip("-–—•+&/|=>"):
            if after:
                after[-1] += signs or ("=" if "=" in token else "-")
            continue
        raw.append(bare)
        words.append(plain(bare))
        after.append(signs)
    return Sentence(text, words, raw, after, piece.rstrip().endswith(("?", "?)")))


def clause_starts(sentence: Sentence, first: int) -> list[int]:
    """Return at which words a sentence and its clauses begin; what is pointed at with `@` or counted stands before."""
    found = [first] if first < len(sentence.words) else []
    for at in range(first, len(sentence.words) - 1):
        word, signs = sentence.words[at], sentence.after[at]
        if word in ("and", "then", "und") or word[0] == "@" or word.isdigit() or not _BREAKS.isdisjoint(signs):
            found.append(at + 1)
    return found


def place_of(sentence: Sentence, at: int) -> int:
    """Return where in the text of a sentence its words before this one end."""
    place = 0
    # The signs that hide a quoted piece are not in the text, so words are counted as they were split.
    for word in sentence.raw[:at]:
        found = sentence.text.replace("’", "'").find(word, place)
        place = found + len(word) if found >= 0 else place
    return place


def text_to(sentence: Sentence, at: int) -> str:
    """Return the text of a sentence up to a word, without what joins the two."""
    text = sentence.text[: place_of(sentence, at)].rstrip(" ,;:-–—*_")
    joined = text.rpartition(" ")
    return joined[0].rstrip(" ,;") if joined[2].lower() in ("and", "und", "please", "bitte") else text


def text_from(sentence: Sentence, at: int, end: int) -> str:
    """Return the text of a sentence from a word on up to another."""
    if at >= len(sentence.raw):
        return ""
    # What ends with a colon announces the statement, which stands in the lines behind it.
    until = place_of(sentence, end) if end < len(sentence.raw) else len(sentence.text)
    statement = sentence.text[place_of(sentence, at) : until].lstrip(" ,:;.-–—*_)").rstrip(" ,;-–—*_?")
    if statement[:1] == statement[-1:] == '"':
        statement = statement.strip('" ')
    return statement if len(statement.split()) >= _MIN_WORDS or not statement.isascii() else ""


def standing_alone(statement: str) -> str:
    """Return a clause that followed a request as a sentence of its own."""
    first, _, rest = statement.partition(" ")
    if first.lower() == "dass":
        return _main_clause(rest)
    if statement.lower().startswith("the fact that "):
        return statement[len("the fact that ") :]
    return f"do {statement}".replace("not to ", "not ", 1) if statement.lower().startswith("not to ") else statement


def _main_clause(clause: str) -> str:
    """Return a German clause without its "dass": the verb at its end goes behind its subject."""
    head, comma, tail = clause.partition(",")
    said = head.rstrip(" .!").split()
    end = head[len(head.rstrip(" .!")) :]
    subject = 1
    if said[:1] and not said[0][0].isupper() and said[0].lower() not in _PRONOUNS:
        subject = next((at + 1 for at, word in enumerate(said) if word[0].isupper()), 0)
    while 0 < subject < len(said) and said[subject][0].isupper() and said[0].lower() not in _PRONOUNS:
        subject += 1
    verb = said[-1] if len(said) > subject > 0 else ""
    if not verb.isalpha() or not verb.islower():
        return clause
    prefix = next((one for one in _APART if verb.startswith(one) and len(verb) > len(one) + _MIN_VERB), "")
    if verb.startswith(_NOT_APART):
        prefix = ""
    moved = [*said[:subject], verb[len(prefix) :], *said[subject:-1], *([prefix] if prefix else ())]
    return " ".join(moved) + end + comma + tail


def first_of(text: str) -> str:
    """Return the first sentence of a text whose sentences are not parted by spaces."""
    ends = [place for place in map(text.find, "。！？") if place > 0]
    return text[: min(ends) + 1] if ends else text
