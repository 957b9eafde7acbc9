"""How well a prompt brings the memories that belong to it, and how seldom others: the bar of `inject.relevance`.

    holdfast bench injection [--data FOLDER] [--transcripts FOLDER] [--json]

Each set is a person's memories and prompts, labelled with what each prompt should bring; once alone, and once among
1,500 other texts. The bar was chosen on `shop`; `rover` is the check. For each bar: of the prompts that should bring
something, how many brought it; how many memories came besides; and how many of the prompts that should bring nothing
brought something.

With FOLDER, labelled messages of real people as `holdfast bench triggers` reads them, also the prompts of
`injection_sets/real.tsv`: each against a home of 30 to 300 statements, those of the same person among those of others.
A reader chose beforehand what each prompt wants, and what is arguable: about the same thing, but not needed. For an
arguable one nothing is blamed; `strictly` counts it as wrong, too. By the prompts of the people in `seen` something was
chosen, by those in `held` nothing.

What an agent knows when it answers is the block of its start and that of the prompt. So the same prompts are also put
to the real hooks, a start and the prompt in a session each, with the settings as they are: once with all statements in
one project, and once with those of others in another project, as on a machine where every project has its own. What
the person typed before it, as far as it states none of the statements, was asked in the project lately. Told
is of the prompts that want something how many have it from the prompt alone and how many from either; and of those
that want nothing how many were given nothing wrong by the prompt.

Last, what the real hook gives in each set, with the settings as they are: characters of a start and of a prompt, each
in a session of its own, and how many were left without a word. With `--transcripts FOLDER` the same over what real
people typed: the sessions of any agents below FOLDER are replayed in the order of time, each with its start and its
prompts, by the real hooks, in one home that begins empty and takes each session in when it has ended.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import runpy
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from holdfast import agents
from holdfast.agents.base import Agent
from holdfast.agents.reading.base import Reading
from holdfast.app import at_prompt
from holdfast.app.hook import HookRun, hook
from holdfast.app.reindex import reindex
from holdfast.app.sweep import sweep
from holdfast.base import clock
from holdfast.base.clock import now
from holdfast.inject import prompt as relevance
from holdfast.journal import Journal
from holdfast.privacy import speech
from holdfast.records import Event, HookCall, Memory, Scope
from holdfast.sessions.index import ProjectOf
from holdfast.store import memory_file
from holdfast.store.read_only_index import ReadOnlyIndex
from holdfast.workspace import Workspace

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = os.path.join(HERE, "injection_sets")
SESSIONS = os.path.join(HERE, "sessions.py")
OTHERS = os.path.join(HERE, "secret_lists", "ordinary_text.jsonl")
# The set alone or among others, and how it is then asked: with meaning or by words alone.
WAYS = {False: (True, False), True: (True,)}
BARS = (30, 35, 40, 45, 50)
CURVE = (25, 30, 35, 40, 45, 50, 60, 70, 80, 90)
PROJECT = "bench"
HALVES = ("seen", "held")
# How a home of real people is laid, and whether all of it is in one project.
LAID = {"one project": True, "own project": False}
# By so much of its beginning a statement is known in a block, which may end it at a sentence.
_BEGINNING = 60
_BEFORE = 100
# Wanted, arguable, and what was found with its marks.
Marks = list[tuple[str, str, list[tuple[float, str]]]]


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench injection", description=__doc__)
    parser.add_argument("--data", help="a folder of labelled messages, *.jsonl, for the prompts of real people")
    parser.add_argument("--transcripts", help="a folder of transcripts of any agents, which are replayed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    told: list[dict[str, object]] = []
    for half, marks in real_marks(Path(options.data)).items() if options.data else ():
        how = {"set": half, "meaning": True, "among": True}
        told += [{**how, "bar": bar, **figures(marks, bar / 100)} for bar in CURVE]
    known = in_context(Path(options.data)) if options.data else []
    measured = [measure(name, among) for name in ("shop", "rover") for among in WAYS]
    found = told + [row for rows, _ in measured for row in rows]
    given = [row for _, rows in measured for row in rows]
    if options.transcripts:
        given += replayed(os.path.abspath(options.transcripts))
    if options.json:
        print(json.dumps(found + known + given, indent=2))
        return 0
    for row in found:
        print(
            f"{row['set']:6} {'words and meaning' if row['meaning'] else 'words alone':18}"
            f"{'among others' if row['among'] else 'alone':13} bar {row['bar']}  brought {row['brought']} of"
            f" {row['should']}, besides {row['besides']}, wrongly {row['wrongly']} of {row['should_not']}"
            f"{', strictly ' + str(row['strictly']) if row['set'] in ('seen', 'held') else ''}"
        )
    for row in known:
        print(
            f"{row['set']:6} {row['homes']:12} by the real hooks: of {row['should']} wanted {row['prompt']} by the"
            f" prompt alone, {row['either']} by start or prompt; nothing wrong {row['silent']} of {row['should_not']}"
        )
    for row in given:
        print(
            f"{row['set']:6} {row['among'] or 'alone':13} a {row['moment']} is given"
            f" {row['mean']:.0f} characters, median {row['median']:.0f}, most {row['most']};"
            f" {row['silent']} of {row['count']} nothing"
        )
    return 0


class PlainAgent(Agent):
    """An agent that takes what it is given as plain text."""

    name = "bench-agent"
    injects = frozenset(("start", "prompt"))

    def injection_output(self, call: HookCall, text: str) -> str:
        return text


def measure(name: str, among: bool) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Return the figures of one set for each bar, and how many characters the hook gives in it."""
    memories, prompts = read(name)
    memories += [(f"other-{number}", text) for number, text in enumerate(others())] if among else []
    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
        lay(home, memories)
        for meaning in WAYS[among]:
            # For each prompt what it should bring, and the mark of each memory that a hook would look at.
            marks: Marks = [(wanted, "", _marks(home, text, meaning)) for wanted, text in prompts]
            told = {"set": name, "meaning": meaning, "among": among}
            found += [{**told, "bar": bar, **figures(marks, bar / 100)} for bar in BARS]
        # Last, because these hooks write.
        how = "among others" if among else ""
        return found, [{"set": name, "among": how, **row} for row in characters(home, prompts)]


def characters(home: str, prompts: list[tuple[str, str]]) -> list[dict[str, object]]:
    """Return how many characters the hook gives at a start, and at each prompt."""
    sizes: dict[str, list[int]] = {"start": [], "prompt": []}
    # What is measured is what comes, whatever else the machine does meanwhile.
    environment = {"HOLDFAST_PROJECT": PROJECT, "HOLDFAST_HOOK_BUDGET_MS": "60000"}
    for number, (_, text) in enumerate(prompts):
        # A start has a session of its own, or its prompt would be left what it was given already.
        for moment in sizes:
            where = {"session": f"{moment}-{number}", "folder": home, "source": "startup"}
            call = HookCall(PlainAgent.name, moment, moment, prompt=text if moment == "prompt" else "", **where)
            sizes[moment].append(len(hook(home, PlainAgent(), call, environment)))
    return _told(sizes)


def _told(sizes: dict[str, list[int]]) -> list[dict[str, object]]:
    return [
        {"moment": moment, "count": len(each), "silent": each.count(0), "most": max(each)}
        | {"mean": statistics.fmean(each), "median": statistics.median(each)}
        for moment, each in sizes.items()
    ]


def replayed(folder: str) -> list[dict[str, object]]:
    """Return how many characters the hooks give at each start and prompt of the sessions below a folder."""
    known, _ = runpy.run_path(SESSIONS)["known_paths"](folder)
    sessions = sorted(
        ((reading.session().started, path, reading.session().folder, typed) for path, reading, typed in _typed(known)),
        key=lambda one: one[:2],
    )
    sizes: dict[str, list[int]] = {"start": [], "prompt": []}
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home = os.path.join(place, "home")
        for number, (_, path, of, typed) in enumerate(sessions):
            with Workspace(home, environment={"HOME": place}) as workspace:
                project = ProjectOf(workspace.registry)(of) or PROJECT
            told = {"HOME": place, "HOLDFAST_PROJECT": project, "HOLDFAST_HOOK_BUDGET_MS": "60000"}
            moments = [(typed[0][0], "start", ""), *((at, "prompt", text) for at, text in typed)]
            for at, moment, text in (*moments, (typed[-1][0], "end", "")):
                where = {"session": f"replayed-{number}", "folder": place, "source": "startup"}
                call = HookCall(PlainAgent.name, moment, moment, prompt=text, **where)
                # What was said long ago is told no more, so it is as late as it was then.
                with mock.patch("time.time", return_value=clock.seconds(at)):
                    given = hook(home, PlainAgent(), call, told)
                sizes.setdefault(moment, []).append(len(given))
            late = mock.patch("time.time", return_value=clock.seconds(typed[-1][0]))
            with late, Workspace(home, environment={"HOME": place}) as workspace:
                sweep(workspace, paths=(path,))
    del sizes["end"]
    return [{"set": "real", "among": "replayed", **row} for row in _told(sizes)]


def _typed(known: dict[str, str]) -> Iterator[tuple[str, Reading, list[tuple[str, str]]]]:
    """Yield each session in which a person typed something, with that and when it was."""
    for path, agent in known.items():
        for reading in agents.get(agent).read_session(path) or ():
            said = [(one.at, speech.typed(one.text)) for one in reading if one.role == "human" and one.at]
            typed = [(at, text) for at, text in said if text]
            if typed and not reading.session().is_subagent:
                yield path, reading, typed


def real_marks(folder: Path) -> dict[str, Marks]:
    """Return for each prompt of real people what it should bring, and the mark of each memory, by half."""
    messages, stated = _messages(folder)
    found: dict[str, Marks] = {half: [] for half in HALVES}
    for half, size, prompts in homes():
        own, others = _whose(messages, stated, prompts, size)
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
            lay(home, [*own, *others])
            for id, wanted, *arguable in prompts:
                found[half].append((wanted, ",".join(arguable), _marks(home, str(messages[id]["text"]), True)))
    return found


def _messages(folder: Path) -> tuple[dict[str, dict[str, object]], list[tuple[str, str]]]:
    """Return the messages by their ids, and what a reader would keep of some of them."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    messages = {str(one["id"]): one for one in map(json.loads, lines)}
    return messages, [(id, str(one["what"])) for id, one in messages.items() if one.get("keep") == "y" and one["what"]]


def _whose(
    messages: dict[str, dict[str, object]], stated: list[tuple[str, str]], prompts: list[list[str]], size: int
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the statements of the person whose prompts these are, and as many of others as the home has besides."""
    writer = str(messages[prompts[0][0]]["writer"])
    own = [one for one in stated if messages[one[0]]["writer"] == writer]
    others = [one for one in stated if messages[one[0]]["writer"] != writer]
    random.Random(writer).shuffle(others)
    return own, others[: max(0, size - len(own))]


def in_context(folder: Path) -> list[dict[str, object]]:
    """Return for each half and way to lay a home what the real hooks gave, by the prompt alone and by either."""
    messages, stated = _messages(folder)
    found: list[dict[str, object]] = []
    for name, is_one in LAID.items():
        counts = {half: dict.fromkeys(("should", "prompt", "either", "should_not", "silent"), 0) for half in HALVES}
        for half, size, prompts in homes():
            own, others = _whose(messages, stated, prompts, size)
            with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as home:
                # All are as old; so that no order of files tells whose they are, they lie there in any.
                lay(home, random.Random(size).sample([*own, *others], len(own + others)) if is_one else own)
                if not is_one:
                    lay(home, others, "another")
                for id, wanted, *arguable in prompts:
                    _lay_asks(home, _asked_before(messages, id, dict(own + others)))
                    row = _given_by_hooks(home, str(messages[id]["text"]), dict(own + others))
                    _count(counts[half], row, wanted, ",".join(arguable))
        found += [{"set": half, "homes": name, **counts[half]} for half in HALVES]
    return found


def _asked_before(messages: dict[str, dict[str, object]], id: str, statements: dict[str, str]) -> list[str]:
    """Return what the writer of a message typed before it, but for what states one of the statements."""
    mine = [key for key, one in messages.items() if one["writer"] == messages[id]["writer"]]
    return [str(messages[key]["text"]) for key in mine[: mine.index(id)] if key not in statements]


def _lay_asks(home: str, asked: list[str]) -> None:
    """Write a journal of the day before in which these were asked, and nothing else."""
    journal = Journal(home)
    shutil.rmtree(journal.folder, ignore_errors=True)
    at = clock.iso(clock.seconds(now()) - clock.DAY_SECONDS)
    for text in asked[-_BEFORE:]:
        journal.append(Event(at, "prompt", {"project": PROJECT, "prompt": text}), durable=False)


def _given_by_hooks(home: str, text: str, statements: dict[str, str]) -> dict[str, set[str]]:
    """Return which statements a start, the prompt behind it, and the prompt in a session without a start give."""
    # No page is kept, so that no prompt is told of those before it.
    told = {"HOLDFAST_PROJECT": PROJECT, "HOLDFAST_HOOK_BUDGET_MS": "60000", "HOLDFAST_CONTINUITY_ENABLED": "no"}
    blocks: dict[str, str] = {}
    for session, moments in (("both", ("start", "prompt")), ("alone", ("prompt",))):
        for moment in moments:
            where = {"session": f"{session}-{id(blocks)}-{text[:40]}", "folder": home, "source": "startup"}
            call = HookCall(PlainAgent.name, moment, moment, prompt=text if moment == "prompt" else "", **where)
            blocks[f"{session} {moment}"] = " ".join(hook(home, PlainAgent(), call, told).split())
    begun = {key: " ".join(one.split())[:_BEGINNING] for key, one in statements.items()}
    return {which: {key for key, one in begun.items() if one in block} for which, block in blocks.items()}


def _count(counts: dict[str, int], given: dict[str, set[str]], wanted: str, arguable: str) -> None:
    if wanted == "-":
        counts["should_not"] += 1
        counts["silent"] += given["both prompt"].issubset(arguable.split(","))
        return
    right = set(wanted.split(","))
    counts["should"] += 1
    counts["prompt"] += not right.isdisjoint(given["alone prompt"])
    counts["either"] += not right.isdisjoint(given["both start"] | given["both prompt"])


def homes() -> list[tuple[str, int, list[list[str]]]]:
    """Return the homes of real people: which half, how many statements, and the lines of their prompts."""
    found: list[tuple[str, int, list[list[str]]]] = []
    with open(os.path.join(SETS, "real.tsv"), encoding="utf-8") as file:
        for one, two, *more in (line.split() for line in file if not line.startswith("#")):
            if one == "home":
                found.append((two, int(more[0]), []))
            else:
                found[-1][2].append([one, two, *more])
    return found


def lay(home: str, memories: list[tuple[str, str]], project: str = PROJECT) -> None:
    """Write the memories as files, as a person's vault might hold them, and index them."""
    folder = os.path.join(home, "memory", "projects", project, "memories")
    os.makedirs(folder, 0o700)
    at = now()
    for key, text in memories:
        memory = Memory(key, Scope("project", project), text[:50], text, created=at, updated=at)
        with open(os.path.join(folder, f"{key}.md"), "w", encoding="utf-8") as file:
            file.write(memory_file.create(memory))
    with Workspace(home, project=PROJECT) as workspace:
        reindex(workspace)


def others() -> list[str]:
    """Return lines of code, logs and prose that belong to none of the sets."""
    with open(OTHERS, encoding="utf-8") as file:
        return [base64.b64decode(json.loads(line)["text"]).decode() for line in file]


def _marks(home: str, text: str, meaning: bool) -> list[tuple[float, str]]:
    if not relevance.asks_something(text):
        return []
    environment = {"HOLDFAST_PROJECT": PROJECT, "HOLDFAST_RECALL_MEANING": "yes" if meaning else "no"}
    run = HookRun(home, Agent(), HookCall("", "prompt", "", prompt=text), environment)
    # What is measured is what comes, whatever else the machine does meanwhile.
    with ReadOnlyIndex(home, lambda: False) as index:
        return [(mark, candidate.memory.key) for mark, candidate in at_prompt.marked(run, index, 0.0)]


def read(name: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the memories (key and text) and the prompts (wanted key or -, and text) of a set."""
    with open(os.path.join(SETS, f"{name}.tsv"), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    pick = {kind: [(one, two) for what, one, two in lines if what == kind] for kind in ("memory", "prompt")}
    return pick["memory"], pick["prompt"]


def figures(marks: Marks, bar: float, most: int = 3) -> dict[str, int]:
    """Return what clears the bar, counted."""
    counts = {"should": 0, "brought": 0, "besides": 0, "should_not": 0, "wrongly": 0, "strictly": 0}
    for wanted, arguable, found in marks:
        keys = [key for mark, key in found if mark >= bar][:most]
        wrong = [key for key in keys if key not in arguable.split(",")]
        if wanted == "-":
            counts["should_not"] += 1
            counts["wrongly"] += bool(wrong)
            counts["strictly"] += bool(keys)
        else:
            counts["should"] += 1
            right = wanted.split(",")
            counts["brought"] += any(key in right for key in keys)
            counts["besides"] += sum(key not in right for key in wrong)
    return counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
