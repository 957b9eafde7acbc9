"""The parts of features at one moment of a hook, without its journal and its answer."""

from __future__ import annotations

from holdfast.app.hook import apply, effects_of
from holdfast.parts import HookRun


def keep(run: HookRun) -> bool:
    """Let every part do what it does at this moment, and say nothing; return whether one asked for a sweep."""
    asides = []
    wants_sweep = apply(run, [one for one in effects_of(run) if not one[1].is_told], asides)
    for name, aside in asides:
        if problem := aside.wait(run.ends):
            run.log(name, problem)
    return wants_sweep
