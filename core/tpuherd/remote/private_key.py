"""The key that opens the workers. Needs paramiko, and so is imported on first use only."""

from __future__ import annotations

import paramiko

from tpuherd.errors import RemoteError


def load_private_key(path: str) -> paramiko.PKey:
    """The private key in a file, with the certificate beside it (`PATH-cert.pub`) if there is one.

    Raises:
        RemoteError: it cannot be read, is no key, or has a passphrase.
    """
    try:
        return paramiko.PKey.from_path(path)
    except OSError as error:
        raise RemoteError(f"cannot read the SSH key {path}: {error.strerror}") from error
    except (TypeError, paramiko.PasswordRequiredException) as error:
        raise RemoteError(f"the SSH key {path} has a passphrase: tpuherd needs one without") from error
    except (ValueError, paramiko.SSHException, paramiko.pkey.UnknownKeyType) as error:
        raise RemoteError(f"{path} is not a private SSH key: {error}") from error
