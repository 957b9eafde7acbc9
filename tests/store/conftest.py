from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from holdfast.store.local import LocalStore

# A shared machine can be slow at any moment, so no example is timed.
settings.register_profile(
    "store", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.load_profile("store")


@pytest.fixture
def home(tmp_path):
    return str(tmp_path / "home")


@pytest.fixture
def store(home):
    opened = LocalStore(home)
    opened.refresh()
    yield opened
    opened.close()
