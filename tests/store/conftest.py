from __future__ import annotations

import pytest

from holdfast.store.local import LocalStore


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


@pytest.fixture
def store(home):
    opened = LocalStore(home)
    opened.refresh()
    yield opened
    opened.close()
