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
from contextlib import contextmanager

from tpuherd_agent import snapshots
from tpuherd_agent.attempt import home
from tpuherd_agent.errors import LONG_WAY, AgentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC


def sync(content: bytes, snapshot: str, base: str, digest: str, *, gone: bool, wait: bool = True) -> str:
    """Makes a snapshot; returns what the script would print.

    Args:
        content: The input.
        snapshot: Its id.
        base: The id of the one that the input starts from.
        digest: SHA-256 of the input.
        gone: Whether the input names something that has to be removed.
        wait: Whether to wait for whoever is at work in these folders.

    Raises:
        AgentError: This is for the script; nothing has changed.
        BlockingIOError: Somebody is at work; nothing has changed.
    """
    try:
        with _inside(home() / ".tpuherd" / "code" / ".own"), _lock(wait=wait):
            return _answer(snapshot, base, content, digest, gone=gone)
    except BlockingIOError:
        raise
    except OSError as error:
        raise _left() from error


def _left() -> AgentError:
    return AgentError("this is not the plain case", LONG_WAY)


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Within the block, this is the current folder, and what is made is readable for everybody."""
    before, mask = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), os.umask(0o022)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(before)
        os.close(before)
        os.umask(mask)


@contextmanager
def _lock(*, wait: bool) -> Iterator[None]:
    descriptor = os.open("lock", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
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
    copy, inputs = _copy(first, last)
    if base == "none" or os.path.lexists("work") or hashlib.sha256(content).hexdigest() != digest:
        raise _left()
    try:
        _log(last + 1, content, digest, gone=gone)
        _make(snapshot, copy, [*inputs, content])
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


def _copy(first: int, last: int) -> tuple[str, list[bytes]]:
    """The newest copy, and the inputs that have come since."""
    numbers = {name: int(name.partition(".")[0]) for name in os.listdir("copies")}  # noqa: PTH208
    name = max(numbers, key=numbers.__getitem__, default="")
    if not first <= numbers.get(name, 0) <= last:
        raise _left()
    return f"copies/{name}", [_logged(number) for number in range(numbers[name] + 1, last + 1)]


def _logged(number: int) -> bytes:
    """An earlier input."""
    delta = f"log/{number}.delta"
    content, expected = (_read(path) for path in (delta, f"{delta}.sum"))
    if expected != _sum(delta, hashlib.sha256(content).hexdigest()):
        raise _left()
    return content


def _log(number: int, content: bytes, digest: str, *, gone: bool) -> None:
    """Keeps an input, for copies to be made of."""
    delta = f"log/{number}.delta"
    _write(delta, content)
    _write(f"{delta}.sum", _sum(delta, digest))
    if gone:
        _write(f"log/{number}.gone", b"")


def _sum(path: str, digest: str) -> bytes:
    """As sha256sum writes it."""
    return f"{digest}  {path}\n".encode()


def _make(snapshot: str, copy: str, inputs: list[bytes]) -> None:
    os.rename(copy, "work")  # noqa: PTH104
    for content in inputs:
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


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read()
