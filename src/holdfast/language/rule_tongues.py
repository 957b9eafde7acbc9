"""Rules in other words than those by which a rule is known: polite ones, and in seven other languages.

A form of a sentence is put into another ("could you please not" into "do not"), then in another language the words that
make a rule, one by one (`tables/rule_words.txt`); commands, files and what is in backquotes stay. A sentence that has
English words of its own is English. Nothing of this is asked in a hook.
"""

from __future__ import annotations

import functools
import re

from holdfast.base.regexes import kept
from holdfast.language.word_lists import TABLES, lists

_TABLE = f"{TABLES}/rule_words.txt"
_QUOTED = kept(r"`[^`\n]*`")
# What is in backquotes stands in the sentence as one of these letters, which nobody writes.
_FIRST, _MASKED = 0xE200, kept("[\ue200-\ue2ff]")
_MAX_QUOTED = 0x100
_ENGLISH, _TONGUES = "en", ("de", "es", "fr")
# Known by signs that no other language has, whatever words of English stand between them.
_FAR = ("zh", "ja", "pt")
# A script without spaces, and what else a sentence there has.
_JOINED = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_SEAMS = kept(rf"(?<=[{_JOINED}])(?=[!-&+-~`])|(?<=[!-'*-+/-~`])(?=[{_JOINED}])")
_WIDE = {"，": ", ", "、": ", ", "；": "; ", "：": ": ", "。": ". ", "（": " (", "）": ") ", "！": "! ", "？": "? "}
_EDGE = r"(?<![\w/.'-])"
# What a verb is about, in languages that have the verb behind it.
_OBJECT = (
    r"(?P<object>(?:(?!,\s*(?:ohne|weil|da|sondern|aber|wenn|bevor|denn|es sei|sonst)\b|\b(?:sondern|ohne)\b)"
    r"[^:;!?])*?)"
)


@functools.lru_cache(maxsize=64)
def in_english(sentence: str) -> str:
    """Return a sentence with its rule in plain words of English; as it is where nothing of it is known."""
    quoted = _QUOTED.findall(sentence)[:_MAX_QUOTED]
    masked = sentence
    for number, one in enumerate(quoted):
        masked = masked.replace(one, chr(_FIRST + number), 1)
    spoken = _MASKED.sub(" ", masked).casefold().replace("’", "'")
    tongues = (*_FAR, _ENGLISH) if _english().search(spoken) else (*_FAR, *_TONGUES, _ENGLISH)
    tongue = next((one for one in tongues if _sign(one).search(spoken)), "")
    plain = masked.replace("’", "'")
    put = _put_over(plain, tongue) if tongue else plain
    if put == plain:
        return sentence
    return _MASKED.sub(lambda found: quoted[ord(found[0]) - _FIRST], put)


def apart(text: str) -> str:
    """Return a text with spaces between a script that has none and the commands and files that it names."""
    if text.isascii() or not any("\u3040" <= letter <= "\ud7af" for letter in text):
        return text
    return _SEAMS.sub(" ", "".join([_WIDE.get(letter, letter) for letter in text])).replace("  ", " ")


def is_english(sentence: str) -> bool:
    """Whether a sentence has words of English, or none by which another language is known."""
    spoken = _QUOTED.sub(" ", sentence).casefold().replace("’", "'")
    return bool(_english().search(spoken)) or not any(_sign(one).search(spoken) for one in _TONGUES)


def is_known_tongue(sentence: str) -> bool:
    """Whether a sentence has words of English, so that it can be read word by word."""
    spoken = _QUOTED.sub(" ", sentence).casefold().replace("’", "'")
    return bool(_english().search(spoken) or _sign(_ENGLISH).search(spoken))


def _put_over(piece: str, tongue: str) -> str:
    for pattern, said in _forms(tongue):
        piece = pattern.sub(lambda found, said=said: _formed(found, said, tongue), piece)  # type: ignore[misc]
    words = _words(tongue)
    return _any_word(tongue).sub(lambda found: words[found[0].lower()], piece) if words else piece


@functools.cache
def _any_word(tongue: str) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(_words(tongue), key=len, reverse=True)))
    return kept(rf"(?i){_EDGE}(?:{either})(?![\w/-])")


def _formed(found: re.Match[str], said: str, tongue: str) -> str:
    """Return what is said in the place of a form: with its verb in English, and behind it what that is about."""
    groups = found.groupdict()
    verb, about = groups.get("verb") or "", (groups.get("object") or "").strip()
    verbs = _known(tongue, "verb") if verb else {}
    meant = next((verbs[form] for form in verbs if re.fullmatch(form, verb.casefold())), verb)
    return found.expand(said).replace("VERB", meant).replace("OBJECT", about)


@functools.cache
def _english() -> re.Pattern[str]:
    return kept(rf"(?<![\w'/.-])(?:{'|'.join(lists(_TABLE)['english'])})(?![\w'/-])")


@functools.cache
def _sign(tongue: str) -> re.Pattern[str]:
    """Return what tells the language: one of its words for a ban or a wish; of English, one of its polite forms."""
    return kept(rf"(?<![\w/.-])(?:{'|'.join(lists(_TABLE)[f'{tongue}-sign'])})(?![\w/-])")


@functools.cache
def _known(tongue: str, kind: str) -> dict[str, str]:
    return dict([one.split("=") for one in lists(_TABLE).get(f"{tongue}-{kind}", ())])


@functools.cache
def _words(tongue: str) -> dict[str, str]:
    """Return what is put over word by word: phrases, words, and verbs of which one form is known."""
    plain = {form: said for form, said in _known(tongue, "verb").items() if re.escape(form) == form.replace(" ", r"\ ")}
    return {**plain, **_known(tongue, "word")}


@functools.cache
def _forms(tongue: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the forms of a language, each with what is said in its place, in the order in which they are tried."""
    table = lists(_TABLE)
    verbs = sorted(_known(tongue, "verb"), key=len, reverse=True)
    found = []
    for row in table.get(f"{tongue}-form", ()):
        form, _, said = row.partition("=>")
        form = form.replace("NOT", f"(?:{'|'.join(table.get(f'{tongue}-not', ('not',)))})")
        form = form.replace("VERB", rf"(?P<verb>{'|'.join(verbs)})(?![\w/-])").replace("OBJECT", _OBJECT)
        # One that begins behind a sign says so itself.
        found.append((kept(f"(?i){'' if form.startswith('(^|') else _EDGE}{form}"), said))
    return found
