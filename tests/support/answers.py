"""What rules answered at a call."""

from __future__ import annotations


class Answers:
    """What the rules answered at one call, after each noted that it was told."""

    def __init__(self, effects) -> None:
        effects = [one for one in effects if one.do is None or one.do() is not False]
        self.said = [one.say for one in effects if one.say]
        self.held = [one.hold for one in effects if one.hold]
        self.asked = [one.ask for one in effects if one.ask]
        self.given = [one.given for one in effects if one.given]

    def __bool__(self) -> bool:
        return bool(self.said or self.held or self.asked)
