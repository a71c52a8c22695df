"""Races, crashes and restarts: an object is there as a whole or not at all."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from storage_clients import BUCKET, TOKEN, Raw

from tpuherd.errors import ConfigError
from tpuherd_emulator.storage import server as storage_server

MIB = 1024 * 1024


def test_sixteen_creators_have_one_winner(server):
    gate = threading.Barrier(16)

    def create(number):
        with contextlib.closing(Raw(server.url)) as raw:
            gate.wait()
            return raw.upload("x", str(number).encode(), "&ifGenerationMatch=0").status

    with ThreadPoolExecutor(16) as pool:
        statuses = sorted(pool.map(create, range(16)))
    assert statuses == [200] + [412] * 15


def test_increments_with_preconditions_lose_nothing(server, raw):
    raw.upload("n", b"0")

    def increment(_):
        with contextlib.closing(Raw(server.url)) as own:
            while True:
                found = own.media("n")
                query = f"&ifGenerationMatch={found.headers['X-Goog-Generation']}"
                if own.upload("n", str(int(found.body) + 1).encode(), query).status == 200:
                    return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(increment, range(20)))
    assert raw.media("n").body == b"20"


def test_readers_see_whole_objects_only(server, raw):
    raw.upload("x", b"0" * MIB)
    stop = threading.Event()

    def write():
        with contextlib.closing(Raw(server.url)) as own:
            while not stop.is_set():
                for letter in b"01":
                    own.upload("x", bytes([letter]) * MIB)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        bodies = [raw.media("x").body for _ in range(30)]
    finally:
        stop.set()
        writer.join()
    assert all(len(body) == MIB and len(set(body)) == 1 for body in bodies)


def test_a_reader_finishes_with_the_old_content(server, raw, tmp_path):
    old = b"o" * (32 * MIB)
    raw.upload("x", old)
    reader = Raw(server.url)
    reader.connection.request("GET", f"{reader.prefix}/storage/v1/b/{BUCKET}/o/x?alt=media")
    response = reader.connection.getresponse()
    start = response.read(10)
    raw.upload("x", b"new")
    assert start + response.read() == old
    reader.close()
    assert raw.media("x").body == b"new"
    assert len(list((tmp_path / "store" / "objects").iterdir())) == 2


def test_generations_grow_over_deletes(raw):
    generations = []
    for _ in range(20):
        generations.append(int(raw.upload("x", b"1").json["generation"]))
        raw.call("DELETE", f"/storage/v1/b/{BUCKET}/o/x")
    assert sorted(set(generations)) == generations


def test_refused_and_broken_uploads_leave_no_files(server, raw, tmp_path):
    raw.upload("x", b"1" * MIB, "&ifGenerationMatch=5")
    raw.upload("x", b"1" * MIB, headers={"X-Goog-Hash": "crc32c=AAAAAA=="})
    with contextlib.closing(Raw(server.url)) as broken:
        broken.connection.putrequest("POST", f"{broken.prefix}/upload/storage/v1/b/{BUCKET}/o?name=x")
        broken.connection.putheader("Content-Length", "999999")
        broken.connection.endheaders(b"half")
    incoming = tmp_path / "store" / "incoming"
    deadline = time.monotonic() + 5
    while list(incoming.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert list(incoming.iterdir()) == []
    assert raw.media("x").status == 404


SERVER = """
import sys, pathlib
from tpuherd_emulator.storage.server import start
server = start("127.0.0.1", 0, sys.argv[1], pathlib.Path(sys.argv[2]), default_buckets=["a-bucket"])
print(server.url, flush=True)
sys.stdin.read()
"""


def test_a_killed_server_loses_no_finished_object(tmp_path):
    folder = tmp_path / "store"
    command = [sys.executable, "-c", SERVER, TOKEN, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            with contextlib.closing(Raw(process.stdout.readline().strip())) as raw:
                made = raw.upload("a/ü".encode().hex(), b"old").json
                made = raw.upload("a/ü".encode().hex(), b"kept").json
                path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=resumable&name=half"
                session = raw.call("POST", path).headers["Location"]
                raw.absolute(
                    "PUT", "/" + session.split("/", 3)[3], b"x" * MIB, {"Content-Range": "bytes 0-1048575/*"}
                )
        finally:
            process.kill()
    again = storage_server.start("127.0.0.1", 0, TOKEN, folder, default_buckets=[BUCKET])
    try:
        with contextlib.closing(Raw(again.url)) as raw:
            found = raw.call("GET", f"/storage/v1/b/{BUCKET}/o").json["items"]
            assert [item["generation"] for item in found] == [made["generation"]]
            assert raw.media(made["name"]).body == b"kept"
            assert int(raw.upload("y", b"").json["generation"]) > int(made["generation"])
            assert list((folder / "incoming").iterdir()) == []
    finally:
        again.stop()


def test_leftovers_of_a_crash_within_a_write(tmp_path):
    folder = tmp_path / "store"
    first = storage_server.start("127.0.0.1", 0, TOKEN, folder, default_buckets=[BUCKET])
    with contextlib.closing(Raw(first.url)) as raw:
        generation = raw.upload("x", b"old").json["generation"]
        record = (folder / "objects" / f"{generation}.json").read_text()
        newer = raw.upload("x", b"new").json["generation"]
    first.stop()
    # Killed after the new record was written and before the old one was removed; and before any record.
    (folder / "objects" / f"{generation}.json").write_text(record)
    (folder / "objects" / f"{generation}.data").write_bytes(b"old")
    (folder / "objects" / "17.data").write_bytes(b"no record")
    second = storage_server.start("127.0.0.1", 0, TOKEN, folder)
    try:
        with contextlib.closing(Raw(second.url)) as raw:
            assert raw.media("x").body == b"new"
    finally:
        second.stop()
    names = sorted(path.name for path in (folder / "objects").iterdir())
    assert names == [f"{newer}.data", f"{newer}.json"]


def test_one_server_per_folder(server, tmp_path):
    with pytest.raises(ConfigError, match="another emulated storage uses this folder"):
        storage_server.start("127.0.0.1", 0, TOKEN, tmp_path / "store")


@pytest.mark.parametrize(
    ("host", "token", "buckets", "text"),
    [
        ("0.0.0.0", TOKEN, [], "loopback"),
        ("localhost", TOKEN, [], "loopback"),
        ("127.0.0.1", "short", [], "token"),
        ("127.0.0.1", "has/a/slash", [], "token"),
        ("127.0.0.1", TOKEN, ["Bad"], "default_buckets"),
    ],
)
def test_wrong_arguments(host, token, buckets, text, tmp_path):
    with pytest.raises(ConfigError, match=text):
        storage_server.start(host, 0, token, tmp_path / "s", default_buckets=buckets)


def test_a_taken_port(server, tmp_path):
    port = int(server.url.split(":")[2].split("/")[0])
    with pytest.raises(ConfigError, match=f"127.0.0.1:{port}"):
        storage_server.start("127.0.0.1", port, TOKEN, tmp_path / "s")


def test_stop_removes_the_temporary_folder_and_ends_connections():
    running = storage_server.start("127.0.0.1", 0, TOKEN, default_buckets=[BUCKET])
    scratch = running._scratch
    with contextlib.closing(Raw(running.url)) as raw:
        raw.upload("x", b"1")
        assert scratch.is_dir()
        running.stop()
        running.stop()
        assert not scratch.exists()
        with pytest.raises(OSError, match=r"Connection|Remote|Errno"):
            raw.media("x")
