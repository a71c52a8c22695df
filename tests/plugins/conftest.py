"""Places for fake plugins, in this process and in commands."""

from __future__ import annotations

import pytest
from distributions import Site


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Fake distributions that this process and its children find."""
    made = Site(tmp_path / "site")
    made.folder.mkdir()
    monkeypatch.syspath_prepend(str(made.folder))
    monkeypatch.setenv("PYTHONPATH", str(made.folder))
    monkeypatch.delenv("TPUHERD_PLUGINS", raising=False)
    monkeypatch.delenv("TPUHERD_DISABLE_PLUGINS", raising=False)
    yield made
    made.forget()
