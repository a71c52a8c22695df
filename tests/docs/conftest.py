"""The plugins that the documentation speaks of: the built-in ones and the hello plugin of the examples."""

from __future__ import annotations

import importlib

import pytest
from doc_pages import ROOT

from tpuherd.manager import make_plugin_manager


@pytest.fixture
def manager(monkeypatch):
    made = make_plugin_manager()
    if not made.has_plugin("hello"):
        monkeypatch.syspath_prepend(str(ROOT / "examples/plugins/tpuherd-hello/src"))
        made.register(importlib.import_module("tpuherd_hello"), name="hello")
    return made
