"""Moods of a person about the work."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.language.moods import MIN_CONFIDENCE, mood

PRAISE = (
    *("perfect, thank you!", "Great job!", "this is amazing", "you nailed it", "exactly what I wanted", "I love it"),
    *("great catch, I would have shipped that", "I'm really happy with how it turned out", "very good analysis."),
    *("Excellent work. Now add the tests.", "amazing, it even handles leap years", "your summary is brilliant"),
    *("Perfect! Please commit.", "amazing job, but now the same for all pages", "well done now use the sidebar"),
    *("This looks great. Can you push it?", "Hey I love the changes you've made", "Fenomenal, funciona."),
    *("it works very well now", "so much better! Commit it.", "终于好了，谢谢", "素晴らしい、次へ"),
    *("c'est parfait, merci",),
    *("that's really impressive", "it looks stunning", "ficou show", "отлично получилось", "效果非常好"),
    *("Perfekt, danke dir!", "gut gemacht", "Genau das wollte ich.", "hervorragende Analyse", "ich bin begeistert"),
)
FRUSTRATION = (
    *("you deleted my migration again", "You destroyed my branch!", "how many times do I have to say it?"),
    *("this is useless", "your answers are garbage", "did you even read the file?", "WHY DID YOU PUSH TO MAIN"),
    *("I already told you twice to leave it", "this is the third time you changed it", "you keep deleting my comments"),
    *("wtf why is it gone", "Move them, that's what I freaking asked!", "NO! FROM THE YAML!", "I told you no errors"),
    *("what the hell, I give up", "putain, encore cassé", "great job deleting my branch"),
    *("I'm furious with you", "thanks for nothing", "you did not restart it...AGAIN!!!", "why can't you just run it"),
    *("说了多少遍了，别动这个文件", "何度も言わせるな", "я же просил не трогать", "ya te dije que no"),
    *("arrête de commiter",),
    *("stop apologizing and fix it", "well done, you broke the build", "you're an idiot", "read what I wrote"),
    *("why on earth would you delete the tests", "you're guessing again", "tu n'écoutes rien", "ты тупой?"),
    *("perché stai peggiorando tutto", "para de inventar", "deja de inventar cosas", "你傻吗", "ちゃんと読んで"),
    *("제대로 읽어봐", "aptal mısın", "das kann doch nicht dein Ernst sein", "du machst es nur noch schlimmer"),
    *("worst help I ever had", "ich hab das schon dreimal gesagt", "me haces perder el tiempo", "시간 낭비야"),
    *("du hast die Datei schon wieder gelöscht", "deine Antwort ist Unsinn", "liest du überhaupt, was ich schreibe?"),
)
NEITHER = (
    *("", "ok", "thanks", "danke", "go on", "yes please", "add a test for the parser", "what does this do?"),
    *("this test is terrible", "the API sucks", "the old code is a mess of globals", "users hate this dialog"),
    *("can you keep an eye on the error rate", "make it perfect", "it would be great if it worked", "is this good?"),
    *("not perfect", 'the button says "great job"', "> you deleted it again", "the function love() is unused"),
    *("```\nwtf\n```", "fix the broken link", "Bitte den Text ändern", "x" * 5_000, "you forgot the semicolon"),
    *(
        "great, now do the tables",
        "Holy shit, I think that worked",
        "nice, but use the other client",
        "why did you choose a dict?",
    ),
    *("ruff is amazing, add it", "the previous developer did a horrible job", "I'm an idiot, wrong file"),
    *("IMPORTANT!!! read the guide first", "这个按钮放在右边", "le serveur a dit quoi ?", "what happened to the port?"),
    *("docker is down again", "it still crashes", "customers say 'this is garbage'", "SELECT * FROM USERS"),
    *(
        "how many times does the loop run",
        "why did docker stop",
        "nobody asked for dark mode, drop it",
        "请让界面更漂亮",
    ),
    *("I hate this library", "wrong file, I meant app.py", "el bucle corre mil veces", "服务崩溃了"),
    *("super, dann jetzt die Tests", "Mist, der Server ist weg", "du hast ein Komma vergessen", "sieht gut aus"),
)


@pytest.mark.parametrize("text", PRAISE)
def test_praise(text) -> None:
    """Praise of the work is a good rating, with a confidence."""
    found = mood(text)
    assert found is not None and found.rating >= 7 and MIN_CONFIDENCE <= found.confidence <= 1


@pytest.mark.parametrize("text", FRUSTRATION)
def test_frustration(text) -> None:
    """Blame and frustration with the agent are a poor rating, with a confidence."""
    found = mood(text)
    assert found is not None and found.rating <= 4 and MIN_CONFIDENCE <= found.confidence <= 1


@pytest.mark.parametrize("text", NEITHER)
def test_no_signal_is_no_rating(text) -> None:
    """Tasks, thanks, words about the software, quotes and wishes show no mood about the work."""
    assert mood(text) is None


def test_it_is_light() -> None:
    """A hook can load it: no regular expressions, no JSON, no dataclasses."""
    script = (
        "import sys; from holdfast.language import moods, ratings; moods.mood('great job')\n"
        "print([name for name in ('re', 'json', 'dataclasses', 'typing') if name in sys.modules])"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{script}"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
