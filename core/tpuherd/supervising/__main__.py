"""Run as `python -m tpuherd.supervising STARTER JOB…` by commands that leave jobs, never by hand."""

from __future__ import annotations

import sys

from tpuherd.garbage import look_later


def main() -> None:
    """Adopt the jobs."""
    look_later()
    from tpuherd.manager import make_plugin_manager
    from tpuherd.store.store import open_store
    from tpuherd.supervising.adopting import adopt

    adopt(open_store(), make_plugin_manager(), sys.argv[2:], sys.argv[1])


if __name__ == "__main__":
    main()
