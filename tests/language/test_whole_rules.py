"""Rules as people write them, each with the calls that it is told at and those that it leaves alone."""

from __future__ import annotations

import json

import pytest

from holdfast.language.conditions import Call, matched
from holdfast.language.derived import derive


def _told(text: str, call: str) -> bool:
    told = derive(text)
    given = {"file_path": call[2:]} if call[:2] == "E:" else {"command": call}
    tool = "Edit" if call[:2] == "E:" else "Bash"
    return told is not None and bool(matched(told.condition, Call(tool, json.dumps(given), folder="/p", root="/p")))


@pytest.mark.parametrize(
    ("text", "at", "free"),
    [
        # What is wanted, or may be done, is never what a rule is told at.
        ("Don't use npm or yarn, pnpm only", "yarn add x", "pnpm install"),
        ("pnpm only, no npm or yarn in here.", "npm install", "pnpm install"),
        ("rm -rf node_modules is fine, but rm -rf of anything else needs my ok.", "rm -rf src", "rm -rf node_modules"),
        ("Never use jq; `gh` is installed. Use it for all of github.com.", "jq .", "gh pr view"),
        # A name with a colon is one word.
        ("don't run npm run db:reset", "npm run db:reset", "npm run db"),
        ("Never call pnpm db:reset, it drops the shared database.", "pnpm db:reset", "pnpm db"),
        # "No" in the middle, with a reason behind it.
        ("We squash, so no `git merge` locally, please.", "git merge x", "git rebase main"),
        ("Please no git rebase, I hate it.", "git rebase main", "git rebase --abort"),
        # What is the person's own.
        ("terraform destroy is mine.", "terraform destroy", "terraform plan"),
        ("leave terraform apply to me", "terraform apply", "terraform plan"),
        ("Don't open issues in my name.", "gh issue create", "gh issue list"),
        ("Don't comment on PRs.", "gh pr comment 3", "gh pr view 3"),
        # Only some calls of what a word stands for do it.
        ("don't create tags", "git tag v1", "git tag -l"),
        ("Don't run terraform apply -auto-approve", "terraform apply --auto-approve", "terraform apply"),
        (
            "terraform always with -var-file=envs/dev.tfvars",
            "terraform plan",
            "terraform plan -var-file=envs/dev.tfvars",
        ),
        ("Bitte nie `git stash` benutzen.", "git stash pop", "git stash list"),
        # A list with brackets, abbreviations, or a program that nobody knows.
        ("Don't touch `a/x.cpp` (the default), `a/y.cpp`.", "E:a/y.cpp", "E:a/z.cpp"),
        ("Never edit lockfiles directly (e.g. `uv.lock`, `Cargo.lock`).", "E:Cargo.lock", "E:a.py"),
        ("Never spell out `darwin-rebuild` or `nixos-rebuild`.", "nixos-rebuild switch", "nix-rebuild"),
        ("NEVER push to remote repositories without explicit user approval.", "git push", "git pull"),
    ],
)
def test_a_rule_is_told_where_it_is_meant_alone(text: str, at: str, free: str) -> None:
    """At the call that it is about, and not at the next one, least of all at the one that it asks for."""
    assert _told(text, at)
    assert not _told(text, free)


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Tests only with `pnpm test:unit`; the e2e suite takes 40 minutes.", "pnpm test:unit"),
        ("Tests: `uv run pytest -x -q`, never the whole suite with -n auto.", "uv run pytest -x -q"),
    ],
)
def test_how_it_is_to_be_done_is_not_told_there(text: str, free: str) -> None:
    """A command behind "only with" or a label is the one that is asked for."""
    assert not _told(text, free)
