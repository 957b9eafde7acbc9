"""Rules at a call of a tool: what is said or held, how often, whose, and that no edit of a file goes unseen."""

from __future__ import annotations

import json
import os
import threading
import time
from datetime import UTC, datetime

import pytest

from holdfast import agents
from holdfast.base.clock import Deadline
from holdfast.language.conditions import parse
from holdfast.memory.forget import plan as forget_plan
from holdfast.parts import HookRun
from holdfast.rules import hook, table
from holdfast.rules.build import build
from support.answers import Answers

PUSH = "Never git push without asking me first."


def test_a_rule_that_forbids_holds_the_first_call_and_lets_the_same_through(store, call) -> None:
    """The first push is refused with the rule and the way through; the repeated one runs, and no other is held."""
    store(PUSH)
    first = call("cd x && git push -f")
    assert len(first.held) == 1 and not first.said
    assert PUSH in first.held[0] and "git push -f" in first.held[0] and "goes through" in first.held[0]
    assert "exactly" not in first.held[0] and "this once" in first.held[0], "any such call goes through"
    assert not call("cd x && git push -f")
    assert not call("git push origin main")


def test_two_rules_that_hold_one_call_say_once_what_to_do(store, call) -> None:
    """Each rule is told with what it is about; how to go on stands before the first alone."""
    store(PUSH)
    store("Don't run git push yourself.")
    held = call("git push").held
    assert len(held) == 2 and ["goes through" in one for one in held] == [True, False]
    assert all("`git push`" in one for one in held)


def test_another_session_is_held_again_and_a_call_that_is_not_meant_never(store, call) -> None:
    """Each session is held once; what only speaks of a push is no push."""
    store(PUSH)
    assert call("git push", session="s1").held
    assert call("git push", session="s2").held
    assert not call('echo "git push"', session="s3")
    assert not call("cat <<EOF\ngit push\nEOF", session="s3")


def test_a_rule_that_guides_is_said_once_and_again_after_a_compaction(store, call) -> None:
    """It comes once in a session; when the context that had it is compacted, once more."""
    store("`make deploy` needs the VPN.")
    assert call("make deploy").said == ["`make deploy` needs the VPN."]
    assert not call("make deploy")
    call("", moment="compact")
    assert call("make deploy").said
    assert not call("make deploy")


def test_what_was_held_is_not_held_again_after_a_compaction_but_said(store, call) -> None:
    """A hold is once a session whatever becomes of the context, and the rule comes back as a line."""
    store(PUSH)
    assert call("git push").held
    call("", moment="compact")
    after = call("git push")
    assert not after.held and after.said == [PUSH]


def test_a_sub_agent_is_told_what_the_session_was_told(store, call) -> None:
    """It has read nothing of the session: a rule is said to it, too, and what was held once holds no more."""
    store(PUSH)
    store("`make deploy` needs the VPN.")
    assert call("git push").held and call("make deploy").said
    assert call("make deploy", agent_id="a1").said
    again = call("git push", agent_id="a1")
    assert not again.held and again.said == [PUSH]


def test_at_most_two_lines_the_most_specific_first(store, call) -> None:
    """Of many rules about one call the two that name most of it are said, the others when it comes again."""
    for number, when in enumerate(("make", "make deploy", "make deploy prod", "tool: shell")):
        store(f"Rule number {number}.", when=when)
    assert call("make deploy prod").said == ["Rule number 2.", "Rule number 1."]
    assert call("make deploy prod").said == ["Rule number 0.", "Rule number 3."]
    assert not call("make deploy prod")


@pytest.mark.parametrize("trust", ["agent", "derived", "import"])
def test_only_the_persons_own_word_holds(store, call, trust: str) -> None:
    """What an agent stored, Holdfast found or a repository brought is said, whatever strength it asks for."""
    store(PUSH, trust=trust, enforce="deny")
    answer = call("git push")
    assert not answer.held and answer.said == [PUSH]


def test_strengths(store, call) -> None:
    """`say` never holds, `deny` always does, `ask` puts it to the person or holds once where that cannot be done."""
    store("Never run `npm install`.", enforce="say")
    store("Never run `terraform destroy`.", enforce="deny")
    store("Never run `make release`.", enforce="ask")
    assert call("npm install").said
    assert call("terraform destroy").held and call("terraform destroy").held
    first = call("make release")
    assert first.asked or first.held


@pytest.mark.parametrize("text", [PUSH, "Ask me before you `git push`.", "`git push` needs my approval."])
def test_who_wants_to_be_asked_is_asked_where_they_are_there(store, call, text: str) -> None:
    """Each such call is put to a person in front of the agent; where nobody can be asked the first is held."""
    store(text)
    there = {"permission_mode": "acceptEdits", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    assert call("git push", **there).asked and call("git push", **there).asked
    for absent in (
        {**there, "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
        {**there, "permission_mode": "bypassPermissions"},
        {**there, "permission_mode": "auto"},
        {**there, "agent_id": "a1"},
        {},
    ):
        answer = call("git push", session=f"s-{absent}", **absent)
        assert answer.held and "Ask the person you work for first" in answer.held[0]
        assert not call("git push", session=f"s-{absent}", **absent).held


def test_what_was_told_before_needs_no_question(store, call) -> None:
    """Who says "unless I tell you" may have told already, and of files one answer is for all of the work: held once."""
    there = {"permission_mode": "default", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    store("Never commit unless I tell you to.")
    assert call("git commit -m x", **there).held and not call("git commit -m x", **there)
    store("Ask me before you edit anything in db/.")
    edit = {"tool": "Edit", "told": {"file_path": "db/a.sql", "old_string": "a", "new_string": "b"}}
    assert call(**edit, **there).held and not call(**edit, **there).asked


def test_what_is_meant_but_not_named_is_said(store, call) -> None:
    """A derived condition holds only where the statement has the command itself."""
    store("Always run the linter before committing.")
    answer = call("git commit -m x")
    assert answer.said and not answer.held


def test_settings_bound_it(store, call) -> None:
    """With `rules.strongest` at say nothing is held."""
    store(PUSH)
    answer = call("git push", HOLDFAST_RULES_STRONGEST="say")
    assert not answer.held and answer.said == [PUSH]


def test_files_failures_and_branches(store, call, shop) -> None:
    """A rule about a file comes when it is changed, one about a failure when that occurs, one of a branch there."""
    store("Never edit `db/schema.sql` by hand.")
    store("Start the database first.", when="npm test, failure: ECONNREFUSED")
    assert call(tool="Edit", told={"file_path": str(shop / "db" / "schema.sql"), "old_string": "a"}).held
    assert not call(tool="Read", told={"file_path": str(shop / "db" / "schema.sql")})
    assert not call("npm test")
    failed = call("npm test", moment="tool-failed", error="connect ECONNREFUSED 127.0.0.1:5432")
    assert failed.said == ["Start the database first."]
    assert not call("npm test", moment="tool-failed", error="1 test failed")


def test_each_telling_says_what_it_was(store, call) -> None:
    """What goes into the receipt names the memory, what was done and at which call."""
    memory = store(PUSH)
    (given,) = call("git push origin main").given
    assert (given.scope, given.key) == (memory.scope, memory.key)
    assert given.why == "held at git push origin main"


def test_a_secret_in_the_call_is_not_repeated(store, call) -> None:
    """The reason names the call without what is secret in it."""
    store("Never use `curl`.")
    (reason,) = call("curl -H 'Authorization: Bearer ghp_1234567890abcdefghijABCDEFGHIJ123456' x").held
    assert "ghp_1234567890" not in reason


def test_calls_at_once_are_all_held_and_the_next_one_is_not(store, call, home, shop) -> None:
    """Of calls that an agent makes side by side none was made by somebody who had read the reason."""
    store(PUSH)
    adapter = agents.get("claude-code")
    data = {"session_id": "s9", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": "git push"}}
    runs = [HookRun(str(home), adapter, adapter.read_hook_input("PreToolUse", data, {}), os.environ) for _ in range(3)]
    effects = [hook.at_before_tool(run) for run in runs[:2]]
    held = []
    threads = [threading.Thread(target=lambda some=some: held.append(Answers(some).held)) for some in effects]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # This one had begun as well, and looks only now.
    held.append(Answers(hook.at_before_tool(runs[2])).held)
    assert list(map(len, held)) == [1, 1, 1]
    # And this one was called for before, though its process took long to begin.
    made = datetime.fromtimestamp(time.time() - 5, UTC).isoformat(timespec="milliseconds")
    assert call("git push", session="s9", timestamp=made).held
    assert not call("git push", session="s9")


def test_calls_of_one_answer_are_all_held_where_the_agent_makes_them_in_turn(store, call, tmp_path) -> None:
    """The transcript has both calls before the reason for which the first was held, and the repeated one behind it."""
    store(PUSH)
    transcript = tmp_path / "transcript.jsonl"
    told = {"transcript_path": str(transcript)}
    lines = [{"type": "tool_use", "id": "toolu_1"}, {"type": "tool_use", "id": "toolu_2"}]
    transcript.write_text("\n".join(map(json.dumps, lines)))
    (reason,) = call("git push origin a", tool_use_id="toolu_1", **told).held
    result = {"tool_use_id": "toolu_1", "content": reason}
    transcript.write_text("\n".join(map(json.dumps, [*lines, result])))
    assert call("git push origin b", tool_use_id="toolu_2", **told).held
    transcript.write_text("\n".join(map(json.dumps, [*lines, result, {"type": "tool_use", "id": "toolu_3"}])))
    assert not call("git push origin b", tool_use_id="toolu_3", **told)


def of_one_answer(answer: str, number: int) -> str:
    """Return a line of the transcript with a call that is part of an answer."""
    call = {"type": "tool_use", "id": f"toolu_{number}"}
    return json.dumps({"type": "assistant", "message": {"id": answer, "content": [call]}}) + "\n"


def test_calls_of_one_answer_are_held_where_the_reason_is_written_before_the_second(store, call, tmp_path) -> None:
    """An agent that runs a call while it still hears the answer writes the reason between two calls of one answer."""
    store(PUSH)
    transcript = tmp_path / "transcript.jsonl"
    told = {"transcript_path": str(transcript)}
    transcript.write_text(of_one_answer("msg_a", 1))
    (reason,) = call("git push origin a", tool_use_id="toolu_1", **told).held
    result = json.dumps({"tool_use_id": "toolu_1", "content": reason}) + "\n"
    transcript.write_text(of_one_answer("msg_a", 1) + result + of_one_answer("msg_a", 2))
    assert call("git push origin b", tool_use_id="toolu_2", **told).held
    transcript.write_text(transcript.read_text() + of_one_answer("msg_b", 3))
    assert not call("git push origin b", tool_use_id="toolu_3", **told)


def test_a_call_that_the_transcript_has_only_later_is_waited_for(store, call, tmp_path, monkeypatch) -> None:
    """Agents write down what they do a moment behind; which answer a call is part of is known when it is there."""
    store(PUSH)
    transcript = tmp_path / "transcript.jsonl"
    told = {"transcript_path": str(transcript)}
    assert call("git push origin a", tool_use_id="toolu_1", **told).held
    lines = of_one_answer("msg_a", 1) + of_one_answer("msg_a", 2)
    monkeypatch.setattr(time, "sleep", lambda _: transcript.write_text(lines))
    assert call("git push origin b", tool_use_id="toolu_2", **told).held


def test_a_late_transcript_is_waited_for_once_however_many_rules_hold(store, call, tmp_path, monkeypatch) -> None:
    """Three rules about one call cost one wait, and where nobody writes the call down, it goes through."""
    for text in (PUSH, "Never push anything.", "Ask before you push."):
        store(text)
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    told = {"transcript_path": str(tmp_path / "transcript.jsonl")}
    assert call("git push origin a", tool_use_id="toolu_1", **told).held
    assert not pauses
    assert not call("git push origin a", tool_use_id="toolu_2", **told).held
    assert sum(pauses) < 1


class TestTheTableNeverLies:
    """Whatever is done to the files, by whomever, the next call knows it."""

    def test_a_rule_that_is_stored_or_forgotten(self, store, call, workspace) -> None:
        """A rule holds from the call after it was stored to the one before it was forgotten."""
        assert not call("git push")
        memory = store(PUSH)
        assert call("git push").held
        memories, _ = forget_plan(workspace, (memory.key,))
        workspace.store.remove(memories[0].scope, memories[0].key, forget=True)
        assert not call("git push", session="s2")

    def test_a_file_that_is_deleted_by_hand(self, store, call, home) -> None:
        """Without its file a rule is gone."""
        memory = store(PUSH)
        assert call("git push").held
        (home / "memory" / memory.path).unlink()
        assert not call("git push", session="s2")

    def test_a_condition_that_is_edited_in_place(self, store, call, home) -> None:
        """An editor that writes into the same file is seen as well as one that replaces it."""
        memory = store(PUSH)
        assert call("git push").held
        path = home / "memory" / memory.path
        with path.open("r+", encoding="utf-8") as file:
            text = file.read().replace("\n---\n", "\nwhen: git fetch\n---\n", 1)
            file.seek(0)
            file.write(text)
        assert not call("git push", session="s2")
        assert call("git fetch", session="s2")

    def test_a_condition_that_is_given_in_place_to_what_had_none(self, store, call, home) -> None:
        """A memory becomes a rule when somebody writes `when` into its file."""
        memory = store("Deploys need the VPN.")
        assert not call("make deploy")
        path = home / "memory" / memory.path
        with path.open("r+", encoding="utf-8") as file:
            text = file.read().replace("\n---\n", "\nwhen: make deploy\n---\n", 1)
            file.seek(0)
            file.write(text)
        assert call("make deploy").said == ["Deploys need the VPN."]

    def test_what_is_switched_off_stays_off(self, store, call, workspace) -> None:
        """`when: none` stays, also when the same statement is stored again."""
        memory = store(PUSH)
        workspace.store.change(memory.scope, memory.key, when="none")
        assert not call("git push")
        store(PUSH)
        assert not call("git push", session="s2")

    def test_a_table_that_is_lost_or_broken(self, store, call, home) -> None:
        """The table is derived: without it, or with nonsense in it, rules hold as before."""
        store(PUSH)
        assert call("git push").held
        for damage in (b"", b"nonsense\n\xff\t\t", b"1\tx\ty\n"):
            for place in (home / "state" / "rules").iterdir():
                place.write_bytes(damage)
            assert call("git push", session=f"s-{damage!r}").held

    def test_another_memory_that_replaces_it(self, store, call) -> None:
        """What was superseded is told no more."""
        old = store(PUSH)
        assert call("git push").held
        store("Pushes are fine now.", supersedes=(old.key,))
        assert not call("git push", session="s2")


def test_a_home_that_cannot_be_written_holds_nothing_for_ever(store, call, home) -> None:
    """What cannot be noted is not told: a call that is refused again and again could never be made."""
    store(PUSH)
    (home / "state" / "told").write_bytes(b"")
    assert not call("git push")


def test_a_hook_that_cannot_match_reads_one_small_file(store, call, workspace) -> None:
    """The table has what a call must contain, so that most calls are passed over by that alone."""
    memory = store(PUSH)
    build(workspace, memory.scope)
    (row,) = table.rows(workspace, memory.scope)
    assert row.needles == ("push",) and parse(row.condition) == parse("git push")
    assert json.loads(json.dumps(row.text)) == PUSH


def test_codex_is_told_a_rule_about_a_failure_by_what_was_printed(store, home, shop) -> None:
    """It tells no hook how a command ended; a command that only a rule without a failure names is told once, before."""
    store("Start the database with make db.", when="failure: ECONNREFUSED")
    store("Run npm test with CI=1.", when="npm test")
    adapter = agents.get("codex")

    def said(printed: str) -> list[str]:
        data = {"session_id": "s1", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": "npm test"}}
        given = adapter.read_hook_input("PostToolUse", {**data, "tool_response": printed}, {})
        return [one.say for one in hook.at_after_tool(HookRun(str(home), adapter, given, dict(os.environ)))]

    assert said("all is well") == []
    assert said("Process exited with code 0\nOutput:\nECONNREFUSED is handled") == []
    (line,) = said("Error: connect ECONNREFUSED 127.0.0.1:5432")
    assert "make db" in line


TAKEN = [
    ("rm -rf db", True),
    ("rm -r ./db/", True),
    ("rm -rf db/*", True),
    ("cd db && rm -rf migrations", True),
    ("mv db old", True),
    ("git mv db old", True),
    ("git rm -r db", True),
    ("git checkout -- db", True),
    ("find db -delete", True),
    ("rm -rf *", True),
    ("git clean -fdx", True),
    ("echo x > db/migrations/1.sql", True),
    ("sed -i s/a/b/ db/migrations/1.sql", True),
    ("cat x | tee db/migrations/1.sql", True),
    ("cp x.sql db/migrations/1.sql", True),
    ("rm -rf docs", False),
    ("rm -rf gone", False),
    ("rm db/other.sql", False),
    ("mv docs db/docs", False),
    ("git clean -fd", False),
    ("git clean -ndx", False),
    ("git checkout -- .", False),
    ("find db -name '*.log' -delete", False),
    ("ls -R db", False),
]


@pytest.mark.parametrize(("line", "is_held"), TAKEN)
def test_what_takes_a_folder_along_takes_what_a_rule_is_about(store, call, shop, line: str, is_held: bool) -> None:
    """To remove, move or put back a folder above it is a change of a file that is there; so is to write over it."""
    for name in ("db/migrations/1.sql", "db/other.sql", "docs/a.md", "secret/key.pem"):
        (shop / name).parent.mkdir(parents=True, exist_ok=True)
        (shop / name).write_text("1\n", encoding="utf-8")
    (shop / ".gitignore").write_text("# keys\nsecret/\n", encoding="utf-8")
    store("Never touch db/migrations/ or secret/.")
    assert bool(call(line).held) is is_held


@pytest.mark.parametrize(
    ("line", "is_held"),
    [
        ("rm data/a.csv", True),
        ("mv data/a.csv /tmp/", True),
        ("rm -rf data", True),
        ("git rm -r data", True),
        ("find data -delete", True),
        ("echo 1 >> data/a.csv", False),
        ("sed -i s/a/b/ data/a.csv", False),
        ("cp x.csv data/a.csv", False),
        ("git checkout -- data", False),
        ("mv x.csv data/", False),
    ],
)
def test_what_must_not_be_deleted_may_be_changed(store, call, shop, line: str, is_held: bool) -> None:
    """To add to a file, to change it or to put it back takes nothing away."""
    (shop / "data").mkdir()
    (shop / "data" / "a.csv").write_text("1\n", encoding="utf-8")
    store("Never delete files in data/.")
    assert bool(call(line).held) is is_held
    edit = {"file_path": str(shop / "data" / "a.csv"), "old_string": "1", "new_string": "2"}
    assert not call(tool="Edit", told=edit, session="s2").held


PATCH = "*** Begin Patch\n*** Add File: notes.txt\n{}*** Update File: src/gen/a.ts\n@@\n-1\n+2\n*** End Patch"


@pytest.mark.parametrize(
    ("given", "below"),
    [
        ({"told": {"file_path": "gen/a.ts"}, "tool": "Edit"}, "src"),
        ({"told": {"file_path": "a.ts"}, "tool": "Edit"}, "src/gen"),
        ({"line": "rm gen/a.ts"}, "src"),
        ({"line": "cd .. && rm src/gen/a.ts"}, "src"),
        ({"line": "curl -o src/gen/a.ts https://example.com/a.ts"}, ""),
        ({"line": "echo " + "x" * 9_000 + " && rm src/gen/a.ts"}, ""),
        ({"told": {"content": "x" * 9_000, "file_path": "src/gen/a.ts"}, "tool": "Write"}, ""),
        ({"told": {"command": PATCH.format("+x\n" * 3_000)}, "tool": "apply_patch"}, ""),
    ],
    ids=["below", "in-it", "rm", "up", "curl", "long-line", "text-first", "long-patch"],
)
def test_a_file_is_found_however_a_call_names_it(store, call, shop, given, below: str) -> None:
    """From a folder of the project, behind a long text, and by what writes it."""
    (shop / "src" / "gen").mkdir(parents=True)
    store("Never edit anything in src/gen/.")
    assert call(**given, cwd=str(shop / below)).held
    assert not call("rm lib/a.ts", session="s2", cwd=str(shop / "src"))


def test_a_project_that_is_reached_through_a_link_has_its_rules(store, call, shop, tmp_path) -> None:
    """The agent may know the folder by another name than the one that was found."""
    (shop / "src" / "gen").mkdir(parents=True)
    store("Never edit anything in src/gen/.")
    (tmp_path / "linked").symlink_to(shop)
    for session, folder in (("s1", tmp_path / "linked"), ("s2", shop)):
        told = {"file_path": str(tmp_path / "linked" / "src" / "gen" / "a.ts")}
        assert call(told=told, tool="Edit", session=session, cwd=str(folder)).held


def test_a_call_whose_rule_was_obeyed_in_an_earlier_call_is_not_held(store, call, tmp_path) -> None:
    """What the rule wants first was run in this session; where it failed, or was never run, the call is held."""
    store("Before `git push` run `make check`.")
    transcript = tmp_path / "transcript.jsonl"
    asked = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make check -j2"}}
    told = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}
    this = {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "git push && make check"}}
    for number, (lines, is_held) in enumerate(
        [([asked, told], False), ([asked, {**told, "is_error": True}], True), ([this], True), ([], True)]
    ):
        transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
        made = call("git push && make check", session=f"s{number}", transcript_path=str(transcript))
        assert bool(made.held) is is_held, lines


def test_what_is_edited_by_hand_counts_at_the_next_call_however_slow_the_machine(
    store, call, home, monkeypatch
) -> None:
    """The table is made again to its end, also when the time is over in which a hook may wait for others."""
    memory = store("Never run `make wipe`.")
    assert call("make wipe").held
    path = home / "memory" / memory.path
    path.write_text(path.read_text().replace("make wipe", "make nuke"))
    monkeypatch.setattr(Deadline, "until", 0.0)
    assert call("make nuke", session="s2").held and not call("make wipe", session="s3")
    assert Deadline.until == 0.0


def test_a_place_that_is_given_makes_no_rule_stronger(store, call) -> None:
    """What its words only say is said at a condition of the person's, too; a ban in any words holds there."""
    store("The VPN must be up.", when="make deploy")
    store("Run `pnpm lint` before each push.", when="make push")
    store("Never touch the shared cluster.", when="make apply")
    assert call("make deploy").said and call("make push").said and call("make apply").held


def test_a_rule_about_several_things_holds_each_of_them_once(store, call) -> None:
    """The commit that was let through lets no push through; of each the second goes through."""
    store("Never commit or push without asking me.")
    assert call("git commit -m x").held and not call("git commit -m x")
    assert call("git push").held and not call("git push origin main") and not call("git commit -m y")
    store("Don't edit dist/ or vendor/.")
    assert call(tool="Edit", told={"file_path": "dist/a.js"}).held
    assert call(tool="Edit", told={"file_path": "vendor/a.js"}).held
    assert not call(tool="Edit", told={"file_path": "dist/b.js"})
