"""Orders to stand that a person gives in passing: "from now on never run prisma db push", "always use pnpm here".

They ask for nothing to be remembered, so nothing is stored; but who says them means more than this one task. Only what
names a call, and says that it is always or never to be so, is one.
"""

from __future__ import annotations

from holdfast.base.regexes import kept
from holdfast.language.derived import derive
from holdfast.language.reported import own_part
from holdfast.language.sentences import sentences

_MAX_ORDER = 300
_SIGN = (
    r"from now on|going forward|in (?:the )?future|henceforth|always|never|(?:not|n['’]t) [^.;]*?\b(?:ever )?again"
    r"|any ?more|every time|each time|before (?:every|each|any)|without asking|ask (?:me )?(?:first|before)"
    r"|ab (?:jetzt|sofort|heute)|künftig|in zukunft|immer|nie|niemals"
    r"|désormais|dorénavant|à partir de maintenant|jamais|toujours"
    r"|n['’]utilise plus|nunca|siempre|a partir de ahora|de ahora en adelante|mai|sempre"
)
_STANDS = kept(rf"(?i)\b(?:{_SIGN})\b")
# What is to be done now, and behind it the order: "add a test for it and never touch src/old/ again".
_TASK_FIRST = kept(
    r"(?i)^(?P<task>[^;:]*?)(?:[,;:]\s+(?:and\s+|und\s+)?|\s+(?:and|und)\s+)"
    r"(?=(?:please\s+)?(?:never|always|don['’]t ever|nie)\b)"
)
_LEAD = kept(r"(?i)^(?:ok(?:ay)?|also|and|no|btw|by the way|please note|hey|so|und|bitte)[,:]\s+")


def orders(text: str) -> list[str]:
    """Return the orders in a message that are to stand and name a call, each as it was said."""
    found = []
    for sentence in sentences(own_part(text)):
        said = _LEAD.sub("", " ".join(sentence.text.split()))
        task = _TASK_FIRST.match(said)
        if task and not _STANDS.search(task["task"]):
            said = said[task.end() :]
        is_short = len(said) <= _MAX_ORDER and not said.rstrip().endswith("?")
        if is_short and _STANDS.search(said) and derive(said) is not None:
            found.append(said)
    return found
