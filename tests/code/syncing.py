"""A job that sends one tree, again and again."""

from __future__ import annotations

import pytest
from trees import arrived, as_seen, fill, new_folder

import tpuherd_worktree as plugin
from tpuherd.remote import quote


@pytest.fixture
def tree(cloud):
    """A new working tree beside the job file."""
    root = new_folder(cloud)
    (root / "plain.py").write_text(root.name)
    fill(root)
    return root


SETTLED = r"""
idle() { # nobody makes ready on this worker, or is about to
  for one in $(grep -ls "get_read[y]" /proc/[0-9]*/cmdline); do
    ! grep -qszxF "HOME=$HOME" "${one%cmdline}environ" || return 1
  done
}
cd "$HOME/.tpuherd/code/.own"
until idle && read -r _ last _ < head && [ "$(ls -d copies/* | grep -c "^copies/$last\.")" = 2 ]
do sleep 0.2; done
"""


class Syncing:
    """A job that sends one tree."""

    def __init__(self, cloud, held, tree, **code):
        self.cloud, self.held, self.tree = cloud, held, tree
        sections = {"code": {"sync": "worktree", "path": tree.name, **code}}
        self.job = cloud.job(sections, job_id=f"job-{tree.name}")
        self.said = []
        self.job.session.reporter.note = self.said.append

    def __call__(self):
        return plugin.sync_code(self.job, self.held)

    def settle(self):
        """Wait until the workers have made ready for the next one."""
        self.shell(SETTLED)

    def shell(self, script, **more):
        remote = self.job.session.workers(self.held, self.job.cloud.ssh)
        done = remote.run(quote(["sh", "-c", script]), timeout_s=300, **more)
        done.require(AssertionError, script)

    def everywhere(self, code):
        """Assert that every worker has the tree as it is now."""
        wanted = as_seen(self.tree)
        for worker in self.held.workers:
            assert as_seen(arrived(self.cloud, worker, code)) == wanted

    def forget(self):
        """As if another machine had driven the job so far."""
        (self.job.directory / "code-on-workers.json").unlink()


@pytest.fixture
def sync(cloud, held, tree):
    return Syncing(cloud, held, tree)
