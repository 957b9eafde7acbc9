"""Commands that another program runs: a package manager, a wrapper, a container, another machine, a script."""

from __future__ import annotations

import pytest

from holdfast.language.conditions import Call, matched, parse

RUNS = [
    "pnpm prisma migrate reset --force",
    "yarn prisma migrate reset",
    "bun x prisma migrate reset",
    "pnpm --filter api exec prisma migrate reset",
    "pnpm --filter api prisma migrate reset",
    "pnpm -C packages/api prisma migrate reset",
    "yarn workspace api prisma migrate reset",
    "corepack pnpm prisma migrate reset",
    "npx --yes prisma@latest migrate reset",
    "pnpm dlx prisma@5 migrate reset",
    "dotenv -e .env -- prisma migrate reset",
    "npx dotenv -e .env.test -- npx prisma migrate reset",
    "doppler run -- prisma migrate reset",
    "direnv exec . prisma migrate reset",
    "docker compose exec api npx prisma migrate reset",
    "docker exec -it -e A=1 api prisma migrate reset",
    "docker run --rm img npx prisma migrate reset",
    "docker run --rm img sh -c 'cd app && prisma migrate reset'",
    'ssh -p 22 dev1 "cd app && prisma migrate reset"',
    "kubectl exec -it pod -n x -- prisma migrate reset",
    'concurrently "tsc -w" "prisma migrate reset"',
    "cat <<EOF | bash\nprisma migrate reset\nEOF",
    "echo prisma migrate reset | sh",
    "sudo env A=1 bash -c 'prisma migrate reset'",
    "find . -name x -exec prisma migrate reset \\;",
    "ls | xargs prisma migrate reset",
]


@pytest.mark.parametrize("line", RUNS)
def test_what_another_program_runs_is_run(line: str) -> None:
    """A rule about a command holds however the command comes to run."""
    assert matched(parse("prisma migrate reset"), Call("Bash", line))


@pytest.mark.parametrize(
    "line",
    [
        "docker exec api echo prisma migrate reset",
        "docker run --name prisma img migrate reset",
        "ssh dev1 'echo prisma migrate reset'",
        "git log -- prisma migrate reset",
        "pnpm add prisma",
        "cat <<EOF > notes\nprisma migrate reset\nEOF",
        "echo prisma migrate reset | grep reset",
    ],
)
def test_what_is_only_an_argument_is_not_run(line: str) -> None:
    """The words of a command within another one's arguments are no call of it."""
    assert not matched(parse("prisma migrate reset"), Call("Bash", line))


@pytest.mark.parametrize("line", ["source a/x.sh", ". a/x.sh", "bash < a/x.sh", "cat a/x.sh | bash", "sh a/x.sh 1"])
def test_a_script_is_run_in_many_ways(line: str) -> None:
    """Also within the shell, and as what a shell reads."""
    assert matched(parse("a/x.sh"), Call("Bash", line))


@pytest.mark.parametrize("line", ["bash -n a/x.sh", "cat a/x.sh", "cat a/x.sh | grep bash", "chmod +x a/x.sh"])
def test_a_script_that_is_only_looked_at_is_not_run(line: str) -> None:
    """To check its syntax or to print it runs nothing."""
    assert not matched(parse("a/x.sh"), Call("Bash", line))


def test_files_elsewhere_are_not_those_of_the_project() -> None:
    """What is deleted in a container or on a host is no file here; what a wrapper runs is."""
    condition = parse("src/**")
    assert not matched(condition, Call("Bash", "ssh dev1 'rm src/a.py'"))
    assert not matched(condition, Call("Bash", "docker exec api rm src/a.py"))
    assert matched(condition, Call("Bash", "doppler run -- rm src/a.py"))


def test_an_option_has_one_dash_or_two() -> None:
    """Some programs take both; a bundle of letters stays one."""
    assert matched(parse("terraform apply -auto-approve"), Call("Bash", "terraform apply --auto-approve"))
    assert not matched(parse("rm -rf"), Call("Bash", "rm --r"))
