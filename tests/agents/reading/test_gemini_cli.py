"""Sessions of Gemini CLI: documents, and logs that are replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_json, write_lines
from holdfast.agents.reading import gemini_cli as gemini

META = {"sessionId": "s-1", "projectHash": "ab12", "startTime": "2026-03-01T10:00:00.000Z", "kind": "main"}
TOKENS = {"input": 100, "output": 7, "cached": 40, "thoughts": 3, "tool": 5, "total": 115}


def said(id: str, text: object, kind: str = "user", **more: object) -> dict[str, object]:
    """Return a message."""
    return {"id": id, "timestamp": "2026-03-01T10:00:01.000Z", "type": kind, "content": text, **more}


def used(id: str, output: str, status: str = "success", **more: object) -> dict[str, object]:
    """Return a call with its result."""
    response = {"functionResponse": {"id": id, "name": "run_shell_command", "response": {"output": output}}}
    call = {"id": id, "name": "run_shell_command", "args": {"command": "make"}, "result": [response], "status": status}
    return {**call, "timestamp": "2026-03-01T10:00:02.500Z", **more}


ANSWER = said("m-2", "I build.", "gemini", model="g-1", tokens=TOKENS, toolCalls=[used("c-1", "built")])
EXPECTED = [("human", "look"), ("assistant", "I build."), ("tool", 'run_shell_command {"command":"make"} -> built')]


@pytest.fixture
def log(tmp_path: Path):
    """Write a log into a folder of chats and return its path."""

    def write(*records: object, name: str = "session-1.jsonl") -> Path:
        return write_lines(tmp_path / "home" / ".gemini" / "tmp" / "shop" / "chats" / name, META, *records)

    return write


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_is_read(tmp_path, indent) -> None:
    """The older form is one JSON document, on one line or on many, and sometimes named as a log."""
    path = write_json(
        tmp_path / "s.jsonl", {**META, "summary": "Look", "messages": [said("m-1", "look"), ANSWER]}, indent
    )
    events, session = read_one(gemini, path)
    assert spoken(events) == EXPECTED
    assert (session.id, session.title, session.models, events[2].milliseconds) == ("s-1", "Look", ("g-1",), 1_500)
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.reasoning) == (65, 7, 40, 3)
    assert [(one.day, one.model, one.cost) for one in session.spends] == [("2026-03-01", "g-1", cost)]


def test_a_message_that_is_written_again_counts_once(log) -> None:
    """The last record of an id counts, in the place of the first, and its tokens once."""
    early = said("m-2", "", "gemini", model="g-1", tokens=TOKENS)
    events, session = read_one(gemini, log(said("m-1", "look"), early, said("m-3", "and?"), ANSWER))
    assert spoken(events) == [*EXPECTED, ("human", "and?")]
    assert session.cost.output == 7


def test_the_carrier_of_a_result_says_nothing_new(log) -> None:
    """The result stands in the call; the message of the user that repeats it is passed over."""
    carrier = said("m-3", used("c-1", "built")["result"])
    assert spoken(read_one(gemini, log(said("m-1", "look"), ANSWER, carrier))[0]) == EXPECTED


def test_a_rewind_undoes_the_message_it_names_and_all_after_it(log) -> None:
    """What comes after the rewind goes on from there; one that names nothing undoes nothing."""
    first, second = said("m-1", "one"), said("m-3", "three")
    events, _ = read_one(gemini, log(first, said("m-2", "two"), {"$rewindTo": "m-2"}, second, {"$rewindTo": "m-9"}))
    assert [one.text for one in events] == ["one", "three"]


def test_replaced_messages_are_still_said(log) -> None:
    """`$set.messages` at a resume or a compression adds what is new, and takes back nothing that was said."""
    poor = said("m-2", [{"functionCall": {"id": "c-1", "name": "run_shell_command", "args": {}}}], "gemini")
    summary = said("m-9", "<state_snapshot>We looked.</state_snapshot>")
    records = (said("m-1", "look"), ANSWER, {"$set": {"messages": [summary, poor]}}, META, said("m-4", "on"))
    events, session = read_one(gemini, log(*records))
    assert spoken(events) == [*EXPECTED, ("summary", summary["content"]), ("human", "on")]
    assert session.cost.output == 7


def test_metadata_is_patched(log) -> None:
    """`$set` changes the title, and times move the end of the session."""
    patches = ({"$set": {"summary": "Old"}}, {"$set": {"summary": "New", "lastUpdated": "2026-03-01T11:00:00.000Z"}})
    session = read_one(gemini, log(said("m-1", "look"), *patches))[1]
    assert (session.title, session.started, session.ended) == ("New", META["startTime"], "2026-03-01T11:00:00.000Z")


def test_the_folder_is_told_beside_the_chats(log) -> None:
    """The transcript has no folder: `.project_root` has it, else the register of projects, else the context."""
    context = "<session_context>\n- **Workspace Directories:**\n  - /srv/told\n</session_context>"
    path = log(said("m-0", context), said("m-1", "look"))
    events, session = read_one(gemini, path)
    assert (session.folder, [one.role for one in events]) == ("/srv/told", ["injected", "human"])
    write_json(path.parents[3] / "projects.json", {"projects": {"/srv/known": "shop"}})
    assert read_one(gemini, path)[1].folder == "/srv/known"
    (path.parents[1] / ".project_root").write_text("/srv/shop")
    assert read_one(gemini, path)[1].folder == "/srv/shop"


def test_what_was_read_for_an_at_sign_is_not_the_persons(log) -> None:
    """The person's own words are shown apart; the contents of named files are injected."""
    parts = [{"text": "see @a"}, {"text": "\n--- Content from referenced files ---"}, {"text": "secret text"}]
    events, _ = read_one(gemini, log(said("m-1", parts, displayContent=[{"text": "see @a.txt"}])))
    assert (events[0].role, events[0].text) == ("human", "see @a.txt")
    assert (events[1].role, "secret text" in events[1].text, len(events)) == ("injected", True, 2)


def test_what_hooks_handed_over_stands_around_the_prompt(log) -> None:
    """Blocks of hooks are injected, ours is known by its fence, escaped as it is, and the person's words are left.

    A block behind the words is a part of its own. Within one text with them either block may have closed its tag.
    """
    ours = "<hook_context>&lt;holdfast-memory&gt;\nx\n&lt;/holdfast-memory&gt;</hook_context>"
    first, other = {"text": f"{ours}\n\nlook"}, {"text": "<hook_context>other</hook_context>"}
    told = {
        "parts": [(one.role, one.text == "look") for one in read_one(gemini, log(said("m-1", [first, other])))[0]],
        "one": [one.role for one in read_one(gemini, log(said("m-1", first["text"] + other["text"])))[0]],
    }
    assert told["parts"] == [("ours", False), ("human", True), ("injected", False)]
    assert told["one"] == ["ours", "injected"]


def test_failures_are_told(log) -> None:
    """A cancelled call, an error in the response, an exit code in the output and an error message are failures."""
    refused = used("c-2", "")
    refused["result"][0]["functionResponse"]["response"] = {"error": "no such tool"}
    calls = [
        used("c-1", "", "cancelled"),
        refused,
        used("c-3", "Output: x\nExit Code: 2\nPGID: 1"),
        used("c-4", "Exit Code: 0"),
    ]
    events, _ = read_one(
        gemini,
        log(said("m-1", "", "gemini", toolCalls=calls), said("m-2", "quota", "error"), said("m-3", "hi", "info")),
    )
    assert [(one.role, one.failed) for one in events] == [
        *(("tool", True), ("tool", True), ("tool", True), ("tool", False)),
        *(("injected", True), ("injected", False)),
    ]


def test_a_sub_agents_chat_lies_in_the_folder_of_its_parent(log) -> None:
    """Its kind says what it is, and the folder for which session."""
    path = log(said("m-1", "count"), name="s-0/sub.jsonl")
    events, session = read_one(gemini, path)
    assert (session.parent, session.is_subagent, events[0].role) == ("s-0", True, "task")


def test_a_document_that_became_a_log_is_found_once(tmp_path, log) -> None:
    """On a resume the file gets one letter more; the old one is left where it is."""
    path = log(said("m-1", "look"))
    write_json(path.with_suffix(".json"), {**META, "messages": []})
    write_json(path.parents[1] / "logs.json", [])
    other = write_json(path.with_name("session-0.json"), {**META, "messages": []})
    assert list(gemini.find(home(tmp_path))) == [str(other), str(path)]
    assert list(gemini.find(home(tmp_path, GEMINI_CLI_HOME=str(tmp_path)))) == []


def test_bad_lines_are_counted(log) -> None:
    """A line that is no JSON and one that is no object cost only themselves."""
    events, session = read_one(gemini, log("{broken", said("m-1", "look"), "7"))
    assert (spoken(events), session.malformed) == ([("human", "look")], 2)


def test_images_become_a_hash(log) -> None:
    """What was pasted does not come along."""
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0K" * 400}}
    events, _ = read_one(gemini, log(said("m-1", [{"text": "see"}, image])))
    assert "iVBOR" not in events[0].text and "sha256:" in events[0].text


def test_a_message_without_an_id_is_told(log) -> None:
    """What has no id can neither be replaced nor undone, but it is not lost."""
    nameless = {name: value for name, value in said("", "look").items() if name != "id"}
    events, _ = read_one(gemini, log(nameless, ANSWER))
    assert spoken(events) == EXPECTED
