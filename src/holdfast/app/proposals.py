"""The kinds of proposals: a feature that proposes something has its line here."""

from __future__ import annotations

from functools import partial

from holdfast.continuity import follow_up, page_proposals
from holdfast.exchange import import_notes
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.memory import proposals

KINDS: dict[str, proposals.Kind] = {
    **proposals.KINDS,
    **import_notes.KINDS,
    page_proposals.KIND: page_proposals.PageKind(),
    follow_up.KIND: follow_up.StillKind(),
    lesson_standing.KIND: lesson_standing.LessonKind(),
}

approve = partial(proposals.approve, kinds=KINDS)
reject = partial(proposals.reject, kinds=KINDS)
review = partial(proposals.review, kinds=KINDS)
