"""What a statement names in code: only what is written as a name."""

from __future__ import annotations

import pytest

from holdfast.language.code_names import NamedFile, named


@pytest.mark.parametrize(
    ("statement", "files", "symbols"),
    [
        ("Tokens expire in `login` (src/auth.py:42).", [("src/auth.py", 42, 42)], ["login"]),
        ("`Session.close()` in ./src/db.py must run twice", [("src/db.py", 0, 0)], ["Session.close"]),
        ("`MAX_RETRIES = 3` is set in settings.py.", [("settings.py", 0, 0)], ["MAX_RETRIES"]),
        ('`"target": "es2022"` in tsconfig.json', [("tsconfig.json", 0, 0)], ["target"]),
        ("`build-system.requires` in pyproject.toml", [("pyproject.toml", 0, 0)], ["build-system.requires"]),
        ("Lines 10-20 of lib/dates.ts ignore zones.", [("lib/dates.ts", 10, 20)], []),
        ("`src/a.py`, line 4, has the port.", [("src/a.py", 4, 4)], []),
        ("src/app.ts#L10-L12 retries", [("src/app.ts", 10, 12)], []),
        ("The Makefile has the target `test`.", [("Makefile", 0, 0)], ["test"]),
        ("CHANGES:12 names the release.", [("CHANGES", 12, 12)], []),
        (
            "`.env.example` lists them; .github/workflows/ci.yml runs it",
            [(".env.example", 0, 0), (".github/workflows/ci.yml", 0, 0)],
            [],
        ),
        ("Use pnpm, not npm, and answer in English.", [], []),
        ("See https://example.com/a/b.html for version 1.2.3.", [], []),
    ],
)
def test_files_lines_and_symbols(statement: str, files: list[tuple[str, int, int]], symbols: list[str]) -> None:
    """Paths, `path:line`, and what stands between backticks or is called."""
    found = named(statement)
    assert [one for one in found.files if one.path not in found.sure] == [NamedFile(*one) for one in files]
    assert list(found.sure) == symbols


def test_what_looks_like_code_is_likely() -> None:
    """Names that no word looks like, and what is called a function, count where a file is named that defines them."""
    found = named("The function login and parse_date, unlike readAll, are in src/a.py")
    assert {"login", "parse_date", "readAll"} <= set(found.likely)
