"""A running object store, and the clients that talk to it."""

from __future__ import annotations

import contextlib

import pytest
from storage_clients import BUCKET, TOKEN, Raw, google_client

from tpuherd_emulator.storage import server as storage_server


@pytest.fixture
def server(tmp_path):
    running = storage_server.start("127.0.0.1", 0, TOKEN, tmp_path / "store", default_buckets=[BUCKET])
    yield running
    running.stop()


@pytest.fixture
def client(server):
    with contextlib.closing(google_client(server.url)) as made:
        yield made


@pytest.fixture
def bucket(client):
    return client.bucket(BUCKET)


@pytest.fixture
def raw(server):
    with contextlib.closing(Raw(server.url)) as made:
        yield made
