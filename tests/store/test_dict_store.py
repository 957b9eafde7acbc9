"""Another back-end is one file and one line in one table: the contract, and a day with a store in dictionaries."""

from __future__ import annotations

from holdfast.app.erase import forget_memory as forget
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.store import back_ends
from holdfast.workspace import Workspace
from store.contract import StoreContract
from store.dict_store import DictStore


class TestDict(StoreContract):
    def open(self, place):
        return DictStore(str(place))


def test_another_back_end_is_one_line_in_the_table(tmp_path, monkeypatch):
    """What is remembered in a store without files is recalled, by words and by meaning, and can be forgotten."""
    monkeypatch.setitem(back_ends.BACK_ENDS, "file", DictStore)
    home, said = str(tmp_path / "home"), []
    with Workspace(home, folder=str(tmp_path), project="shop", say=said.append) as workspace:
        remember(workspace, "Deploys need the VPN.", key="deploys")
        remember(workspace, "Answer in British English.", key="language")
        assert recall(workspace, "vpn")[0].memory.key == "deploys"
        assert recall(workspace, "what language should I reply in")[0].memory.key == "language"
    with Workspace(home, folder=str(tmp_path), project="shop", say=said.append) as workspace:
        forget(workspace, "deploys")
        assert [hit.memory.key for hit in recall(workspace)] == ["language"]
    assert said == []
    assert not (tmp_path / "home" / "memory").exists()
