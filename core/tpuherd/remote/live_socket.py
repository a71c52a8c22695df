"""A TCP connection that notices when nobody is at the other end any more."""

from __future__ import annotations

import socket

QUIET_LIMIT_S = 7.0
"""No byte for this long, although the peer is asked to answer every few seconds: the connection is lost."""

_OPTIONS = (
    (socket.IPPROTO_TCP, "TCP_NODELAY", 1),  # else Nagle and delayed ACK cost 40 ms per command
    (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPIDLE", 3),
    (socket.IPPROTO_TCP, "TCP_KEEPINTVL", 1),
    (socket.IPPROTO_TCP, "TCP_KEEPCNT", 4),
    (socket.IPPROTO_TCP, "TCP_USER_TIMEOUT", 8000),  # milliseconds; also for data that nobody acknowledges
)


class LiveSocket(socket.socket):
    """Ends like a closed connection after `QUIET_LIMIT_S` without a byte, once `watch` was called.

    The kernel's own probes miss a peer whose kernel answers while its process does not, and a dead proxy on
    the way. The reader polls with a short time-out (paramiko: 0.1 s); only those are added up, so that a
    process that was stopped and continued does not take its own pause for the peer's silence.
    """

    quiet_s = 0.0
    limit_s = float("inf")

    def watch(self) -> None:
        """From now on, the peer is known to answer every few seconds."""
        self.quiet_s, self.limit_s = 0.0, QUIET_LIMIT_S

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        """As `socket.recv`; empty if the peer was silent for too long."""
        try:
            data = super().recv(size, flags)
        except TimeoutError:
            self.quiet_s += self.gettimeout() or 0.0
            if self.quiet_s >= self.limit_s:
                return b""
            raise
        self.quiet_s = 0.0
        return data


def open_socket(address: str, port: int, timeout_s: float) -> LiveSocket:
    """Connect, with the options that make a silent partition end within 10 s.

    Raises:
        OSError: nobody answered, or the address means nothing.
    """
    plain = socket.create_connection((address, port), timeout_s)
    live = LiveSocket(fileno=plain.detach())
    live.settimeout(timeout_s)
    for level, name, value in _OPTIONS:
        if hasattr(socket, name):  # macOS lacks some
            live.setsockopt(level, getattr(socket, name), value)
    return live
