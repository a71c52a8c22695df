"""Makes conda environments with py-rattler, which solves and installs like conda, and has no command line.

Run as a program it understands the one command that the plugin gives to `conda`:
`env create --quiet --prefix PREFIX --file FILE`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import yaml

PLATFORMS = ["linux-64", "noarch"]


def package(
    channel: Path, name: str, version: str, files: dict[str, str], needs: tuple[str, ...] = ()
) -> None:
    """Put a package into a channel that is a folder."""
    folder = channel / "noarch"
    folder.mkdir(parents=True, exist_ok=True)
    index = {
        "name": name, "version": version, "build": "0", "build_number": 0, "depends": list(needs),
        "noarch": "generic", "subdir": "noarch",
    }  # fmt: skip
    paths = {
        "paths": [{"_path": path, "path_type": "hardlink"} for path in files],
        "paths_version": 1,
    }
    info = {
        "info/index.json": json.dumps(index),
        "info/paths.json": json.dumps(paths),
        "info/files": "\n".join(files),
    }
    with tarfile.open(folder / f"{name}-{version}-0.tar.bz2", "w:bz2") as archive:
        for path, text in (info | files).items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(text.encode()), 0o755
            archive.addfile(entry, BytesIO(text.encode()))


async def index(channel: Path) -> None:
    """Write what the channel has into its repodata."""
    from rattler.index import index_fs

    await index_fs(channel)


async def create(prefix: Path, content: dict, alias: str) -> None:
    """Solve an environment's file, and install it."""
    from rattler import Channel, ChannelConfig, install, solve

    config = ChannelConfig(channel_alias=alias)
    channels = [Channel(channel, config) for channel in content["channels"]]
    records = await solve(channels, content["dependencies"], platforms=PLATFORMS)
    await install(records, target_prefix=prefix, cache_dir=prefix.parent / ".cache", show_progress=False)
    if "variables" in content:
        (prefix / "conda-meta" / "state").write_text(json.dumps({"env_vars": content["variables"]}))


def main(alias: str = "file:///") -> None:
    """Do what the command line says.

    Args:
        alias: where channels are that are only named, as conda's `channel_alias` has it.
    """
    parser = argparse.ArgumentParser(prog="conda")
    parser.add_argument("words", nargs=2)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--prefix", type=Path, required=True)
    parser.add_argument("--file", type=Path, required=True)
    arguments = parser.parse_args()
    assert arguments.words == ["env", "create"]
    code = 0
    try:
        asyncio.run(create(arguments.prefix, yaml.safe_load(arguments.file.read_text()), alias))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is this program's answer
        print(error, file=sys.stderr)
        code = 1
    sys.stderr.flush()
    os._exit(code)  # rattler's own threads may crash an interpreter that takes its time to end


if __name__ == "__main__":
    main()
