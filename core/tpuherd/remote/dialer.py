"""Opens connections: the module that needs fabric, and so is imported on first use only."""

from __future__ import annotations

import logging
import select
from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import fabric
import paramiko

from tpuherd.errors import RemoteError
from tpuherd.remote.errors import HostKeyChangedError, UnreachableError
from tpuherd.remote.live_socket import open_socket
from tpuherd.remote.private_key import load_private_key

if TYPE_CHECKING:
    from tpuherd.model.allocation import Worker
    from tpuherd.model.cloud import SshAccess
    from tpuherd.remote.known_hosts import KnownHosts

PING_S = 2.0
"""How often a worker is asked for a sign of life."""
KEY_EXCHANGES = ("mlkem768x25519-sha256", "ecdh-sha2-nistp256")
"""Those that come before paramiko's own order: the second costs sshd 2 ms less than Curve25519 does."""


class Dialer:
    """Opens fabric connections to workers, with one key and one file of host keys.

    Neither `~/.ssh/config`, nor fabric's files, nor an agent has a say: a job connects alike everywhere.

    Raises:
        RemoteError: the private key cannot be used.
    """

    def __init__(self, access: SshAccess, known_hosts: KnownHosts) -> None:
        _silence(logging.getLogger("paramiko"))
        self.access = access
        self.known_hosts = known_hosts
        self._key = load_private_key(access.private_key)

    def dial(self, worker: Worker, timeout_s: float) -> fabric.Connection:
        """A connection that is logged in.

        Raises:
            HostKeyChangedError: somebody else answers there, or the VM was re-created.
            UnreachableError: any other reason, in words.
        """
        try:
            return self._dial(worker, timeout_s)
        except paramiko.BadHostKeyException as error:
            raise HostKeyChangedError(self.known_hosts.complaint(worker.host_key_name)) from error
        except paramiko.AuthenticationException as error:
            raise UnreachableError(self._login_refused(error)) from error
        except TimeoutError as error:
            raise UnreachableError(
                f"{self._where(worker)} did not answer within {timeout_s:.1f} s"
            ) from error
        except (EOFError, paramiko.SSHException) as error:
            raise UnreachableError(
                f"{self._where(worker)} did not complete the SSH handshake: {error}"
            ) from error
        except OSError as error:
            raise UnreachableError(f"{self._where(worker)}: {error.strerror or error}") from error

    def _dial(self, worker: Worker, timeout_s: float) -> fabric.Connection:
        sock = open_socket(worker.ssh_address, self.access.port, timeout_s)
        # fabric changes connect_kwargs: each connection gets its own
        options = {
            "sock": sock,
            "pkey": self._key,
            "allow_agent": False,
            "look_for_keys": False,
            "timeout": timeout_s,
            "banner_timeout": timeout_s,
            "auth_timeout": timeout_s,
            "channel_timeout": timeout_s,
            "transport_factory": _transport,
        }
        # With an open socket the host is only a name: the one under which paramiko looks for the host key
        connection = fabric.Connection(
            worker.host_key_name, user=self.access.user, port=22, config=_no_files(), connect_kwargs=options
        )
        try:
            self._pin(connection.client, worker.host_key_name)
            connection.open()
        except BaseException:
            connection.client.close()
            sock.close()
            raise
        connection.transport.packetizer.set_keepalive(PING_S, lambda: _ping(connection.transport))
        sock.watch()
        return connection

    def _pin(self, client: Any, name: str) -> None:
        client.set_missing_host_key_policy(_AcceptNew(self.known_hosts))
        for line in self.known_hosts.keys(name):
            key = self._public_key(name, line)
            client.get_host_keys().add(name, key.get_name(), key)

    def _public_key(self, name: str, line: str) -> paramiko.PKey:
        try:
            kind, blob = line.split()[:2]
            return paramiko.PKey.from_type_string(kind, b64decode(blob, validate=True))
        except (ValueError, paramiko.SSHException, paramiko.pkey.UnknownKeyType) as error:
            raise RemoteError(
                f"{self.known_hosts.path} has a line for {name} that is no host key: delete it and try again"
            ) from error

    def _login_refused(self, error: Exception) -> str:
        return (
            f"it refuses user {self.access.user} with the key {self.access.private_key} ({error}); "
            "is its public key in the node's metadata (ssh-keys)?"
        )

    def _where(self, worker: Worker) -> str:
        return f"{worker.ssh_address} port {self.access.port}"


def _transport(*arguments: Any, **options: Any) -> paramiko.Transport:
    made = paramiko.Transport(*arguments, **options)
    security = made.get_security_options()
    security.kex = sorted(security.kex, key=lambda name: name not in KEY_EXCHANGES)
    return made


def _no_files() -> fabric.Config:
    """A configuration that read no file, new for each connection: a Config changes while it is read."""
    return fabric.Config(ssh_config=paramiko.SSHConfig(), lazy=True)


@dataclass(frozen=True, slots=True)
class _AcceptNew:
    """paramiko's policy for hosts without a kept key: keep the first one that is seen."""

    known_hosts: KnownHosts

    def missing_host_key(self, _client: Any, hostname: str, key: Any) -> None:
        self.known_hosts.accept(hostname, f"{key.get_name()} {key.get_base64()}")


def _silence(logger: logging.Logger) -> None:
    """Paramiko logs tracebacks of errors that it also raises; whoever set a level wants to see them."""
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.CRITICAL + 1)


def _ping(transport: Any) -> None:
    """Ask for any answer: paramiko's own keepalive asks for none, and so never notices that none comes."""
    poller = select.poll()
    poller.register(transport.sock, select.POLLOUT)
    if not poller.poll(0):
        return  # data that waits to be sent asks for an answer, too, and this thread must go on reading
    message = paramiko.Message()
    message.add_byte(paramiko.common.cMSG_GLOBAL_REQUEST)
    message.add_string("keepalive@openssh.com")
    message.add_boolean(True)
    transport._send_user_message(message)  # noqa: SLF001  global_request() would block the thread that reads the answer
