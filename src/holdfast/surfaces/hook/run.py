"""Start of the hook for `python -I -S -E run.py EVENT --agent X`: without site packages it finds its own package.

It is compiled anew each time, so it is short: `bundle.py` says what it does.
"""

import sys
from marshal import loads

HERE = __file__.removesuffix("run.py")
PLACE = f"{HERE}__pycache__/bundle.{sys.implementation.cache_tag}"
sys.path.insert(0, HERE.removesuffix("/holdfast/surfaces/hook/"))
bundle = None
try:
    file = open(PLACE, "rb")  # noqa: SIM115 (modules are read from it as long as the process lives)
    # It lies among the .pyc files and is the same: code of this package, compiled.
    found = loads(file.read(int.from_bytes(file.read(8), "little")))  # noqa: S302
    start = file.tell()
    at, length = found[0]["holdfast.surfaces.hook.bundle"][-2:]
    file.seek(start + at)
    names: dict[str, object] = {}
    exec(loads(file.read(length)), names)  # noqa: S102, S302
    bundle = names["use"](found, file, start, HERE)  # type: ignore[operator]
except Exception:
    bundle = None

from holdfast.surfaces.hook.main import main  # noqa: E402

main(sys.argv[1:], PLACE, bundle)
