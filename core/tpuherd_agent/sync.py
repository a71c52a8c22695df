"""`sync`: a snapshot of the code out of a copy of the last one and a small input, as on almost every edit.

The folders, the lock and the order of steps are those of the script that does all the rest, which is
`tpuherd/code/worker.sh`: either of the two may be killed anywhere, and either may come next. What is not the
plain case, or goes wrong, is undone and left to the script, which also knows what to say.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
from contextlib import contextmanager

from tpuherd_agent import snapshots
from tpuherd_agent.attempt import home
from tpuherd_agent.errors import LONG_WAY, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


def sync(snapshot: str, base: str, digest: str, *, gone: bool, ready: str) -> str:
    """Makes a snapshot of what comes on stdin; returns what the script would print.

    Args:
        snapshot: Its id.
        base: The id of the one that the input starts from.
        digest: SHA-256 of the input.
        gone: Whether the input names something that has to be removed.
        ready: A script for what is done afterwards, while nobody waits for it.

    Raises:
        AgentError: This is for the script; nothing has changed.
    """
    content = sys.stdin.buffer.read()
    os.umask(0o022)
    try:
        os.chdir(home() / ".tpuherd" / "code" / ".own")
        with _lock():
            answer = _answer(snapshot, base, content, digest, gone=gone)
    except OSError as error:
        raise _left() from error
    if answer.startswith("made"):
        _get_ready(ready)
    return answer


def _left() -> AgentError:
    return AgentError("this is not the plain case", LONG_WAY)


@contextmanager
def _lock() -> Iterator[None]:
    descriptor = os.open("lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _answer(snapshot: str, base: str, content: bytes, digest: str, *, gone: bool) -> str:
    first, last, has = _head()
    if os.path.isdir(f"../{snapshot}"):  # noqa: PTH112
        _write(f"used/{snapshot}", b"")
        return f"present {has}"
    if base not in (has, "none"):
        return f"need {has}"
    copy = _copy_of(last)
    if base == "none" or os.path.lexists("work") or hashlib.sha256(content).hexdigest() != digest:
        raise _left()
    try:
        _make(snapshot, last + 1, copy, content, digest, gone=gone)
    except BaseException as error:
        _undo(last + 1)
        raise _left() from error
    _write("head", f"{first} {last + 1} {snapshot}\n".encode())
    return f"made {snapshot}"


def _head() -> tuple[int, int, str]:
    """Numbers of the first and of the last input, and what that made."""
    with open("head", encoding="ascii") as file:  # noqa: PTH123
        words = file.read().split()
    if len(words) != 3 or words[2] == "none":
        raise _left()
    return int(words[0]), int(words[1]), words[2]


def _copy_of(last: int) -> str:
    """A copy that is as new as the last input."""
    found = [name for name in os.listdir("copies") if name.startswith(f"{last}.")]  # noqa: PTH208
    if not found:
        raise _left()
    return f"copies/{found[0]}"


def _make(snapshot: str, number: int, copy: str, content: bytes, digest: str, *, gone: bool) -> None:
    delta = f"log/{number}.delta"
    _write(delta, content)
    _write(f"{delta}.sum", f"{digest}  {delta}\n".encode())
    if gone:
        _write(f"log/{number}.gone", b"")
    os.rename(copy, "work")  # noqa: PTH104
    snapshots.apply(content, "work")
    os.rename("work", f"../{snapshot}")  # noqa: PTH104
    _write(f"used/{snapshot}", b"")


def _undo(number: int) -> None:
    """Of a failed try nothing may stay."""
    shutil.rmtree("work", ignore_errors=True)
    for name in (f"log/{number}.delta", f"log/{number}.delta.sum", f"log/{number}.gone"):
        if os.path.lexists(name):
            os.unlink(name)  # noqa: PTH108


def _write(path: str, content: bytes) -> None:
    with open(os.open(path, _NEW, 0o644), "wb") as file:  # noqa: PTH123
        file.write(content)


def _get_ready(script: str) -> None:
    """In a process that nobody waits for, and that is nobody's child."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        if os.fork() == 0:
            null = os.open("/dev/null", os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            os.execv("/bin/sh", ["sh", "-c", script])  # noqa: S606
    finally:
        os._exit(0)
