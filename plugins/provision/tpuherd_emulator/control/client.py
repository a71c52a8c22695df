"""The client: what tests and the command line use."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

from tpuherd.errors import ConfigError, ProvisionError
from tpuherd_emulator.control.wire import SERVICE, ClockState, LimitState, packed, unpacked
from tpuherd_emulator.faults.fault import Fault, check
from tpuherd_emulator.faults.kinds import kind_of
from tpuherd_emulator.faults.limit import CAPACITY, QUOTA, Limit
from tpuherd_emulator.faults.limit import check as check_limit

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from tpuherd_emulator.info import CloudInfo
    from tpuherd_emulator.scenarios.model import Scenario

TIMEOUT_S = 120.0
"""Of one call; a tick waits for workers to boot."""


class Control:
    """Controls one emulated cloud: `Control(info).preempt("my-node")`.

    It is a context manager; `close` it, or let it end with its process.
    """

    def __init__(self, info: CloudInfo) -> None:
        """Connect at the first call.

        Args:
            info: Of a cloud that runs, from `lifecycle.up` or `lifecycle.status`.
        """
        self._info = info
        self._channel: Any = None

    def fault(self, kind: str, **settings: Any) -> Fault:
        """Let something go wrong.

        Args:
            kind: One of `tpuherd_emulator.faults.kinds.KINDS`, for example `stockout`.
            settings: Fields of `Fault`: `zone`, `accelerator`, `node`, `worker`, `rate`, `count` …

        Returns:
            The fault, with its number if it waits for something to strike.

        Raises:
            ConfigError: There is no such fault, or nothing that it could strike.
        """
        kind_of(kind)
        wanted = check(Fault(kind=kind, **settings))
        return Fault(**self._call("Fault", asdict(wanted)))

    def preempt(self, node: str, notice_s: float = 30.0, *, zone: str = "*") -> Fault:
        """Preempt a node; with `notice_s=0` its workers lose power without a warning."""
        return self.fault("preempt", node=node, notice_s=notice_s, zone=zone)

    def heal(self, node: str = "*") -> Fault:
        """Make nodes READY and HEALTHY again, with workers that answer."""
        return self.fault("heal", node=node)

    def faults(self) -> tuple[Fault, ...]:
        """The faults that wait for something to strike."""
        return tuple(Fault(**row) for row in self._call("Faults"))

    def clear(self, kind: str = "") -> int:
        """Forget the faults of one kind, or all of them; returns how many."""
        return int(self._call("Clear", kind_of(kind).name if kind else ""))

    def capacity(self, place: str, chips: int | None, *, generation: str = "", market: str = "") -> None:
        """Set how many chips a zone or region has; `None`: no limit."""
        self._limit(Limit(limit=CAPACITY, place=place, chips=chips, generation=generation, market=market))

    def quota(self, place: str, chips: int | None, *, generation: str = "", market: str = "") -> None:
        """Set how many chips the project may have in a zone or region; `None`: no limit."""
        self._limit(Limit(limit=QUOTA, place=place, chips=chips, generation=generation, market=market))

    def limits(self) -> tuple[LimitState, ...]:
        """All limits, and what of them is used."""
        return tuple(LimitState(**row) for row in self._call("Limits"))

    def tick(self, seconds: float) -> ClockState:
        """Let emulated time pass at once; all that is due in it has happened when this returns."""
        if seconds < 0:
            raise ConfigError(f"tick {seconds:g}: time does not go backwards")
        return ClockState(**self._call("Tick", seconds))

    def speed(self, factor: float) -> ClockState:
        """Go on at another speed; 0 stops the clock until a tick, or another speed."""
        if factor < 0:
            raise ConfigError(f"speed {factor:g}: time does not go backwards")
        return ClockState(**self._call("Speed", factor))

    def time(self) -> ClockState:
        """The emulated time now."""
        return ClockState(**self._call("Time"))

    def scenario(self, path: Path) -> None:
        """Begin the scenario of a file; its times count from now.

        Raises:
            ConfigError: The file is wrong; the message names the key.
        """
        from tpuherd_emulator.scenarios.load import load

        self.begin(load(path))

    def begin(self, scenario: Scenario) -> None:
        """Begin a scenario that was loaded."""
        self._call("Scenario", scenario.model_dump(mode="json", exclude_unset=True))

    def close(self) -> None:
        """Hang up."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _limit(self, limit: Limit) -> None:
        self._call("Limit", asdict(check_limit(limit)))

    def _call(self, method: str, request: Any = None) -> Any:
        import grpc

        if self._channel is None:
            self._channel = grpc.insecure_channel(self._info.control_endpoint)
        bearer = [("authorization", f"Bearer {self._info.token}")]
        try:
            reply = self._channel.unary_unary(f"/{SERVICE}/{method}")(
                packed(request), timeout=TIMEOUT_S, metadata=bearer
            )
        except grpc.RpcError as error:
            raise _translated(error) from error
        return unpacked(reply)


def _translated(error: Any) -> ConfigError | ProvisionError:
    """Refusals are the caller's fault; all else is the cloud's."""
    if error.code().name == "INVALID_ARGUMENT":
        return ConfigError(error.details())
    return ProvisionError(f"the emulated cloud does not do it: {error.code().name}: {error.details()}")
