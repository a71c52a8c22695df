"""What the emulated cloud itself took, by its own account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recovery_subject import ZONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inner_loop_lab import Lab


def busy_s(lab: Lab, since: float, until: float) -> float:
    """Seconds within a span in which it created or deleted nodes."""
    spans = ((max(begin, since), min(end, until)) for begin, end in operations(lab))
    return covered_s((begin, end) for begin, end in spans if begin < end)


def operations(lab: Lab) -> list[tuple[float, float]]:
    """When each operation began and ended, as seconds since the epoch."""
    import grpc
    from google.cloud.tpu_v2 import OperationMetadata
    from google.longrunning import operations_pb2, operations_pb2_grpc

    info = lab.info
    request = operations_pb2.ListOperationsRequest(
        name=f"projects/{info.project}/locations/{ZONE}", page_size=1000
    )
    with grpc.insecure_channel(info.tpu_endpoint) as channel:
        answer = operations_pb2_grpc.OperationsStub(channel).ListOperations(
            request, metadata=[("authorization", f"Bearer {info.token}")]
        )
    done = [one for one in answer.operations if one.done]
    every = [OperationMetadata.deserialize(operation.metadata.value) for operation in done]
    return [(one.create_time.timestamp(), one.end_time.timestamp()) for one in every]


def covered_s(spans: Iterable[tuple[float, float]]) -> float:
    """How much time spans cover together; what two of them cover counts once."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(spans):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total
