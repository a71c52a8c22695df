"""A place on this machine that takes messages over HTTP, and jobs that tell it what happens."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "jobs"))  # `herd` lives there

import pytest
from herd_fixture import herd

from tpuherd import Event

__all__ = ["herd"]


class Mailbox:
    """A real web server on loopback; Apprise's `json://` sends to it."""

    def __init__(self):
        self.messages = []
        self.status = 200
        self.open = threading.Event()
        self.open.set()
        box = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                box.open.wait(60)
                if box.status == 200:
                    box.messages.append(body)
                self.send_response(box.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f"json://{'127.0.0.1'}:{self.server.server_address[1]}/secret-token"

    @property
    def titles(self):
        return [message["title"] for message in self.messages]

    def close(self):
        self.open.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def mailbox():
    made = Mailbox()
    yield made
    made.close()


@pytest.fixture
def event(tmp_path):
    """Events of a job of this test: what is limited per job is not limited by other tests."""

    def make(kind, text="text", at=1.0):
        return Event(job_id=f"job-{tmp_path.name}", attempt=2, kind=kind, text=text, at=at)

    return make
