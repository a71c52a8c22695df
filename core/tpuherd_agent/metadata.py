"""The metadata server's word that this worker will be preempted."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = "/computeMetadata/v1/instance/preempted"
_CONNECT_TIMEOUT_S = 2.0
_WAIT_S = 300
_LONGEST_PAUSE_S = 60.0


def address(environment: Mapping[str, str]) -> str:
    """`host` or `host:port` of the metadata server: the same variables as Google's libraries read."""
    variables = {**os.environ, **environment}
    named = variables.get("GCE_METADATA_HOST") or variables.get("GCE_METADATA_IP")
    return named or "metadata.google.internal"


def wait_for_preemption(server: str) -> float:
    """Returns the time at which a preemption was announced; waits for ever where there is no such server."""
    pause_s, etag = 1.0, ""
    while True:
        try:
            answer, etag = _ask(server, etag)
            pause_s = 1.0
        except OSError:
            answer, etag = "", ""
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
        if answer == "TRUE":
            return time.time()
        time.sleep(pause_s)  # also between good answers: a server may not know how to wait


def _ask(server: str, etag: str) -> tuple[str, str]:
    """One GET; with an etag it hangs until the value differs from the one that came with it."""
    from http.client import HTTPConnection, HTTPException

    query = f"?wait_for_change=true&last_etag={etag}&timeout_sec={_WAIT_S}" if etag else ""
    connection = HTTPConnection(server, timeout=_CONNECT_TIMEOUT_S)
    try:
        connection.connect()
        connection.sock.settimeout(_WAIT_S + 10 if etag else _CONNECT_TIMEOUT_S)
        connection.request("GET", _PATH + query, headers={"Metadata-Flavor": "Google"})
        response = connection.getresponse()
        body = response.read(100).decode(errors="replace").strip()
    except (HTTPException, ValueError) as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()
    return (body if response.status == 200 else ""), response.headers.get("ETag", "")
