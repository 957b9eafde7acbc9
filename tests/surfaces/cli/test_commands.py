"""Each command through the real program: data on standard output, talk on standard error, the right exit code."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
KEY = "deploys-need-the-vpn"


@pytest.fixture
def vpn(cli, shop):
    """The shop knows that deploys need the VPN."""
    assert cli("remember", "Deploys need the VPN.", "--tag", "deploy").code == 0
    return KEY


def test_remember_from_arguments_and_standard_input(cli, shop) -> None:
    """The text is the arguments, joined; without any, or with `-`, it is read from standard input."""
    assert cli("remember", "Deploys", "need", "the", "VPN.").out.startswith(f"created  {KEY}  project:")
    assert cli("remember", stdin="Deploys need the VPN.\n").out.startswith("unchanged")
    assert cli("remember", "-", stdin="Deploys need the VPN.").out.startswith("unchanged")
    ended = cli("remember", "--key", KEY, "Deploys use the bastion.")
    assert ended.out.startswith("updated") and f"holdfast history {KEY}" in ended.err


def test_remember_names_what_begins_alike(cli) -> None:
    """A text that begins like another memory is stored beside it, and standard error says how to change that one."""
    cli("remember", "The log level of the billing service is debug.")
    ended = cli("remember", "The log level of the billing service in staging is trace.")
    assert ended.out.startswith("created  the-log-level-of-the-billing-service-in-staging")
    assert "to change that one: --key the-log-level-of-the-billing\n" in ended.err


def test_remember_says_at_which_calls_it_is_told(cli) -> None:
    """A statement with a condition is answered with what it does where; a strength without a condition is refused."""
    assert "holds at: git add -A|--all (derived from" in cli("remember", "Never use git add -A").err
    assert "told at: make deploy (given)" in cli("remember", "Deploys need the VPN.", "--when", "make deploy").err
    for more in ((), ("--when", "none")):
        ended = cli("remember", "Releases are fun.", "--key", "fun", "--enforce", "deny", *more)
        assert ended.code == 2 and "no condition found" in ended.err and "--when" in ended.err
    assert cli("show", "fun").code != 0
    silent = cli("remember", "Always run `make lint`.", "--key", "lint").err
    assert silent.startswith("told at no call: its words") and 'holdfast edit lint --when "COMMAND or FILE"' in silent
    assert "told at no call" in cli("show", "lint").err
    places = ("Only deploy from the release branch.", "Deploys only from main.")
    bans = (*places, "Don't edit foo.zig.", "Please ask me before you deploy anything.")
    for ban in (*bans, "Nunca despliegues sin avisarme.", "Could you please not touch the lighting config?"):
        assert "told at no call: its words do not say surely" in cli("remember", ban).err
    for meant in ("Nobody touches the billing tables without Ines.", "Deploys happen on Tuesdays only."):
        assert "told at no call" in cli("remember", meant, "--key", "meant").err
        assert "told at no call" in cli("show", "meant").err
        assert any("/meant.md" in one["path"] for one in cli("lint", "--json").json["problems"])
    told = ("We never had problems with git push here.", "You don't need to ask before running make test.")
    for other in ("Always answer in English.", "`login` in src/auth.py never returns None.", *told):
        assert "no call" not in cli("remember", other).err
    cli("remember", "Never use npm.", "--key", "npm")
    assert cli("edit", "npm", "--when", "none", "--enforce", "deny").code == 2


def test_remember_says_the_condition_first_and_the_way_out_alone(cli) -> None:
    """The first line is the condition, the second why it does that; how to switch it off has a line of its own."""
    lines = cli("remember", "Use pnpm, not npm.").err.splitlines()
    assert lines[0] == 'holds at: npm (derived from "use pnpm, not npm")' and "your words forbid it" in lines[1]
    assert lines[2].startswith("  to switch it off: ") and lines[3].startswith("  to have each refused: ")
    assert len(lines) == 4


def test_rules_that_are_told_at_no_call_are_named(cli) -> None:
    """`when` counts and names them where it lists all rules and where none applies; `lint` names each."""
    cli("remember", "kubectl against prod is off limits.", "--key", "db", "--type", "project")
    cli("remember", "Always run `make lint`.", "--key", "lint")
    cli("remember", "Never use npm.", "--key", "npm")
    for asked in ((), ("git status",)):
        said = cli("when", *asked)
        assert "2 rules told at no call: " in said.err and "db" in said.err and "lint" in said.err
        assert sorted(cli("when", *asked, "--json").json["told_nowhere"]) == ["db", "lint"]
    told = cli("when", "npm install", "--json").json
    assert [one["key"] for one in told["rules"]] == ["npm"] and sorted(told["told_nowhere"]) == ["db", "lint"]
    assert "told at no call" not in cli("when", "npm install").err
    found = [one for one in cli("lint", "--json").json["problems"] if one["kind"] == "told-nowhere"]
    assert sorted(one["path"].rpartition("/")[2] for one in found) == ["db.md", "lint.md"]
    assert all('--when "COMMAND or FILE"' in one["hint"] for one in found)
    cli("edit", "lint", "--when", "none")
    assert cli("when", "--json").json["told_nowhere"] == ["db"]


def test_programs_are_told_of_a_rule_what_a_person_is(cli) -> None:
    """`remember` and `show` as JSON have the condition that was derived, or say that there is none."""
    for key, text, nowhere in (
        ("npm", "Never use npm.", False),
        ("db", "kubectl against prod is off limits.", True),
        ("vpn", "The VPN is slow.", False),
    ):
        stored, shown = cli("remember", text, "--key", key, "--json").json, cli("show", key, "--json").json
        assert stored["rule"] == shown["rule"] and stored["told_nowhere"] is shown["told_nowhere"] is nowhere
        assert (stored["rule"] or {}).get("when") == ("npm" if key == "npm" else None)


def test_what_a_rule_is_said_to_do_is_bounded_by_the_setting(cli) -> None:
    """With `rules.strongest` at say, `remember` and `show` promise no hold."""
    cli("config", "set", "rules.strongest", "say")
    for said in (cli("remember", "Never use npm.", "--key", "npm"), cli("show", "npm")):
        assert "told at: npm" in said.err and "rules.strongest" in said.err and "stopped" not in said.err
    assert cli("show", "npm", "--json").json["rule"]["does"] == "say"


def test_approving_a_rule_says_at_which_calls_it_holds(cli, shop) -> None:
    """An approved proposal is a rule like one that was typed, so the person reads the same of it."""
    (shop / "CLAUDE.md").write_text("- Never use npm.\n", encoding="utf-8")
    cli("import")
    assert "holds at: npm" in cli("proposals", "approve", "--all").err


def test_when_says_that_rules_are_switched_off(cli) -> None:
    """It does not claim that no rule applies, or that there is none, and nothing else promises a hold."""
    cli("remember", "Never use npm.")
    cli("config", "set", "rules.enabled", "false")
    told = cli("remember", "Never use yarn.").err
    assert "switched off (rules.enabled)" in told and "stopped" not in told
    assert "switched off (rules.enabled)" in cli("doctor").out
    assert all("switched off (rules.enabled)" in cli("when", *call).err for call in ((), ("npm install",)))


def test_what_is_suggested_as_a_condition_holds_where_it_is_done(cli) -> None:
    """A file is suggested only where the statement is about its change, which is all that such a condition tells."""
    said = cli("remember", "Don't edit the file foo.zig.", "--key", "zig").err
    assert '--when "foo.zig"' in said
    cli("edit", "zig", "--when", "foo.zig")
    assert "holds once  zig" in cli("when", "--path", "foo.zig").out
    assert '--when "COMMAND or FILE"' in cli("remember", "Never upload app.sqlite to a pastebin.").err


def test_who_permits_what_a_rule_holds_is_told_how_to_except_it(cli) -> None:
    """The rule goes on holding until the person says so: which of both counts is not guessed."""
    cli("remember", "Use pnpm, not npm.", "--key", "pnpm")
    said = cli("remember", "It's fine to run npm audit.").err
    assert "pnpm still holds at npm audit" in said and 'edit pnpm --when "npm, !npm audit"' in said
    cli("edit", "pnpm", "--when", "npm, !npm audit")
    assert "no rule applies" in cli("when", "npm audit").err and "pnpm" in cli("when", "npm install").out
    assert "still holds" not in cli("remember", "npm audit is not allowed on Fridays.").err
    assert "no exception says just that" in cli("remember", "It's fine to run npm publish in the sandbox.").err


def test_a_strength_is_taken_back(cli) -> None:
    """`--enforce default` leaves it to the words of the rule again, in `edit` and in `remember`."""
    for back in (("edit", "npm"), ("remember", "Never use npm.", "--key", "npm")):
        cli("remember", "Never use npm.", "--key", "npm", "--enforce", "deny")
        assert "denies at: npm" in cli("show", "npm").err
        cli(*back, "--enforce", "default")
        shown = cli("show", "npm")
        assert "holds at: npm" in shown.err and "enforce" not in shown.out


@pytest.mark.parametrize("when", ["tool: bogus", "tol: edit, npm", "git push, tools: shell"])
def test_a_condition_with_a_name_that_nothing_has_is_refused(cli, when: str) -> None:
    """By `remember` and `edit` alike, with the names that there are."""
    ended = cli("remember", "Ask first.", "--key", "k", "--when", when)
    assert ended.code == 2 and ("no tool is called" in ended.err or "is no kind of condition" in ended.err)
    cli("remember", "Ask first.", "--key", "k", "--when", "tool: WebFetch, tool: mcp__github__create_issue")
    assert "given" in cli("show", "k").err
    assert cli("edit", "k", "--when", when).code == 2


def test_show_of_what_was_replaced_does_not_say_that_it_holds(cli) -> None:
    """What a newer statement retired names that one, and no condition."""
    cli("remember", "Never use npm.", "--key", "old")
    assert "holds at: npm" in cli("show", "old").err
    cli("remember", "Packages come from the mirror.", "--key", "new", "--supersedes", "old")
    ended = cli("show", "old")
    assert "no longer given to agents: new replaces it" in ended.err and "holds at" not in ended.err
    assert cli("show", "old", "--json").json["rule"] is None


@pytest.mark.parametrize(
    ("given", "repair"),
    [
        (("-x test only with ok", "-k", "zz"), "remember -k zz -- '-x test only with ok'"),
        (("--scope=global", "-x is slow", "--pin"), "remember --scope=global --pin -- '-x is slow'"),
        (("-v", "is", "noisy", "--tag", "ci", "--json"), "remember --tag ci --json -- -v is noisy"),
    ],
)
def test_the_repair_of_a_text_that_looks_like_an_option_is_run_as_printed(cli, given, repair) -> None:
    """Options stay options, with their values; only the text stands behind the dashes."""
    said = cli("remember", *given).err
    assert said.splitlines()[-1].endswith(f"holdfast {repair}") or f"holdfast {repair}\n" in said
    assert cli(*shlex.split(repair)).code == 0


def test_remember_says_redaction_by_name_only(cli, shop) -> None:
    """A secret is named by its kind, on standard error, and in the answer as JSON."""
    ended = cli("remember", f"The CI uses {TOKEN}.", "--json")
    assert ended.json["redacted"] == ["github-token"] and ended.json["action"] == "created"
    assert "github-token" in ended.err and TOKEN not in ended.out + ended.err


def test_recall_shows_and_explains(cli, vpn) -> None:
    """A hit has a line that names it, its text and, with --explain, each part of its score."""
    ended = cli("recall", "how", "do", "we", "deploy", "--explain")
    assert ended.code == 0 and ended.err == ""
    assert ended.out.startswith(f"{vpn}  project:example.com--acme--shop") and "#deploy" in ended.out
    assert "  Deploys need the VPN.\n" in ended.out
    assert "0.90  words    deploy" in ended.out and "0.90  meaning" in ended.out and "recency" in ended.out
    (hit,) = cli("recall", "deploy", "--explain", "--json").json["hits"]
    assert sum(part["points"] for part in hit["parts"]) == pytest.approx(hit["score"], abs=1e-6)


def test_recall_says_what_replaced_it_and_what_it_said_before(cli, vpn) -> None:
    """A superseded hit names its successor, and a match in an earlier statement is said."""
    cli("remember", "Deploys use GitHub.", "--key", "github", "--supersedes", vpn)
    cli("remember", "Nothing of the kind.", "--key", "github")
    out = cli("recall", "deploys").out
    assert "replaced by github" in out and "holdfast history github" in out


def test_recall_finds_nothing(cli, shop) -> None:
    """Nothing found is no error; the way on is said on standard error."""
    ended = cli("recall", "nothing")
    assert (ended.code, ended.out) == (0, "") and "holdfast list" in ended.err
    expected = {"query": "nothing", "project": "example.com--acme--shop", "hits": [], "pages": [], "sessions": []}
    assert cli("recall", "nothing", "--json").json == expected


def test_recall_in_another_project_says_so(cli, vpn) -> None:
    """With --project the other project is searched and named, in JSON too; nothing of this one shows up."""
    cli("remember", "The blog deploys by hand.", "--project", "blog", "--key", "by-hand")
    ended = cli("recall", "deploy", "--project", "blog")
    assert ended.out.startswith("by-hand  project:blog") and vpn not in ended.out
    assert "in the project blog" in ended.err
    assert cli("recall", "deploy", "--project", "blog", "--json").json["project"] == "blog"
    assert cli("recall", "deploy", "--everywhere", "--json").json["project"] == ""


def test_recall_explains_a_spoken_time(cli, vpn) -> None:
    """A query that speaks of time has a part `time` that says what was understood; another has none."""
    out = cli("recall", "how did we deploy yesterday", "--explain").out
    assert "0.40  time     not within yesterday (since " in out
    assert "time     " not in cli("recall", "how do we deploy", "--explain").out


def test_recall_by_agent(cli, vpn) -> None:
    """With --agent only what that agent stored is found."""
    cli("remember", "Deploys are logged.", "--key", "logged", "--agent", "codex")
    assert [hit["key"] for hit in cli("recall", "deploys", "--agent", "Codex", "--json").json["hits"]] == ["logged"]


def test_related(cli, vpn, home) -> None:
    """Related prints a line a memory with why; recall shows the same under a hit; nothing related is said."""
    cli("remember", f"The bastion is the way in, see [[{vpn}]].", "--key", "bastion")
    out = cli("related", "bastion").out
    assert out.startswith("links to, near 0.") and f"  {vpn}  project:" in out
    assert cli("related", vpn, "--json").json["related"][0]["why"][0] == "linked from"
    assert f": {vpn}  project:" in cli("recall", "bastion way", "--related").out
    hit = cli("recall", "bastion way", "--related", "--json").json["hits"][0]
    assert [each["key"] for each in hit["related"]] == [vpn]
    cli("remember", "Zebras graze.", "--scope", "global", "--key", "zebras")
    ended = cli("related", "zebras")
    assert (ended.code, ended.out) == (0, "") and "nothing that is visible here" in ended.err


def test_list_marks_what_was_replaced(cli, vpn) -> None:
    """List says of a superseded memory what replaced it."""
    cli("remember", "Deploys use GitHub.", "--key", "github", "--supersedes", vpn)
    assert [line.endswith("(replaced by github)") for line in cli("list").out.splitlines()].count(True) == 1
    found = {each["key"]: each["superseded_by"] for each in cli("list", "--json").json["memories"]}
    assert found == {vpn: "github", "github": ""}


def test_recall_reads_its_query_from_standard_input(cli, vpn) -> None:
    """`-` reads the query, whatever bytes it has."""
    assert vpn in cli("recall", "-", stdin=b"deploy \xff\n").out


def test_a_long_memory_is_cut_and_says_so(cli, shop) -> None:
    """Recall shows the first lines of a long memory and how to see the rest."""
    cli("remember", "-", "--key", "long", stdin="\n".join(f"Line {n} of apples." for n in range(20)))
    out = cli("recall", "apples").out
    assert "… 14 more lines: holdfast show long" in out and "Line 19" not in out


def test_show_prints_the_file(cli, vpn, home) -> None:
    """Show prints the file, its path, or the memory as JSON."""
    path = cli("show", vpn, "--path").out.strip()
    assert path.startswith(str(home)) and cli("show", vpn).out == Path(path).read_text()
    assert cli("show", vpn, "--json").json["history"] == []


def test_show_prints_a_file_that_is_not_utf8(cli, shop, write) -> None:
    """A file in another encoding is printed byte for byte."""
    write("global/memories/cafe.md", "café\n".encode("latin-1"))
    assert cli("show", "cafe", "--path").out.strip().endswith("cafe.md")


def test_list(cli, vpn) -> None:
    """List prints a line a memory, newest first, and says when there are more."""
    cli("remember", "Tea, please.", "--scope", "global")
    ended = cli("list", "--limit", "1")
    assert len(ended.out.splitlines()) == 1 and "--all" in ended.err
    assert len(cli("list", "--all").out.splitlines()) == 2
    assert cli("list", "--json", "-n", "1").json["more"] is True
    assert "nothing like that" in cli("list", "--tag", "none").err
    assert len(cli("list", "--everywhere", "--json").json["memories"]) == 2


def test_history_pin_unpin(cli, vpn) -> None:
    """History prints each statement with its time; pinning is said and shown."""
    cli("remember", "Deploys use the bastion.", "--key", vpn)
    out = cli("history", vpn).out
    assert out.index("bastion") < out.index("VPN")
    assert len(cli("history", vpn, "--json").json["statements"]) == 2
    assert (
        cli("pin", vpn).out.startswith("pinned")
        and cli("pin", vpn).out.count("pinned") == 1
        and "pinned" in cli("list").out
    )
    assert cli("unpin", vpn, "--json").json["pinned"] is False


def test_edit(cli, vpn, editor) -> None:
    """Edit opens the editor and says whether anything changed."""
    editor("echo 'Ask Kim.' >> \"$1\"")
    assert cli("edit", vpn).out.startswith("updated")
    editor("true")
    assert cli("edit", vpn).out.startswith("unchanged")


def test_move(cli, vpn) -> None:
    """Move prints what it does; a key that is taken is a conflict."""
    assert "to global/vpn" in cli("move", vpn, "--to", "global", "--key", "vpn", "--dry-run").out
    assert cli("show", "vpn").code == 3
    assert cli("move", vpn, "--to", "global", "--key", "vpn", "--json").json["applied"] is True
    planned, done = cli("move", "vpn", "--key", "vpn-2", "--dry-run"), cli("move", "vpn", "--key", "vpn-2")
    assert planned.out.startswith("move ") and done.out.startswith("moved ") and "global/vpn-2" in done.out
    cli("move", "vpn-2", "--key", "vpn")
    cli("remember", "Another.", "--key", "other", "--scope", "global")
    ended = cli("move", "vpn", "--key", "other")
    assert ended.code == 4 and "--key" in ended.err


@pytest.mark.parametrize(
    "words",
    [("forget", KEY), ("clear", "--scope", "project"), ("prune",), ("heal",), ("tidy",), ("project", "merge", "old")],
)
def test_what_removes_needs_consent(cli, vpn, home, tree, write, words) -> None:
    """Without a terminal and without --yes the command ends with 6 and changes nothing; a dry run is a plan."""
    write("sessions/s1/memories/x.md", "---\nupdated: 2020-01-01\n---\nOld.\n").touch()
    write("projects/old/memories/x.md", "Old.\n").chmod(0o600)
    for number in range(24):
        write(f"global/memories/{('night', 'day')[number % 2]}-{number}.md", f"Note {number}.\n").chmod(0o644)
    os.utime(home / "memory" / "sessions" / "s1" / "memories" / "x.md", (1, 1))
    with_options = cli(*words, "--dry-run", "--json")
    before = tree(home)
    assert with_options.json["applied"] is False and with_options.json["plan"]
    assert cli(*words, "--dry-run").out
    ended = cli(*words)
    assert ended.code == 6 and "--yes" in ended.err and ended.out == ""
    assert tree(home) == before
    done = cli(*words, "--yes", "--json")
    assert (done.code, done.json["applied"]) == (0, True)


def test_nothing_to_do_is_no_error(cli, shop) -> None:
    """Commands that find nothing to do say so and end with 0."""
    cli("up")
    for words in (("clear", "--scope", "global"), ("prune",), ("heal",), ("tidy",)):
        ended = cli(*words)
        assert ended.code == 0 and ended.out == "" and ended.err.strip()
        assert cli(*words, "--json").json == {"plan": [], "applied": False}


def test_prune_shows_what_is_kept(cli, vpn) -> None:
    """With --kept each memory that stays is shown with its rule."""
    out = cli("prune", "--kept").out
    assert out.startswith("keep") and "scope project: 90 days, idle for 0" in out
    kept = cli("prune", "--kept", "--json").json["kept"]
    assert [(step["act"], step["reason"]) for step in kept] == [("keep", "scope project: 90 days, idle for 0")]


def test_lint_and_doctor_end_with_one(cli, vpn, write, home) -> None:
    """What is wrong is printed with the way out; an error ends with 1, a warning of lint with 0."""
    assert (cli("lint").code, cli("lint").out) == (0, "")
    write("global/memories/a.md", "See [[gone]].\n")
    ended = cli("lint")
    assert ended.code == 0 and "dead-link" in ended.out and "Correct the link" in ended.out
    write("global/memories/b.md", f"{TOKEN}\n")
    assert cli("lint").code == 1 and cli("lint", "--json").json["problems"][0]["kind"] == "secret"
    home.chmod(0o755)
    ended = cli("doctor")
    assert ended.code == 1 and "holdfast doctor --fix" in ended.out
    assert {"kind", "severity", "text", "hint"} <= set(cli("doctor", "--json").json["problems"][0])
    cli("doctor", "--fix")
    assert "mode" not in [problem["kind"] for problem in cli("doctor", "--json").json["problems"]]


def test_up_status_reindex(cli, vpn, home) -> None:
    """Up and status tell what the home holds, reindex how many files it read."""
    assert "→ Store something" in cli("up").out and "memories  1" in cli("status").out
    assert cli("up", "--json").json["memories"] == cli("status", "--json").json["memories"] == 1
    assert cli("reindex").out == "read 1 file; 0 were gone\n"
    assert cli("reindex", "--json").json == {"read": 1, "gone": 0, "sessions": 0}
    assert str(home) in cli("status").out


def test_init(cli, shop, home, tmp_path) -> None:
    """Init prints its plan, and says when there is nothing to do."""
    assert "index.md" in cli("init", "--dry-run").out and not home.exists()
    assert cli("init", "--json").json["applied"] is True
    assert "nothing to do" in cli("init").err
    assert cli("init", str(tmp_path)).code == 0 and (tmp_path / "memory" / "index.md").is_file()


def test_what_a_group_is_given_holds_for_its_commands(cli, shop) -> None:
    """`--project` before a sub-command is the project that the sub-command acts on."""
    cli("remember", "Old.", "--project", "old")
    assert cli("project", "--project", "other", "alias", "old", "--dry-run").out.count("read in other too") == 1


def test_project(cli, shop) -> None:
    """Project explains, aliases with a plan, and marks."""
    out = cli("project").out
    assert out.startswith("example.com--acme--shop\n  rule    remote: ")
    assert cli("project", "alias", "tpyo").code == 3
    cli("remember", "Old.", "--project", "old")
    assert cli("project", "alias", "old", "--dry-run").out.startswith("alias")
    assert cli("project", "alias", "old").code == 0
    assert cli("project", "--json").json["aliases"] == ["old"] and "reads   old too" in cli("project").out
    assert cli("project", "alias", "../x").code == 2


def test_config(cli, shop, home, monkeypatch) -> None:
    """Config lists, gets, sets and unsets; a variable that goes before the file is said."""
    assert "recall.limit" in cli("config").out and len(cli("config", "--json").json["settings"]) > 5
    assert cli("config", "set", "recall.limit", "5").out == "recall.limit = 5\n"
    assert cli("config", "get", "recall.limit").out == "5\n"
    assert cli("--set", "recall.limit=7", "config", "get", "recall.limit", "--json").json["origin"] == "--set"
    monkeypatch.setenv("HOLDFAST_RECALL_LIMIT", "6")
    ended = cli("config", "set", "recall.limit", "4")
    assert ended.out == "recall.limit = 6\n" and "HOLDFAST_RECALL_LIMIT" in ended.err
    monkeypatch.delenv("HOLDFAST_RECALL_LIMIT")
    assert cli("config", "unset", "recall.limit").out == "recall.limit = 10\n"
    assert cli("config", "get", "enabled").out == "true\n"
    assert cli("config", "get", "nonsense").code == 3
    assert cli("config", "unset", "nonsense").code == 2


def test_the_home_option(cli, shop, home, tmp_path) -> None:
    """--home goes before HOLDFAST_HOME."""
    cli("--home", str(tmp_path / "h"), "remember", "Apples are red.")
    assert (tmp_path / "h" / "memory").is_dir() and not home.exists()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("部署之前要先连接公司的网络。", "连接"),
        ("デプロイの前に接続してください。", "接続"),
        ("النشر يحتاج إلى الشبكة.", "الشبكة"),
        ("Перед выкладкой нужен доступ.", "выкладкой"),
        ("Ship it with 🎉 always.", "🎉"),
    ],
)
def test_any_script_through_the_command_line(cli, shop, text, query) -> None:
    """A text in any script is stored whole and found, printed as it is, in JSON too."""
    assert cli("remember", text).code == 0
    assert text in cli("recall", query).out
    ended = cli("recall", query, "--json")
    assert ended.json["hits"][0]["body"] == text and text in ended.out


@pytest.mark.parametrize(
    "words",
    [
        "recall x",
        f"related {KEY}",
        "list",
        f"show {KEY}",
        f"history {KEY}",
        "project",
        "lint",
        "doctor",
        "status",
        "config",
        "config get enabled",
        "up",
        "reindex",
    ],
)
def test_json_is_one_document_and_nothing_else(cli, vpn, words) -> None:
    """Standard output holds exactly one JSON document."""
    ended = cli(*words.split(), "--json")
    assert ended.code == 0
    json.loads(ended.out)


def test_no_colour_where_nobody_looks(cli, vpn) -> None:
    """Without a terminal no colour and no progress is written."""
    for words in (("list",), ("recall", "deploy"), ("demo", "--help"), ("lint",)):
        ended = cli(*words)
        assert "\x1b" not in ended.out + ended.err


def test_how_often_and_how_old_have_their_plural(cli, vpn) -> None:
    """One use is "1 time", none is "0 times"."""
    assert "used 0 times" in cli("recall", "deploy", "--explain").out
    assert "used 1 time\n" in cli("recall", "deploy", "--explain").out


def test_the_path_of_a_memory_as_json(cli, shop, home) -> None:
    """`show KEY --path --json` prints a document with the path."""
    cli("remember", "Apples are red.", "--key", "apples")
    assert cli("show", "apples", "--path", "--json").json == {"path": cli("show", "apples", "--path").out.strip()}


def test_a_dry_run_refuses_what_the_move_refuses(cli, shop) -> None:
    """Where the key is taken in the other scope, the plan ends as the move does: with 4 and the same words."""
    for scope in ("project", "global"):
        cli("remember", "Apples are red.", "--key", "apples", "--scope", scope)
    planned = cli("move", "apples", "--to", "global", "--dry-run")
    assert planned.code == 4 and planned.err == cli("move", "apples", "--to", "global").err
