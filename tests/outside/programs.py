"""Programs that nobody here wrote: five agents, two MCP suites, a browser, a sign-in; fetched once into a cache folder.

Nothing of them runs while they are installed: their install scripts would write into the developer's home. The one
program that such a script unpacks is unpacked here instead. `python tests/outside/programs.py` installs them.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

LIST = Path(__file__).with_name("package.json")
# Both are read when the tests are loaded: later, each test has a home of its own.
CACHE = Path(os.environ.get("HOLDFAST_TEST_CACHE") or Path.home() / ".cache" / "holdfast-tests")
ENVIRONMENT = dict(os.environ)
SIZE = "about 1.5 GB"
MIN_NODE = 20
NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock")
SECONDS = 600
# What npm says when there is no way to its registry, as opposed to a mistake of ours.
NO_WAY = (
    *("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ERR_SOCKET_TIMEOUT"),
    # Behind a proxy whose certificate npm was not told of.
    *("SELF_SIGNED_CERT", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_HAS_EXPIRED"),
)
UNPACK = "const [from, to] = process.argv.slice(1), fs = require('fs');" + (
    "fs.writeFileSync(to, require('zlib').brotliDecompressSync(fs.readFileSync(from)), { mode: 0o755 })"
)


class NotHere(Exception):
    """The programs cannot be had on this machine, and why."""


def folder() -> Path:
    """Return the folder of exactly these versions, whether they are there or not."""
    return CACHE / hashlib.sha256(LIST.read_bytes()).hexdigest()[:12]


def install(say=lambda text: None) -> Path:
    """Return the folder with the programs. Of several processes that ask at once, one installs and the others wait."""
    there = folder()
    if (there / "complete").exists():
        return there
    _check_node()
    CACHE.mkdir(parents=True, exist_ok=True)
    with _alone():
        if not (there / "complete").exists():
            _check_registry()
            say(f"installing five agents and two MCP suites into {there}, once: {SIZE}, a minute or two")
            _install(there)
    return there


# Drives a browser, and looks at pages as somebody does who cannot see them.
PLAYWRIGHT, AXE = "1.65.0", "4.14.0"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DEBIAN = ("apt-get", "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core")


def browser(say=lambda text: None) -> tuple[str, Path]:
    """Return the path of a Chromium, and the folder with Playwright (`python`) and axe-core; NotHere says why not."""
    there = CACHE / f"browser-{PLAYWRIGHT}-{AXE}-{sys.version_info[0]}.{sys.version_info[1]}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with _alone():
        if not (there / "complete").exists():
            say(f"installing Playwright and axe-core into {there}, once: about 170 MB")
            _install_browser_parts(there)
        found = _browser_here() or _installed_by_the_system(say)
    return found, there


# A provider by which people sign in.
OPENID = "9.13.3"
# Two more agents, which only the long run needs.
MORE = {"@github/copilot": "1.0.102", "@qwen-code/qwen-code": "0.24.4"}


def openid(say=lambda text: None) -> Path:
    """Return the folder with npm's oidc-provider; NotHere says why not."""
    return _from_npm(f"openid-{OPENID}", {"oidc-provider": OPENID}, "3 MB", say)


def more(say=lambda text: None) -> Path:
    """Return the folder with the agents that only the long run needs; NotHere says why not."""
    return _from_npm(f"more-{'-'.join(MORE.values())}", MORE, "330 MB", say)


def _from_npm(name: str, packages: dict[str, str], size: str, say) -> Path:
    there = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    with _alone():
        if not (there / "complete").exists():
            _check_node()
            say(f"installing {', '.join(packages)} into {there}, once: {size}")
            shutil.rmtree(there, ignore_errors=True)
            there.mkdir()
            wanted = [f"{package}@{version}" for package, version in packages.items()]
            done = _run([*NPM, "--prefix", str(there), *wanted], there)
            if done.returncode:
                shutil.rmtree(there, ignore_errors=True)
                raise NotHere(f"npm could not install {wanted}: {done.stderr.strip()[-300:]}")
            (there / "complete").touch()
    return there


def _browser_here() -> str:
    found = (shutil.which(name, path=ENVIRONMENT.get("PATH")) for name in BROWSERS)
    return next((path for path in found if path), "")


def _installed_by_the_system(say) -> str:
    if shutil.which(DEBIAN[0]) is None or os.geteuid() != 0:
        raise NotHere(f"there is no {' or '.join(BROWSERS)} on the PATH; on Debian: {' '.join(DEBIAN)}")
    say("installing Chromium with apt-get")
    done = _run([*DEBIAN], CACHE)
    if done.returncode or not _browser_here():
        raise NotHere(f"apt-get could not install Chromium: {done.stderr.strip()[-200:]}")
    return _browser_here()


def _install_browser_parts(there: Path) -> None:
    _check_node()
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir()
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(there / "python"), f"playwright=={PLAYWRIGHT}"]
    for words in (pip, [*NPM, "--prefix", str(there), f"axe-core@{AXE}"]):
        done = _run(words, there)
        if done.returncode:
            shutil.rmtree(there, ignore_errors=True)
            raise NotHere(f"{words[0]} could not install: {done.stderr.strip()[-300:]}")
    (there / "complete").touch()


def _check_node() -> None:
    for program in ("node", "npm"):
        if shutil.which(program, path=ENVIRONMENT.get("PATH")) is None:
            raise NotHere(f"{program} is not on the PATH")
    version = _run(["node", "--version"], LIST.parent).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < MIN_NODE:
        raise NotHere(f"node is {version}, and the programs need {MIN_NODE}")


def _check_registry() -> None:
    package, version = next(iter(versions().items()))
    asked = _run(["npm", "view", f"{package}@{version}", "version", "--fetch-retries=0"], LIST.parent)
    signs = [line for line in asked.stderr.splitlines() if any(sign in line for sign in NO_WAY)]
    if asked.returncode and signs:
        raise NotHere(f"npm cannot reach its registry: {signs[0]}")


@contextmanager
def _alone():
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install(there: Path) -> None:
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir()
    shutil.copy(LIST, there)
    done = _run([*NPM, "--fetch-retries=0", "--prefix", str(there)], there)
    if done.returncode and "CERT" not in done.stderr:
        # A certificate that is not trusted stays so; anything else may pass.
        done = _run([*NPM, "--prefix", str(there)], there)
    if done.returncode:
        shutil.rmtree(there, ignore_errors=True)
        signs = [sign for sign in NO_WAY if sign in done.stderr]
        if signs:
            raise NotHere(f"npm cannot reach its registry: {signs[0]}")
        raise RuntimeError(f"npm could not install the programs:\n{done.stderr[-2000:]}")
    grok = native(there, "@xai-official/grok") / "bin" / "grok"
    _run(["node", "-e", UNPACK, f"{grok}.br", str(grok)], there, check=True)
    (there / "complete").touch()


def native(there: Path, package: str) -> Path:
    """Return the folder of a package's part that is for this machine."""
    system = {"Linux": "linux", "Darwin": "darwin"}[platform.system()]
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}[platform.machine()]
    return there / "node_modules" / f"{package}-{system}-{machine}"


def versions() -> dict[str, str]:
    """Return the versions that are tested, by package."""
    return json.loads(LIST.read_text())["dependencies"]


def _run(words: list[str], where: Path, *, check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=where, env=ENVIRONMENT, capture_output=True, text=True, timeout=SECONDS, check=check
    )


if __name__ == "__main__":
    for tests, fetch in {"agents and MCP suites": install, "a browser": browser, "a sign-in": openid}.items():
        try:
            fetch(lambda text: print(text, flush=True))
        except NotHere as problem:
            print(f"the tests with {tests} will be skipped: {problem}", file=sys.stderr)
