"""A user who runs `tpuherd gc` on an emulated cloud that other people use, too."""

from __future__ import annotations

import getpass
import json
from typing import TYPE_CHECKING, Any

from herd import ZONE, Herd, wait_for

from tpuherd.cloud.client import TpuApi, hang_up
from tpuherd.cloud.labels import ATTEMPT, JOB, belonging, label_value
from tpuherd.store.store import Store
from tpuherd_emulator.info import load
from tpuherd_emulator.joining import to_cloud

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd.model.cloud import Cloud

ME = getpass.getuser()


class GcHome(Herd):
    """A herd with somebody else at the same API."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.variables["TPUHERD_CLOUD"] = "emulator"
        self._stores: list[Store] = []

    @property
    def cloud_now(self) -> Cloud:
        info = load(self.home / "emulator" / "cloud.json")
        assert info, "no emulated cloud runs"
        return to_cloud(info)

    @property
    def api(self) -> TpuApi:
        """Somebody else who uses the same project."""
        return TpuApi(self.cloud_now, ZONE)

    def store(self) -> Store:
        """This user's store, opened in this process."""
        self._stores.append(Store(f"sqlite:///{self.home / 'tpuherd.sqlite'}"))
        return self._stores[-1]

    def labels(
        self, job: str = "", *, store: str = "", attempt: int = 1, expires_at: float | None = None
    ) -> Any:
        """Labels of something that this user made."""
        marks = belonging(ME, store or self.store().settings.store_id, expires_at)
        return marks | ({JOB: label_value(job), ATTEMPT: str(attempt)} if job else {})

    def make_node(self, name: str, labels: dict[str, str] | None = None) -> None:
        """Make a node by other means than a job, and wait until it is READY."""
        node = {
            "accelerator_type": "v5litepod-8",
            "runtime_version": "v2-alpha-tpuv5-lite",
            "labels": labels or {},
        }
        self.api.change("create_node", parent=self.api.parent, node_id=name, node=node)
        assert wait_for(lambda: self.api.get("get_node", f"nodes/{name}").state.name == "READY")

    def node_ids(self) -> set[str]:
        """Names of all nodes that there are."""
        return {node.name.rpartition("/")[2] for node in self.api.listed("list_nodes").items}

    def gc(self, *words: str, code: int = 0) -> dict[str, dict[str, Any]]:
        """What `tpuherd gc` says: rows by name of the resource."""
        answer = json.loads(self.ends_with(code, "gc", "--json", *words).stdout)
        return {row["name"]: row for row in answer["resources"]}

    def watchers(self) -> list[int]:
        """The processes that watch kept slices."""
        return [pid for pid, command in self.processes().items() if "tpuherd.cleanup" in command]

    def close(self) -> None:
        for store in self._stores:
            store.engine.dispose()
        hang_up()
        super().close()
