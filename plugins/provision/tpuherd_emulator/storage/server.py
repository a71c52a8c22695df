"""The server: a loopback listener with a thread per connection.

The standard library's HTTP server is enough here: contents go from socket to disk and back in large pieces
(`sendfile`), so that its parser, the slow part, costs a fraction of a millisecond per request.
"""

from __future__ import annotations

import contextlib
import ipaddress
import re
import shutil
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tpuherd.errors import ConfigError
from tpuherd_emulator.storage.door import Door
from tpuherd_emulator.storage.errors import StorageError
from tpuherd_emulator.storage.faults import Faults
from tpuherd_emulator.storage.listener import Listener
from tpuherd_emulator.storage.names import check_bucket_name
from tpuherd_emulator.storage.service import Service, open_service

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOKEN = re.compile(r"[A-Za-z0-9_~-]{8,}")


class StorageServer:
    """A running object store.

    Attributes:
        url: Where it is, with the token: what clients take as their endpoint.
        faults: What is to go wrong.
    """

    def __init__(self, listener: Listener, service: Service, token: str, scratch: Path | None) -> None:
        host, port = listener.server_address[:2]
        self.url = f"http://{host!s}:{port}/{token}"
        self.faults = Faults()
        self._listener = listener
        self._service = service
        self._scratch = scratch
        listener.door = Door(service=service, faults=self.faults, token=token, address=f"{host!s}:{port}")
        self._thread = threading.Thread(
            target=listener.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Stop serving; objects in a folder that the caller named stay there. Safe to call again."""
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()
        self._listener.hang_up()
        self._service.close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)


def start(
    host: str, port: int, token: str, directory: Path | None = None, default_buckets: Sequence[str] = ()
) -> StorageServer:
    """Start an object store.

    Args:
        host: A loopback address, for example `127.0.0.1`.
        port: TCP port; 0 is a free one.
        token: What clients must know; at least 8 letters, digits, `_`, `~` or `-`.
        directory: Where objects are kept, and found again by the next server; a temporary folder,
            removed by `stop`, if None.
        default_buckets: Buckets to make, where they are not there yet.

    Raises:
        ConfigError: An argument is wrong, the port is taken, or another server uses the folder.
    """
    _check(host, token)
    with contextlib.ExitStack() as undo:
        scratch = None
        if directory is None:
            directory = scratch = Path(tempfile.mkdtemp(prefix="tpuherd-storage-"))
            undo.callback(shutil.rmtree, scratch, ignore_errors=True)
        service = open_service(directory)
        undo.callback(service.close)
        _make_buckets(service, default_buckets)
        server = StorageServer(_listen(host, port), service, token, scratch)
        undo.pop_all()
        return server


def _check(host: str, token: str) -> None:
    try:
        is_loopback = ipaddress.IPv4Address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ConfigError(f"host {host!r}: the emulated storage listens on loopback only; use 127.0.0.1")
    if not _TOKEN.fullmatch(token):
        raise ConfigError("token: it must have at least 8 characters, letters, digits, '_', '~' or '-' only")


def _listen(host: str, port: int) -> Listener:
    try:
        return Listener((host, port))
    except OSError as error:
        raise ConfigError(
            f"{host}:{port}: the emulated storage cannot listen there: {error.strerror}"
        ) from error


def _make_buckets(service: Service, names: Sequence[str]) -> None:
    present = {bucket.name for bucket in service.catalogue.buckets()}
    for name in dict.fromkeys(names):
        try:
            if check_bucket_name(name) not in present:
                service.catalogue.add_bucket(name, {})
        except StorageError as error:
            raise ConfigError(f"default_buckets: {error}") from error
