"""Rules in polite words and in other languages: what is derived is what the plain words would say."""

from __future__ import annotations

import pytest

from holdfast.language.derived import derive, reads_as_rule
from holdfast.language.rule_tongues import in_english

_ADDS = (
    "npm install|i|add **, "
    "pnpm install|i|add **, yarn add, bun add, uv add, poetry add, cargo add, go get, pip install,"
    " !pip install -r|-e"
)
# The condition, and whether it holds a call.
SAID = {
    "Could you please not use npm here? We're a pnpm shop.": ("npm", True),
    "Would you mind not using `sudo`?": ("sudo", True),
    "I'd rather you didn't run `make deploy`.": ("make deploy", True),
    "I would appreciate it if you didn't open pull requests on your own.": ("gh pr create", True),
    "Let's not commit directly to develop, always go through a PR.": ("git commit, branch: develop", True),
    "It would be great if you could avoid touching anything in vendor/.": ("vendor/", True),
    "You're not supposed to edit anything below third_party/.": ("third_party/", True),
    "I want you to ask me before running any database migration (`alembic upgrade`).": ("alembic upgrade", True),
    "Under no circumstances should you run `DROP TABLE` or `make nuke`.": ("make nuke", True),
    # Lists.
    "Things you must not run: `terraform apply`, `kubectl delete`.": ("terraform apply, kubectl delete", True),
    "Never do any of these: git clean -fd, rm -rf.": ("git clean -fd, rm -rf", True),
    "Do not:\n- run `npm publish`\n- edit `CHANGELOG.md`": ("npm publish, CHANGELOG.md", True),
    "Always ask me before:\n- running `rails db:migrate`\n- dropping tables": ("rails db:migrate", True),
    "The following commands need my explicit OK: `fly deploy`, `fly secrets set`.": (
        "fly deploy, fly secrets set",
        True,
    ),
    "You may run anything except `git push`.": ("git push", True),
    "All git commands are fine except `git push`; ask before that.": ("git push", False),
    # Exceptions, reasons, and what is the person's alone.
    "Don't edit .github/workflows except release.yml.": (".github/workflows, !release.yml", True),
    "You can commit whenever you want, but never push.": ("git push", True),
    "You may push feature branches, but pushing to main is off limits.": ("git push, branch: main", True),
    "config/secrets.yaml is managed by ops, so leave it alone.": ("config/secrets.yaml", True),
    "Running `make deploy` without approval is not acceptable.": ("make deploy", True),
    "Only I merge pull requests.": ("git merge, gh pr merge, !git merge --abort|--continue|--quit", True),
    "Merging is my job; you just open the PR.": ("git merge, gh pr merge, !git merge --abort|--continue|--quit", True),
    "Please don't bump versions in package.json unless I ask for it.": ("package.json", False),
    "Please, no emojis in commit messages.": ("git commit, !git commit --no-edit", False),
    "On main: no direct commits.": ("git commit, branch: main", True),
    "Don't you dare push anything.": ("git push", True),
    "Commands I don't want to see in this repo: `npx`, `yarn dlx`.": ("npx, yarn dlx", True),
    "Read-only paths: `schema/`, `proto/`.": ("schema/, proto/", True),
    "You need my permission to run `terraform apply`.": ("terraform apply", True),
    "It is forbidden to modify files below db/migrations that were already released.": ("db/migrations", False),
    "Any change to `Dockerfile` needs a review by ops.": ("path: Dockerfile", False),
    "`*.snap` files are only updated by me.": ("*.snap", True),
    "I repeat: no `git reset --hard`!": ("git reset --hard", True),
    "**Don't merge into `next`.** It is a release branch.": (
        "git merge, gh pr merge, !git merge --abort|--continue|--quit, branch: next",
        True,
    ),
    "Never push to the `gh-pages` branch.": ("git push, branch: gh-pages", True),
    "Two things: never push, and never rebase.": (
        "git push, git rebase, !git rebase --abort|--continue|--skip",
        True,
    ),
    "Prefer `httpie` to curl when you can.": ("curl", False),
    "Keep out of `terraform/`.": ("terraform/", True),
    "Don't create new branches without asking.": ("git checkout -b, git switch -c|-C|--create", True),
    "Don't install with pip, install with uv.": ("pip install", True),
    "Ask me before you install anything with brew.": ("brew install", True),
    "I hate it when you amend commits. Don't.": ("git commit --amend", True),
    "We use uv and no pip.": ("pip", True),
    "No new dependencies without asking me.": (_ADDS, True),
    "The file schema.sql is generated; change models.py instead.": ("schema.sql", False),
    "Wir benutzen uv und kein pip.": ("pip", True),
    "Nimm hier pnpm, kein npm.": ("npm", True),
    "Wenn du was in migrations/ änderst, sag mir vorher Bescheid.": ("migrations/", False),
    "Commit-Nachrichten immer auf Englisch.": ("git commit, !git commit --no-edit", False),
    "Lösch mir keine Dateien in data/ !": ("data/, tool: delete", True),
    "Keine neuen Abhängigkeiten ohne Rücksprache!": (_ADDS, True),
    "Die Datei schema.sql wird automatisch generiert.": ("schema.sql", False),
    "Nothing gets pushed unless the tests pass.": ("git push", False),
    "`make release` is for maintainers only.": ("make release", False),
    # German.
    "Bitte frag mich, bevor du etwas pushst.": ("git push", True),
    "Die Dateien unter src/generated/ werden generiert, bitte nicht von Hand ändern.": ("src/generated/", True),
    "Auf dem main-Branch wird nicht direkt committet.": ("git commit, branch: main", True),
    "Führe auf keinen Fall `terraform apply` aus, ohne vorher mit mir zu sprechen.": ("terraform apply", True),
    "Ich möchte nicht, dass du `make nuke` verwendest.": ("make nuke", True),
    "Lösche niemals Dateien in data/.": ("data/, tool: delete", True),
    "Vor jedem Commit bitte `make lint` laufen lassen.": ("git commit, unless: make lint", False),
    "Könntest du bitte aufhören, ständig `npm run build` auszuführen?": ("npm run build", True),
    "Commits nur, wenn ich es ausdrücklich sage.": ("git commit", True),
    "Im Ordner legacy/ wird nichts mehr geändert.": ("legacy/", True),
    "Du sollst `package-lock.json` nicht von Hand bearbeiten.": ("package-lock.json", True),
    "Keine direkten Pushes auf main, bitte immer über einen PR.": ("git push, branch: main", True),
    "Bitte lass die Finger von `config/`.": ("config/", True),
    "Verzichte bitte auf `sudo`.": ("sudo", True),
    "`terraform apply` darf nur ich ausführen.": ("terraform apply", True),
    "Es dürfen keine Migrationen in db/migrate/ gelöscht werden.": ("db/migrate/, tool: delete", True),
    "Ich committe selbst.": ("git commit", True),
    "Vor dem Pushen müssen alle Tests grün sein.": ("git push", False),
    "Bitte keine Änderungen an `schema.sql`.": ("schema.sql", True),
    "`npm publish` wird nur von mir ausgeführt.": ("npm publish", True),
    "Der Ordner `vendor/` bleibt unangetastet.": ("vendor/", True),
    # Spanish and French.
    "No borres nada de `datos/`.": ("datos/, tool: delete", True),
    "Haz los commits tú mismo, pero el push déjamelo a mí.": ("git push", True),
    "Laisse `public/` tranquille.": ("public/", True),
    "Surtout, pas de `git push --force`.": ("git push --force|-f|+*", True),
    "Les tests se lancent avec `make test`, pas avec `pytest`.": ("pytest", True),
    "No se permite hacer push a main.": ("git push, branch: main", True),
    "Los commits los hago yo.": ("git commit", True),
    "Ne touche surtout pas à `src/legacy/`.": ("src/legacy/", True),
    "Interdiction de pousser en force.": ("git push --force|-f|+*|--force-with-lease", True),
    "¿Podrías no usar yarn? Usamos npm.": ("yarn", True),
    "Los archivos en build/ se generan solos, no los edites.": ("build/", True),
    "Preferimos `rg` a `grep`.": ("grep", False),
    "Quiero que me preguntes antes de ejecutar `terraform destroy`.": ("terraform destroy", True),
    "Pourrais-tu éviter d'utiliser `sudo` ?": ("sudo", True),
    "Je ne veux pas que tu modifies les fichiers dans `generated/`.": ("generated/", True),
    "On n'utilise pas pip ici, toujours uv.": ("pip", True),
}
# Not to stop, skip or forget something is no ban of it, nor is what something else does, or a question.
NOTHING = (
    "Could you please not forget to run `npm test`?",
    "I'd rather you didn't skip `make lint`.",
    "Let's not stop using pnpm.",
    "I want you to never forget `git pull` before you start.",
    "Do not:\n- forget to run `make test`\n- skip `make lint`",
    "Don't forget:\n- `make test`\n- `git push`",
    "Can you not find `make deploy`?",
    "You can never run `make test` too often.",
    "We'd prefer that the tests don't use docker.",
    "The fixture parametrizes over `pip` and `uv`.",
    "I hate it when you don't run make test.",
    "No new packages without a bug so far.",
    "No new dependencies were added to npm.",
    "Keine neuen Abhängigkeiten seit März.",
    "Before you install anything with docker, ask me.",
    "Before you install node, ask me.",
    "Die CI nutzt docker und kein podman.",
    "Unsere Tests nutzen sqlite und kein psql.",
    "Wenn du npm install nicht ausführst, schlagen die Tests fehl.",
    "Der Token wird generiert.",
    "Target the default branch, never `next`.",
    "Always use `cargo integ-test` for integration tests. Do not run them directly.",
    "`test-crates/` — Fixture crates; do not commit changes here unless updating fixtures.",
    "Verify it against the actual `pytest` run, not just",
    "Only I know why `git push` fails.",
    "I push myself to write more tests.",
    "I will push for a better process myself.",
    "I don't want to see `git push` fail again.",
    "Could you not just run `npm test`?",
    "These need my OK: deployments, releases. Not `git push`.",
    "The build server must not merge into `next`.",
    "Everything is allowed except rudeness, `git push` included.",
    "Keine Ahnung, warum `git push` hängt.",
    "Nicht npm ist schuld, sondern der Proxy.",
    "El comando `make deploy` no usa docker.",
    "Il n'utilise pas npm.",
    "On ne peut pas lancer `make test` sans Docker.",
    "docker is disabled by default in CI.",
    "Never check in with me before pushing, just do it.",
    "Use git-cliff to generate changelogs from commit messages.",
    "Die Tests dürfen nicht pushen.",
    "Das Team darf npm nicht verwenden.",
    "Ich will nicht, dass du aufhörst, npm zu verwenden.",
    "Du musst nicht jedes Mal `npm install` ausführen.",
    "Bitte nicht vergessen, `make lint` auszuführen.",
    "El script no deja de usar npm.",
    "No dejes de ejecutar `make test`.",
    "No hace falta ejecutar `npm install` cada vez.",
    "N'arrête pas de lancer `make test`.",
    "Tu n'as pas besoin de lancer `make test` à chaque fois.",
)


@pytest.mark.parametrize("statement", SAID)
def test_what_is_said_otherwise_is_derived_alike(statement: str) -> None:
    """A polite rule, a list, an exception and another language have the condition that plain words have."""
    found = derive(statement)
    assert found is not None
    assert (str(found.condition), found.forbids and found.literal) == SAID[statement]


@pytest.mark.parametrize("statement", NOTHING)
def test_no_ban_is_derived_from_its_opposite(statement: str) -> None:
    """What asks for something, tells something or asks a question holds no call and says nothing there."""
    assert derive(statement) is None


def test_what_is_known_already_stays_as_it_is() -> None:
    """A plain sentence, a command and what is in backquotes are not changed."""
    for plain in ("Never run `nunca no`.", "Use pnpm, not npm.", "git push", "`Könntest du nicht`"):
        assert in_english(plain) == plain


def test_a_rule_without_a_condition_is_known_as_one() -> None:
    """A ban or a wish to be asked reads as a rule whether its call is known or not; a fact does not."""
    for rule in (
        "Never deploy on my machine.",
        "Ask me before you deploy.",
        "Despliegues, nunca.\nNo uses singletons.",
        "Nobody tags here.",
        "I deploy. You don't.",
        "It writes README files nobody asked for. Don't.",
        "The snapshot may not be deleted.",
        "This machine needs sudo, so leave docker to me.",
        "DNS changes are mine.",
        "Ich will keine Merge-Commits.",
        "Always use --no-cache when you build docker images.",
        "Deploys happen on Tuesdays only.",
        "The staging database is sacred.",
        "Production credentials stay out of the repo.",
        "Changes to billing wait for the quarterly freeze.",
        "Pull requests have one reviewer at least.",
        "You run the formatter before you hand anything in.",
        "Whenever the schema changes, the client is regenerated.",
        "Anything that talks to the payment provider needs my approval.",
        "Make sure the changelog is updated.",
        "Die Migrationen fasst nur Ines an.",
    ):
        assert reads_as_rule(rule)
    for other in (
        "The deploy takes ten minutes.",
        "Answer in English.",
        "No VPN any more.",
        "Ask Kim for access.",
        "We never had problems with git push here.",
        "Wir hatten nie Probleme mit git push.",
        "You don't need to ask before running make test.",
        "Frag mich nicht, bevor du git push machst.",
        "No new packages are needed for the merge.",
        "Some of us eat meat. We don't mind.",
        "The cache may not be warm.",
        "The server never returns null.",
        "If the queue is full, the worker drops messages.",
        "Users cannot edit closed orders.",
        "The customer must confirm the order before it ships.",
        "I prefer short commit messages.",
    ):
        assert not reads_as_rule(other, is_order=True)
    assert reads_as_rule("Always run `make lint`.", is_order=True)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("never run ./gradlew clean", "./gradlew clean"),
        ("don't run ./mvnw deploy", "./mvnw deploy"),
        ("git commit --no-verify forbidden. also -n.", "git commit --no-verify|-n"),
        ("docker system prune banned!", "docker system prune"),
        ("npm publish verboten", "npm publish"),
        ("proto/v1/ is frozen, no modification", "proto/v1/"),
        ("docker compose down -v not", "docker compose down -v|--volumes"),
        ("assets/raw/ is bought, no changes.", "assets/raw/"),
        ("Die Dateien unter Assets/Plugins/ sind gekauft, nichts daran ändern", "Assets/Plugins/"),
    ],
)
def test_a_ban_needs_neither_backquotes_nor_a_verb(text: str, when: str) -> None:
    """A program of the project before a word is a command, and a word that bans holds without "is"."""
    told = derive(text)
    assert told is not None and (str(told.condition), told.forbids, told.literal) == (when, True, True)


def test_what_only_mentions_a_word_that_bans_is_no_ban() -> None:
    """Neither what is listed as forbidden, nor a folder with the name of a program."""
    assert derive("the docs list git push as forbidden, which is old") is None
    assert derive("put it into ./docker and test it") is None
    for report in ("src/app.py was reviewed, no changes", "The release of src/app.py had no changes"):
        told = derive(report)
        assert told is None or not told.forbids


def test_a_colon_before_what_is_wanted_changes_nothing() -> None:
    """What is to be given to a command is excepted with and without it."""
    for text in (
        "gh pr merge only with --squash",
        "gh pr merge : only with --squash",
        "gh pr merge: only with --squash",
    ):
        told = derive(text)
        assert told is not None and any("--squash" in one for one in told.condition.commands)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("不要直接推送到 main 分支", "git push, branch: main"),
        ("使用 pnpm，不要用 npm", "npm"),
        ("执行 kubectl delete 之前必须先征求我的同意", "kubectl delete"),
        ("别碰 vendor/ 目录", "vendor/"),
        ("main ブランチに直接コミットしないで", "git commit, branch: main"),
        ("yarn の代わりに pnpm を使って", "yarn"),
        ("config/prod.yml は変更しないでください", "config/prod.yml"),
        ("docker compose down -v は絶対に実行しないこと", "docker compose down -v|--volumes"),
        ("Nunca faça push na main", "git push, branch: main"),
        ("Não mexa em src/legado/ sem perguntar", "src/legado/"),
        ("Use uv em vez de pip", "pip"),
    ],
)
def test_plain_bans_hold_in_chinese_japanese_and_portuguese(text: str, condition: str) -> None:
    """Also between signs without spaces, and whatever words of English a sentence has."""
    told = derive(text)
    assert told is not None and told.forbids and told.literal and str(told.condition) == condition


@pytest.mark.parametrize(
    "text",
    [
        "不要忘记运行 make lint",
        "我们的 CI 不使用 docker",
        "不要提交未测试的代码",
        "このスクリプトは npm を使わないで動きます",
        "`make lint` なしでコミットしないでください",
        "Não esqueça de rodar make test",
        "O servidor não usa redis-cli",
    ],
)
def test_what_is_no_ban_there_holds_nothing(text: str) -> None:
    """What is told, turned around, or about another thing."""
    told = derive(text)
    assert told is None or not (told.forbids and told.literal)


def test_a_rule_in_a_language_that_is_not_read_is_noticed() -> None:
    """It has a word for a ban and names something, so whoever stores it learns that it is told at no call."""
    assert reads_as_rule("absolutnie nigdy npm ani yarn, tylko pnpm") and not reads_as_rule("用 pytest 测试")
