"""A file system of one bucket, with the part of gcsfuse's command line that tpuherd uses.

It stands for gcsfuse where that cannot be had: a real FUSE server on /dev/fuse, over the JSON API of the
object store that STORAGE_EMULATOR_HOST names. Files are read and written whole. It needs to be root.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from pathlib import Path

from fuse_objects import Objects
from fuse_server import Server


def main() -> None:
    """Mount in the foreground, serve in the background, as gcsfuse does."""
    arguments = options()
    objects = Objects(os.environ["STORAGE_EMULATOR_HOST"], arguments.bucket, arguments.only_dir)
    try:
        objects.children("")
    except FileNotFoundError:
        sys.exit(f"Error: Error while mounting gcsfuse: bucket {arguments.bucket} does not exist")
    device = os.open("/dev/fuse", os.O_RDWR)
    read_only = "ro" in arguments.o
    text = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    words = (arguments.bucket.encode(), bytes(Path(arguments.path).resolve()), b"fuse.gcsfuse")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(*words, int(read_only), text.encode()):
        sys.exit(f"Error: mount: {os.strerror(ctypes.get_errno())}")
    if os.fork():
        os._exit(0)
    os.setsid()
    log = os.open(arguments.log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (0, 1, 2):
        os.dup2(log, number)
    Server(objects, read_only=read_only).serve(device)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gcsfuse", allow_abbrev=False)
    parser.add_argument("--version", action="version", version="gcsfuse version 0.0.0-of-the-tests")
    parser.add_argument("--implicit-dirs", choices=["true", "false"])
    parser.add_argument("-o", action="append", default=[])
    parser.add_argument("--only-dir", default="")
    parser.add_argument("--log-file", required=True)
    for name in ("cache-dir", "metadata-cache-ttl-secs", "stat-cache-max-size-mb", "type-cache-max-size-mb"):
        parser.add_argument(f"--{name}")
    for name in ("max-size-mb", "cache-file-for-range-read", "enable-parallel-downloads"):
        parser.add_argument(f"--file-cache-{name}")
    parser.add_argument("bucket")
    parser.add_argument("path")
    return parser.parse_args()


if __name__ == "__main__":
    main()
