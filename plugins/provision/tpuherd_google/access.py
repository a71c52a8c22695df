"""Project and SSH key, found where gcloud keeps them."""

from __future__ import annotations

import getpass
import os
import subprocess
from pathlib import Path

from tpuherd import ProvisionError, SshAccess

PROJECT_VARIABLES = ("GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT")
KEY = Path("~/.ssh/google_compute_engine")
"""gcloud's own key: one that it made is used, and one that we make is used by it."""


def project(wanted: str | None) -> str:
    """The project that is asked for, that of the environment, or that of the credentials.

    Raises:
        ProvisionError: there is none.
    """
    named = [wanted, *(os.environ.get(variable) for variable in PROJECT_VARIABLES)]
    found = next(filter(None, named), None) or _credentials_project()
    if not found:
        raise ProvisionError(
            "no project: set `tpu.project`, give `--project`, or run `gcloud auth application-default login`"
        )
    return found


def _credentials_project() -> str | None:
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        return str(google.auth.default()[1] or "") or None
    except DefaultCredentialsError as error:
        raise ProvisionError(f"{error}\nLog in with `gcloud auth application-default login`.") from error


def ssh_access(user: str | None, key: Path | None = None) -> SshAccess:
    """The key with which to log in; gcloud's is made if there is none.

    Args:
        user: the login name; default: that of this machine.
        key: `ssh.private_key`; default: gcloud's own.

    Raises:
        ProvisionError: it cannot be made, or its public half cannot be read.
    """
    private = (key or KEY).expanduser()
    public = private.with_name(private.name + ".pub")
    if key is None and not private.exists():
        _make_key(private)
    return SshAccess(
        user=user or getpass.getuser(),
        private_key=str(private),
        public_key=_read(public),
    )


def _read(public: Path) -> str:
    try:
        return public.read_text().strip()
    except OSError as error:
        raise ProvisionError(
            f"cannot read {public}: {error.strerror}; `ssh-keygen -y` makes it from the private key"
        ) from error


def _make_key(path: Path) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", getpass.getuser(), "-f", str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ProvisionError(f"cannot make the SSH key {path}: {error}") from error
