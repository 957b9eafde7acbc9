"""Remote urls: one id for one place, never the same id for two, and never a secret."""

from __future__ import annotations

import random
import socketserver
import threading
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.project import record, resolve
from holdfast.project.ids import hashed_id, is_id, local_id, locate, remote_id

SAME = [
    "https://github.com/acme/app",
    "https://github.com/acme/app.git",
    "https://github.com/acme/app/",
    "https://github.com/acme/app.git/",
    "https://github.com//acme/./app.git",
    "https://github.com:443/acme/app",
    "http://github.com:80/acme/app",
    "https://GitHub.com/Acme/App.git",
    "HTTPS://github.com/acme/app",
    "https://github.com./acme/app",
    "https://github.com/acme/%61pp.git",
    "https://github.com/acme/app.git?x=y#z",
    "https://user@github.com/acme/app.git",
    "https://user:pass@github.com/acme/app.git",
    "https://user%40corp:p%2Fss@github.com/acme/app.git",
    "ssh://git@github.com/acme/app.git",
    "ssh://git@github.com:22/acme/app.git",
    "ssh://git@github.com:0022/acme/app.git",
    "git+ssh://git@github.com/acme/app",
    "git://github.com:9418/acme/app.git",
    "git@github.com:acme/app.git",
    "git@github.com:/acme/app.git",
    "git@GITHUB.com:acme/app/",
    "github.com:acme/app",
    "[git@github.com:22]:acme/app.git",
    "[github.com:22]:acme/app.git",
    "persistent-https::https://github.com/acme/app.git",
]


@pytest.mark.parametrize("url", SAME)
def test_one_place_has_one_id(tmp_path, git, registry, url):
    """Every way to write one address gives one id, through a repository whose config git wrote."""
    repo = git.init(tmp_path / "app", url)
    assert resolve(str(repo), registry).id == "github.com--acme--app"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ssh://git@example.com:2222/acme/app.git", "example.com:2222/acme/app"),
        ("[git@example.com:2222]:acme/app", "example.com:2222/acme/app"),
        ("https://example.com:22/acme/app", "example.com:22/acme/app"),
        ("ssh://[2001:DB8::1]/app", "[2001:db8::1]/app"),
        ("ssh://git@[2001:db8::1]:2222/app", "[2001:db8::1]:2222/app"),
        ("git@[2001:db8::1]:app.git", "[2001:db8::1]/app"),
        ("https://example.com/a/b/c/d.git", "example.com/a/b/c/d"),
        ("https://example.com/~me/x", "example.com/~me/x"),
        ("https://example.com/a%20b", "example.com/a b"),
        ("https://example.com/100%", "example.com/100%"),
        ("https://example.com/app/.git", "example.com/app"),
        ("https://example.com/", "example.com"),
    ],
)
def test_what_is_kept_of_an_address(url, address):
    """Host, port if it is not the usual one, and path are kept, in lower case."""
    place = locate(url)
    assert place is not None
    assert place.address == address


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/app.git", "/srv/git/app.git"),
        ("../app", "../app"),
        ("./a:b", "./a:b"),
        ("file:///srv/a%20b", "/srv/a b"),
        ("file://server/share/app", "//server/share/app"),
    ],
)
def test_what_is_a_path(url, path):
    """A local path stays as it is written; a file url is decoded."""
    place = locate(url)
    assert place is not None
    assert (place.address, place.path) == ("", path)


@pytest.mark.parametrize(
    "url",
    [
        *("", "ext::sh -c x", "https://", "https:///x", "ssh://git@example.com:acme/app", "file:///a%00b", ":x"),
        *(f"{scheme}://127.0.0.1:18932{mark}@github.com/acme/app" for scheme in ("http", "ssh") for mark in "?#"),
        *("https://127.0.0.1\\@github.com/acme/app", "https://github.com\\@127.0.0.1/acme/app"),
        *("https://a:b@c@github.com/acme/app", "ssh://127.0.0.1%2Fx@github.com/acme/app", "a@b@github.com:acme/app"),
        *("https://github.com%00.example.com/x", "https://github.com../x"),
        *("https://github.com:/acme/app", "https://[::1/x", "https://[::1]x/y", "https://[github.com]/x"),
        *("https://github.com\n/acme/app", "https://github.com/acme/app\r", " https://github.com/acme/app"),
        *("foo://github.com/acme/app", "foo::https://github.com/acme/app", "ext::https://github.com/acme/app"),
        *("https::ssh://github.com/acme/app", "ssh://-oProxyCommand=x/y", "ssh://github.com/acme/app?x"),
        *("https://\u0261ithub.com/acme/app", "https://\u212aernel.org/x", "https://git hub.com/x"),
    ],
)
def test_an_unclear_url_is_given_up(url):
    """A url that cannot be taken apart names nothing."""
    assert locate(url) is None


@pytest.fixture
def called(tmp_path, git):
    """Return a function that lets git fetch from a url, and says which host git would connect to; empty for none."""
    asked: list[str] = []

    class Proxy(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            words = self.rfile.readline().decode("latin-1").split()
            asked.append(words[1].removeprefix("http://").partition("/")[0])

    program = tmp_path / "connect"
    program.write_text(
        '#!/bin/sh\nwhile [ "$1" = -p ] || [ "$1" = -o ]; do shift 2; done\nprintf %s "$1" >"$0.host"\nexit 1\n'
    )
    program.chmod(0o755)
    said = tmp_path / "connect.host"
    git.env |= {"GIT_SSH": str(program), "GIT_SSH_VARIANT": "ssh", "GIT_TERMINAL_PROMPT": "0"}
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Proxy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        proxy = ("-c", f"http.proxy=http://127.0.0.1:{server.server_address[1]}", "-c", f"core.gitProxy={program}")

        def call(url: str) -> str:
            asked.clear()
            said.write_text("")
            git.run(*proxy, "ls-remote", url, cwd=tmp_path)
            host = asked[0] if asked else said.read_text().rpartition("@")[2]
            return host.lower().partition("]")[0] if host.startswith("[") else host.lower().partition(":")[0]

        yield call
        server.shutdown()


def spellings() -> list[str]:
    """Return urls put together at random of what parts one for one reader or another."""
    chance = random.Random(16)
    marks = ("@", "@", ":", "?", "#", "\\", "%2F", "%40", "[", "]", "/", "1", ".", "::", "a")
    found = []
    for number in range(60):
        middle = "".join(chance.choices(marks, k=chance.randint(1, 3)))
        scheme = ("http://", "ssh://", "git://", "")[number % 4]
        found.append(f"{scheme}one.invalid{middle}two.invalid{chance.choice(('/', ':'))}acme/app")
    return found


def test_the_host_is_the_one_that_git_connects_to(called):
    """Wherever an address is taken at all, its host is the one that the git program itself asks for."""
    plain = ["http://me:x@one.invalid:8080/app", "https://one.invalid/app", "ssh://me@one.invalid/app", "one.invalid:a"]
    for url in plain:
        assert called(url) == "one.invalid", url
    compared = 0
    for url in (*plain, *spellings()):
        place, host = locate(url), called(url)
        if place and place.address and host:
            assert place.address.partition("/")[0].partition(":")[0] == host.removesuffix("."), url
            compared += 1
    assert compared > len(plain)


@pytest.mark.parametrize("mark", "?#")
def test_a_submodule_is_not_named_by_what_stands_behind_its_host(tmp_path, git, registry, mark):
    """A url in .gitmodules, which anybody can commit, names no host but the one that is asked for the submodule."""
    outer, library = git.init(tmp_path / "outer"), git.init(tmp_path / "library")
    git("submodule", "add", "-q", str(library), "lib", cwd=outer)
    url = f"http://127.0.0.1:9{mark}@github.com/acme/app.git"
    git("config", "-f", ".gitmodules", "submodule.lib.url", url, cwd=outer)
    git("submodule", "sync", "-q", cwd=outer)
    project = resolve(str(outer / "lib"), registry)
    assert project.rule == "repository"
    assert any("cannot be read" in note for note in project.notes)


TOKEN = "ghp_S3cr3tT0k3nS3cr3tT0k3n"


@pytest.mark.parametrize(
    "url",
    [
        f"https://{TOKEN}@github.com/acme/app.git",
        f"https://{TOKEN}:x-oauth-basic@github.com/acme/app.git",
        f"https://oauth2:{TOKEN}@github.com/acme/app.git",
        f"https://me@example.com:{TOKEN}@github.com/acme/app.git",
        f"https://user:a/{TOKEN}@github.com/acme/app",
        f"https://user:1/{TOKEN}@github.com/acme/app",
        f"https://user:1?{TOKEN}@github.com/acme/app",
        f"https://user:1#{TOKEN}@github.com/acme/app",
        f"https://github.com/acme/app.git?private_token={TOKEN}",
        f"https://github.com:{TOKEN}/acme/app",
        f"oauth2:{TOKEN}@github.com/acme/app.git",
        f"me@example.com:{TOKEN}@github.com/acme/app.git",
        f"oauth2/{TOKEN}@github.com",
        f"file:///nowhere/{TOKEN}@app.git",
        f"ext::curl -H {TOKEN} https",
        f'https://github.com/acme/app" {TOKEN}',
    ],
)
@pytest.mark.parametrize("spoil", [False, True], ids=["whole", "broken"])
def test_a_token_goes_nowhere(tmp_path, git, registry, url, spoil):
    """A token in a url is not in the id, the reason, the notes, the registry or an exception."""
    repo = git.init(tmp_path / "app", url if '"' not in url else "")
    if '"' in url or spoil:
        with (repo / ".git" / "config").open("a") as config:
            config.write(f'[remote "{TOKEN}://x"]\nurl = {url}\n' + ('url = "\n' if spoil else ""))
    seen = ""
    try:
        project = resolve(str(repo), registry)
        record(project, registry)
        seen = repr(project) + Path(registry.path).read_text()
    except Exception:
        seen = traceback.format_exc()
        raise
    finally:
        assert TOKEN.lower() not in seen.lower()


segment = st.one_of(st.text("ab-.", min_size=1, max_size=5), st.text(min_size=1, max_size=4)).filter(
    lambda text: "/" not in text
)
address = st.lists(segment, min_size=1, max_size=4).map("/".join)


@given(address, address)
def test_two_addresses_never_share_an_id(one, two):
    """Different addresses have different ids, and every id is a good one."""
    assert is_id(remote_id(one))
    assert (remote_id(one) == remote_id(two)) == (one == two)


@given(address)
def test_an_id_cannot_be_claimed_by_another_address(one):
    """A host and path spelt like an id of any rule do not get that id."""
    for taken in (hashed_id(one, one), local_id(f"/{one}"), remote_id(one)):
        for claim in {taken, taken.replace("--", "/")} - {one}:
            assert remote_id(claim) != taken


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("github.com/acme/app", "github.com--acme--app"),
        ("github.com/acme/my--app", "github.com--acme--my-app-60bd4fc0"),
        ("github.com/acme/app-", "github.com--acme--app-"),
        ("github.com/acme/-app", "github.com--acme--app-"),
        ("example.com:2222/app", "example.com-2222--app-"),
        ("github.com/acme/app-deadbeef", "github.com--acme--app-deadbeef-"),
        ("github.com/acme/app-0123456789ab", "github.com--acme--app-0123456789ab-"),
        ("github.com/acme/日本", "github.com--acme--project-"),
    ],
)
def test_where_a_hash_is_needed(address, expected):
    """An address that could be mistaken for another one carries a hash of itself."""
    made = remote_id(address)
    assert made.startswith(expected)
    assert is_id(made)


def test_a_long_address_is_cut_and_stays_different():
    """An id has at most 128 characters, and the hash tells two long addresses apart."""
    one, two = (f"github.com/acme/{'x' * 200}{end}" for end in "ab")
    assert len(remote_id(one)) <= 128
    assert remote_id(one) != remote_id(two)


@given(st.text(max_size=200))
def test_any_url_is_taken_or_given_up(url):
    """No text makes the reader of urls fail, and what it names gives a good id."""
    place = locate(url)
    if place is not None:
        assert is_id(remote_id(place.address) if place.address else local_id(place.path))
