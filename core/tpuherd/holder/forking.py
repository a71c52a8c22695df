"""The warm starter: forks a child for each command line, and tells how it ended."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from tpuherd.holder import frames, sockets, starting, warm_place, warm_request
from tpuherd.holder.freshness import Freshness, inode, is_single_threaded

if TYPE_CHECKING:
    import socket
    from pathlib import Path

STEP_S = 5.0


class Running(NamedTuple):
    """A command, and the one who waits for it."""

    sock: socket.socket
    pid: int
    pidfd: int


class WarmStarter:
    """Has one thread: it forks, and a fork has no other."""

    def __init__(self, listener: socket.socket, path: Path, idle_s: float, freshness: Freshness) -> None:
        """Keep the parts.

        Args:
            listener: the socket to accept from.
            path: its file.
            idle_s: how long to go on when nobody asks for anything.
            freshness: of what is imported here.
        """
        self._listener, self._path, self._idle_s, self._freshness = listener, path, idle_s, freshness
        self._inode = inode(path)
        self._wanted = freshness.lasts()
        self._running: list[Running] = []
        self._used_at = time.time()

    def serve(self) -> bool:
        """Serve until nobody needs it; true in a child, which is to do what it was asked for."""
        while self._running or self._is_needed():
            if self._serve_once():
                return True
        self._end()
        return False

    def _serve_once(self) -> bool:
        ready = self._ready()
        for one in list(self._running):
            if one.pidfd in ready:
                self._tell(one)
            elif one.sock.fileno() in ready:
                _hang_up(one)
        return self._listener.fileno() in ready and self._accept()

    def _ready(self) -> set[int]:
        poller = select.poll()
        poller.register(self._listener, select.POLLIN)
        for one in self._running:
            poller.register(one.pidfd, select.POLLIN)
            if one.sock.fileno() >= 0:
                poller.register(one.sock, select.POLLRDHUP)
        return {descriptor for descriptor, _ in poller.poll(min(STEP_S, self._idle_s) * 1000)}

    def _accept(self) -> bool:
        sock, _ = self._listener.accept()
        try:
            sockets.require_ours(sock)
            sock.settimeout(warm_place.start_s() / 2)  # meanwhile nobody else is heard
            frame = frames.receive(sock)
            return frame is not None and self._answer(sock, frame.header)
        except (OSError, LookupError):
            sock.close()
            return False

    def _answer(self, sock: socket.socket, header: dict[str, Any]) -> bool:
        """A plugin that makes a thread does so in each starter: such a one stays, and forks nothing."""
        runs = header["op"] == "run" and self._wanted and self._freshness.lasts()
        if runs and is_single_threaded():
            return self._fork(sock, header)
        with sock:
            if not runs and header["op"] != "list":  # it is to end, or too old
                self._wanted = False
                self._end()
            frames.send(sock, {"process": os.getpid(), "used_at": self._used_at, "done": True})
        return False

    def _fork(self, sock: socket.socket, request: dict[str, Any]) -> bool:
        self._used_at = time.time()
        pid = os.fork()
        if pid == 0:
            self._begin(sock, request)
            return True
        self._running.append(Running(sock, pid, os.pidfd_open(pid)))
        return False

    def _begin(self, sock: socket.socket, request: dict[str, Any]) -> None:
        """In the child: wait for the streams of somebody who will not run the command himself any more."""
        try:
            self._listener.close()
            for one in self._running:
                one.sock.close()
                os.close(one.pidfd)
            warm_request.become(request)
            frames.send(sock, {"pid": os.getpid()})
            sock.settimeout(None)
            if warm_request.take_streams(sock):
                sock.detach()  # open until this process ends: whoever waits then sees that, come what may
        finally:
            if sock.fileno() >= 0:
                os._exit(1)

    def _tell(self, one: Running) -> None:
        """A command has ended."""
        self._running.remove(one)
        self._used_at = time.time()
        _, status = os.waitpid(one.pid, 0)
        with one.sock, suppress(OSError):
            frames.send(one.sock, {"code": os.waitstatus_to_exitcode(status)})
        os.close(one.pidfd)

    def _is_needed(self) -> bool:
        idle = time.time() - self._used_at > self._idle_s
        return self._wanted and not idle and inode(self._path) == self._inode

    def _end(self) -> None:
        """Make room for the next one."""
        with suppress(OSError), starting.only_one(self._path):
            if inode(self._path) == self._inode:
                self._path.unlink()


def _hang_up(one: Running) -> None:
    """Whoever waited was killed: to his command it is as if the terminal were closed."""
    one.sock.close()
    for number in (signal.SIGHUP, signal.SIGCONT):
        signal.pidfd_send_signal(one.pidfd, number)
