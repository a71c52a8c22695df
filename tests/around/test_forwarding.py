"""Ports of real workers on this machine, over both SSH servers of emulated workers."""

from __future__ import annotations

import socket
import urllib.request
from contextlib import closing

import pytest
from clouded import clouded, eventually

from tpuherd.config.ports import Port, as_ports, parse_ports
from tpuherd.engine.opening import plan_steps
from tpuherd.errors import ConfigError, RemoteError
from tpuherd.hooks import Hooks
from tpuherd.manager import make_plugin_manager
from tpuherd.reach.ports import open_ports


@pytest.fixture(scope="module", params=["auto", "none+builtin"])
def reached(request, tmp_path_factory):
    """A job, its allocation, and the port of a web server on its worker's loopback."""
    import tpuherd_tpu_vm

    with clouded(tmp_path_factory.mktemp("ports"), backend=request.param) as cloud:
        job = cloud.job()
        allocation = tpuherd_tpu_vm.provision(job, job.attempt)
        port = free_port()
        remote = job.session.workers(allocation, job.cloud.ssh)
        remote.run(web_server(port, "127.0.0.1"), timeout_s=20).require(RemoteError, "starting a server")
        yield job, allocation, port


def web_server(port, address):
    """A command that leaves a server of one large page behind."""
    page = "yes hello | head -c 1000000 > page"
    return f"{page}; setsid python3 -m http.server --bind {address} {port} > /dev/null 2>&1 < /dev/null &"


def free_port():
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        return listener.getsockname()[1]


def opened(reached, notes, *ports):
    job, allocation, _ = reached
    return open_ports(ports, allocation, job.cloud.ssh, job.session.known_hosts, notes.append)


def fetched(url):
    with urllib.request.urlopen(f"{url}/page", timeout=20) as answer:
        return answer.read()


def test_a_page_of_the_worker(reached):
    notes = []
    with opened(reached, notes, Port(port=reached[2], local_port=0)) as (one,):
        assert one.url == f"http://127.0.0.1:{one.local_port}"
        eventually(lambda: answers(one.url))
        notes.clear()
        pages = [fetched(one.url) for _ in range(3)]
    assert [len(page) for page in pages] == [1_000_000] * 3
    assert notes == []
    with pytest.raises(OSError, match="refused"):
        fetched(one.url)


def answers(url):
    try:
        return fetched(url)
    except OSError:
        return None


def test_a_port_that_nobody_listens_on_is_said(reached):
    notes = []
    with opened(reached, notes, Port(port=free_port(), local_port=0)) as (one,):
        assert answers(one.url) is None
        eventually(lambda: notes)
    assert "nobody listens there" in notes[0]


def test_a_local_port_that_is_taken(reached):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        with opened(reached, [], Port(port=port)) as (one,):
            assert one.local_port != port
        asked = opened(reached, [], Port(port=reached[2], local_port=port))
        with (
            pytest.raises(
                RemoteError, match=f"port {port} of this machine cannot be used: Address already in use"
            ),
            asked,
        ):
            pass
    with (
        pytest.raises(ConfigError, match="there is no worker 1"),
        opened(reached, [], Port(port=80, worker=1)),
    ):
        pass


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("6006", [(6006, None)]),
        ("6006:8080", [(6006, 8080)]),
        ("6006,8888:0", [(6006, None), (8888, 0)]),
    ],
)
def test_words_for_ports(words, expected):
    assert [(one.port, one.local_port) for one in parse_ports(words, 3)] == expected
    assert {one.worker for one in parse_ports(words, 3)} == {3}


@pytest.mark.parametrize("words", ["", "0", "x", "70000", "6006:", "6006:70000", "1:2:3", "-1"])
def test_words_that_are_no_ports(words):
    with pytest.raises(ConfigError, match="is no port"):
        parse_ports(words, 0)


def test_the_section_and_the_plan(job_factory, tmp_path):
    spec = job_factory.spec(
        {"ports": [6006, {"port": 9012, "local_port": 0, "worker": 3}], "command": {"cmd": "x"}}
    )
    assert as_ports(spec.ports)[0] == Port(port=6006)
    steps = plan_steps(Hooks(make_plugin_manager(), spec), str(tmp_path / "job.yaml"))
    assert [step.action for step in steps if step.where == "this machine"] == [
        "open port 6006 of 127.0.0.1 for port 6006 of worker 0",
        "open any port of 127.0.0.1 for port 9012 of worker 3",
    ]
    wrong = job_factory.spec({"ports": [{"port": 80, "worker": 4}], "command": {"cmd": "x"}})
    with pytest.raises(ConfigError, match=r"ports\[0\].worker: there is no worker 4"):
        plan_steps(Hooks(make_plugin_manager(), wrong), "job.yaml")
    for ports in ([0], ["6006"], [{"local_port": 5}]):
        with pytest.raises(ConfigError, match="ports"):
            job_factory.spec({"ports": ports})
