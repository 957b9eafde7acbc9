"""What a statement names as a ban and does not ask for: a permission, what others say, what is denied or taken back.

"No need to ask before git push" forbids no push, and "the docs claim you must not use tox, which is wrong" no tox. What
somebody else says is no rule of the person; what the person says of themselves ("I told you never to ...") is. Nothing
of this is asked in a hook.
"""

from __future__ import annotations

import re

from holdfast.base.regexes import kept
from holdfast.language.mentions import MENTION, TABLE, RuleSentence
from holdfast.language.rule_forms import ADVERBS, EDIT, NOT, RUN, SETS
from holdfast.language.word_lists import among

_ASKING = r"(?:ask(?:ing)?|check(?:ing)? with|confirm(?:ing)? with|bother\w*|prompt(?:ing)?|wait(?:ing)? for)"
_PERMITS = kept(
    # Nothing has to be done first.
    r"\bno (?:need|reason|point)\b|\b(?:do not|don['’]?t|does not|doesn['’]?t|won['’]?t|never)\s+(?:have to|need)\b"
    r"|\bneed(?:n['’]?t| not)\b|\bnot (?:necessary|needed|required)\b"
    r"|\b(?:is|are|it['’]?s|that['’]?s|seems|asking) unnecessary\b"
    r"|\b(?:brauch|muss|müss)\w*\b[^,;]*\b(?:nicht|kein\w*)\b|\bnicht (?:nötig|notwendig|erforderlich)\b"
    r"|\bkeine?n? (?:grund|notwendigkeit|bedarf)\b"
    # Nobody wants to be asked.
    rf"|\b(?:{NOT}|quit)\s+(?:(?:ever|even|please|always|just|be|keep|to|in)\s+)*{_ASKING}\b[^;]*\b(?:before|prior"
    rf"|bevor|vor)\b|\bfrag\w*\s+(?:mich\s+)?(?:nicht|nie|niemals)\b|\bohne (?:rückfrage|zu fragen)\b[^;]*\bdarfst\b"
    # It may be done.
    r"|\b(?:feel free|free to|(?<!never )(?<!not )(?<!n't )go ahead and"
    r"|(?:can|may|darfst|kannst)(?!['’]?t|not|\s+not|\s+nicht|\s+only|\s+nur)\b[^;]*"
    r"\b(?:without (?:asking|my\b|being asked)|ohne (?:rückfrage|zu fragen|mich zu fragen)))"
)
# "We don't need docker, never use it" forbids after all.
_AND_YET = kept(rf"[,:(–—]\s*(?:(?:so|and|please|but|just)\s+)*{NOT}\s+{ADVERBS}(?:{RUN}|{EDIT})\b")
# "Don't read it, you don't need it" gives a reason for the ban.
_BANS_FIRST = kept(
    rf"(?:(?:please|you)\s+)*(?:{NOT}|no)\s+{ADVERBS}(?!{_ASKING}|(?:have|need|feel|hesitate|worry)\b|longer\b)"
    rf"[^,;:.]*{MENTION}[^.]*(?:[,;:(–—]|\b(?:because|since|as))\s"
)
_SAY = (
    r"(?:says|said|claims|claimed|wrote|writes|thinks|thought|believes|believed|told|argues|argued|insists|insisted"
    r"|suggests|suggested|states|stated|heard|sagt|sagte|meint|meinte|behauptet|behauptete|schrieb)"
)
_THEY = r"(?:people|docs|some|they|others|guys|folks|instructions|comments|guidelines|teams?|leute|manche)"
_REPORTED = kept(rf"\b(?:{_SAY}|{_THEY}\s+(?:say|claim|think|write|tell|argue|believe|sagen|meinen))\b(?!['’])")
# What the person says, to whom it may concern.
_OWN = kept(
    r"(?:\b(?:i|we|ich|wir)\b(?:['’]ve)?|\b(?:the )?user|\b(?:the )?person|^(?:as|like|wie)\b.*)(?:\s+(?:have|has|had"
    r"|already|just|always|explicitly|clearly|\w+ly))*\s*$"
)
# Who may tell the person what to do: what they say is to be kept.
_AUTHORITY = kept(
    r"\b(?:security|legal|compliance|(?:dev)?ops|infra(?:structure)?|platform|sre|policy|management"
    r"|(?:my|our|the)\s+(?:boss|(?:(?:tech|team|engineering|project|product) )?(?:lead|manager|owner)|team|client"
    r"|customer|cto|company|guidelines?|style ?guide"
    r"|maintainers?|policy))(?:\s+(?:team|people|department|explicitly|always))*"
    r"\s+(?:says?|said|insists|insisted|states|stated|wrote|told (?:us|me))\b"
)
_TO_OTHERS = kept(r"(?:told|wrote|said to)\s+(?!you\b|to\b|never\b|not\b|dir\b|euch\b)[a-z]")
_QUOTED_BAN = kept(rf'["“„]\s*(?:[^"”“]*\s)?(?:{NOT}|not)\b[^"”“]*{MENTION}[^"”“]*["”“]')
_DENIED = kept(
    r"\b(?:not true|untrue|a myth|is false|wrong|nonsense|a lie) that\b|\bno longer (?:say|hold|true|the case"
    r"|applies|valid)\b"
    r"|^(?:please )?(?:ignore|forget|disregard|drop|vergiss|ignoriere)\b[^;]*\b(?:that|rule|note|says|advice|regel"
    r"|dass)\b|\b(?:do not|don['’]?t|never) (?:believe|trust|listen|follow|mind|say|tell)\b"
    rf"|\b{NOT}\s+(?:(?:ever|please|just)\s+)*(?:stop|avoid|quit|refuse|hesitate|worry|be afraid)\b"
    r"|\b(?:can|could)(?: never|n['’]?t|not) [^;]*\b(?:too (?:often|much|many|early)|enough)\b"
    r"|\b(?:old|outdated|obsolete|former) (?:advice|rules?|notes?|habits?|guidelines?)\b[^;]*?[,:(]"
    r"|\b(?:used to (?:say|think|believe|be)|nicht wahr|stimmt nicht)\b"
)
# "N'oublie jamais", "no olvides nunca": a verb that is not known here stands between, and may turn it around.
_OTHER_VERB = kept(
    r"(?:\bne\s+|\bn['’]|\bnot\s+)(?:(?:te|se|vous|le|la|les|lo|los|las|me)\s+)?"
    r"(?!(?:fau|doi|dev|peu|pouv|veu|voul|deb|pued|pod|quier|quer)\w*\b)[^\W\d_]{2,}\s+never\b"
    r"|(?:\bne\s+|\bn['’])(?!(?:fau|doi|dev|peu|pouv|veu|voul)\w*\b)[^\W\d_]+\s+not\b"
)
_ENCOURAGES = kept(
    r"\b(?:vergiss|vergesst|vergessen sie|überspring\w*|zöger\w*|scheu\w*|versäum\w*|verzicht\w*)\b[^;]*?"
    r"\b(?:nie|niemals|nicht|kein\w*)\b"
    r"|\b(?:nie|niemals|nicht)\b[^;]*\b(?:zu )?(?:vergessen|überspringen|auslassen|weglassen|versäumen|zögern"
    r"|verzichten)\b|\bkeine? (?:angst|scheu|sorgen?|bedenken|hemmungen)\b"
)
_TAKEN_BACK = kept(
    r"\b(?:just kidding|(?:was|is|were) (?:just |only )?(?:a joke|joking|kidding)|i disagree|no longer (?:applies"
    r"|holds)"
    r"|(?:does not|doesn['’]?t) (?:apply|hold) any ?more|(?:which|but (?:that|this|it|he|she|they))(?:['’]s|['’]re"
    r"| is| was| are) (?:wrong|false|nonsense|not true|mistaken|outdated|obsolete|no longer)|(?:stimmt|gilt) nicht"
    r"|war (?:nur )?ein (?:witz|scherz))\b"
    r"|\bnow it(?:['’]s| is) (?:fine|okay|ok|allowed)\b|\b(?:fine|okay|ok|allowed) (?:now|again)\b|\bchanged my mind\b"
    r"|\bban (?:is|was) lifted\b|\b(?:ignore|forget|disregard|scratch) (?:that|this|them|him|her)\W*$|\bnever ?mind\W*$"
)


# Whose ban it is, where words stand before it: who reads it, or something that is only told of.
_CLAUSE_ENDS = kept(r"[,;:.(!–—]|\s-\s|\b(?:and|but|or|so|because|since|then|that is why|that|und|aber)\b")
# "If you don't run it, the tests fail" forbids nothing.
_IN_CASE = kept(
    r"\b(?:if|when|whenever|unless|once|while|because|since|whether|why|in case|as|wenn|falls)\s+"
    r"(?:you|we|i|they|it)\s*$"
)
_NO_SUBJECT = kept(
    r"\b(?:should|shall|can|could|may|might|must|will|would|ever|also|please|always|just|really|simply|still|yes|plus"
    r"|besides|sometimes|thus)\b"
)
_SUBJECT = kept(
    rf"(?:the|our|my|your|his|her|its|their|this|that|these|those|some|most|many|all|both|each|every|an?)"
    rf"(?:\s+[\w'’{MENTION[1:-1]}/.-]+){{1,4}}|it|they|he|she|this|that|these|those|which|who|{MENTION}|[a-z-]+s"
)
_MODAL = kept(r"\b(?:must|should|may|can|shall)")
_NOUNS = kept(
    r"(?!(?:for|in|on|at|with|from|when|if|while|during|to|under|by|as|after|before|until|remember|make|be|there)\b)"
    r"[\w'’-]+(?:\s+[\w'’-]+){0,3}"
)
_READER = kept(
    r"\b(?:you|we|one|agents?|sub-?agents?|assistants?|ai|ais|llms?|models?|bots?"
    r"|workers?|developers?|contributors?|engineers?|reviewers?|everyone|everybody|anyone|people|humans?|always|times)\b"
)


def is_taken_back(text: str) -> bool:
    """Whether a statement takes back what it says elsewhere."""
    return bool(_TAKEN_BACK.search(text.casefold()))


def is_disowned(sentence: RuleSentence) -> bool:
    """Whether a sentence permits what it names, denies the ban, or tells what others say."""
    spoken = sentence.spoken
    permits = _PERMITS.search(spoken)
    is_reason = permits is not None and _BANS_FIRST.match(spoken[: permits.start()])
    is_permitted = permits is not None and not is_reason and not _AND_YET.search(spoken, permits.end())
    turned = (_DENIED, _OTHER_VERB, _ENCOURAGES)
    return is_permitted or any(one.search(spoken) for one in turned) or _is_reported(spoken)


def is_of_others(spoken: str, at: int) -> bool:
    """Whether a ban that begins there is of something else than who reads it, or of a case: "tests don't use npm"."""
    if _IN_CASE.search(spoken[:at]):
        return True
    clause = _CLAUSE_ENDS.split(spoken[:at])[-1].strip()
    subject = " ".join(_NO_SUBJECT.sub("", clause).split())
    is_reader = _READER.search(subject) or not among(TABLE, "reader").isdisjoint(subject.casefold().split())
    if not subject or is_reader or _REPORTED.search(subject):
        return False
    # "Must not" has a subject, and "never" need not have one.
    is_modal = _MODAL.match(spoken, at) or _MODAL.search(clause)
    return bool(_SUBJECT.fullmatch(subject) or (is_modal and _NOUNS.fullmatch(subject)))


def _is_reported(spoken: str) -> bool:
    quoted = None if _AUTHORITY.search(spoken) else _QUOTED_BAN.search(spoken)
    if quoted and spoken.replace(quoted[0], "").strip(" .!;:,"):
        return True
    found = _REPORTED.search(spoken)
    if found is None or kept(rf"\b{NOT}\s").search(spoken[: found.start()]):
        return False
    sets = re.search(r"\bnot\b|\bnever\b", spoken[found.end() :]) or SETS.search(spoken, found.end())
    if _AUTHORITY.search(spoken):
        return False
    is_own = _OWN.search(spoken[: found.start()]) and not _TO_OTHERS.match(spoken, found.start())
    return bool(sets) and not is_own
