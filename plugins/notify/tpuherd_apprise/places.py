"""Where messages go: from a reference in the job file to something of Apprise's that sends."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from tpuherd.config.secrets import SecretRef, resolve
from tpuherd.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd_apprise.message import Message


def open_place(ref: SecretRef, base_directory: Path, key: str) -> Any:
    """The place that an address means.

    Args:
        ref: where the address is.
        base_directory: where relative paths start: the folder of the job file.
        key: the dotted key of the reference, for errors; they never show the address itself.

    Raises:
        ConfigError: it cannot be read, or Apprise does not know what it means.
    """
    import apprise

    _keep_quiet()
    place = apprise.Apprise.instantiate(resolve(ref, base_directory, key).strip())
    if place is None:
        raise ConfigError(f"{key}: that is no address that Apprise knows, such as slack://… or mailto://…")
    return place


def send(place: Any, message: Message) -> bool:
    """Send a message; false if it was not taken."""
    import apprise

    kind = apprise.NotifyType(message.kind)
    return bool(place.notify(title=message.title, body=message.body, notify_type=kind))


def _keep_quiet() -> None:
    """Apprise's own log has addresses with their passwords; what matters is said by whoever calls it."""
    logger = logging.getLogger("apprise")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
