"""Root folders of images, made of the files of this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

PROGRAMS = ("cat", "chmod", "echo", "env", "hostname", "ls", "mkdir", "pwd", "sh", "sleep", "touch", "true")


def tiny(folder: Path) -> Path:
    """A root folder with bash and busybox."""
    root = folder / "tiny"
    if not root.exists():
        for name in ("bin", "tmp", "etc", "proc", "dev", "sys"):
            (root / name).mkdir(parents=True)
        shutil.copy(str(shutil.which("busybox")), root / "bin" / "busybox")
        for name in PROGRAMS:
            (root / "bin" / name).symlink_to("busybox")
        _copy_with_libraries(Path("/bin/bash"), root)
    return root


def add_python(root: Path) -> None:
    """Put this Python and its standard library into a root folder, as `python`."""
    base = Path(sys.base_prefix)
    program = Path(sys._base_executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    _copy_with_libraries(program, root)
    left_out = shutil.ignore_patterns(
        "test", "site-packages", "dist-packages", "__pycache__", "config-*", "*.a"
    )
    shutil.copytree(library, root / library.relative_to("/"), ignore=left_out, symlinks=True)
    (root / "bin" / "python").symlink_to(program)
    shutil.copy("/etc/os-release", root / "etc" / "os-release")
    assert library.is_relative_to(base)


def _copy_with_libraries(program: Path, root: Path) -> None:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for path in (str(program), *re.findall(r"/[^ ]+", listed)):
        target = root / path[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
