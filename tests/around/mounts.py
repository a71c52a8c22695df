"""Whether emulated workers may mount file systems here."""

from __future__ import annotations

import pytest

PROBE = 'set -e; d="$(mktemp -d)"; trap \'rmdir "$d"\' EXIT; mount -t tmpfs probe "$d"; umount "$d"'


@pytest.fixture(scope="module")
def mountable(cloud, held):
    """Skips where workers may not mount: their user is not root, and there is no sudo without a password."""
    job = cloud.job(job_id="mounts-0001")
    done = job.session.workers(held, job.cloud.ssh).run(PROBE, timeout_s=30)
    if done.failed:
        pytest.skip(f"emulated workers may not mount here: {done.failed[0].log_tail}")


def on(job, held, line, workers=None):
    """What a command prints on workers; it has to succeed."""
    done = job.session.workers(held, job.cloud.ssh).run(line, workers=workers, timeout_s=30)
    assert not done.failed, done.summary()
    return [result.stdout.strip() for result in done.results]
