"""The documents say what the program does: each heading, option, link, example, path and command is checked."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import holdfast
from holdfast import errors, settings
from holdfast.journal.updates import Touched, Update, Updates, digest
from holdfast.learning.fixes import model as fixes
from holdfast.learning.research import model as research
from holdfast.learning.security import model as security_trail
from holdfast.memory import settled
from holdfast.memory.proposal_files import id_of
from holdfast.records import Problem, Scope, replace
from holdfast.surfaces.cli.command_line import COMMANDS
from holdfast.surfaces.cli.main import ALIASES, cli
from holdfast.workspace import Workspace
from support.archived import edited, said, session, store
from support.command_line import environment_of, play
from support.signalled import MAKE, NPM, PYTEST, failing, three

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GENERATE = runpy.run_path(str(DOCS / "generate.py"))
SKIPPED = {"node_modules", "src", "dist", "build"}
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in SKIPPED for part in path.relative_to(ROOT).parts)
)
_PACKAGE = (
    "surfaces|app|exchange|patterns|learning|continuity|sessions|inject|memory|recall|store|journal|agents|project"
)
PACKAGES = {f"{name}/" for name in _PACKAGE.split("|")}
ERRORS = [value for value in vars(errors).values() if isinstance(value, type)]
MAX_LINES_OF_AGENTS = 79


def name_of(path: Path) -> str:
    """Return the path of a page as people say it."""
    return str(path.relative_to(ROOT))


def text_of(page: str) -> str:
    """Return the text of a page below docs/."""
    return (DOCS / page).read_text(encoding="utf-8")


def commands() -> list[str]:
    """Return every command, sub-commands as `project alias`."""
    found = []
    for name in COMMANDS:
        found.append(name)
        command = GENERATE["find"](name)
        if isinstance(command, click.Group):
            found += [f"{name} {sub}" for sub in sorted(command.list_commands(click.Context(command)))]
    return found


def without_code(text: str) -> str:
    """Return the text without fenced code, so that a comment in an example is no heading."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """Return what stands under each heading, up to the next heading of any level; code is kept."""
    found: dict[str, str] = {}
    heading, fenced = "", False
    for line in text.splitlines():
        fenced = not fenced if line.startswith("```") else fenced
        if line.startswith("#") and not fenced:
            heading = line.lstrip("#").strip()
        found[heading] = found.get(heading, "") + line + "\n"
    return found


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as Markdown readers make them."""
    headings = re.findall(r"^#+ (.+)$", without_code(text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def parse(line: str) -> None:
    """Parse `holdfast ...` as the program would, without running it; a usage error is raised."""
    words = [word for word in shlex.split(line, comments=True) if word != "holdfast"]
    for stop in ("|", ">", "&&"):
        words = words[: words.index(stop)] if stop in words else words
    while words and words[0] in ("--home", "--set"):
        words = words[2:]
    if not words or words[0] in ("--help", "--version"):
        return
    name = ALIASES.get(words[0], words[0])
    words = words[1:]
    assert name in COMMANDS, f"there is no command {name}"
    command = GENERATE["find"](name)
    if getattr(command, "adds", False) and words and not words[0].startswith("-") and words[0] not in command.commands:
        words.insert(0, "add")
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, command = f"{name} {words[0]}", GENERATE["find"](f"{name} {words[0]}")
        words = words[1:]
    if "--help" not in words:
        command.make_context(name, words, parent=click.Context(cli))


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of each row of the tables in a text, without their heads."""
    rows = [line.strip().strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows]


def quoted(text: str) -> list[str]:
    """Return what stands between backticks, outside fenced code."""
    return re.findall(r"`([^`\n]+)`", without_code(text))


@pytest.mark.parametrize("name", commands())
def test_every_command_has_a_section_with_its_options(name: str) -> None:
    """Each command and sub-command has a heading in docs/cli.md, and each of its options is named below it."""
    section = sections(text_of("cli.md")).get(name)
    assert section, f"docs/cli.md has no heading {name}"
    for option in GENERATE["options_of"](GENERATE["find"](name)):
        for spelling in option.opts:
            assert re.search(rf"`{spelling}[ `]", section), f"{name}: {spelling} is not named"
    assert "Exit codes:" in section
    assert blocks(section, "console"), "there is no example"


def test_cli_has_no_section_for_a_command_that_is_gone() -> None:
    """Each heading of docs/cli.md with a list of options is a command of today."""
    told = re.findall(r"<!-- options: (.+?) -->", text_of("cli.md"))
    assert sorted(told) == sorted([*commands(), "holdfast"])


@pytest.mark.parametrize("page", ["cli.md", "settings.md"])
def test_generated_parts_are_up_to_date(page: str) -> None:
    """What docs/generate.py would write stands in the pages already."""
    text = text_of(page)
    assert GENERATE["generated"](text) == text, "run: python docs/generate.py"


@pytest.mark.parametrize("setting", settings.SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_has_a_section(setting: settings.Setting) -> None:
    """Each setting has a heading in docs/settings.md, with its help, default and variable."""
    section = sections(text_of("settings.md")).get(setting.name, "")
    assert setting.help in section
    assert f"`{settings.variable_of(setting.name)}`" in section


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_has_a_section(error: type[errors.HoldfastError]) -> None:
    """Each error has a heading in docs/errors.md with its exit code and, but for the root, a way out."""
    section = sections(text_of("errors.md")).get(error.__name__, "")
    assert f"Exit code {error.exit_code}." in section
    assert error is errors.HoldfastError or "Way out:" in section


def test_exit_codes_are_all_in_the_table() -> None:
    """The table of exit codes in docs/cli.md has every code that an error has, and those of the program."""
    told = {row[0] for row in table_rows(sections(text_of("cli.md"))["Exit codes"])}
    assert {str(error.exit_code) for error in ERRORS} | {"0", "130"} <= told


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link of every page leads to a file that is there, and its anchor to a heading."""
    for target in re.findall(r"\]\(([^()\s]+)\)", without_code(path.read_text(encoding="utf-8"))):
        if "://" in target or target.startswith("mailto:"):
            continue
        file, _, anchor = target.partition("#")
        full = path.parent / file if file else path
        assert full.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors(full.read_text(encoding="utf-8")), f"{target} has no such heading"


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_no_machine_and_no_registry_is_named(path: Path) -> None:
    """No page has the path of some machine, or the host of a package registry or mirror."""
    text = path.read_text(encoding="utf-8")
    places = r"(?<![\w.~$-])/(?:work|home/\w+|root|tmp|Users|opt|var|mnt)/"
    # In brackets, so that this line names none of them either.
    hosts = r"py[p]i\.org|python[h]osted|npm[j]s\.(?:com|org)|artifactory|/simple/|index-url"
    assert re.findall(places, text) == []
    assert re.findall(hosts, text) == []


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_console_examples_can_be_typed(path: Path) -> None:
    """Each `$ holdfast ...` line of a console block names a command and options that exist."""
    for block in blocks(path.read_text(encoding="utf-8"), "console"):
        for line in block.splitlines():
            if line.startswith("$ holdfast"):
                parse(line[2:])


def test_console_examples_are_really_parsed() -> None:
    """An example with an unknown command, an unknown option or a value that is no choice is caught."""
    with pytest.raises(AssertionError):
        parse("holdfast rememberr x")
    with pytest.raises(click.UsageError):
        parse("holdfast remember x --colour red")
    with pytest.raises(click.UsageError):
        parse("holdfast project merge OLD --scope nowhere")


def played(block: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each with the output that the page shows."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], undated(part.partition("\n")[2])) for part in parts]


def undated(text: str) -> str:
    """Return the text without its dates and times, which differ from run to run."""
    return re.sub(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?", "DATE", text).strip()


def test_the_minute_of_the_readme_is_real(tmp_path: Path) -> None:
    """Played in a fresh home and repository, the commands of README.md print what it shows."""
    git = tmp_path / "shop" / ".git"
    for folder in ("objects", "refs"):
        (git / folder).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')
    minute = sections((ROOT / "README.md").read_text(encoding="utf-8"))["One minute"]
    scenes = [scene for block in blocks(minute, "console") for scene in played(block)]
    assert len(scenes) > 5
    for typed, shown in scenes:
        ended = subprocess.run(
            [sys.executable, "-m", *shlex.split(typed)],
            cwd=tmp_path / "shop",
            env=fresh(tmp_path),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert undated(ended.stdout) == shown, typed


def test_agents_page_is_short() -> None:
    """AGENTS.md is read whole by every agent, so it stays under 80 lines."""
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) <= MAX_LINES_OF_AGENTS


def test_paths_in_agents_and_architecture_exist() -> None:
    """Source files that AGENTS.md and docs/architecture.md name are there."""
    for page in (ROOT / "AGENTS.md", DOCS / "architecture.md"):
        for name in quoted(without_code(page.read_text(encoding="utf-8"))):
            if re.fullmatch(r"(?:[a-z_]+/)+[a-z_]*(?:\.py|\.md)?", name) and name not in PACKAGES:
                places = (ROOT, ROOT / "src" / "holdfast", ROOT / "src" / "holdfast" / "surfaces" / "cli")
                assert any((place / name).exists() for place in places), f"{page.name}: {name}"


def test_decisions_are_short_and_listed() -> None:
    """Each decision fits on two screens and says the decision, and docs/README.md lists it."""
    listed = text_of("README.md")
    for path in (DOCS / "decisions").glob("*.md"):
        assert f"decisions/{path.name}" in listed, f"{path.name} is not listed"
        text = path.read_text(encoding="utf-8")
        assert "\n## Decision\n" in text, f"{path.name} does not say the decision"
        assert len(text.splitlines()) <= 80, f"{path.name} is too long"


def test_every_page_is_listed() -> None:
    """docs/README.md lists every page of docs/."""
    listed = text_of("README.md")
    assert [
        path.name for path in DOCS.glob("*.md") if path.name != "README.md" and f"({path.name})" not in listed
    ] == []


def test_what_state_has_is_told_with_its_end() -> None:
    """Every file and folder of `state/` that the source names stands in the table that says what bounds it."""
    rows = text_of("files.md").partition("| in `state/` |")[2].partition("\n\n")[0].splitlines()
    told = {name.rstrip("/") for row in rows for name in re.findall(r"`([\w./-]+)`", row.split("|")[1])}
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    named = {name for text in sources for name in re.findall(r'"state", "([\w.-]+)"', text)}
    # `updates/` is a folder of its own, which is named behind `state/`.
    assert len(named) > 20 and named - told == {"updates"}


def test_changelog_names_every_command() -> None:
    """A command that people can run is in the changelog."""
    changelog = quoted((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert [name for name in COMMANDS if name not in changelog] == []


def test_glossary_has_the_words_of_the_records() -> None:
    """Scopes, types and trusts of the records stand in the glossary."""
    told = quoted(text_of("glossary.md"))
    for word in (*holdfast.records.SCOPES, *holdfast.records.TYPES, *holdfast.records.TRUSTS):
        assert word in told


def test_examples_of_the_api_run(tmp_path: Path) -> None:
    """The examples of docs/api.md run one after the other in a fresh home, and what they assert holds."""
    program = "\n".join(blocks(text_of("api.md"), "python"))
    assert sum(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(program))) > 5
    command = [sys.executable, "-W", "error", "-c", program]
    ended = subprocess.run(command, cwd=tmp_path, env=fresh(tmp_path), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_the_api_page_lists_what_is_public() -> None:
    """docs/api.md names every public name, and every method of the handle with its parameters."""
    text = text_of("api.md")
    for name in holdfast.__all__:
        assert f"holdfast.{name}" in text
    methods = {name: method for name, method in vars(holdfast.Holdfast).items() if not name.startswith("_")}
    for name, method in {**methods, "holdfast.open": holdfast.open}.items():
        parameters = [p for p in inspect.signature(method).parameters.values() if p.name != "self"]
        told = ", ".join(_spelled(parameters))
        assert f"`{name}({told})`" in text, f"docs/api.md should have: {name}({told})"


def _spelled(parameters: list[inspect.Parameter]) -> list[str]:
    """Return parameters as the page writes them: no annotations, and a star before those that need their name."""
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    words = [p.name if p.default is p.empty else f"{p.name}={json.dumps(p.default)}" for p in parameters]
    words = [w.replace("=null", "=None").replace("=false", "=False").replace("=[]", "=()") for w in words]
    return words[: len(parameters) - len(named)] + ["*"] * bool(named) + words[len(parameters) - len(named) :]


def test_lineage_names_what_exists() -> None:
    """Every row has a known status; a `here` row names a command or path, a planned row a package; all exist."""
    rows = [row for row in table_rows(text_of("lineage.md")) if re.fullmatch(r"\d{3}\.\d+", row[0])]
    assert len(rows) > 150
    assert len({row[0] for row in rows}) == len(rows)
    for number, _, status, where in rows:
        names = quoted(where)
        paths = [name for name in names if name.startswith(("src/", "docs/", "tests/"))]
        typed = [name for name in names if name.startswith("holdfast ")]
        for path in paths:
            assert (ROOT / path).exists(), f"{number}: {path} is not there"
        for line in typed:
            parse(line)
        known = {"here": bool(paths or typed), "planned": bool(PACKAGES & set(names)), "not taken": bool(where)}
        assert known.get(status), f"{number}: {status} without a place or reason"


REPORT = research.Report("2026-05-04T10:00:00Z", "codex", "sub", "told", "", "The upload fails on slow lines.")
CALL = security_trail.Record("2026-05-04T10:00:00Z", "codex", "told", "", "Bash", "destructive", "rm", "rm -rf src")
FIX = fixes.Fix("0f1e", "npm test", "no vite", ("ran `npm ci`",), "codex", "told", "", "2026-05-04T10:00:00Z", id="f1")
REJECTED_FIX = replace(FIX, fingerprint="2d3c", id="f2")
_GONE = Touched("proposals/gone.md", digest(b"Gone."), "", "Gone.")
UPDATE = Update("0a1b2c3d", "2026-05-04T10:00:00.000000Z", "distil", ("proposals/gone.md",), "why", files=(_GONE,))

# Each command that has `--json`, with the arguments that it is tried with.
# The finding of lint about the secret that slipped into the home.
SLIPPED = settled.id_of(Problem("secret", "global/memories/slip.md", "a secret of the kind github-token", line=1))
TRIED = {
    "up": "",
    "remember": "--key third The third way is a courier.",
    "recall": "way --explain --related",
    "related": "new",
    "receipts": "",
    "preview": "--prompt way",
    "install": "",
    "uninstall": "codex --dry-run",
    "schedule": "--with systemd --dry-run",
    "sweep": "--dry-run --within 1",
    "harvest": "--dry-run",
    "measure": "",
    "replay": "",
    "synthesis": "--dry-run",
    "patterns": "",
    "patterns review": "",
    "patterns approve": f"{failing(NPM)} --owner kim",
    "patterns show": failing(NPM),
    "patterns edit": f"{failing(NPM)} --title Another",
    "patterns merge": f"{failing(PYTEST)} {failing(NPM)}",
    "patterns snooze": failing(MAKE),
    "patterns reject": failing(MAKE),
    "patterns catalogue": "",
    "patterns history": failing(NPM),
    "patterns diff": f"{failing(NPM)} 1 2",
    "patterns rollback": f"{failing(NPM)} 1",
    "patterns distribute": f"{failing(NPM)} --to memory --scope global --yes",
    "patterns withdraw": f"{failing(NPM)} --yes",
    "patterns retire": failing(NPM),
    "plugin": "codex --out plugin",
    "show": "new",
    "when": "'git push'",
    "list": "",
    "history": "new",
    "confirm": "",
    "pin": "new",
    "unpin": "new",
    "sessions": "",
    "sessions cost": "--by day",
    "sessions search": "upload --explain",
    "sessions pin": "told",
    "sessions unpin": "told",
    "sessions forget": "told --dry-run",
    "timeline": "",
    "catch-up": "",
    "activity": "",
    "todo add": "Write the docs",
    "todo": "",
    "todo done": "write",
    "todo reopen": "write",
    "todo remove": "write --dry-run",
    "decide add": "Use Postgres",
    "decide": "",
    "decide withdraw": "D1",
    "lesson add": "Migrate first",
    "lesson": "",
    "lesson withdraw": "L1",
    "lesson show": "l1-migrate",
    "lesson helpful": "l1-migrate",
    "lesson harmful": "l1-migrate",
    "rate add": "8 good",
    "rate": "",
    "rate import": "ratings.jsonl --dry-run",
    "work add": "Move the uploads",
    "work": "",
    "work show": "move",
    "work criterion": "move Old links work",
    "work verify": "move c1 --evidence seen",
    "work nest": "move the-whole-move",
    "work close": "move",
    "security": "",
    "fixes": "--everywhere",
    "fixes reject": f"{fixes.name_of(FIX)} --dry-run",
    "fixes restore": f"{fixes.name_of(REJECTED_FIX)} --dry-run",
    "research": "",
    "research show": REPORT.id,
    "distil": "--dry-run",
    "import": "--file notes.md --scope global --dry-run",
    "proposals": "",
    "proposals show": id_of(Scope("global"), "Kim likes tea."),
    "proposals snooze": id_of(Scope("global"), "Lee likes coffee."),
    "proposals reject": id_of(Scope("global"), "Lee likes coffee."),
    "proposals approve": "--all",
    "project": "",
    "project list": "",
    "project mark": "",
    "project alias": "other-id",
    "project merge": "third-id --yes",
    "reindex": "",
    "lint": "",
    "lint snooze": SLIPPED,
    "lint dismiss": SLIPPED,
    "lint settle": SLIPPED,
    "doctor": "",
    "status": "",
    "config": "",
    "config get": "recall.limit",
    "config set": "recall.limit 5",
    "config unset": "recall.limit",
    "init": "--dry-run",
    "move": "old --key older --dry-run",
    "merge": "old new --dry-run",
    "forget": "old --dry-run",
    "erase": "--memory old --dry-run",
    "clear": "--scope project --dry-run",
    "tidy": "--dry-run",
    "heal": "--dry-run",
    "prune": "--dry-run",
    "allow": "--dry-run",
    "deny": "",
    "audit": "memory",
    "export": "all.tar.gz",
    "native": "",
    "native keep": "qwen",
    "native drop": "qwen",
    "native off": "qwen --yes",
    "native on": "qwen --yes",
    "team": "",
    "team promote": "new --reason so",
    "team check": "",
    "team trust": "",
    "team withdraw": "new --reason so",
    "sync init": "stick",
    "sync": "",
    "sync status": "",
    "sync leave": "",
    "updates": "",
    "updates show": UPDATE.id,
    "updates undo": f"{UPDATE.id} --dry-run",
    "tokens": "",
    "tokens new": "script",
    "tokens revoke": "script",
}


# What only a home that joined a hub answers; tests/exchange/test_hub.py runs these against docs/json.md.
NEED_A_HUB = (
    *(
        "hub admin",
        "hub allow",
        "hub deny",
        "hub audit",
        "hub figures",
        "hub mine",
        "hub review",
        "hub share",
        "hub sync",
        "hub trace",
    ),
    "hub withdraw",
)


def fresh(folder: Path) -> dict[str, str]:
    """Return an environment with a home of its own and nothing of the person's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")}
    return {**kept, "HOLDFAST_HOME": str(folder / "home"), "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, object]]:
    """The JSON of every command that has it, from one home with a little in it."""
    folder = tmp_path_factory.mktemp("json")
    # What has the scope of a module is made before the person's empty machine.
    with environment_of({**fresh(folder), "HOME": str(folder / "person")}, folder):
        yield _answers(folder)


def _answers(folder: Path) -> dict[str, object]:
    def run(*words: str) -> object:
        ended = play(*words, "--json")
        assert ended.code in (0, 1), ended
        assert "Traceback" not in ended.err, ended
        return ended.json

    for name in ("other-id", "third-id"):
        run("remember", "Elsewhere.", "--project", name)
    (folder / "memory" / "memories").mkdir(parents=True)
    (folder / "memory" / "memories" / "deploys.md").write_text("Deploys need the VPN.\n")
    (folder / "stick").mkdir()
    (folder / "notes.md").write_text("- Kim likes tea.\n- Lee likes coffee.\n")
    (folder / "ratings.jsonl").write_text('{"score": 8, "timestamp": "2026-01-02T03:04:05Z"}\n')
    run("import", "--file", "notes.md", "--scope", "global")
    (folder / "home" / "memory" / "global" / "memories").mkdir(parents=True, exist_ok=True)
    (folder / "home" / "memory" / "global" / "memories" / "slip.md").write_text(
        f"The token is ghp_{'0a1b2c3d4e5f' * 3}.\n"
    )
    run("work", "add", "The whole move")
    run("remember", "The old way uses ftp.", "--key", "old")
    run("remember", "The new way uses ssh.", "--key", "new", "--supersedes", "old", "--pin")
    run("remember", "The new way uses sftp, see [[nowhere]].", "--key", "new")
    with Workspace(str(folder / "home"), folder=str(folder)) as workspace:
        told = session("told", folder, title="The upload")
        store(workspace, told, said("human", "The upload fails."), edited(folder / "upload.py", folder))
        research.add(workspace.home, replace(REPORT, project=workspace.project().id))
        security_trail.add(workspace.home, replace(CALL, project=workspace.project().id))
        for fix in (FIX, REJECTED_FIX):
            fixes.add(workspace.home, fix)
        fixes.reject(workspace.home, REJECTED_FIX, REJECTED_FIX.at)
        Updates(workspace.home).add(UPDATE)
    three(folder / "home", NPM, PYTEST, MAKE)
    return {name: run(*name.split(), *arguments.split()) for name, arguments in TRIED.items()}


def fields(heading: str) -> set[str]:
    """Return the fields that docs/json.md promises under a heading."""
    rows = table_rows(sections(text_of("json.md"))[heading])
    return {row[0].strip("`") for row in rows if row[0].startswith("`")}


def all_fields(heading: str) -> set[str]:
    """Return the fields under a heading where one row may name several."""
    rows = table_rows(sections(text_of("json.md"))[heading])
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[0])}


def test_json_of_every_command_is_tried(answers: dict[str, object]) -> None:
    """Each command with `--json` is run here, and docs/json.md speaks of it."""
    with_json = [n for n in commands() if any("--json" in o.opts for o in GENERATE["options_of"](GENERATE["find"](n)))]
    assert sorted([*answers, *NEED_A_HUB]) == sorted(with_json)
    told = text_of("json.md")
    assert [name for name in with_json if f"### {name}\n" not in told and f"`{name}`" not in told] == []


@pytest.mark.parametrize(
    "name",
    [
        *("remember", "recall", "confirm", "list", "history", "project", "project list", "reindex", "lint", "config"),
        *("sessions", "sessions cost", "sessions search", "timeline", "catch-up", "activity", "sweep"),
        *("distil", "import", "proposals", "todo", "decide", "lesson", "rate", "work", "harvest", "synthesis"),
        *(
            "patterns",
            "measure",
            "fixes",
            "security",
            "research",
            "updates",
            "updates undo",
            "deny",
            "sync",
            "sync status",
        ),
    ],
)
def test_json_has_the_fields_that_are_promised(answers: dict[str, dict[str, object]], name: str) -> None:
    """The outermost fields of a command's JSON are those of its table in docs/json.md, no more and no fewer."""
    assert set(answers[name]) == fields(name)


def test_json_of_twins_is_the_same(answers: dict[str, dict[str, object]]) -> None:
    """Commands that share a table have the same fields: doctor, project mark, every plan, show, status and up."""
    assert set(answers["doctor"]) == fields("lint") | {"agents"}
    assert set(answers["project mark"]) == fields("project")
    for name in (
        "init",
        "move",
        "forget",
        "erase",
        "clear",
        "tidy",
        "heal",
        "prune",
        "allow",
        "project alias",
        "project merge",
    ):
        assert set(answers[name]) == fields("plans"), name
    assert set(answers["work show"]) >= all_fields("work item")
    assert set(answers["research show"]) == fields("report") | {"text"}
    assert set(answers["updates show"]) == fields("update") | {"diff"}
    for name in ("lesson show", "lesson helpful", "lesson harmful"):
        assert set(answers[name]) == all_fields("learned lesson"), name
    for name in ("patterns approve", "patterns edit", "patterns rollback", "patterns retire"):
        assert set(answers[name]) == all_fields("pattern entry"), name
    for name in ("patterns review", "patterns show", "patterns catalogue", "patterns history", "patterns diff"):
        assert set(answers[name]) == all_fields(name), name
    assert set(answers["patterns distribute"]) == set(answers["patterns withdraw"]) == fields("patterns distribute")
    assert set(answers["sessions forget"]) == set(answers["todo remove"]) == fields("plans")
    assert set(answers["show"]) == fields("memory") | fields("show")
    assert set(answers["status"]) == fields("status")
    assert set(answers["up"]) == fields("status") | fields("up")
    for name in ("pin", "unpin"):
        assert set(answers[name]) == fields("memory"), name
    for name in ("config get", "config set", "config unset"):
        assert set(answers[name]) == fields("setting"), name


def test_json_objects_have_the_fields_that_are_promised(answers: dict[str, dict[str, list[dict[str, object]]]]) -> None:
    """Each object inside the JSON has the fields of its own table."""
    hit = next(hit for hit in answers["recall"]["hits"] if hit["related"])
    assert set(answers["list"]["memories"][0]) == fields("memory") | {"superseded_by"}
    assert set(answers["history"]["statements"][0]) == fields("statement")
    assert set(hit) == fields("memory") | fields("hit")
    assert set(hit["parts"][0]) == fields("part")  # type: ignore[index]
    assert set(hit["related"][0]) == fields("memory") | fields("related memory")  # type: ignore[index]
    assert set(answers["related"]["related"][0]) == fields("memory") | fields("related memory")
    assert set(answers["forget"]["plan"][0]) == fields("step")
    assert set(answers["todo"]["todos"][0]) == set(answers["todo done"]["todos"][0]) == fields("todo item")
    assert set(answers["decide"]["decisions"][0]) == set(answers["lesson withdraw"]["lesson"]) == fields("note")
    assert set(answers["sessions"]["sessions"][0]) == all_fields("session") | {"pinned"}
    assert set(answers["sessions search"]["hits"][0]) == all_fields("passage hit")
    assert set(answers["sessions cost"]["rows"][0]) == all_fields("spending")
    assert set(answers["activity"]["changes"][0]) == all_fields("changed file")
    done = answers["timeline"]["days"][0]["sessions"][0]  # type: ignore[index]
    assert set(done) == all_fields("session") | {"changed"}
    assert set(answers["research"]["reports"][0]) == fields("report")
    assert set(answers["fixes"]["fixes"][0]) == all_fields("fix")
    assert set(answers["fixes reject"]) == {"rejected", "dry_run"} and set(answers["fixes restore"]) == {
        "restored",
        "dry_run",
    }
    assert set(answers["security"]["records"][0]) == fields("security record")
    assert set(answers["lint"]["problems"][0]) == fields("problem") | {"id"}
    for name in ("lint snooze", "lint dismiss", "lint settle"):
        assert set(answers[name]["decisions"][0]) == {"id", "act", "why", "update"}, name
    assert set(answers["config"]["settings"][0]) == fields("setting")
    told = {name.strip("` ") for field in fields("proposal") for name in field.split(",")}
    assert set(answers["proposals"]["proposals"][0]) == told
    assert set(answers["proposals show"]) == told | {"alike"}
    assert set(answers["proposals reject"]["decisions"][0]) == fields("decision")


def test_acts_of_plans_are_all_told() -> None:
    """Each act that an action puts into a plan is in the list of docs/json.md."""
    told = quoted(sections(text_of("json.md"))["step"])
    sources = [ROOT / "src" / "holdfast" / folder for folder in ("actions", "memory")]
    acts = {act for s in sources for path in s.glob("*.py") for act in re.findall(r'Step\("(\w+)"', path.read_text())}
    assert len(acts) > 4
    assert acts <= set(told)


def test_kinds_of_problems_are_all_told() -> None:
    """Each kind of problem that lint or doctor can report is named in its section of docs/cli.md."""
    told = {name: set(quoted(sections(text_of("cli.md"))[name])) for name in ("lint", "doctor")}
    own = kinds_of("app/doctor.py", "memory/heal.py")
    assert len(own) > 5
    assert own <= told["doctor"]
    assert kinds_of("memory/lint.py", "store/tree.py", "store/memory_file.py") <= told["lint"]


def kinds_of(*places: str) -> set[str]:
    """Return the kinds of problems that these source files make."""
    texts = [(ROOT / "src" / "holdfast" / place).read_text(encoding="utf-8") for place in places]
    return {kind for text in texts for kind in re.findall(r'Problem\(\s*"([\w-]+)"', text)}
