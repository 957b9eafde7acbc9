"""Finding text: any language, any query, only the scopes that were named."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.records import Filter, Scope
from holdfast.store import words as tokens
from holdfast.store.keys import automatic_key, check_key, is_key, key_of_file
from holdfast.store.local import LocalStore
from store.making import EVERYTHING, GLOBAL, draft, found
from support.sampling import count

TEXT = st.text()
LANGUAGES = {
    "chinese": ("部署需要虚拟专用网络，请联系小金。", ["部署", "虚拟", "专用网络", "网"]),
    "japanese": ("デプロイにはVPNが必要です。", ["デプロイ", "必要", "vpn", "です"]),
    "korean": ("배포하려면 가상사설망이 필요합니다.", ["배포", "가상사설망", "필요", "사설망"]),
    "thai": ("การปรับใช้ต้องใช้เครือข่ายส่วนตัว", ["เครือข่าย", "ปรับใช้"]),
    "arabic": ("النشر يحتاج إلى الشبكة الخاصة", ["النشر", "الشبكة"]),
    "vowelled arabic": ("النَّشْرُ يَحْتَاجُ", ["النشر", "النَّشْرُ"]),
    "hebrew": ("הפריסה דורשת רשת פרטית", ["רשת", "פרטית"]),
    "cyrillic": ("Для развёртывания нужна частная сеть.", ["развёртывания", "сеть", "Частная", "развертывания"]),
    "greek": ("Η ανάπτυξη χρειάζεται δίκτυο.", ["δίκτυο", "ανάπτυξη", "δικτυο"]),
    "hindi": ("परिनियोजन के लिए निजी नेटवर्क चाहिए।", ["नेटवर्क", "परिनियोजन"]),
    "accents": (
        "Le déploiement nécessite un réseau privé à Zürich.",
        ["déploiement", "deploiement", "reseau", "zurich"],
    ),
    "decomposed": (
        "De\u0301ploiement a\u0300 Zu\u0308rich, fac\u0327ade",
        ["déploiement", "zürich", "façade", "facade"],
    ),
    "emoji": ("Ship it 🚀 on Fridays 🎉", ["🚀", "🎉", "ship"]),
    "vietnamese": ("Triển khai cần mạng riêng ảo.", ["triển", "mang", "riêng"]),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_of_any_language_is_stored_keyed_and_found(store, language):
    """A memory in any script has a good key, comes back as it was, and is found by a word or a part of its text."""
    text, queries = LANGUAGES[language]
    for number in range(5):
        store.put(draft(f"Unrelated filler {number}."))
    memory = store.put(draft(text)).memory
    assert re.fullmatch("[a-z0-9-]{1,60}", memory.key)
    assert store.get(GLOBAL, memory.key).body == text
    for query in queries:
        assert found(store, query) == [memory.key], query
    store.rebuild()
    assert found(store, queries[0]) == [memory.key]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_that_matched_are_named(store, language):
    """A candidate names the words for which it was found."""
    text, queries = LANGUAGES[language]
    store.put(draft(text))
    assert store.search(queries[0], EVERYTHING, 5)[0].words


STRANGE = [
    "",
    " ",
    "the and of",
    '"',
    '"""',
    "*",
    "vpn*",
    "NEAR(",
    "NEAR(a b, 3)",
    "-",
    "-vpn",
    "^vpn",
    ":",
    "body:vpn",
    "{a b}:c",
]
STRANGE += [
    "(",
    ")",
    "a AND",
    "OR",
    "NOT",
    "+",
    "'",
    ";--",
    "\\",
    "\0",
    "a\0b",
    "\x01\x02\x03",
    "🚀",
    "🏳️‍🌈",
    "👩‍👩‍👧‍👦",
    "\ud800",
    "\udfff",
    "_",
    "___",
]
STRANGE += [
    "\u0301",
    "\u200d",
    "\ufeff",
    "😀" * 3000,
    "word " * 10_000,
    " ".join(f"w{n}" for n in range(10_000)),
    "x" * 100_000,
    "日" * 30_000,
    "%",
    "a_b",
]


@pytest.mark.parametrize("query", STRANGE, ids=range(len(STRANGE)))
def test_no_query_is_an_error(store, query):
    """Whatever is asked, a search answers."""
    store.put(draft("Deploys need the VPN. The and of. a_b w1 日本"))
    assert isinstance(store.search(query, EVERYTHING, 5), list)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A store with some memories in several scripts, which is only read."""
    store = LocalStore(str(tmp_path_factory.mktemp("library")))
    store.refresh()
    for text, _ in LANGUAGES.values():
        store.put(draft(text))
    yield store
    store.close()


@settings(max_examples=count(300, 40))
@given(query=TEXT | st.text("\"*^:(){}+-' ANDORTNE_é日🚀\0", max_size=40))
def test_search_never_raises(library, query):
    """A search for any text returns candidates with a score, each with a memory that is there."""
    for candidate in library.search(query, EVERYTHING, 5):
        assert candidate.text > 0 or candidate.words
        assert library.get(candidate.memory.scope, candidate.memory.key)


def test_the_syntax_of_the_engine_means_nothing(store):
    """A word in quotes, with a star, a minus or a column before it is the word."""
    store.put(draft("Deploys need the VPN.", key="k"))
    for query in ('"vpn"', "vpn*", "-vpn", "body:vpn", "^vpn", "NEAR(vpn)", "vpn OR", "(vpn", "vpn AND missing"):
        assert found(store, query) == ["k"], query


def test_a_long_prompt_is_found_by_its_rare_words(store):
    """A prompt of hundreds of common words still finds the memory that has its one rare word."""
    for number in range(60):
        store.put(draft(f"The common words of statement {number} are here.", key=f"k-{number}"))
    store.put(draft("The xylophone is here.", key="rare"))
    prompt = "the common words of statement are here " * 40 + "xylophone"
    assert found(store, prompt)[0] == "rare"


def test_words_are_found_by_their_stem(store):
    """An English word is found in another form."""
    store.put(draft("Deploying services.", key="k"))
    assert found(store, "deploy service") == ["k"]


# Isolation

SCOPES = [
    GLOBAL,
    *(Scope(kind, owner) for kind in ("project", "session", "agent") for owner in ("a", "b", "A", "a.b", "a_b", "-")),
]


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A store in which every scope says much the same under the same keys."""
    store = LocalStore(str(tmp_path_factory.mktemp("crowd")))
    store.refresh()
    chance = random.Random(7)
    for number in range(120):
        scope = chance.choice(SCOPES)
        store.put(draft(f"Deploys need the VPN {number} 日本.", scope, key=f"k-{number % 9}", tags=(f"t{number % 3}",)))
    yield store
    store.close()


@settings(max_examples=count(150, 20))
@given(
    scopes=st.lists(st.sampled_from([*SCOPES, Scope("project", "none")]), unique=True).map(tuple),
    query=st.sampled_from(["deploys", "vpn 3", "日本", "k 4", "t1", "deploys need the vpn"]),
    tags=st.sampled_from([(), ("t1",)]),
)
def test_a_read_returns_nothing_of_other_scopes(crowd, scopes, query, tags):
    """For any choice of scopes, what is found is exactly what all of the store holds in those scopes."""
    wanted = Filter(scopes, tags=tags)
    everything = {(m.scope, m.key) for m in crowd.find(Filter(None, tags=tags))}
    assert {(m.scope, m.key) for m in crowd.find(wanted)} == {place for place in everything if place[0] in scopes}
    whole = {(c.memory.scope, c.memory.key) for c in crowd.search(query, Filter(None, tags=tags), 1000)}
    some = {(c.memory.scope, c.memory.key) for c in crowd.search(query, wanted, 1000)}
    assert some == {place for place in whole if place[0] in scopes}


# Keys and words


@given(TEXT)
def test_every_text_has_a_good_key(text):
    """An automatic key, and the key of a file of any name, are keys that may also be given."""
    for key in (automatic_key(text), key_of_file(f"{text}.md")):
        assert is_key(key)
        assert check_key(key) == key


@given(TEXT.filter(lambda text: not is_key(text)))
def test_a_bad_key_is_never_repaired(text):
    """What is not a key is refused, and the message is printable."""
    with pytest.raises(Exception, match="is not a key") as caught:
        check_key(text)
    assert str(caught.value).isprintable()
    assert caught.value.hint.isprintable()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Deploys need the VPN, ask Kim today", "deploys-need-the-vpn-ask-kim"),
        ("Don't panic", "dont-panic"),
        ("Café à Zürich", "cafe-a-zurich"),
        ("Die Größe der Straße", "die-grosse-der-strasse"),
        ("Łódź, København, Ærø", "lodz-kobenhavn-aero"),
        ("a" * 100, "a" * 60),
    ],
)
def test_a_key_is_made_of_the_first_words(text, key):
    """The first six words, without accents and marks, at most sixty characters."""
    assert automatic_key(text) == key


def test_texts_of_other_scripts_have_different_keys():
    """Where no Latin letters are left the key is a hash of the text, the same each time."""
    assert automatic_key("日本語") == automatic_key("日本語") != automatic_key("日本人")
    assert automatic_key("日本語").startswith("m-")


@given(st.text())
def test_the_words_of_a_text_are_whole(text):
    """Words have no white space, grams are letters, pairs or code words, and a query repeats none."""
    assert all(word and not any(letter.isspace() for letter in word) for word in tokens.words_of(text))
    words, grams = tokens.query_words(text)
    assert len(set(words)) == len(words)
    assert len(set(grams)) == len(grams)


def test_a_part_of_a_run_without_spaces_is_found():
    """Each pair of neighbours is a gram, so that any part of two letters or more can be found."""
    assert tokens.grams("部署需 a 要") == ["部", "署", "部署", "需", "署需", "要"]
    assert tokens.query_words("部署 x") == (["x"], ["部署"])
    assert tokens.grams("要VPN") == ["要", "vpn"]
    assert tokens.grams("plain text") == []
