"""The store is missing, locked or broken: the agent still answers. How fast it does is for the benchmarks to say."""

from __future__ import annotations

from outside.life import ANSWER, Life


def test_the_agent_answers_without_the_store(life: Life) -> None:
    """With a store that cannot be used the agent ends well, prints the model's answer and leaves nothing running."""
    assert life.troubled
    for trouble, ran in life.troubled.items():
        assert (ran.code, ran.left_behind) == (0, []), (trouble, ran.err)
        assert ANSWER in ran.out, trouble
