"""Phrases with slots, and whether a sentence says them. The form of the files is told at the top of `words/en.txt`.

A hook reads them anew for every prompt, so only those lines are taken apart whose first word the message has.
"""

from __future__ import annotations

from holdfast.continuity.sentences import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.sentences import Sentence

    # Under a word: the group of a phrase, whether it begins the sentence, its second words, and all after the first.
    Phrase = tuple[str, bool, str, list[str]]
    Filed = dict[str, list[Phrase]]

_SLOT = 6
_SIGNS = ",:;!-="


class Phrases:
    """The phrases of one language, and its lists of words."""

    def __init__(self, text: str) -> None:
        head, _, body = text.partition("\n[")
        self._lines = f"[{body}".split("\n")
        self._lists: dict[str, set[str]] = {}
        for line in head.split("\n"):
            if line[:1] == "<":
                name, _, words = line.partition(" = ")
                self._lists.setdefault(name, set()).update(words.split())

    def cues(self, sentences: list[Sentence]) -> list[set[str]]:
        """Return for each sentence the groups of which it says a phrase."""
        names = [[self._names(*pair) for pair in zip(one.words, one.raw, strict=True)] for one in sentences]
        present = {word for one in sentences for word in one.words}
        present.update(name for one in names for each in one for name in each)
        filed = self.filed(present)
        return [_said(*pair, filed) for pair in zip(sentences, names, strict=True)]

    def filed(self, present: set[str]) -> Filed:
        """Return the phrases that words of a message can begin, under their first word."""
        filed: Filed = {}
        group = ""
        is_none = present.isdisjoint
        for line in self._lines:
            first, _, rest = line.partition(" ")
            begins = first == "^"
            if begins:
                first, _, rest = rest.partition(" ")
            keys = first.split("|")
            if is_none(keys):
                if line[:1] == "[":
                    group = line[1:-1]
                continue
            steps = rest.split()
            if any(_is_words(step) and is_none(step.split("|")) for step in steps):
                continue
            needed = steps[0] if steps and _is_words(steps[0]) else ""
            for key in present.intersection(keys):
                filed.setdefault(key, []).append((group, begins, needed, steps))
        return filed

    def lists_of(self, word: str) -> list[str]:
        """Return the lists that a word is on."""
        return [name for name, words in self._lists.items() if word in words]

    def _names(self, word: str, raw: str) -> list[str]:
        """Return the lists that a word is on, and its shapes; a word of <plain> has no shape."""
        names = self.lists_of(word)
        return names if "<plain>" in names else [*names, *shapes(raw)]


def _is_words(step: str) -> bool:
    """Whether a step of a phrase is nothing but words."""
    return "<" not in step and step[0] not in "*_$^,:;!-="


def _said(sentence: Sentence, names: list[list[str]], filed: Filed) -> set[str]:
    words = sentence.words
    following = [*words[1:], "\0"]
    begins_until = next((at for at, name in enumerate(names) if "<lead>" not in name), 0)
    cues: set[str] = set()
    for at, word in enumerate(words):
        for key in (word, *names[at]):
            for group, begins, needed, steps in filed.get(key, ()):
                # Most phrases fail at the second word, before the call.
                if group in cues or (needed and following[at] not in needed) or (begins and at > begins_until):
                    continue
                if not steps or _follows(steps, at + 1, sentence, names):
                    cues.add(group)
    return cues


def _follows(steps: list[str], at: int, sentence: Sentence, names: list[list[str]]) -> bool:
    """Whether the rest of a phrase stands in the sentence from a word on."""
    words, last = sentence.words, len(sentence.words)
    for number, step in enumerate(steps):
        if step[0] == "*":
            reach = min(at + int(step[1:] or _SLOT), last)
            rest = steps[number + 1 :]
            return not rest or any(_follows(rest, place, sentence, names) for place in range(at, reach + 1))
        if step == "$":
            if at != last:
                return False
        elif step in _SIGNS:
            if step not in sentence.after[at - 1]:
                return False
        elif at < last and _is(step, words[at], names[at]):
            at += 1
        else:
            return False
    return True


def _is(step: str, word: str, names: list[str]) -> bool:
    if word in step and (step == word or word in step.split("|")):
        return True
    return step == "_" or ("<" in step and any(name in step for name in names))
