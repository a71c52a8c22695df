from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tpuherd import ProvisionError
from tpuherd_emulator import image
from tpuherd_emulator.workers.addresses import Addresses, free_port, network
from tpuherd_emulator.workers.environment import passed_on


def test_the_image_has_python_and_uv(tmp_path, monkeypatch):
    uv = tmp_path / "own-uv"
    uv.write_text("#!/bin/sh\n")
    monkeypatch.setenv("UV", str(uv))
    image.build(tmp_path)
    image.build(tmp_path)
    shown = subprocess.check_output([tmp_path / "python3", "-c", "import sys; print(sys.prefix)"], text=True)
    assert Path(shown.strip()) in image.base_python().parents
    assert (tmp_path / "uv").resolve() == uv


def test_the_cache_of_uv_is_the_users(monkeypatch):
    monkeypatch.setenv("UV_CACHE_DIR", "/somewhere")
    assert image.uv_cache() == Path("/somewhere")
    monkeypatch.delenv("UV_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert image.uv_cache() == Path("/caches/uv")


@pytest.mark.parametrize("name", ["PIP_INDEX_URL", "UV_INDEX_MINE_PASSWORD", "TZ", "https_proxy"])
def test_what_workers_keep(name):
    assert passed_on({name: "x"})[name] == "x"


@pytest.mark.parametrize("name", ["VIRTUAL_ENV", "PYTHONPATH", "AWS_SECRET_ACCESS_KEY", "UV", "HOME"])
def test_what_workers_do_not_get(name):
    assert name not in passed_on({name: "x"})


def test_addresses_are_free_and_come_back(tmp_path, monkeypatch):
    monkeypatch.setattr("tpuherd_emulator.workers.addresses.MOST", 2)
    addresses = Addresses(tmp_path, (free_port(f"127.{network(tmp_path)}.0.1"),))
    first, second = addresses.take(), addresses.take()
    assert first != second
    with pytest.raises(ProvisionError, match="no loopback address is left"):
        addresses.take()
    addresses.give_back(first)
    assert addresses.take() == first


def test_two_services_of_one_cloud_get_two_ports(monkeypatch):
    first = free_port("127.0.0.1")
    monkeypatch.setattr("tpuherd_emulator.workers.addresses.PORTS", range(first, first + 1))
    with pytest.raises(ProvisionError, match="no free port"):
        free_port("127.0.0.1", besides=first)
