"""How much each mark of a candidate counts. Figures, and nothing else; `training/fusion.py` wrote both tables.

Each weight is a figure for candidates of about 30 words, and what is added to it for every unit that they are longer.
"""

from __future__ import annotations

WEIGHTS = {
    "words": (0.030, 0.069),
    "share": (0.146, 0.000),
    "around": (0.221, -0.043),
    "session": (0.126, -0.035),
    "meaning": (0.503, 0.168),
    "session_meaning": (0.630, 0.158),
    "length": (0.233, -0.436),
    "speaker": (0.244, -0.178),
}
# The same where there is no model: by words alone.
BY_WORDS_ALONE = {
    "words": (0.312, 0.054),
    "share": (0.152, -0.029),
    "around": (0.362, -0.060),
    "session": (0.206, -0.085),
    "meaning": (0.000, 0.000),
    "session_meaning": (0.000, 0.000),
    "length": (0.193, -0.334),
    "speaker": (0.219, -0.216),
}
# The least cosine to the query of something that is found by meaning alone.
NEAR_ENOUGH = 0.25
# A cosine of this and above is as near as a mark can say, unless another candidate is nearer still.
NEAR = 0.5
# A version of the statement that was asked for holds so much of the words that the best one holds (more where the query
# does not ask for a rule), and has so much of the best score.
VERSION, VERSION_UNASKED = 0.6, 0.9
VERSION_SCORE = 0.4


def at(lengthy: float, meaning: bool = True) -> tuple[float, ...]:
    """Return the weights for candidates of this length: the mean of log(1 + words), less 3.5, over 1.5.

    What speaks for a candidate adds up to one at most, so that no score is higher.
    """
    table = WEIGHTS if meaning else BY_WORDS_ALONE
    weights = [figure + more * lengthy for figure, more in table.values()]
    most = sum([abs(weight) for weight in weights])
    return tuple([weight / most for weight in weights])
