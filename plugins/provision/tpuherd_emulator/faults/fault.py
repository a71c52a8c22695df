"""One fault: what is to go wrong, where, how often."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from tpuherd.config.choices import nearest
from tpuherd.errors import ConfigError
from tpuherd_emulator.faults.codes import CODES
from tpuherd_emulator.faults.kinds import kind_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a fault may strike."""

    zone: str = ""
    accelerator: str = ""
    """Accelerator type, for example `v5litepod-16`; empty where it is not known."""
    name: str = ""
    """Id of the node or queued resource; empty where it is not known."""
    method: str = ""
    """Method of the API, for example `CreateNode`; empty if it is not about a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is to go wrong. Names may have `*` and `?`."""

    kind: str
    """One of `tpuherd_emulator.faults.kinds.KINDS`."""
    zone: str = "*"
    accelerator: str = "*"
    node: str = "*"
    """Id of a node, or of a queued resource."""
    method: str = "*"
    """Method of the API, for example `Create*`."""
    worker: int | None = None
    """Number of a worker in its node; `None`: all of them."""
    rate: float = 1.0
    """Probability that it strikes what matches, 0 to 1."""
    count: int | None = None
    """How often it strikes; `None`: until it is cleared; if it happens to nodes, all that match now."""
    after_s: float = 0.0
    """When it happens: emulated seconds from now, or after a node is READY."""
    delay_s: float = 0.0
    """How long it lasts, or how much longer things take, in seconds."""
    notice_s: float = 0.0
    """Time between a notice and what it announces, in emulated seconds."""
    code: str = "UNAVAILABLE"
    """Status code of the answer, by name."""
    text: str = ""
    """Text of the answer, or a description."""
    value: str = ""
    """Which of the variants of this kind; empty: the first."""
    id: int = 0
    """Number of the fault; given by the emulated cloud."""

    def matches(self, subject: Subject) -> bool:
        """True if it can strike this subject."""
        pairs = (
            (subject.zone, self.zone),
            (subject.accelerator, self.accelerator),
            (subject.name, self.node),
            (subject.method, self.method),
        )
        return all(pattern == "*" or fnmatchcase(text, pattern) for text, pattern in pairs)

    @property
    def variant(self) -> str:
        """The value, or the default of its kind."""
        return self.value or next(iter(kind_of(self.kind).values), "")

    @property
    def waits(self) -> bool:
        """True if it also strikes what does not exist yet."""
        return not kind_of(self.kind).happens or self.rate < 1 or self.count is not None


def check(fault: Fault) -> Fault:
    """Return the fault, if it can be one.

    Raises:
        ConfigError: Its kind, or one of its values, does not exist.
    """
    kind = kind_of(fault.kind)
    if fault.value and fault.value not in kind.values:
        raise ConfigError(f"{fault.kind}: value {fault.value!r}: {nearest(fault.value, kind.values)}")
    if fault.code not in CODES:
        raise ConfigError(f"{fault.kind}: code {fault.code!r}: {nearest(fault.code, CODES)}")
    _check_numbers(fault)
    return fault


def _check_numbers(fault: Fault) -> None:
    if not 0 < fault.rate <= 1:
        raise ConfigError(f"{fault.kind}: rate {fault.rate:g}: it must be greater than 0 and at most 1")
    if fault.count is not None and fault.count < 1:
        raise ConfigError(f"{fault.kind}: count {fault.count}: it must be at least 1")
    for name in ("after_s", "delay_s", "notice_s"):
        if getattr(fault, name) < 0:
            raise ConfigError(f"{fault.kind}: {name} {getattr(fault, name):g}: it must not be negative")
