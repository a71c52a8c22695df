"""Run Orbax's own `run_benchmarks` as one process of a job, and leave a record of it.

`run --config NAME_OR_PATH --output_directory DIR --processes N --devices D [--local_directory L] [-- FLAG …]`

Exit codes: that of the harness (0: all passed, 1: some failed), 64 unknown config or wrong words, 65 wrong
topology, 69 the harness or a package that it needs is missing. After 64, 65 and 69 nothing was written.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

from . import catalogue, configs, local, provenance, topology

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HARNESS = "orbax.checkpoint._src.testing.benchmarks.run_benchmarks"
USAGE = 64
HARNESS_MISSING = 69


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(USAGE, f"tpuherd: {message}\n")


def _parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = _Parser(
        prog="run", description="Run Orbax's benchmarks as one process of a job.", allow_abbrev=False
    )
    parser.add_argument("--config", required=True, help="a YAML file, or the name of a shipped config")
    parser.add_argument(
        "--output_directory", required=True, help="shared by all processes: a folder or gs:// URL"
    )
    parser.add_argument("--processes", required=True, type=int, help="how many JAX processes there must be")
    parser.add_argument("--devices", required=True, type=int, help="how many devices they must see together")
    parser.add_argument("--local_directory", help="this worker's own folder, for emergency checkpoints")
    end = argv.index("--") if "--" in argv else len(argv)
    return parser.parse_args(argv[:end]), argv[end + 1 :]


def _fail(code: int, message: str) -> int:
    sys.stderr.write(f"tpuherd: {message}\n")
    return code


def main(argv: list[str]) -> int:
    """Run the harness with the guards around it.

    Returns:
        The exit code, unless the harness raises: its exception then passes through, with the record written.
    """
    started_at = time.monotonic()
    options, extra = _parse(argv)
    guard = topology.Guard(processes=options.processes, devices=options.devices)
    try:
        config = provenance.read_config(configs.resolve(options.config, configs.harness_root()))
        listed = catalogue.Catalogue(repeats=_repeats(config.path))
        catalogue.install(listed, before=guard.confirm)
        guard.install()
    except configs.UnknownConfigError as error:
        return _fail(USAGE, str(error))
    except (OSError, ValueError) as error:
        return _fail(USAGE, f"config {options.config!r}: {error}")
    except (ImportError, AttributeError) as error:
        return _fail(HARNESS_MISSING, f"this environment cannot run Orbax's benchmarks: {error}")
    try:
        words = _words(options, config.path, extra)
    except OSError as error:
        return _fail(USAGE, f"local directory {options.local_directory!r}: {error}")
    record = partial(
        provenance.write, options.output_directory, catalogue=listed, config=config, started_at=started_at
    )
    return _recorded(words, guard, record)


def _repeats(path: str) -> int:
    import yaml
    from orbax.checkpoint._src.testing.benchmarks.core import config_parsing

    try:
        return int(config_parsing.load_config(path).get("num_repeats", 1))
    except (yaml.YAMLError, TypeError) as error:
        raise ValueError(error) from error


def _words(options: argparse.Namespace, config: str, extra: list[str]) -> list[str]:
    words = [
        HARNESS,
        f"--config_file={config}",
        f"--output_directory={options.output_directory}",
        "--alsologtostderr",
    ]
    own = options.local_directory
    return [*words, *([f"--local_directory={local.local_folder(own)}"] if own else []), *extra]


def _recorded(words: list[str], guard: topology.Guard, record: Callable[..., Path]) -> int:
    """Run the harness; if the topology was confirmed, this process's record is written however it ends."""
    code = 1
    try:
        code = _harness(words)
    finally:
        if guard.found:
            record(topology=guard.found, exit_code=code)
    return code


def _harness(words: list[str]) -> int:
    """Run the unchanged module as if by `python -m`, and turn its `sys.exit` into a number."""
    sys.argv = words
    try:
        runpy.run_module(HARNESS, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0
