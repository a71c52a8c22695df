"""Google's client and a real SSH client for an emulated cloud."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

from tpuherd_emulator.lifecycle import CloudInfo, EmulatorOptions

if TYPE_CHECKING:
    from pathlib import Path

FAST = EmulatorOptions(create_s=0.0, delete_s=0.0, queue_s=0.02)
ZONE = "us-central1-a"


class Token(grpc.UnaryUnaryClientInterceptor):
    def __init__(self, token):
        self._header = ("authorization", f"Bearer {token}")

    def intercept_unary_unary(self, continuation, details, request):
        metadata = [*(details.metadata or []), self._header]
        return continuation(details._replace(metadata=metadata), request)


@dataclass
class Cloud:
    """An emulated cloud that runs, and short ways to use it."""

    directory: Path
    info: CloudInfo

    @property
    def parent(self):
        return f"projects/{self.info.project}/locations/{ZONE}"

    def rest_client(self):
        """The client of v2 over REST; v2alpha1 has none."""
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import tpu_v2

        kind = tpu_v2.TpuClient.get_transport_class("rest")
        transport = kind(host=self.info.rest_url, credentials=AnonymousCredentials())
        return tpu_v2.TpuClient(transport=transport)

    def client(self, package=None, token=None):
        from google.cloud import tpu_v2

        package = package or tpu_v2
        channel = grpc.insecure_channel(self.info.tpu_endpoint)
        channel = grpc.intercept_channel(channel, Token(token or self.info.token))
        transport = package.TpuClient.get_transport_class("grpc")(channel=channel)
        return package.TpuClient(transport=transport)

    def node(self, node_id="n", accelerator="v5litepod-4", **fields):
        """Create a node and wait until it is READY."""
        from google.cloud import tpu_v2

        node = tpu_v2.Node(accelerator_type=accelerator, runtime_version="v2-alpha-tpuv5-lite", **fields)
        operation = self.client().create_node(parent=self.parent, node_id=node_id, node=node)
        return finished(operation)

    def delete(self, node):
        finished(self.client().delete_node(name=node.name))

    def ssh_argv(self, address, *command):
        options = {
            "StrictHostKeyChecking": "no",
            "UserKnownHostsFile": "/dev/null",
            "LogLevel": "ERROR",
            "BatchMode": "yes",
            "IdentitiesOnly": "yes",
        }
        flags = [flag for item in options.items() for flag in ("-o", "=".join(item))]
        where = [
            "-i",
            self.info.private_key,
            "-p",
            str(self.info.ssh_port),
            f"{self.info.ssh_user}@{address}",
        ]
        return ["ssh", "-F", "none", *flags, *where, *command]

    def ssh(self, address, command, stdin=b"", timeout=30):
        return subprocess.run(
            self.ssh_argv(address, command), input=stdin, capture_output=True, timeout=timeout
        )


def finished(operation, timeout=30):
    from google.api_core.future.polling import _OperationNotComplete
    from google.api_core.retry import Retry, if_exception_type

    often = Retry(
        if_exception_type(_OperationNotComplete), initial=0.02, maximum=0.02, multiplier=1, timeout=timeout
    )
    return operation.result(polling=often)


def eventually(condition, timeout=60):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
