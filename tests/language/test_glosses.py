"""What a message in another language says in English, word by word."""

from __future__ import annotations

import pytest

from holdfast.language.glosses import glossed
from holdfast.language.judge import is_english, judge


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("todas as mudanças devem ser feitas no servidor, não no código", "all the changes must be did in server"),
        ("siempre usa pnpm en vez de npm", "always use pnpm instead of npm"),
        ("il faut toujours vérifier les fichiers d'abord", "must always check the files first"),
        ("bitte ab jetzt immer die Tests ausführen", "please from now on always the tests run"),
        ("всегда используй порт 8443 вместо 80", "always use port 8443 instead of 80"),
        ("zawsze używaj nowej gałęzi zamiast main", "always use nowej gałęzi instead of main"),
    ],
)
def test_the_commonest_words_of_a_message_are_read_in_english(text, english) -> None:
    """Accents do not count, a phrase goes before its words, and what is not known stays."""
    said = glossed(text)
    assert said is not None
    assert said[0].startswith(english)


def test_each_letter_knows_where_it_stood_in_the_message() -> None:
    """What a reader says of an English word is said of the person's own word."""
    text = "en vez de yarn, usa pnpm siempre"
    said = glossed(text)
    assert said is not None
    read, places = said
    assert len(places) == len(read) + 1
    for word, own in (("instead", "en vez de"), ("yarn", "yarn"), ("use", "usa"), ("always", "siempre")):
        assert text[places[read.index(word)] :].startswith(own)
    assert places[-1] == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "please add a test to the parser",
        "still a failing test",
        "look at commit c7e534d7b93622",
        "I don't see a change. Run the tests.",
        "npm run dev",
        "请不要用 npm",
        "",
        "ok",
    ],
)
def test_english_and_what_is_no_language_stay_as_they_are(text) -> None:
    """A letter, a hash and a word that English has too tell of no other language."""
    assert glossed(text) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a partir de agora sempre use pnpm, nunca npm", "pnpm"),
        ("non usare mai redis, vogliamo sempre postgres per i dati", "postgres"),
        ("à partir de maintenant tu dois toujours lancer les tests avant de commit", "toujours"),
    ],
)
def test_a_rule_in_another_language_is_a_candidate_in_its_own_words(text, kept) -> None:
    """It is told as a fact in none of them, and a question is not even a candidate."""
    judged = judge(text)
    assert not is_english(text) and judged.kinds == ()
    assert judged.candidates and kept in judged.statement


@pytest.mark.parametrize("text", ["onde fica o arquivo de configuração?", "arregla el botón", "oui, continue"])
def test_a_question_or_a_task_in_another_language_says_nothing(text) -> None:
    """Most messages in any language are of this sort."""
    judged = judge(text)
    assert judged.kinds == () and judged.candidates == ()
