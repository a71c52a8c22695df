"""Google's own clients on the emulated cloud: `tpuherd cloud.up; eval "$(tpuherd cloud.env)"`, then this."""

from __future__ import annotations

import os

import grpc
from google.cloud import storage
from google.cloud.tpu_v2 import Node, TpuClient
from google.cloud.tpu_v2.services.tpu.transports import TpuGrpcTransport

channel = grpc.insecure_channel(os.environ["TPUHERD_EMULATOR_TPU_ENDPOINT"])
client = TpuClient(transport=TpuGrpcTransport(channel=channel))
bearer = [("authorization", f"Bearer {os.environ['TPUHERD_EMULATOR_TOKEN']}")]
project = os.environ["GOOGLE_CLOUD_PROJECT"]
parent = f"projects/{project}/locations/us-west4-a"

wanted = Node(accelerator_type="v5litepod-8", runtime_version="v2-alpha-tpuv5-lite")
client.create_node(parent=parent, node_id="mine", node=wanted, metadata=bearer)
for node in client.list_nodes(parent=parent, metadata=bearer):
    print(node.name, node.state.name)
client.delete_node(name=f"{parent}/nodes/mine", metadata=bearer)

bucket = storage.Client(project=project).create_bucket("results")
bucket.blob("answer.txt").upload_from_string("42")
print([blob.name for blob in bucket.list_blobs()])
