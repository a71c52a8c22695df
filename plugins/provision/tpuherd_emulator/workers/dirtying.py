"""A stale process that holds a worker's TPU, as far as that can be emulated.

On a TPU VM, libtpu locks `/tmp/libtpu_lockfile` and opens the chips' device files. Workers have no chips, so
the process holds the lock on that file only, in the worker's `/tmp`; nothing that runs on a worker's CPU
devices fails because of it. What looks for holders of that file finds it, and can end it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.errors import ProvisionError

if TYPE_CHECKING:
    from tpuherd_emulator.workers.machine import Machine

LOCK_FILE = "libtpu_lockfile"

_HOLD = (
    "import fcntl, os, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
    "f.write(str(os.getpid())); f.flush(); os.write(1, b'held'); os.close(1); time.sleep(1e6)"
)

_COMMAND = f'exec setsid python3 -c "{_HOLD}" "${{TMPDIR:-/tmp}}/{LOCK_FILE}" </dev/null 2>/dev/null'


def dirty(machine: Machine) -> None:
    """Start the process on a worker, and return when it holds the lock.

    Raises:
        ProvisionError: It could not be started.
    """
    import paramiko

    plan = machine.plan
    with paramiko.SSHClient() as client:
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        key = str(plan.directory.parent.parent / "ssh" / "id_ed25519")
        client.connect(
            plan.address, plan.ssh_port, plan.user, key_filename=key, allow_agent=False, look_for_keys=False
        )
        _, output, _ = client.exec_command(_COMMAND, timeout=20)
        if output.read(4) != b"held":
            raise ProvisionError(f"no process could be started on worker {plan.directory.name}")
