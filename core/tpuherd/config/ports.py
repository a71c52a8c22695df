"""Ports of workers on the user's machine: the key `ports`, and words such as `6006:8080`."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from tpuherd.config.sections import Section, expecting
from tpuherd.errors import ConfigError

MOST = 65535


class Port(Section):
    """One port of one worker."""

    port: int = Field(ge=1, le=MOST, description="Port on the worker.")
    local_port: int | None = Field(
        None,
        ge=0,
        le=MOST,
        description="Port on this machine, 0 for any; by default the same, or any if it is taken.",
    )
    worker: int = Field(0, ge=0, description="The worker's number.")


PortNumber = Annotated[int, Field(ge=1, le=MOST)]
Ports = tuple[Annotated[PortNumber | Port, expecting("a port, or a section with the key port")], ...]
"""The type of the key `ports`."""


def as_ports(value: Ports) -> tuple[Port, ...]:
    """A number alone is a port of worker 0."""
    return tuple(Port(port=one) if isinstance(one, int) else one for one in value)


def parse_ports(words: str, worker: int) -> tuple[Port, ...]:
    """The ports that a command line means, such as `6006`, `6006:8080` or `6006,8888:0`.

    Args:
        words: the ports.
        worker: whose they are.

    Raises:
        ConfigError: it is none.
    """
    return tuple(_parse(word.strip(), worker) for word in words.split(","))


def _parse(word: str, worker: int) -> Port:
    match = re.fullmatch(r"(\d{1,5})(?::(\d{1,5}))?", word)
    numbers = [int(number) for number in match.groups() if number] if match else [0]
    if not 1 <= numbers[0] <= MOST or numbers[-1] > MOST:
        raise ConfigError(f"{word!r} is no port: write 6006, or 6006:8080 for port 8080 of this machine")
    return Port(port=numbers[0], local_port=numbers[1] if len(numbers) > 1 else None, worker=worker)
