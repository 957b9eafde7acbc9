"""The benchmark of what people say: which messages it reads, what it counts, and what it writes down."""

from __future__ import annotations

import json

import pytest

from benchmarks.labelled import BENCHMARKS, module_at
from holdfast.errors import BadInput

MESSAGES = [
    ("Remember that staging lives in europe-west3.", ["remember"], ["value"], "staging lives in europe-west3"),
    ("fix the failing test in src/parser.py", [], [], ""),
    ("no, I meant the other queue", ["correction"], [], ""),
]


@pytest.fixture(scope="module")
def triggers():
    """The benchmark as a module."""
    return module_at(BENCHMARKS / "triggers.py")


@pytest.fixture
def folder(tmp_path):
    """A folder of labelled messages."""
    rows = [
        {"id": str(number), "text": text, "before": "", "labels": labels, "arguable": arguable, "what": what}
        | {"keep": "y" if what else "n"}
        for number, (text, labels, arguable, what) in enumerate(MESSAGES)
    ]
    (tmp_path / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def judged(triggers, labels=(), arguable=(), kinds=(), candidates=(), what="", keep=""):
    """Return a message of which this is said."""
    return triggers.Judged("1", *map(frozenset, (labels, arguable)), what, *map(frozenset, (kinds, candidates)), keep)


def test_every_kind_is_counted_as_clear_arguable_false_or_missed(triggers):
    """What is told is clear where readers agree, arguable where some would say so, and false otherwise."""
    report = triggers.measure(
        [
            judged(triggers, labels=["value"], kinds=["value"]),
            judged(triggers, arguable=["value"], kinds=["value"]),
            judged(triggers, kinds=["value"]),
            judged(triggers, labels=["value"], candidates=["value"]),
        ]
    )
    row = report["together"]
    assert [row[name] for name in ("clear", "arguable", "false", "missed")] == [1, 1, 1, 1]
    assert (row["precision"], row["strict_precision"], row["recall"]) == (0.667, 0.333, 0.5)
    assert report["with_candidates"] == {"recall": 1.0, "share_of_messages": 1.0}
    assert report["silent"] == {"messages": 1, "give_a_fact": 1.0, "give_a_candidate": 0.0}


@pytest.mark.parametrize(
    ("what", "keep", "right"),
    [
        ("use port 8443", "Use port 8443.", True),
        ("use port 8443", "Please look at the server and use port 8443 for it.", False),
        ("use port 8443", "use it", False),
        ("前端端口是8080", "前端端口是8080", True),
    ],
)
def test_the_statement_is_kept_and_not_the_prompt(triggers, what, keep, right):
    """Most words of the statement are kept, and not half as many others, in any script."""
    assert triggers.is_the_statement(what, keep) == right


def test_the_figures_of_a_folder_are_printed_and_each_message_is_written_down(triggers, folder, capsys):
    """A person sees a table, a program JSON; `--out` has what is said of each message."""
    out = folder / "said.json"
    assert triggers.main(["--data", str(folder), "--out", str(out)]) == 0
    assert "3 messages" in capsys.readouterr().out
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["id"] for line in lines] == ["0", "1", "2"]
    assert "remember" in lines[0]["kinds"] and lines[0]["keep"].startswith("staging lives in europe-west3")
    assert lines[1] == {"id": "1", "kinds": [], "candidates": [], "keep": ""}
    assert triggers.main(["--data", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["messages"] == 3


def test_a_folder_without_labelled_messages_is_refused(triggers, tmp_path):
    """A folder without messages, and a line that is none, are errors that say so."""
    with pytest.raises(BadInput, match="no labelled messages"):
        triggers.main(["--data", str(tmp_path)])
    (tmp_path / "bad.jsonl").write_text('{"id": "1"}\n')
    with pytest.raises(BadInput, match=r"bad.jsonl, line 1"):
        triggers.main(["--data", str(tmp_path)])
