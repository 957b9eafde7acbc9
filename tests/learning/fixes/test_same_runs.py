"""When two lines are runs of the same, and when one is the other said otherwise."""

from __future__ import annotations

from holdfast.language.commands import main_of
from holdfast.learning.fixes.same_runs import is_other_form, is_same_run


def same(failed: str, succeeded: str) -> bool:
    """Whether the success of one line says that the other works now."""
    one, other = main_of(failed), main_of(succeeded)
    assert one is not None and other is not None
    return is_same_run(one, failed, other, succeeded)


def test_runs_of_the_same() -> None:
    """The same run, or a check of more than what failed, shows that it works; another test or a part does not."""
    assert same("pytest tests/test_a.py -x", "cd . && pytest tests/test_a.py 2>&1 | tail -3")
    assert same("pytest tests/test_a.py", "pytest")
    assert same("pytest tests/test_a.py", "pytest tests/")
    assert same("go test ./pkg/a", "go test ./...")
    assert not same("pytest tests/test_a.py", "pytest tests/test_b.py")
    assert not same("pytest", "pytest tests/test_a.py")
    assert not same("pytest tests/test_a.py tests/test_b.py", "pytest tests/test_a.py")
    assert not same("npm install left", "npm install right")
    assert not same("go test ./...", "go test -run=TestCart ./...")
    assert not same("npm test", 'npm test -- --grep "the cart"')
    assert not same("cp a b c", "cp a b d")
    assert not same("npm test", "npm run build")
    assert not same("python - <<'EOF'\nimport a\nEOF", "python - <<'EOF'\nimport b\nEOF")
    assert same("node -e 'a()'", "node -e 'a()'")
    assert same("npm test", "cd /srv/shop && npm test") and same("cd ui && npm test", "cd ui/; npm test")
    assert not same("npm test", "cd ui && npm test"), "these are the tests of another folder"


def other_form(failed: str, succeeded: str, *, loose: bool = False) -> bool:
    """Whether one line is the other said otherwise."""
    one, other = main_of(failed), main_of(succeeded)
    assert one is not None and other is not None
    return is_other_form(one, failed, other, succeeded, loose=loose)


def test_another_form() -> None:
    """An option more, a variable, another folder are other forms; the same line, cut otherwise, is not."""
    assert other_form("git push", "git push -u origin main")
    assert other_form("pip install x", "pip install --user x")
    assert other_form("npm test", "cd app && npm test", loose=True)
    assert not other_form("npm test", "cd app && npm test")
    assert other_form("git rebase --continue", "GIT_EDITOR=true git rebase --continue")
    assert other_form("npm test", "pnpm test", loose=True)
    assert not other_form("npm test", "pnpm test")
    assert not other_form("npm test", "npm test 2>&1 | tail -20")
    assert not other_form("pytest tests/test_a.py", "pytest tests/test_b.py")
