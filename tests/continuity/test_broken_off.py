"""A turn that a compaction or a kill broke off: what failed last, what was answered, and what the log has beside it."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook

TASK = "Build the voucher codes. Eight letters, and never an I or an O in them. Keep applyVoucher() as it is."


class Told:
    """One session of Claude Code as its hooks and its transcript tell it."""

    def __init__(self, home, shop, session: str = "s1") -> None:
        self.home, self.shop, self.session = str(home), str(shop), session
        self.path = shop.parent / f"{session}.jsonl"
        self.path.write_text("{}\n")
        self.number = 0

    def hook(self, native: str, **told: object) -> str:
        """Run a hook and return the text that reaches the model."""
        agent = agents.get("claude-code")
        self.number += 1
        data = {"session_id": self.session, "cwd": self.shop, "transcript_path": str(self.path), **told}
        data["prompt_id"] = f"{self.session}-{self.number}"
        out = hook(self.home, agent, agent.read_hook_input(native, data, {}), {**os.environ, "CLAUDECODE": "1"})
        return json.loads(out).get("hookSpecificOutput", {}).get("additionalContext", "") if out else ""

    def _row(self, kind: str, content: object) -> None:
        row = {"type": kind, "sessionId": self.session, "message": {"role": kind, "content": content}}
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")

    def says(self, text: str) -> None:
        """The agent says something beside its calls."""
        self._row("assistant", [{"type": "text", "text": text}])

    def runs(self, command: str, output: str = "ok", *, fails: bool = False) -> None:
        """The agent runs a command, and the hook hears of it where it fails."""
        self.number += 1
        call, given = f"t{self.number}", {"command": command}
        self._row("assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": given}])
        self._row("user", [{"type": "tool_result", "tool_use_id": call, "content": output, "is_error": fails}])
        if fails:
            self.hook("PostToolUseFailure", tool_name="Bash", tool_input=given, error=output)

    def edits(self, path: str) -> None:
        """The agent changes a file."""
        self.number += 1
        given = {"file_path": f"{self.shop}/{path}", "old_string": "a", "new_string": "b"}
        self._row("assistant", [{"type": "tool_use", "id": f"t{self.number}", "name": "Edit", "input": given}])
        self._row("user", [{"type": "tool_result", "tool_use_id": f"t{self.number}", "content": "changed"}])

    def asks(self, prompt: str) -> str:
        """The person writes something."""
        return self.hook("UserPromptSubmit", prompt=prompt)

    def answers(self, text: str) -> None:
        """The agent ends its turn."""
        self.says(text)
        self.hook("Stop", last_assistant_message=text)

    def compacted(self) -> str:
        """Return what comes back after a compaction."""
        self.hook("PreCompact", trigger="auto")
        return self.hook("SessionStart", source="compact")

    def next_day(self, session: str = "s2") -> str:
        """End the session and return what the next one starts with."""
        self.hook("SessionEnd", reason="exit")
        return Told(self.home, self.path.parent / "shop", session).hook("SessionStart", source="startup")


@pytest.fixture
def told(home, shop, workspace) -> Told:
    """A session in the shop, begun."""
    with workspace() as opened:
        opened.refresh(None)
    one = Told(home, shop)
    one.hook("SessionStart", source="startup")
    return one


def test_what_failed_last_in_a_turn_that_was_broken_off_comes_back(told):
    """One line has the command and what its error says, whatever was said behind it; a check that passed has none."""
    told.asks(TASK)
    told.runs("pnpm tsc --noEmit", "src/code.ts(3,1): error TS2345: Argument of type 'string'", fails=True)
    told.edits("src/code.ts")
    told.runs("pnpm tsc --noEmit", "")
    told.runs("pnpm vitest run src/vouchers", "FAIL code.test.ts: expected not to contain 'I'", fails=True)
    told.says("The codes are made in `src/code.ts`. I look at the alphabet now.")
    text = told.compacted()
    assert text.count("- failed: pnpm vitest run src/vouchers: FAIL code.test.ts: expected not to contain 'I'\n") == 1
    assert "TS2345" not in text
    told.edits("src/code.ts")
    told.runs("pnpm vitest run", "9 passed")
    assert "failed:" not in told.compacted()


def test_a_database_that_is_locked_comes_back_until_the_next_answer(told):
    """A command that is no check is told where it failed last; what an answer says of it stands in its place."""
    told.asks("Rechne die Lücken für Oktober nach. Rohdaten nie anfassen, und nur mit --apply schreiben.")
    told.edits("src/backfill.py")
    told.runs("uv run pegel backfill --from 2026-10-01", "IOException: Could not set lock on file pegel.db", fails=True)
    text = told.compacted()
    assert "- failed: uv run pegel backfill --from 2026-10-01: IOException: Could not set lock" in text
    assert "Rohdaten nie anfassen, und nur mit --apply schreiben" in text
    assert "Could not set lock" in told.compacted(), "a second compaction in the same turn"
    told.answers("Der Nachlauf in `src/backfill.py` rechnet auf einer Kopie der Datenbank.")
    assert "Could not set lock" not in told.next_day()


def test_a_turn_that_was_killed_leaves_what_failed_last(told):
    """The next session knows it too, once, and not what passed later."""
    told.asks(TASK)
    told.runs("pnpm lint", "error: no-unused-vars in src/a.ts", fails=True)
    told.edits("src/a.ts")
    told.runs("pnpm lint")
    told.runs("pnpm vitest run", "FAIL code.test.ts: expected 8 letters", fails=True)
    text = told.next_day()
    assert text.count("FAIL code.test.ts: expected 8 letters") == 1 and "no-unused" not in text


def test_what_the_person_gave_is_not_told_as_missing(told):
    """In a turn that was broken off neither the question nor what was needed stands open that the person answered."""
    told.asks(TASK)
    told.edits("docs/plan.md")
    told.answers("`docs/plan.md` has the steps. Blocked: I need the parameter group's name for stage.")
    told.asks("pg-stage-14. write it now, one step per commit.")
    told.edits("envs/stage.tf")
    assert "Blocked" not in told.compacted()
    told.answers("Step 1 is in `envs/stage.tf`. Which size should the volume have?")
    told.asks("whats the difference between gp2 and gp3?")
    assert "- open: Which size should the volume have?" in told.compacted()
    told.asks("500 GB")
    assert "Which size" not in told.compacted()


def test_what_was_not_begun_is_not_told_below_what_was_done(told):
    """That nothing was changed yet holds until something is."""
    told.asks("The nightly run took four hours. Make it faster, and change no result.")
    told.answers("`clean` calls the median per row. I have not changed anything yet. Shall I vectorise `clean`?")
    told.asks("yes")
    told.edits("src/clean.py")
    assert "not changed anything" not in told.compacted()
    told.answers("I vectorised `clean` in src/clean.py: the run takes 22 minutes.")
    assert "not changed anything" not in told.next_day()


@pytest.mark.parametrize("later", ["ok ignore them then", "na gut, dann ignorier sie", "explained"])
def test_what_was_explained_or_is_to_be_ignored_is_open_no_more(told, later):
    """A thread ends when the agent can explain it to whoever asks, and when the person lets go of it."""
    told.asks("Vectorise `clean` and compare with the reference of last night.")
    told.edits("src/clean.py")
    told.answers("I vectorised `clean` in src/clean.py. But 2 rows differ from the reference; I haven't found out why.")
    if later == "explained":
        told.asks("any idea about the 2 rows?")
        told.answers("These rows are at the switch to winter time: the reference has local time. Our result is right.")
    else:
        told.asks(later)
        told.answers("OK.")
    assert "rows differ" not in told.next_day()


def test_a_ban_in_german_lasts_beyond_its_ask(told):
    """What begins with "kein" is a decision of its own, and no reply to what was said before."""
    told.asks("Bau den Import auf Parquet um, CSV bleibt lesbar.")
    told.asks("Kein pandas, wir nehmen polars.")
    told.edits("src/ingest.py")
    told.answers("Der Import liest jetzt Parquet in `src/ingest.py`.")
    told.asks("Und jetzt die Mail bei Lücken, sie geht an das Team.")
    told.edits("src/mail.py")
    told.answers("Die Mail ist eingebaut in `src/mail.py`.")
    assert "- Kein pandas, wir nehmen polars.\n" in told.next_day()


def test_after_a_compaction_the_log_does_not_stand_beside_what_is_newer(told):
    """What an earlier session did is told while nothing newer is known; that its checks passed, never."""
    told.asks(TASK)
    told.edits("src/old.py")
    told.answers("I added the table of vouchers in src/old.py.")
    told.next_day()
    later = Told(told.home, told.path.parent / "shop", "s3")
    later.hook("SessionStart", source="startup")
    later.asks("Now the page of the vouchers, sorted by day.")
    assert "I added the table of vouchers" in later.compacted()
    later.edits("src/page.py")
    later.answers("I added the page in src/page.py.")
    later.asks("And a filter by shop.")
    text = later.compacted()
    assert "I added the page in src/page.py." in text and "I added the table of vouchers" not in text


def test_what_an_agent_said_last_in_a_turn_is_where_it_broke_off_and_no_deed(told):
    """Half of a piece of work that is told while it is under way is told once, and never as done."""
    told.asks(TASK)
    told.edits("voucher.ts")
    told.says("Renamed half of the callers of `voucher.ts`, the other half follows.")
    told.edits("cart.ts")
    back = told.compacted()
    assert "- broken off at: Renamed half of the callers" in back
    assert "done: Renamed half" not in back
