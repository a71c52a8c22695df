"""The inner loop on one number of workers: round by round, everybody in turn."""

from __future__ import annotations

import json
import shutil
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import inner_loop_peers as peers
import yaml
from code_sync import SETTLED
from inner_loop_commands import ours
from inner_loop_lab import COLD, Lab, lab
from inner_loop_tree import EDITED, Tree
from inner_loop_values import OURS, Key, Sample, Samples

if TYPE_CHECKING:
    from collections.abc import Callable

ZONE = "us-west4-a"
NODE = "loop"
FORGET = "for i in $(seq 100); do rm -rf ~/.tpuherd/code ~/fetched ~/synced && exit; sleep 0.1; done; exit 1"
"""Again and again: workers may just be getting ready for the next change."""
CONNECTIONS = {"warm": {}, "cold": COLD}


def accelerator(workers: int) -> str:
    """A slice of so many workers: one of eight chips, or several of four."""
    return "v5litepod-8" if workers == 1 else f"v5litepod-{4 * workers}"


def size(samples: Samples, workers: int, repeats: int, files: int, skip: set[str]) -> None:
    """Measure everything on so many workers."""
    with lab() as found, ExitStack() as stack:
        tree = Tree(found.folder / "tree", found.shared / "origin.git", files)
        size = Size(found, tree, samples, workers)
        size.begin()
        size.prepare(stack, skip)
        # sending code to many workers leaves the machine slower for a while
        for name, part in (("commands", size.commands), ("edits", size.edits)):
            for number in range(repeats if name not in skip else 0):
                sys.stderr.write(f"{workers} workers: {name}, round {number + 1} of {repeats}\n")
                part()


class Size:
    """One cloud with one job that holds its slice."""

    def __init__(self, found: Lab, tree: Tree, samples: Samples, workers: int) -> None:
        self._lab = found
        self._tree = tree
        self._samples = samples
        self._workers = workers
        self._gcloud: peers.Gcloud | None = None
        self._ssh: peers.Workers | None = None
        self._node = ""
        self._by: set[str] = set()
        """Who takes part in sending code, besides us."""

    def begin(self) -> None:
        """Get the slice, and do all once that takes longer the first time."""
        job = {
            "job": {"name": NODE},
            "cloud": "emulator",
            "tpu": {"accelerator": accelerator(self._workers), "zone": ZONE, "connect_timeout_s": 300},
            "code": {"sync": "worktree", "path": str(self._tree.folder)},
            "command": {"cmd": f"cat {EDITED}"},
        }
        path = self._lab.folder / f"{NODE}.yaml"
        path.write_text(yaml.safe_dump(job))
        self._lab.ok("run", path, "--keep")
        self._lab.ok("exec", NODE, "--", "true")
        self._lab.ok("rerun", NODE)
        self._lab.count_holder()

    def prepare(self, stack: ExitStack, skip: set[str]) -> None:
        """The peers that are there and wanted."""
        if "gcloud" not in skip:
            self._gcloud = stack.enter_context(peers.gcloud(self._lab, ZONE))
        (allocation,) = [row for row in self._stages() if row["stage"] == "provision"][-1:]
        slices = json.loads(allocation["result"])["slices"]
        self._node = slices[0]["node_id"]
        if self._gcloud:  # the first time, it writes its key to the node
            self._gcloud.run(self._gcloud.ssh(self._node, "true"))
        self._by = {who for who in ("git", "rsync") if who not in skip and shutil.which(who)}
        if self._by:
            hosts = [f"{NODE}-w{number}" for number in range(self._workers)]
            self._ssh = stack.enter_context(peers.workers(self._lab, self._tree, hosts))

    def commands(self) -> None:
        """Commands that send no code, once."""
        self._settle()
        self._noop()

    def edits(self) -> None:
        """All that sends code, once."""
        self._first()
        for connections in CONNECTIONS:
            self._edit(connections)
        self._gcloud_edit()

    def _noop(self) -> None:
        for connections, more in CONNECTIONS.items():
            argv = ours("exec", NODE, "--", "true")
            self._add("noop", OURS, connections, self._lab.timed(argv, self._lab.environment | more))
        if self._gcloud:
            argv = self._gcloud.ssh(self._node, "true")
            self._add("noop", "gcloud", "", self._lab.timed(argv, self._gcloud.environment))

    def _first(self) -> None:
        """The whole tree to workers that have nothing of it."""
        self._lab.ok("exec", NODE, "--bare", "--command", FORGET)
        self._rerun("first", "warm")
        clone = peers.CLONE.format(origin=f"file://{self._tree.origin}")
        self._by_hand("sync_first", clone, "warm")

    def _edit(self, connections: str) -> None:
        """One file changed."""
        self._settle()
        self._rerun("edit", connections)
        self._by_hand("sync_edit", peers.FETCH, connections)

    def _settle(self) -> None:
        """Wait until all workers have made ready; people take longer between two edits than that."""
        self._lab.ok("exec", NODE, "--bare", "--timeout-s=300", "--command", SETTLED)

    def _rerun(self, what: str, connections: str) -> None:
        """From the edit to the first line of the new code; and of that, the part of sending it."""
        line = self._tree.edit()
        environment = self._lab.environment | CONNECTIONS[connections]
        whole = self._lab.until_said(line, 1, ours("rerun", NODE), environment)
        self._add(f"{what}_to_line", OURS, connections, whole)
        (sent,) = [row for row in self._stages() if row["stage"] == "sync_code"][-1:]
        self._add(f"sync_{what}", OURS, connections, Sample(wall_s=sent["ended_at"] - sent["started_at"]))

    def _gcloud_edit(self) -> None:
        """The same by gcloud: commit, push, and one command that fetches and runs."""
        if not self._gcloud:
            return
        clone = f"test -d ~/fetched || {{ {peers.CLONE.format(origin=f'file://{self._tree.origin}')}; }}"
        self._gcloud.run(self._gcloud.ssh(self._node, clone))
        line = self._tree.edit()
        argv = self._gcloud.ssh(self._node, f"{peers.FETCH} && cat {EDITED}")
        with self._lab.measuring() as pushed:
            self._tree.push()
        sample = self._lab.until_said(line, 1, argv, self._gcloud.environment)
        self._add("edit_to_line", "gcloud", "", sample + pushed[0])

    def _by_hand(self, work: str, fetch: str, connections: str) -> None:
        """The same by git and rsync, each after an edit."""
        ways: dict[str, Callable[[peers.Workers], None]] = {
            "git": lambda ssh: ssh.fetch(fetch, connections),
            "rsync": lambda ssh: ssh.rsync(connections),
        }
        for who in sorted(self._by):
            assert self._ssh
            self._tree.edit()
            with self._lab.measuring() as samples:
                ways[who](self._ssh)
            self._add(work, who, connections, samples[0])

    def _add(self, work: str, who: str, connections: str, sample: Sample) -> None:
        self._samples.add(Key(work, who, self._workers, connections), sample)

    def _stages(self) -> list[dict[str, Any]]:
        """All stages of the job so far, by attempt."""
        rows: list[dict[str, Any]] = json.loads(self._lab.ok("status", NODE, "--json"))["stages"]
        return sorted(rows, key=lambda row: row["attempt"])
