from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .conftest import ended, wait_for


class MetadataServer(ThreadingHTTPServer):
    """`instance/preempted` as on a VM: 403 without the header, hangs until the value changes."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.preempted = threading.Event()
        self.maintenance = b""
        self.requests: list[str] = []
        self.address = f"127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        if self.headers.get("Metadata-Flavor") != "Google":
            return self.send_error(403)
        if "upcoming-maintenance" in self.path and self.server.maintenance:
            return self.send(self.server.maintenance, "m0")
        if not self.path.startswith("/computeMetadata/v1/instance/preempted"):
            return self.send_error(404)
        if "wait_for_change=true" in self.path:
            self.server.preempted.wait(30)
        body = b"TRUE" if self.server.preempted.is_set() else b"FALSE"
        return self.send(body, "e1" if self.server.preempted.is_set() else "e0")

    def send(self, body, etag):
        self.send_response(200)
        self.send_header("ETag", etag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return self.wfile.write(body)

    def log_message(self, *args):
        return


@pytest.fixture
def metadata():
    server = MetadataServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.preempted.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("variable", ["GCE_METADATA_HOST", "GCE_METADATA_IP"])
def test_a_preemption_is_noticed_while_it_waits(worker, metadata, variable):
    del worker.environment["GCE_METADATA_HOST"]
    worker.start("job.1", "sleep 60", environment={variable: metadata.address})
    wait_for(lambda: any("last_etag=e0" in path for path in metadata.requests))
    time.sleep(0.5)
    assert worker.status("job.1")["preemption_notice_at"] is None
    assert len([path for path in metadata.requests if "preempted" in path]) == 2
    metadata.preempted.set()
    changed_at = time.time()
    status = wait_for(lambda: (s := worker.status("job.1"))["preemption_notice_at"] and s)
    assert abs(status["preemption_notice_at"] - changed_at) < 0.5
    assert status["state"] in {"running", "stopped"}


def test_the_work_gets_its_grace_after_a_notice_though_no_controller_is_there(worker, metadata):
    worker.environment["GCE_METADATA_HOST"] = metadata.address
    script = "trap 'echo saving; sleep 0.3; echo saved; exit 0' TERM; (setsid sleep 300 &);"
    worker.start("job.1", f"{script} while :; do sleep 0.1; done", grace_s=20)
    wait_for(lambda: any("last_etag=e0" in path for path in metadata.requests))
    metadata.preempted.set()
    status = ended(worker, "job.1")
    assert (status["state"], status["code"]) == ("stopped", 0)
    assert status["preemption_notice_at"] <= status["stop_asked_at"] <= status["ended_at"]
    assert [line for line in worker.log("job.1").split() if line != b"Terminated"] == [b"saving", b"saved"]
    wait_for(lambda: not worker.status("job.1")["keeper_alive"])
    wait_for(lambda: not worker.processes())


def test_maintenance_is_told_and_the_work_goes_on(worker, metadata):
    metadata.maintenance = b'{"maintenanceStatus": "PENDING", "type": "SCHEDULED"}'
    worker.environment["GCE_METADATA_HOST"] = metadata.address
    worker.start("job.1", "sleep 300")
    status = wait_for(lambda: (s := worker.status("job.1"))["maintenance"] and s)
    assert (status["maintenance"], status["state"]) == ("PENDING SCHEDULED", "running")


def test_a_preemption_before_the_start_is_noticed(worker, metadata):
    metadata.preempted.set()
    worker.environment["GCE_METADATA_HOST"] = metadata.address
    worker.start("job.1", "sleep 60")
    wait_for(lambda: worker.status("job.1")["preemption_notice_at"])


def test_a_server_that_comes_late_is_found(worker, metadata):
    """Refused connections are tried again, with growing pauses."""
    server = metadata
    server.preempted.set()
    worker.environment["GCE_METADATA_HOST"] = "127.0.0.1:1"
    worker.start("job.1", "sleep 1; exit 3")
    wait_for(lambda: worker.status("job.1")["state"] == "exited")
    assert worker.status("job.1")["preemption_notice_at"] is None
    assert server.requests == []
