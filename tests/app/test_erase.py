"""Erasing: what goes, what stays, what a report proves, and what a killed run leaves."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

from holdfast import agents
from holdfast.app import erase, erase_target
from holdfast.app.hook import hook
from holdfast.app.scrub_home import PENDING
from holdfast.base.rows import note
from holdfast.errors import BadInput
from holdfast.journal import Journal
from holdfast.learning.work import session_log
from holdfast.memory.audit import is_memory
from holdfast.memory.proposal_files import Proposal, Proposals
from holdfast.memory.remember import remember
from holdfast.privacy.erased import Erased
from holdfast.records import Event, Filter
from holdfast.sessions.archive import Archive
from holdfast.store.database import Index
from holdfast.store.index import BUSY_SECONDS
from support.archived import said, session, store
from support.swept import line, raw, talk, transcript, write

TEXT = "the numbat sleeps under the porch"


def holding(home, word: str) -> list[str]:
    """Return the files of the home that have a word, by bytes or by name."""
    return [
        str(path.relative_to(home))
        for path in sorted(home.rglob("*"))
        if word in path.name or (path.is_file() and word.encode() in path.read_bytes().lower())
    ]


@pytest.mark.parametrize("text", ["", "  \n ", "abc", "a b."])
def test_a_text_that_is_too_short_is_refused(workspace, text) -> None:
    """What would take others along is refused, and changes nothing."""
    with workspace() as h, pytest.raises(BadInput, match="too short"):
        erase_target.of_texts(h, [text])


def test_a_memory_that_says_nothing_else_goes_and_another_loses_the_text(workspace, home) -> None:
    """A memory that is the text goes with a tombstone; one that says more keeps the rest under a name without it."""
    with workspace() as h:
        remember(h, f"{TEXT.capitalize()}.", key="numbat")
        remember(h, f"Kim says that {TEXT}, and the lamp is new.")
        report, _ = erase.erase(h, erase_target.of_texts(h, [TEXT]))
        left = {one.key: one.body for one in h.store.find(Filter(None))}
        assert report.is_proven and report.records == 1
        assert list(left) == ["kim-says-that-erased"]
        assert left["kim-says-that-erased"].startswith("~~Kim says that [erased], and the lamp is new.~~ (withdrawn ")
        assert h.store.forgot(h.scope("project"), "anything", f"It is known: {TEXT}!")
    assert holding(home, "numbat") == []


def test_no_agent_is_told_a_statement_that_lost_words(cli, home) -> None:
    """A statement that lost its value is struck through and named, until it is said anew; a reason only has a mark."""
    cli("remember", "The door code is Flummoxberry88.", "--key", "door")
    deploy = "Deploy on Mondays.\n\nWhy: {} said so\n\n{}- never late"
    cli("remember", deploy.format("Flummoxberry88", "- Flummoxberry88\n"), "--key", "deploy")
    told = cli("erase", "--yes", stdin="Flummoxberry88").out
    assert "told to no agent" in told and "door.md" in told and "deploy.md" not in told
    given = cli("preview").out
    assert "door code" not in given and "Deploy on Mondays" in given
    assert cli("show", "deploy", "--json").json["body"] == deploy.format("[erased]", "")
    assert cli("show", "door", "--json").json["body"].startswith("~~The door code is [erased].~~ (")
    cli("remember", "The door code hangs on the board.", "--key", "door")
    assert "hangs on the board" in cli("preview").out


def test_a_report_holds_no_word_and_its_key_finds_it_again(workspace, home) -> None:
    """The report is kept without a word; only the text with its key finds it, and another text or key does not."""
    with workspace() as h:
        remember(h, TEXT, key="k")
        _, key = erase.erase(h, erase_target.of_texts(h, [TEXT]))
        told, looked = erase.verify(h, key, TEXT.upper())
        assert looked.count == 0 and told["what"] == "a text"
        for wrong_key, text in ((key, "the numbat sleeps"), ("00" * 16, TEXT)):
            with pytest.raises(Exception, match="no report"):
                erase.verify(h, wrong_key, text)
    assert key not in "".join(path.read_text("utf-8", "replace") for path in home.rglob("*") if path.is_file())


def test_what_is_of_no_known_kind_is_told_and_not_changed(workspace, home, tmp_path) -> None:
    """Bytes of another program, a link and git history are named; the report is not proven while one holds the text."""
    with workspace() as h:
        remember(h, "Something else.", key="k")
        picture = home / "memory" / "global" / "data" / "picture.bin"
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(b"\0\1\2" + TEXT.encode())
        (home / "link").symlink_to(tmp_path)
        (home / ".git").mkdir()
        report, _ = erase.erase(h, erase_target.of_texts(h, [TEXT]))
    told = dict(report.not_looked_into)
    assert set(told) == {"memory/global/data/picture.bin", "link", ".git"}
    assert [path for path, _ in report.left] == ["memory/global/data/picture.bin"] and not report.is_proven
    assert TEXT.encode() in picture.read_bytes() and "filter-repo" in report.notes[0]


def test_a_key_of_a_part_of_the_text_is_made_anew(cli, home) -> None:
    """No part of the text is left in a key, not in digits either, and a bundle from before does not bring it back."""
    text = "Kim Doe lives at Kvarngatan seventeen"
    for told in ("Ask Kim Doe lives at Kvarngatan seventeen", f"the hex is {text.encode().hex()} here"):
        cli("remember", "--scope", "global", told)
    cli("remember", "--scope", "global", "Read of Kim Doe lives at Kvarngatan seventeen", "--key", "chosen-key")
    cli("export", str(home.parent / "before.tar.gz"))
    cli("erase", "--yes", stdin=text)
    keys = {path.stem for path in (home / "memory" / "global" / "memories").glob("*.md")}
    assert keys == {"ask-erased", "the-hex-is-erased-here", "chosen-key"}
    cli("import", "--yes", "--bundle", str(home.parent / "before.tar.gz"))
    every = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    every += b"".join(str(path).encode() for path in home.rglob("*"))
    assert not any(part in every.lower() for part in (b"ask-kim", b"4b696d", b"kvarngatan"))


def test_a_tombstone_has_no_word_of_a_key(workspace, home) -> None:
    """A key is made of the first words; no file has it after forgetting, nor one that an earlier version wrote."""
    with workspace() as h:
        remember(h, "Quagga migration needs two windows.")
        remember(h, "Something else.", key="other", supersedes=())
        (home / "memory" / "global").mkdir(exist_ok=True)
        (home / "memory" / "global" / ".forgotten").write_text("2026-01-01T00:00:00Z\tquagga-song\tabc\n")
        erase.forget_memory(h, "quagga-migration-needs-two-windows")
        assert h.store.forgot(h.scope("global"), "quagga-song", "x")
    assert holding(home, "quagga") == []


def test_what_was_forgotten_is_not_told_as_what_happened(workspace, home, shop) -> None:
    """The statement of a forgotten memory goes from journal, archive and digest of the session that said it."""
    with workspace() as h:
        name = store(h, session("s1", shop, title=f"Remember that {TEXT}"), said("human", f"Remember that {TEXT}."))
        Journal(h.home).append(Event("2026-05-04T10:00:00Z", "prompt", {"session": "s1", "prompt": f"so {TEXT}"}))
        remember(h, f"{TEXT}.", key="k")
        erase.forget_memory(h, "k")
        (event,) = list(Archive(h.home).events(name))
        assert event.text == "Remember that erased." and "numbat" not in Archive(h.home).digest(name).session.title
    assert holding(home, "numbat") == []


def test_what_a_project_forgot_another_one_keeps(workspace, home, shop, repository, machine, cli) -> None:
    """What the person forgot in one project goes from all that is its, and neither now nor by a sweep from another."""
    blog = repository("blog")
    with workspace() as h, workspace(folder=str(blog)) as b:
        here, there = h.project().id, b.project().id
        mine = store(h, session("s1", shop), said("human", f"Remember that {TEXT}."))
        theirs = store(h, session("s2", blog), said("human", f"Remember that {TEXT}."))
        for id in (here, there):
            Journal(h.home).append(Event("2026-05-04T10:00:00Z", "prompt", {"project": id, "prompt": f"so {TEXT}"}))
            session_log.note(h.home, ("codex", id, id), "2026-05-04T10:00:00Z", [(session_log.PROMPT, TEXT)])
        remember(b, f"{TEXT} of the blog.", key="other")
        for id, owner in (("aaaaaaaa", h), ("bbbbbbbb", b)):
            scope = owner.scope("project")
            Proposals(h.home).put(Proposal(id, f"{TEXT}.", scope, title=TEXT, created="2026-05-04"))
        remember(h, f"{TEXT}.", key="k")
        erase.forget_memory(h, "k")
        assert [event.text for event in Archive(h.home).events(mine)] == ["Remember that erased."]
        assert [event.text for event in Archive(h.home).events(theirs)] == [f"Remember that {TEXT}."]
        assert [event.data["prompt"] for event in Journal(h.home).events("prompt")] == ["so erased", f"so {TEXT}"]
        assert [one.scope.owner for one in Proposals(h.home).all()[0] if TEXT in one.text] == [there]
        assert [one.session for one in session_log.sessions(h.home) if TEXT in str(one)] == [there]
        known = Erased(h.home)
        assert known.without(TEXT, project=here) == "erased" and known.without(TEXT, project=there) == TEXT


def test_what_was_chosen_is_looked_for_as_what_was_said_is(workspace, shop) -> None:
    """A choice of a session that goes is looked for wherever it was written down."""
    chose = 'Chose "numbat" (asked: "Which animal shall be on the page of the shop?"; other options: "quokka")'
    with workspace() as h:
        name = store(h, session("s1", shop), said("human", "Draw it"), said("choice", chose))
        assert erase_target.of_sessions(h, (name,)).texts == (chose,)


def test_a_project_goes_with_all_that_is_known_of_it(workspace, home, shop) -> None:
    """Memories, pages, rows and sessions of a project go; those of everywhere stay, and no sweep brings one back."""
    with workspace() as h:
        remember(h, "The quagga is here.", key="q")
        remember(h, "Answer in English.", key="english", scope="global")
        id = h.project().id
        store(h, session("s1", shop, project=id), said("human", "What about the quagga then?"))
        Journal(h.home).append(Event("2026-05-04T10:00:00Z", "prompt", {"project": id, "prompt": "quagga"}))
        report, _ = erase.erase(h, erase_target.of_project(h, id))
        assert report.is_proven and [one.key for one in h.store.find(Filter(None))] == ["english"]
        assert Erased(h.home).leaves_out(session("s2", shop, project=id))
    assert holding(home, "quagga") == [] and not (home / "memory" / "projects" / id).exists()


def test_what_open_sessions_noted_goes_with_their_project_and_time(workspace, home) -> None:
    """The asks that hooks noted of a session go with its project, and those of a time with the time."""
    with workspace() as h:
        remember(h, "The quagga is here.", key="q")
        id = h.project().id
        for folder, owner in (("open", id), ("work", id), ("open", "other--shop")):
            path = home / "state" / folder / f"{owner}-1"
            note(str(path), (owner, "claude-code", "s1"), "2026-05-03T10:00:00Z", [("ask", "Water the pomegranate")])
            note(str(path), (owner, "claude-code", "s1"), "2026-05-04T10:00:00Z", [("ask", "Mend the robot")])
        erase.erase(h, erase_target.of_span(h, "2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z"))
        assert holding(home, "mend the robot") == [] and len(holding(home, "pomegranate")) == 3
        erase.erase(h, erase_target.of_project(h, id))
    assert [path.name for path in (home / "state" / "open").iterdir()] == ["other--shop-1"]
    assert not any((home / "state" / "work").iterdir())


def test_a_time_goes_with_what_was_told_in_it(workspace, home, shop) -> None:
    """Sessions at work in a time, and rows of it, go; what was before and after stays."""
    with workspace() as h:
        journal = Journal(h.home)
        for day in (3, 4, 5):
            journal.append(Event(f"2026-05-0{day}T10:00:00Z", "prompt", {"prompt": f"day {day}"}))
        target = erase_target.of_span(h, "2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z")
        erase.erase(h, target)
        assert [event.data["prompt"] for event in journal.events("prompt")] == ["day 3", "day 5"]


def _write_on(home: str) -> None:
    """Add rows until somebody says stop; the first of them have the text."""
    number = 0
    while not os.path.exists(f"{home}/stop"):
        number += 1
        text = TEXT if number < 5 else f"line {number}"
        Journal(home).append(Event("2026-05-04T10:00:00Z", "prompt", {"prompt": text, "n": number}), durable=False)
        time.sleep(0.01)


def test_hooks_that_write_meanwhile_lose_nothing(workspace, home) -> None:
    """While others add rows the text goes from all of them, and every other row is there."""
    with workspace() as h:
        remember(h, TEXT, key="k")
        writer = multiprocessing.get_context("spawn").Process(target=_write_on, args=(h.home,))
        writer.start()
        while len(list(Journal(h.home).events("prompt"))) < 5:
            time.sleep(0.01)
        report, _ = erase.erase(h, erase_target.of_texts(h, [TEXT]))
        (home / "stop").touch()
        writer.join()
        assert report.is_proven
        numbers = [event.data["n"] for event in Journal(h.home).events("prompt")]
    assert numbers == list(range(1, len(numbers) + 1)) and holding(home, "numbat") == []


KILLED = """
import os, signal, sys
from holdfast.app import erase, erase_target, scrub_home
from holdfast.workspace import Workspace
def die(self, path):
    os.kill(os.getpid(), signal.SIGKILL)
scrub_home._SCRUBS["text"] = die
with Workspace(sys.argv[1], folder=sys.argv[2]) as h:
    erase.erase(h, erase_target.of_texts(h, [sys.argv[3]]))
"""


def test_a_killed_erase_is_finished_by_the_next_command(workspace, home, shop, cli) -> None:
    """What was killed half-way is noted, `heal` finishes it and says so, and then nothing of it is left."""
    with workspace() as h:
        remember(h, f"Kim says that {TEXT}, and the lamp is new.", key="kim")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(home), str(shop), TEXT], check=False)
    assert ended.returncode == -signal.SIGKILL and (home / PENDING).exists() and holding(home, "numbat")
    healed = cli("heal", "--yes")
    assert healed.code == 0 and "interrupted" in healed.err, healed
    assert holding(home, "numbat") == [] and not (home / PENDING).exists()


NOTED = """
import os, signal, sys
from holdfast.app import erase
from holdfast.memory import forget
from holdfast.workspace import Workspace
erase._applied = forget.apply = lambda *given, **more: os.kill(os.getpid(), signal.SIGKILL)
with Workspace(sys.argv[1], folder=sys.argv[2]) as h:
    if sys.argv[3] == "kim":
        erase.forget_memory(h, "kim")
    erase.forget_sessions(h, (sys.argv[3],))
"""


def test_a_killed_forget_can_be_asked_for_again(workspace, home, shop, cli) -> None:
    """Who forgets the same memory or session once more gets what they asked for, and no error."""
    with workspace() as h:
        remember(h, f"Kim says that {TEXT}.", key="kim")
        told = store(h, session("s1", shop), said("user", f"Tell me why {TEXT}, please."))
    for what, *asked in (("kim", "forget", "kim"), (told, "sessions", "forget", "s1")):
        ended = subprocess.run([sys.executable, "-c", NOTED, str(home), str(shop), what], check=False)
        assert ended.returncode == -signal.SIGKILL and (home / PENDING).exists()
        done = cli(*asked, "--yes")
        assert done.code == 0 and not (home / PENDING).exists(), done
    assert holding(home, "numbat") == []


def test_the_command_takes_no_text_from_its_line(cli, home) -> None:
    """A text comes from standard input or a file; the answer has report and key, and a dry run changes nothing."""
    cli("remember", TEXT)
    refused = cli("erase", TEXT, "--yes")
    assert refused.code == 2 and "--file" in refused.err and "numbat" not in refused.err
    planned = cli("erase", "--dry-run", "--json", stdin=TEXT).json
    assert not planned["applied"] and holding(home, "numbat")
    done = cli("erase", "--yes", "--json", stdin=TEXT).json
    assert done["applied"] and len(done["key"]) == 32 and not done["report"]["left"]
    assert "numbat" not in json.dumps(done["report"]) and os.path.exists(home / "erased.jsonl")
    again = cli("erase", "--verify", done["key"], "--json", stdin=TEXT)
    assert again.code == 0 and again.json["places"] == 0


def test_a_plan_shows_the_words_around_each_place(cli, home) -> None:
    """Before anything goes, the person sees what each place is about, and the text itself is not shown."""
    (home / "memory" / "global").mkdir(parents=True)
    (home / "memory" / "global" / "notes.md").write_text(f"Ask Kim about it. {TEXT} Then call the bank.\n")
    planned = cli("erase", "--dry-run", stdin=TEXT).out
    assert "Ask Kim about it. [erased] Then call the bank." in planned and "numbat" not in planned


def test_a_link_to_a_forgotten_memory_stays_and_blocks_nothing(cli, home) -> None:
    """A dead link is what a person wrote; the forgetting is done, and what is stored later under the key stays."""
    cli("remember", "--key", "mango", "The mango line runs on server quartz.")
    cli("remember", "--key", "o", "Look at [[mango]] first.")
    done = cli("forget", "mango", "--yes")
    assert done.code == 0 and "could not be changed" not in done.err and not (home / PENDING).exists()
    cli("remember", "--key", "mango", "A new mango story")
    assert cli("heal", "--yes").code == 0 and cli("sweep").code == 0
    assert "A new mango story" in cli("show", "mango").out and "[[mango]]" in cli("show", "o").out
    assert holding(home, "quartz") == []


def test_a_linked_memory_is_erased_with_proof(cli) -> None:
    """A link to it in another memory is no trace of what it said."""
    cli("remember", "--key", "mango", "The mango line runs on server quartz.")
    cli("remember", "--key", "o", "Look at [[mango]] first.")
    done = cli("erase", "--memory", "mango", "--yes", "--json")
    assert done.code == 0 and done.json["report"]["left"] == []


def test_finishing_a_killed_erase_leaves_what_was_stored_since(workspace, home, shop, cli) -> None:
    """What was said anew after a run was killed is not what that run was about; its report is printed."""
    with workspace() as h:
        remember(h, f"Kim says that {TEXT}, and the lamp is new.", key="kim")
    subprocess.run([sys.executable, "-c", KILLED, str(home), str(shop), TEXT], check=False)
    note = home / PENDING
    told = json.loads(note.read_text())
    note.write_text(json.dumps({**told, "memories": [["project", h.project().id, "later"]]}))
    with workspace() as h:
        remember(h, f"Lee says that {TEXT}.", key="later")
    assert "interrupted" not in cli("erase", "--dry-run", stdin="some other text").err and note.exists()
    assert "an erase was interrupted" in cli("status").out and "an erase was interrupted" in cli("doctor").out
    healed = cli("heal", "--yes")
    assert "erased    a text" in healed.err and not note.exists(), healed
    assert TEXT in cli("show", "later").out and TEXT not in cli("show", "kim").out
    assert TEXT in cli("recall", "numbat").out


def test_what_cannot_be_erased_is_told_once(cli, home) -> None:
    """A file that is not ours keeps the text; the run has an end all the same, and no word of it is noted."""
    cli("remember", "Something else.", "--key", "k")
    (home / "picture.bin").write_bytes(b"\0\1\2 " + TEXT.encode())
    assert cli("erase", "--yes", stdin=TEXT).code == 4 and not (home / PENDING).exists()
    assert "interrupted" not in cli("status").out
    cli("remember", TEXT, "--key", "again")
    cli("heal", "--yes")
    assert TEXT in cli("show", "again").out


def test_another_form_of_the_word_is_another_word(cli) -> None:
    """Full-text search keeps the stem of the plural; it is no trace of a name that was erased."""
    cli("remember", "--key", "one", "Mr Hansen owns the key to the lab.")
    cli("remember", "--key", "two", "The Hansens own two dogs.")
    done = cli("erase", "--yes", "--json", stdin="Hansen")
    assert done.code == 0 and done.json["report"]["left"] == [], done
    assert "The Hansens own two dogs." in cli("show", "two").out and "Hansen" not in cli("show", "one").out
    assert cli("erase", "--verify", done.json["key"], stdin="Hansen").code == 0


def test_statements_that_do_not_have_the_text_stay(cli) -> None:
    """Another number, a longer word and a memory that has a sentence of the text only are others."""
    others = {
        "number": "The tunnel is hunter3.",
        "longer": "The tunnel is hunter22 there.",
        "sentence": "The depot in Bergen opens at seven.",
    }
    for key, text in others.items():
        cli("remember", "--key", key, text)
    cli("remember", "--key", "two", "The depot in Bergen opens at seven. Ask Kim for the code.")
    for text in ("tunnel is hunter2", "The depot in Bergen opens at seven. Ask Kim for the code."):
        done = cli("erase", "--yes", "--json", stdin=text)
        assert done.code == 0, done
    assert all(text in cli("show", key).out for key, text in others.items())
    assert cli("show", "two").code != 0


def test_a_time_without_an_end_ends_now(cli, home) -> None:
    """All that was stored since a time goes."""
    cli("remember", "--key", "k", "The quagga is here.")
    assert cli("erase", "--since", "1d", "--yes").code == 0
    assert cli("show", "k").code != 0


def test_a_page_of_the_log_is_no_memory(workspace, home) -> None:
    """Taking a text out of a page does not make a memory of the page."""
    with workspace() as h:
        remember(h, f"{TEXT}.", key="k")
        log = home / "memory" / "projects" / h.project().id / "log" / "2026-11-16.md"
        log.parent.mkdir(exist_ok=True)
        log.write_text(f"# 2026-11-16\n\n- 10:00 said that {TEXT}, and more\n")
        erase.forget_memory(h, "k")
        assert [one.key for one in h.store.find(Filter(None))] == []
    assert not is_memory(str(log.relative_to(home))) and is_memory("memory/projects/p/memories/log/k.md")
    assert "erased, and more" in log.read_text()


def test_a_text_that_is_not_in_the_home_yet_is_noted(cli, home) -> None:
    """An erase before the sweep keeps the text out of what was said before; a dry run notes nothing."""
    cli("remember", "Something else.", "--key", "k")
    cli("erase", "--dry-run", stdin=TEXT)
    assert not Erased(str(home)).holds(TEXT)
    assert cli("erase", "--yes", stdin=TEXT).code == 0
    assert Erased(str(home)).without(f"so {TEXT}", "2026-01-01T00:00:00Z") == "so erased"


def test_a_key_is_only_told_where_it_verifies(cli, home) -> None:
    """Nobody has the words of a memory to verify a report by; git below `memory/` is named."""
    cli("remember", "--key", "k", "The quagga is here.")
    (home / "memory" / ".git").mkdir()
    done = cli("erase", "--memory", "k", "--yes")
    assert done.code == 0 and "digest" not in done.out and "key    " not in done.out and "filter-repo" in done.out


def test_hooks_do_not_read_it_again_in_a_session_that_is_open(cli, workspace, home, machine, shop) -> None:
    """What no hook has read yet of the transcript of an open session does not come back with its next pause."""
    path = write(transcript(machine, "open"), talk("open", 1))
    agent = agents.get("claude-code")

    def at(event: str, **told: str) -> None:
        about = {"session_id": "open", "cwd": str(shop), "transcript_path": str(path), **told}
        environment = {"HOLDFAST_SWEEP_AT_SESSION_END": "no", "HOLDFAST_HOOK_BUDGET_MS": "60000"}
        hook(str(home), agent, agent.read_hook_input(event, about, {}), environment)

    with workspace() as h:
        remember(h, "The lamp is new.")
    at("UserPromptSubmit", prompt="go on", prompt_id="1")
    call = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "npm test"}}
    result = {"type": "tool_result", "tool_use_id": "t9", "is_error": True, "content": f"Error: {TEXT}"}
    more = [line("open", 90, "assistant", [call]), line("open", 91, "user", [result])]
    path.write_bytes(path.read_bytes() + raw([*more, *talk("open", 1, start=30)]))
    assert cli("erase", "--yes", stdin=TEXT).code == 0
    at("Stop", last_assistant_message="It failed.")
    assert holding(home, "numbat") == []


def test_a_forgotten_request_leaves_no_line_behind(workspace, write, cli) -> None:
    """The line of the working state that asked to remember it goes as a whole, and no other."""
    said = "- remember: Remember that the demo runs on a Raspberry Pi. (2026-11-16T10:00:00Z, codex, s1)\n"
    kept = "- decision: We ship on Monday. (2026-11-16T10:00:00Z, codex, s1)\n"
    with workspace() as h:
        remember(h, "The demo runs on a Raspberry Pi.", key="demo")
        folder = h.scope("project").owner
    page = write(
        f"projects/{folder}/buffer.md",
        f"<!-- holdfast:begin state -->\n\n## Said by the person\n\n{said}{kept}\n<!-- holdfast:end state -->\n",
    )
    assert cli("forget", "demo", "--yes").code == 0
    assert kept in page.read_text() and "erased" not in page.read_text() and "remember:" not in page.read_text()


def test_a_time_goes_with_the_pages_lessons_and_work_that_it_made(workspace, home) -> None:
    """Days of the log, lessons, proposals and items of work go with the time that they were made in; others stay."""
    with workspace() as h:
        remember(h, "The quagga is here.", key="q")
        id = h.project().id
        made = []
        for day in (3, 4):
            at = f"2026-05-0{day}T10:00:00Z"
            records = {
                f"memory/projects/{id}/log/2026-05-0{day}.md": f"# 2026-05-0{day}\n\n- day {day}\n",
                f"learning/algorithm/l{day}.md": f"---\nid: l{day}\ncreated: {at}\n---\nday {day}\n",
                f"work/{id}/2026050{day}-a.md": f"---\nid: w{day}\ncreated_at: {at}\n---\nday {day}\n",
                f"proposals/p{day}.md": f"---\nid: p{day}\ncreated: {at}\n---\nday {day}\n",
            }
            for path, text in records.items():
                (home / path).parent.mkdir(parents=True, exist_ok=True)
                (home / path).write_text(text)
                made.append((day, path))
        target = erase_target.of_span(h, "2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z")
        planned = [step.target for step in erase_target.plan(h, target).steps if step.act == "remove"]
        assert sorted(planned) == sorted(path for day, path in made if day == 4)
        erase.erase(h, target)
    assert [path for _, path in made if (home / path).exists()] == [path for day, path in made if day == 3]


def test_a_run_that_was_killed_before_its_last_step_is_finished(cli, home) -> None:
    """Its note is written over before it goes; who is killed in between leaves one that says nothing."""
    assert cli("remember", "Deploys need the VPN.").code == 0
    note = home / "state" / "erasing.json"
    note.write_bytes(b" " * 80)
    assert cli("heal", "--yes").code == 0 and not note.exists()
    assert "interrupted" not in cli("status").out


def test_a_program_that_keeps_the_index_open_holds_no_erase_up(cli, shop, home) -> None:
    """A reader that never ends keeps the write-ahead log; the erase names it in the end, which took most of an hour."""
    cli("remember", TEXT)
    with closing(sqlite3.connect(home / "index.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memory").fetchone()
        began = time.monotonic()
        with closing(Index(str(home / "index.db"))) as index:
            index.erase_traces(anew=True)
        assert time.monotonic() - began < BUSY_SECONDS
