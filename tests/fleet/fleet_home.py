"""One user's command line, with an emulated cloud that several users share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from clouded import ZONE, Clouded

from tpuherd.cloud.client import TpuApi
from tpuherd.cloud.labels import belonging
from tpuherd_emulator.control.client import Control
from tpuherd_emulator.joining import to_cloud

if TYPE_CHECKING:
    from pathlib import Path

OTHER_ZONE = "europe-west4-b"
TIMEOUT_S = 120.0


class FleetHome:
    """Runs `tpuherd` as ada, whose home knows the cloud, and makes TPUs as somebody else."""

    def __init__(self, folder: Path, cloud: Clouded) -> None:
        self.cloud = cloud
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / "emulator").symlink_to(cloud.directory)
        self.folder = folder

    @property
    def reached(self):
        """The cloud as core sees it."""
        return to_cloud(self.cloud.info)

    def environment(self, user: str = "ada") -> dict[str, str]:
        ours = {"TPUHERD_HOME": str(self.home), "TPUHERD_CLOUD": "emulator", "LOGNAME": user}
        others = {name: value for name, value in os.environ.items() if not name.startswith("TPUHERD_")}
        return others | ours

    def argv(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "tpuherd", *words]

    def run(
        self, *words: str, user: str = "ada", stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": stdin}
        return subprocess.run(
            self.argv(*words),
            env=self.environment(user),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            **given,
        )

    def ok(self, *words: str, user: str = "ada") -> str:
        """Run a command that must succeed; what it printed."""
        return self.ends_with(0, *words, user=user).stdout

    def ends_with(self, code: int, *words: str, user: str = "ada") -> subprocess.CompletedProcess[str]:
        """Run a command that must end with this exit code."""
        done = self.run(*words, user=user)
        assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def rows(self, *words: str, user: str = "ada") -> dict[str, dict[str, Any]]:
        """`tpuherd tpus WORDS`, by name."""
        found = json.loads(self.ok("tpus", *words, "--json", user=user))
        return {row["name"]: row for row in found["tpus"]}

    def make(
        self, name: str, zone: str = ZONE, accelerator: str = "v5litepod-1", owner: str = "", **labels: str
    ):
        """A node that was made without this command line; without an owner, without tpuherd at all."""
        marks = belonging(owner, "another-store", None) if owner else {}
        node = {
            "accelerator_type": accelerator,
            "runtime_version": "v2-alpha-tpuv5-lite",
            "labels": marks | labels,
        }
        api = TpuApi(self.reached, zone)
        api.change("create_node", parent=api.parent, node_id=name, node=node).result(timeout=60)

    def control(self) -> Control:
        """What makes things go wrong in the cloud."""
        return Control(self.cloud.info)

    def states(self) -> dict[str, str]:
        """State of all nodes by name, read by somebody else."""
        found = TpuApi(self.reached, "-").listed("list_nodes").items
        return {node.name.rpartition("/")[2]: node.state.name for node in found}

    def incarnation(self, name: str, zone: str = ZONE) -> str:
        """Which node it is, of all that had this name."""
        return str(TpuApi(self.reached, zone).get("get_node", f"nodes/{name}").id)
