"""Working trees and repositories for the tests of this folder."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from pathlib import Path

STRANGE = (
    "name with spaces",
    "grüße-日本",
    "new\nline",
    "-leading-dash",
    "core",
    "empty",
    'quo"te',
    "tab\there",
    "back\\slash",
    "carriage\rreturn",
    "*",
    os.fsdecode(b"latin-\xe9"),
)
"""Names that a file may have."""

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always")


def git(folder, *words):
    done = subprocess.run(
        ["git", "-C", folder, *IDENTITY, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit_all(root, message="more"):
    """Commit everything, and return the commit."""
    git(root, "add", "--all")
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD")


def make_repository(root):
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "tracked.py").write_text("1\n")
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    commit_all(root, "first")
    return root


def fill(root):
    """Every kind of file."""
    for name in STRANGE:
        (root / name).write_text("" if name == "empty" else name.encode(errors="replace").decode())
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "sub" / "deep" / "er.py").write_text("deeper")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("run.sh")
    (root / "dangling").symlink_to("nowhere")
    (root / "folder-link").symlink_to("sub")
    (root / os.fsdecode(b"l\xfffo")).symlink_to(os.fsdecode(b"\xff"))


def new_folder(cloud):
    """A new folder beside the job file."""
    return Path(tempfile.mkdtemp(dir=cloud.factory._folder))


def as_seen(root):
    """Everything below a folder but git's: relative name to kind, exec bit and content."""
    found = {}
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if (Path(here) / name).is_symlink()]
        for path in (Path(here) / name for name in [*names, *links] if name != ".git"):
            mode = path.lstat().st_mode
            content = str(path.readlink()) if stat.S_ISLNK(mode) else path.read_bytes()
            kind = "link" if stat.S_ISLNK(mode) else bool(mode & 0o100)
            found[str(path.relative_to(root))] = (kind, content)
    return found


def snapshots(cloud, worker):
    """Names of the snapshots on a worker; none before the first one came."""
    folder = cloud.home(worker) / ".tpuherd" / "code"
    return {path.name for path in folder.glob("*") if path.name != ".own"}


def arrived(cloud, worker, code):
    return cloud.home(worker) / code.directory
