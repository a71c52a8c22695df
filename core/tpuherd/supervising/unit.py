"""The systemd user unit of a supervisor."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NAME = "tpuherd-supervise.service"
MATTERS = ("TPUHERD_HOME", "TPUHERD_DATABASE", "TPUHERD_PLUGINS", "TPUHERD_DISABLE_PLUGINS")
ALSO = ("PATH", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CONFIG")
"""Variables that say where things are; none of them is a secret."""


def unit() -> str:
    """The unit's text, for this interpreter and the variables of this process that say where things are.

    Children stay when it is stopped (`KillMode=process`): an emulated cloud, processes that watch a ttl.
    """
    found = [
        f"Environment={_quoted(f'{name}={os.environ[name]}')}"
        for name in (*MATTERS, *ALSO)
        if os.environ.get(name)
    ]
    return "\n".join(
        [
            "[Unit]",
            "Description=tpuherd: drives Cloud TPU jobs",
            "StartLimitIntervalSec=0",
            "",
            "[Service]",
            f"ExecStart={_quoted(sys.executable).replace('$', '$$')} -P -m tpuherd supervise",
            *found,
            "Restart=on-failure",
            "RestartSec=10",
            "KillMode=process",
            "",
            "[Install]",
            "WantedBy=default.target",
            "",
        ]
    )


def path() -> Path:
    """Where systemd looks for a user's units."""
    base = os.environ.get("XDG_CONFIG_HOME")
    folder = Path(base) if base and Path(base).is_absolute() else Path.home() / ".config"
    return folder / "systemd" / "user" / NAME


def install() -> Path:
    """Write the unit; nothing is started.

    Raises:
        OSError: it cannot be written.
    """
    target = path()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(unit())
    return target


def _quoted(text: str) -> str:
    """One word of a unit file: quotes, backslashes, and systemd's own percent signs."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
