"""A registry on loopback that serves one image, to one account or to all: what a pull needs."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@contextmanager
def registry(layout: Path, user: str = "", password: str = "") -> Iterator[str]:
    """Serve the image of an OCI layout (`podman save --format oci-dir`) under any name.

    Args:
        layout: the folder.
        user: who may pull; empty: everybody.
        password: that account's.

    Yields:
        The host and port.
    """
    wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if user and self.headers.get("Authorization") != wanted:
                self._answer(401, b"{}", "application/json")
                return
            words = self.path.strip("/").split("/")
            self._serve(*words[-2:] if len(words) > 2 else ("", ""))

        do_HEAD = do_GET  # noqa: N815 - the name is that of the method of HTTP

        def _serve(self, kind: str, last: str) -> None:
            if kind == "":
                self._answer(200, b"{}", "application/json")
            elif kind == "manifests":
                self._answer(200, _manifest(layout), MANIFEST)
            else:
                self._answer(200, _blob(layout, last), "application/octet-stream")

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            if status == 401:
                self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
            self.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(body).hexdigest()}")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _manifest(layout: Path) -> bytes:
    index = json.loads((layout / "index.json").read_text())
    return _blob(layout, index["manifests"][0]["digest"])


def _blob(layout: Path, digest: str) -> bytes:
    return (layout / "blobs" / digest.replace(":", "/")).read_bytes()
