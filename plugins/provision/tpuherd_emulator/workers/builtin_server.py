"""A small SSH server for one worker, on paramiko: `python -m … DIRECTORY ADDRESS PORT USER`.

Public keys only; commands, interactive shells and forwarded connections (`ssh -L`), many at once; no file
transfer subsystem. As with OpenSSH, a client that goes away does not end the command that it started.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import sys
import threading
from pathlib import Path

import paramiko

from tpuherd_emulator.workers.builtin_forwarding import carry, connect
from tpuherd_emulator.workers.builtin_session import PtyRequest, Session


class Account(paramiko.ServerInterface):  # type: ignore[misc]
    """Who may log in over one connection, and what may be asked for on its channels."""

    def __init__(self, directory: Path, user: str, transport: paramiko.Transport) -> None:
        self._transport = transport
        self._directory = directory
        self._user = user
        self._sessions: dict[int, Session] = {}

    def get_allowed_auths(self, username: str) -> str:  # noqa: ARG002
        """Only public keys."""
        return "publickey"

    def check_auth_publickey(self, username: str, key: paramiko.PKey) -> int:
        """Compare with `authorized_keys` as it is now: keys can be added while the worker runs."""
        known = username == self._user and key.get_base64() in self._authorized()
        return int(paramiko.AUTH_SUCCESSFUL if known else paramiko.AUTH_FAILED)

    def check_channel_request(self, kind: str, chanid: int) -> int:
        """Sessions; forwarded connections are asked for in another way."""
        if kind != "session":
            return int(paramiko.OPEN_FAILED_ADMINISTRATIVELY_PROHIBITED)
        self._sessions[chanid] = Session(self._directory)
        return int(paramiko.OPEN_SUCCEEDED)

    def check_channel_direct_tcpip_request(
        self,
        chanid: int,
        origin: tuple[str, int],  # noqa: ARG002
        destination: tuple[str, int],
    ) -> int:
        """Connect to where the client wants."""
        target = connect(destination)
        if target is None:
            return int(paramiko.OPEN_FAILED_CONNECT_FAILED)
        carry(self._transport, chanid, target)
        return int(paramiko.OPEN_SUCCEEDED)

    def check_channel_env_request(self, channel: paramiko.Channel, name: bytes, value: bytes) -> bool:
        """Take what Debian's sshd takes: the language."""
        text = name.decode(errors="replace")
        if text != "LANG" and not text.startswith("LC_"):
            return False
        self._sessions[channel.get_id()].variables[text] = value.decode(errors="replace")
        return True

    def check_channel_pty_request(
        self,
        channel: paramiko.Channel,
        term: bytes,
        width: int,
        height: int,
        pixelwidth: int,  # noqa: ARG002
        pixelheight: int,  # noqa: ARG002
        modes: bytes,  # noqa: ARG002
    ) -> bool:
        """Run what comes next on a terminal."""
        session = self._sessions[channel.get_id()]
        session.pty = PtyRequest(term=term.decode(errors="replace"), columns=width, rows=height)
        return True

    def check_channel_window_change_request(
        self,
        channel: paramiko.Channel,
        width: int,
        height: int,
        pixelwidth: int,  # noqa: ARG002
        pixelheight: int,  # noqa: ARG002
    ) -> bool:
        """Resize the terminal."""
        return self._sessions[channel.get_id()].resize(columns=width, rows=height)

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        """Run a command."""
        return self._sessions[channel.get_id()].start(channel, command)

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        """Run the user's shell."""
        return self._sessions[channel.get_id()].start(channel, b"")

    def _authorized(self) -> set[str]:
        lines = (self._directory / "authorized_keys").read_text().splitlines()
        return {word for line in lines for word in line.split() if word.startswith("AAAA")}


def serve(listener: socket.socket, directory: Path, user: str) -> None:
    """Answer every connection in threads of its own; returns never."""
    key = paramiko.Ed25519Key.from_private_key_file(str(directory / "ssh_host_ed25519_key"))
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        transport = paramiko.Transport(connection)
        transport.daemon = True
        transport.add_server_key(key)
        # The event makes start_server return at once: the handshake runs in the transport's own thread.
        with contextlib.suppress(paramiko.SSHException):
            transport.start_server(event=threading.Event(), server=Account(directory, user, transport))


def main(arguments: list[str]) -> None:
    """Serve one worker in the foreground."""
    logging.getLogger("paramiko").setLevel(logging.CRITICAL)  # port probes are no errors
    directory, address, port, user = arguments
    with socket.create_server((address, int(port)), backlog=256) as listener:
        serve(listener, Path(directory), user)


if __name__ == "__main__":
    main(sys.argv[1:])
