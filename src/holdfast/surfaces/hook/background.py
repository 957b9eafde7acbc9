"""Start of the sweep behind a hook: `python -I background.py HOME SECONDS AGENT` sweeps that agent's transcripts.

It finds its own package as `run.py` does, but with the site packages, which a sweep needs. It stands back for what the
person does, gives the agent a moment to write the last lines of its session, and ends whatever happens: a sweep begins
nothing after so many seconds, and a transcript that takes far longer than that is broken off, which does no harm.
"""

import os
import signal
import sys
import time

LOW_PRIORITY = 15
PAUSE = 1.0
GRACE = 300


def main(home: str, seconds: str, agent: str) -> None:
    """Run the sweep."""
    os.nice(LOW_PRIORITY)
    os.chdir(home)
    signal.alarm(int(seconds) + GRACE)
    time.sleep(PAUSE)
    # Behind the others: this may be a folder of site packages, and none of those stands in for the standard library.
    sys.path.append(os.path.abspath(__file__).rsplit(os.sep, 4)[0])
    from holdfast.surfaces.cli.main import run

    sys.exit(run(["--home", home, "sweep", "--quiet", "--within", seconds, "--agent", agent]))


if __name__ == "__main__":
    main(*sys.argv[1:])
