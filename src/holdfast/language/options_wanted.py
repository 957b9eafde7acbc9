"""Rules that let a command be run with an option alone, or without one: "X only with --draft", "X never without -n".

Nothing of this is asked in a hook.
"""

from __future__ import annotations

from holdfast.base.regexes import kept
from holdfast.language.derived_parts import Derived, as_command, of_mentions, run_with, with_option
from holdfast.language.mentions import MENTION, Mention, RuleSentence

_ONLY, _NEVER = r"only|nur|exclusively", r"never|nie|niemals|not"
_FORM = kept(
    rf"^(?:(?:please|run|use|call|bitte)\s+)*(?P<what>{MENTION})\s*[:,]?\s+"
    rf"(?:(?:is|are|may|must|should|can|be|to|run|used|allowed|bitte)\s+)*(?:(?P<only>{_ONLY})|(?:{_NEVER}))\s+"
    rf"(?:(?:ever|be|run|used|allowed|bitte)\s+)*(?P<how>with|without|mit|ohne)\s+(?:the\s+|an?\s+)?(?P<option>{MENTION})"
    r"(?=\s*(?:$|[,.;:!()–—])|\s+(?:set|given|option|flag|please|bitte|unless|until|because|since|on|in|for|here)\b)"
)


def with_or_without(sentence: RuleSentence) -> Derived | None:
    """Return all calls of a command but those with an option, or those with it, as the sentence forbids them."""
    found = _FORM.match(sentence.spoken)
    if found is None:
        return None
    command, option = as_command(sentence.named(found["what"])[0], is_run=True), sentence.named(found["option"])[0]
    if command.kind != "command" or option.said[:1] != "-":
        return None
    # "Only with" and "never without" want it; "only without" and "never with" shun it.
    if bool(found["only"]) == (found["how"] in ("with", "mit")):
        but = run_with(option.said, [command], or_like=not found["only"])
        return of_mentions(sentence, found, [command], forbids=True, but=but)
    shunned = Mention("command", with_option(command.text, option.said), command.said)
    return of_mentions(sentence, found, [shunned], forbids=True)
