"""What of an agent's answer is told: statements, a question, what is left to do."""

from __future__ import annotations

import pytest

from holdfast.sessions.answer_summary import asked, flat, left_to_do, told

SUMMARY = """All clean. Here's a summary of what was changed:

**`cart.py`**

1. **Total** - Sums the entries in cents
   - rounds once
2. **Empty cart** - Gives 0

[The page](docs/cart.md) says so.

| file | lines |
|---|---|
| cart.py | 12 |

Verification: 12 tests pass.

Would you like me to commit this?"""
LONG = "Sums the entries of the cart in whole cents and writes what comes out of it into the ledger of the shop"


@pytest.mark.parametrize(
    ("text", "most", "says"),
    [
        (
            SUMMARY,
            800,
            "All clean. `cart.py`: Total - Sums the entries in cents; rounds once; Empty cart - Gives 0. "
            "The page says so. cart.py: 12. Verification: 12 tests pass.",
        ),
        (
            SUMMARY,
            130,
            "All clean. `cart.py`: Total - Sums the entries in cents; Empty cart - Gives 0. The page says so. "
            "Verification: 12 tests pass.",
        ),
        (SUMMARY, 90, "All clean. `cart.py`: Total - Sums the entries in cents;… Verification: 12 tests pass."),
        ("Committed:\n\n```text\n27a33e9 Add a cart\n```\n\nThe tree is clean.", 200, None),
        ("Moved it to:\n```\na\nb\nc\nd\n```\nThe tests pass.", 200, "Moved it to. The tests pass."),
        (
            "## Summary\n\n### Ready to merge\n- #12 Add a cart\n\n### Nothing below",
            200,
            "Ready to merge: #12 Add a cart",
        ),
        ("It works, e.g. for 1. Jan.\n\nNext steps:\n- Add the till", 200, "It works, e.g. for 1. Jan."),
        ("The cart works. **Next:** add the till. Then the page.", 200, "The cart works."),
        ("Which cart do you mean?", 200, "Which cart do you mean?"),
        ("Read in: [a.py](a.py#L1), [a.py](a.py#L9), [b.py](b.py#L2).", 200, "Read in: a.py, b.py."),
        (
            "Done. Here is the count:\n\n**Carts in the shop: 21**\n\nAll are open.",
            200,
            "Done. Here is the count: Carts in the shop: 21. All are open.",
        ),
        ("Open carts:\n\n| cart | open |\n|---|:-:|\n| A | ✅ |\n| B | ❌ |", 200, "Open carts: A: yes; B: no"),
        ("```\nx = 1\n```", 200, ""),
        ("```python\n# Sums\n- x\n```", 200, ""),
        ("```\nTitle: Add a cart\n\n# Summary\n\n- Sums in cents\n```", 200, "Title: Add a cart: Sums in cents"),
        (
            "- Changed the till to:\n  - count in cents\n  - round once\n"
            "- Removed the drawer with its key, and all that anybody ever kept in it",
            100,
            "Changed the till to: count in cents, round once; Removed the drawer with its key",
        ),
        (
            f"- {LONG}\n- {LONG}\n- Took the drawer away, {'and all that was in it ' * 15}\n\nIt works.",
            400,
            f"{LONG}; {LONG}; Took the drawer away. It works.",
        ),
    ],
)
def test_an_answer_is_told_in_few_words(text: str, most: int, says: str | None) -> None:
    """Leads stand before their entries; deeper ones, the ends of entries and the middle go where it is too long."""
    assert told(text, most) == (says if says is not None else "Committed: 27a33e9 Add a cart. The tree is clean.")
    assert len(told(text, most)) <= most


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("It fails.\n\nWhich way do you prefer? I can open a pull request for either.", "Which way do you prefer?"),
        ("Which way?\n\n1. Remove the cart\n2. Keep it", "Which way?"),
        ("Why did it fail? The cart was empty.", ""),
        ("Done.", ""),
    ],
)
def test_the_question_that_an_answer_ends_with_is_found(text: str, question: str) -> None:
    """An offer and a list of options may stand behind it, an answer may not."""
    assert asked(text) == question


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The cart works.\n\n**Next steps**\n\n1. Add the till\n2. Write the docs", ["Add the till", "Write the docs"]),
        ("The cart works.\nNext: add the till.", ["add the till."]),
        ("The cart works. **Next:** add the till. Then test the till.", ["add the till.", "Then test the till."]),
        ("The cart works.\n\n## Remaining\n\nThe till has no tests.", ["The till has no tests."]),
        ("The next entry is sold: a cart.", []),
    ],
)
def test_what_an_answer_leaves_to_be_done_is_found(text: str, left: list[str]) -> None:
    """It stands below a heading that says so, or behind it on the same line."""
    assert left_to_do(text) == left
    assert "till" not in told(text, 400)


def test_a_plan_is_asked_without_the_signs_of_markdown() -> None:
    """What has no headings stays as it was typed."""
    plan = "Implement this plan:\n\n# Add a cart\n\n## Context\n\nThe **shop** has `none`.\n\n## Files\n- `a.py`"
    assert flat(plan) == "Implement this plan. Add a cart. Context: The shop has `none`. Files: `a.py`"
    assert flat("- keep **this**\n- and this") == "- keep **this**\n- and this"


def test_a_table_that_an_answer_leads_to_is_told() -> None:
    """What stands in the rows below "Verification:" stays, and what stands below the table is not taken for it."""
    answer = (
        "Confirmed.\n\nVerification:\n\n| Check | Command | Result |\n|---|---|---|\n| Rebuild | `make` | Passed |\n"
        "| Live grader | `bin/run examples/features/rubric/evals/dataset.yaml --test-id simple` | Passed, 100% |\n\n"
        "Notes:\n- The dry run scored 0%, which is expected of a run without a model behind it.\n"
    )
    wanted = "Confirmed. Verification: Rebuild: `make`, Passed; Live grader: Passed, 100%. The dry run scored 0%"
    assert told(answer, 140) == wanted
