"""The store of a hub keeps the contract, in a real PostgreSQL."""

from __future__ import annotations

import pytest

from store.contract import StoreContract
from support.postgres import hub


@pytest.fixture(scope="module")
def one_hub():
    """Return the hub, in which one person has an organisation of their own."""
    made = hub()
    made.operator.add_organisation("own", personal=True)
    return made


class TestPostgres(StoreContract):
    teams = 0

    @pytest.fixture
    def place(self, one_hub):
        """Return the address of a new team's store: an empty place."""
        TestPostgres.teams += 1
        team = f"team-{self.teams}"
        one_hub.operator.add_team("own", team)
        one_hub.operator.set_member("own", team, "kim", "writer")
        return one_hub.url(organisation="own", team=team, person="kim")

    def open(self, place):
        from holdfast.store.back_ends import open_store

        return open_store(place, 262_144)
