"""No secret of a session comes through, however the agent wrote it down, and nothing else changes."""

from __future__ import annotations

import json
import time
import tracemalloc

import fake_secrets
import pytest

from holdfast.privacy.cleaning import Cleaner
from holdfast.privacy.redact import redact
from holdfast.records import Cost, Session, SessionEvent, Spend, replace

# Put together at run time, so that no scanner takes this file for a leak.
GITHUB = "ghp_" + "a1B2c3D4e5F6" * 3
PASSWORD = "hunter2" + "Secret9"
ACCESS = "AKIA" + "IOSFODNN7QRSTUVW"
SECRET = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYzq8Lw3kT9u"
BLOCK = (
    "-----BEGIN RSA PRIVATE "
    + "KEY-----\n"
    + ("MIIEpAIBAAKCAQEA7x9f" * 3 + "\n") * 4
    + "-----END RSA PRIVATE KEY-----\n"
)
VALUES = (GITHUB, PASSWORD, ACCESS, SECRET, "MIIEpAIBAAKCAQEA7x9f")

WRITTEN = {
    "a command in JSON": json.dumps({"command": f"export DB_PASSWORD={PASSWORD} && make"}),
    "a header in quotes in JSON": json.dumps({"command": f'curl -H "Authorization: Bearer {GITHUB}" host'}),
    "a file in JSON": json.dumps({"file_path": ".env", "content": f'API_KEY={PASSWORD}\nDB_PASSWORD="{PASSWORD}"\n'}),
    "JSON in JSON": json.dumps({"content": json.dumps({"password": PASSWORD})}),
    "JSON in JSON in JSON": json.dumps([json.dumps({"content": json.dumps({"password": PASSWORD})})]),
    "a here document in JSON": json.dumps({"command": f"cat > .env <<EOF\nSECRET={PASSWORD}\nEOF"}),
    "a patch in JSON": json.dumps({"patch": f"*** Begin Patch\n+API_TOKEN={PASSWORD}\n+B=2"}),
    "a private key": f"$ cat key\n{BLOCK}$",
    "a private key in JSON": json.dumps({"content": BLOCK}),
    "a private key in JSON in JSON": json.dumps(json.dumps({"private_key": BLOCK})),
    "the environment": f"PATH=/bin\nAWS_ACCESS_KEY_ID={ACCESS}\nAWS_SECRET_ACCESS_KEY={SECRET}\nGH_TOKEN={GITHUB}\n",
    "the environment in a list": json.dumps({"Env": ["A=1", f"PASSWORD={PASSWORD}", f"TOKEN={GITHUB}"]}),
    "an exported name": f'declare -x OPENAI_API_KEY="{PASSWORD}"',
    "a credentials file": f"[default]\naws_access_key_id = {ACCESS}\naws_secret_access_key = {SECRET}\n",
    "an address": f"git clone https://bob:{PASSWORD}@git.example.com/x.git",
    "an address in JSON": json.dumps({"url": f"postgres://app:{PASSWORD}@db/shop"}),
    "a line of netrc": f"machine git.example.com login bob password {PASSWORD}",
    "lines of netrc": f"machine git.example.com\n  login bob\n  password {PASSWORD}\n",
    "lines of netrc in JSON": json.dumps({"content": f"machine git.example.com\nlogin bob\npassword {PASSWORD}\n"}),
    "a login on the command line": json.dumps({"command": f"curl -u bob:{PASSWORD} https://host"}),
    "a line with its number": f"     1\tDB_PASSWORD={PASSWORD}\n     2\tX=1",
    "a line behind an arrow": f"     1→DB_PASSWORD={PASSWORD}\n     2→X=1",
    "a line that grep found": f"config/.env:3:SECRET_KEY={PASSWORD}",
    "a line of a diff": f"-password = '{PASSWORD}'\n+password = os.environ['X']",
    "a dict of Python": f"{{'password': '{PASSWORD}', 'port': 1}}",
    "YAML in JSON": json.dumps({"content": f"db:\n  password: {PASSWORD}\n  user: x"}),
    "a registry token": f"//registry.example.com/:_authToken={PASSWORD}",
}


def event(place: int = 0, **fields: str) -> SessionEvent:
    return SessionEvent(place=place, role="tool", **fields)


def leaks(text: str) -> list[str]:
    return [value for value in VALUES if value in text]


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("field", ["text", "input", "output"])
def test_a_secret_goes_however_it_is_written(name: str, field: str) -> None:
    """Escapes of JSON, line numbers and dumps do not hide a secret, and the line behind it stays."""
    assert leaks(WRITTEN[name])
    (cleaned,) = Cleaner().events([event(**{field: f"before\n{WRITTEN[name]}\nbehind"})])
    found = getattr(cleaned, field)
    assert not leaks(found)
    assert found.startswith("before\n")
    assert found.endswith("\nbehind") or "PRIVATE" in WRITTEN[name]


def test_base64_behind_a_name_goes_with_its_end() -> None:
    """A value that ends in an equal sign is a value, not a type and an empty assignment."""
    assert Cleaner().text("data:\n  password: aHVudGVyMlNlY3JldDk=\n") == "data:\n  password: [redacted:password]\n"
    assert Cleaner().text("  token: c2VjcmV0dG9rZW4xMjM0NQ==") == "  token: [redacted:token]"
    assert Cleaner().text("password: str = 'hunter2x9'") == "password: str = '[redacted:password]'"


@pytest.mark.parametrize("field", ["text", "input", "output", "tool", "folder", "branch", "model", "id", "call"])
def test_every_text_of_an_event_is_looked_at(field: str) -> None:
    """No field of an event is a way around, and the other fields stay as they are."""
    dirty = event(**{"text": "hello", "tool": "Read", "id": "e1", field: f"x {GITHUB}"})
    (cleaned,) = Cleaner().events([dirty])
    assert getattr(cleaned, field).startswith("x [redacted:github-token]")
    assert replace(cleaned, **{field: getattr(dirty, field)}) == dirty


@pytest.mark.parametrize("field", ["title", "folder", "project", "branch", "version", "source", "parent", "beginning"])
def test_every_text_of_a_session_is_looked_at(field: str) -> None:
    """No field of a session is a way around."""
    session = replace(Session(agent="a", id="s1"), **{field: f"x {GITHUB}"})
    assert getattr(Cleaner().session(session), field).startswith("x [redacted:github-token]")


def test_a_session_without_a_secret_is_the_same() -> None:
    """What has no secret comes out as the same object, and nothing is counted."""
    cleaner = Cleaner()
    session = Session(agent="a", id="s1", title="Fix the login page", models=("m-1",))
    events = [event(number, text=f"the token count is {number}", tool="Bash", folder="/srv/x") for number in range(700)]
    assert cleaner.session(session) is session
    assert all(one is other for one, other in zip(cleaner.events(iter(events)), events, strict=True))
    assert cleaner.found == {}


def test_models_are_cleaned_with_what_they_cost() -> None:
    """The name of a model is the same in the list of models and where their cost is told."""
    name = f"m {GITHUB}"
    session = Session(agent="a", id="s", models=(name,), spends=(Spend("2026-01-02", name, Cost(input=3)),))
    cleaned = Cleaner().session(session)
    assert cleaned.models == ("m [redacted:github-token]",)
    assert cleaned.spends == (Spend("2026-01-02", "m [redacted:github-token]", Cost(input=3)),)


def test_two_ids_stay_two() -> None:
    """Ids that held different secrets stay different, and the same id is the same wherever it stands."""
    other = GITHUB[:-1] + "7"
    cleaner = Cleaner()
    first, second, third = cleaner.events([event(0, id=GITHUB), event(1, id=other), event(2, call=GITHUB)])
    assert first.id != second.id
    assert first.id == third.call == cleaner.session(Session(agent="a", id="s", parent=GITHUB)).parent
    assert not leaks(first.id + second.id)


def test_each_secret_is_counted() -> None:
    """`found` says how often each kind was taken out, over events, sessions and texts."""
    cleaner = Cleaner()
    text = f"{GITHUB} and {GITHUB}x, password = '{PASSWORD}' <private>mine</private>"
    list(cleaner.events([event(0, text=text), event(1, output=GITHUB)]))
    cleaner.session(Session(agent="a", id="s", title=GITHUB))
    assert cleaner.found == {"github-token": 4, "password": 1, "private": 1}


def test_private_marks_hold_within_their_text() -> None:
    """A mark that opens in a text closes in it, and the next text of the same event is not touched."""
    (cleaned,) = Cleaner().events(
        [event(text="a <private>b", input="c </private> d", output="e < PRIVATE >f</private>g")]
    )
    assert (cleaned.text, cleaned.input, cleaned.output) == ("a [private]", "c </private> d", "e [private]g")


def test_order_and_result_do_not_depend_on_the_batch() -> None:
    """Thousands of events, some with secrets, come out in order and as if each was cleaned alone."""
    rows = fake_secrets.read("fake_secrets.jsonl") + fake_secrets.read("ordinary_text.jsonl")
    events = [event(place, text=row["text"], id=f"e{place}") for place, row in enumerate(rows)]
    cleaned = list(Cleaner().events(iter(events)))
    assert [one.place for one in cleaned] == list(range(len(rows)))
    assert [one.text for one in cleaned] == [redact(row["text"])[0] for row in rows]


def test_a_stream_is_taken_in_batches() -> None:
    """Events come out while later ones are still to come, so that memory stays bounded."""
    taken = 0

    def stream():
        nonlocal taken
        for place in range(5_000):
            taken += 1
            yield event(place, text="a line of text " * 100)

    next(Cleaner().events(stream()))
    assert taken < 200


def test_memory_stays_small() -> None:
    """Passing 40 MB of events through holds a few megabytes at most."""
    events = (event(place, output=f"line {place} of the output\n" * 1_500) for place in range(1_000))
    cleaner = Cleaner()
    next(cleaner.events([event(text="warm")]))
    tracemalloc.start()
    count = sum(1 for _ in cleaner.events(events))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1_000
    assert peak < 5_000_000


@pytest.mark.parametrize("piece", ["a", "key=", "<private>", "api_key=", "token is to be as ", "sk-a", '\\"pass\\'])
def test_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    """Eight times as much of any pattern takes about eight times as long, not the square of it."""

    def seconds(size: int) -> float:
        text = (piece * (size // len(piece) + 1))[:size]
        start = time.process_time()
        Cleaner().text(text)
        return time.process_time() - start

    assert seconds(80_000) < 24 * seconds(10_000) + 0.3
