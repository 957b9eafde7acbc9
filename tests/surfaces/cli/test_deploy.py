"""The files by which a hub is put up: valid, with commands that exist, and with settings that are read."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import yaml

from holdfast.settings import BY_NAME, variable_of

DEPLOY = Path(__file__).parents[3] / "deploy"
# What is no setting, but the address of a database or of a page.
OTHERS = {"HOLDFAST_HUB_KEY", "HOLDFAST_OIDC_SECRET", "HOLDFAST_PUBLIC_URL"}


def test_the_compose_file_is_read_and_runs_commands_that_exist(cli):
    """It is YAML with three services; each `holdfast` command in it has those options, and each variable is read."""
    text = (DEPLOY / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    assert set(services) == {"database", "migrate", "hub"}
    shown = re.findall(r"^#\s+(holdfast .*)$", text, re.M)
    lines = [*(one.split() for one in shown), services["migrate"]["command"], services["hub"]["command"]]
    commands = [line[1:3] if line[1] == "hub" else line[1:2] for line in lines]
    assert commands == [["hub", "member"], ["hub", "migrate"], ["serve"]]
    for command, line in zip(commands, lines, strict=True):
        told = cli(*command, "--help").out
        for option in re.findall(r"--[a-z-]+", " ".join(line)):
            assert option in told, (command, option)
    # Any password does, for none stands in an address.
    assert not re.search(r"postgresql://[^@\s]*:", text) and all(
        "PGPASSWORD" in services[one]["environment"] for one in ("migrate", "hub")
    )
    known = {variable_of(name) for name in BY_NAME} | OTHERS
    assert {one for one in services["hub"]["environment"] if one.startswith("HOLDFAST_")} <= known
    assert "/readyz" in str(services["hub"]["healthcheck"])


def test_the_script_of_roles_is_shell(tmp_path):
    """It can be read, and stops at what fails."""
    done = subprocess.run(["sh", "-n", str(DEPLOY / "roles.sh")], capture_output=True, check=False)
    assert done.returncode == 0 and "set -eu" in (DEPLOY / "roles.sh").read_text()
    assert os.access(DEPLOY / "roles.sh", os.X_OK)
