"""Very many memories. Figures are printed; how fast it has to be is for the benchmarks to say."""

from __future__ import annotations

import os
import random
import time

import pytest

from holdfast.records import Filter, Scope
from holdfast.store.local import LocalStore
from store.making import EVERYTHING, draft, found
from support.sampling import count

MEMORIES, PROJECTS = count(100_000, 6_000), 50
FILE = """---
key: {key}
scope: project
type: project
tags: [{tag}, generated]
trust: user
created: 2026-01-01T00:00:00Z
updated: 2026-{month:02}-{day:02}T00:00:00Z
---

# {title}

{body}
"""


def generate(home: str) -> None:
    """Write the files directly; durable stores would take far longer than what is tested here."""
    chance = random.Random(1)
    words = [f"{a}{b}{c}" for a in "bdfklmnprst" for b in "aeiou" for c in ("n", "rt", "l", "sk", "m", "ck", "ng", "x")]
    for number in range(MEMORIES):
        folder = f"{home}/memory/projects/p-{number % PROJECTS}/memories"
        if number < PROJECTS:
            os.makedirs(folder, 0o700)
        picked = chance.choices(words, k=28)
        text = FILE.format(
            key=f"k-{number}",
            tag=picked[0],
            month=number % 12 + 1,
            day=number % 28 + 1,
            title=" ".join(picked[:5]),
            body=" ".join(picked) + f" needle{number}.",
        )
        descriptor = os.open(f"{folder}/k-{number}.md", os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, text.encode())
        os.close(descriptor)


def timed(what: str, act):
    started = time.perf_counter()
    answer = act()
    print(f"{what}: {time.perf_counter() - started:.4f} s")
    return answer


@pytest.mark.slow
def test_very_many_memories(home):
    """A new index of very many files has them all, and answers; one more memory is seen at once."""
    timed("generate", lambda: generate(home))
    store = LocalStore(home)
    assert timed("rebuild", store.refresh).read == MEMORIES
    project = Filter((Scope("project", "p-7"),))
    timed("sweep of one project of 2,000", lambda: store.refresh(project.scopes))
    timed("sweep of everything", store.refresh)
    assert [
        c.memory.key for c in timed("search, one rare word", lambda: store.search("needle5777", EVERYTHING, 10))
    ] == ["k-5777"]
    prompt = "please look at why the bart of needle4207 does not mort, it is a question of some twenty words in all"
    assert "k-4207" in [c.memory.key for c in timed("search, a prompt", lambda: store.search(prompt, EVERYTHING, 50))]
    assert "k-4207" in [c.memory.key for c in timed("search in a project", lambda: store.search(prompt, project, 50))]
    assert len(timed("find, 50 of all", lambda: list(store.find(EVERYTHING, 50)))) == 50
    assert len(timed("find, 50 of one project", lambda: list(store.find(project, 50)))) == 50
    assert len(timed("groups", store.groups)) == PROJECTS
    timed("put", lambda: store.put(draft("One more needle.", Scope("project", "p-7"), key="one-more")))
    assert found(store, "one more needle", project)[0] == "one-more"
    store.close()
    again = timed("open", lambda: LocalStore(home, create=False))
    assert again.search("needle5999", EVERYTHING, 5)[0].memory.key == "k-5999"
    again.close()
