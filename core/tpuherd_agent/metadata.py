"""The metadata server's word that this worker will be preempted, or maintained."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PREEMPTED = "instance/preempted"
MAINTENANCE = "instance/upcoming-maintenance"
_ROOT = "/computeMetadata/v1/"
_CONNECT_TIMEOUT_S = 2.0
_WAIT_S = 300
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0


def address(environment: Mapping[str, str]) -> str:
    """`host` or `host:port` of the metadata server: the same variables as Google's libraries read."""
    variables = {**os.environ, **environment}
    named = variables.get("GCE_METADATA_HOST") or variables.get("GCE_METADATA_IP")
    return named or "metadata.google.internal"


def wait_for_preemption(server: str) -> float:
    """Returns the time at which a preemption was announced; waits for ever where there is no such server."""
    for answer in answers(server, PREEMPTED):
        if answer == "TRUE":
            break
    return time.time()


def maintenance(answer: str) -> str:
    """What an answer about `MAINTENANCE` says, for example `PENDING SCHEDULED`; empty: nothing."""
    try:
        window = json.loads(answer)
        return f"{window['maintenanceStatus']} {window.get('type', '')}".strip()
    except (ValueError, TypeError, KeyError):
        return ""


def answers(server: str, path: str, pause_s: float = _PAUSE_S) -> Iterator[str]:
    """Each answer of the server about a path, for ever: as soon as it changes, if the server can wait.

    Args:
        server: `host` or `host:port`.
        path: Below `computeMetadata/v1/`.
        pause_s: Between two answers: a server may not know how to wait, or not know the path.
    """
    wait_s, etag = pause_s, ""
    while True:
        try:
            answer, etag = _ask(server, path, etag)
            wait_s = pause_s
            yield answer
        except OSError:
            etag, wait_s = "", min(wait_s * 2, _LONGEST_PAUSE_S)
        time.sleep(wait_s)


def _ask(server: str, path: str, etag: str) -> tuple[str, str]:
    """One GET; with an etag it hangs until the value differs from the one that came with it."""
    from http.client import HTTPConnection, HTTPException

    query = f"?wait_for_change=true&last_etag={etag}&timeout_sec={_WAIT_S}" if etag else ""
    connection = HTTPConnection(server, timeout=_CONNECT_TIMEOUT_S)
    try:
        connection.connect()
        connection.sock.settimeout(_WAIT_S + 10 if etag else _CONNECT_TIMEOUT_S)
        connection.request("GET", _ROOT + path + query, headers={"Metadata-Flavor": "Google"})
        response = connection.getresponse()
        body = response.read(2000).decode(errors="replace").strip()
    except (HTTPException, ValueError) as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()
    good = response.status == 200
    return (body, response.headers.get("ETag", "")) if good else ("", "")
