"""Start of the hook for `python -I -S -E run.py EVENT --agent X`: without site packages it finds its own package.

It is compiled again each time, so it is short: `bundle.py` says what it does.
"""

import gc
import sys
from marshal import loads
from mmap import ACCESS_READ, mmap

# A process this short leaves nothing worth collecting.
gc.disable()
HERE = __file__.removesuffix("run.py")
PLACE = f"{HERE}__pycache__/bundle.{'.'.join(sys.argv[1:4:2]).replace('/', '-')}.{sys.implementation.cache_tag}"
# Behind the others: this may be a folder of site packages, and none of those stands in for the standard library.
sys.path.append(HERE.removesuffix("/holdfast/surfaces/hook/"))
bundle = None
try:
    with open(PLACE, "rb") as file:
        # It lies among the .pyc files and is the same: code of this package, compiled.
        memory = mmap(file.fileno(), 0, access=ACCESS_READ)
        code, parts = loads(memory)  # noqa: S302
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102
    bundle = names["opened"](parts, HERE, memory)  # type: ignore[operator]
except Exception:
    bundle = None

from holdfast.surfaces.hook.main import main  # noqa: E402

main(sys.argv[1:], PLACE, bundle)
