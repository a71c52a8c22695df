"""Places of a job, as this machine sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tpuherd.cloud.buckets import client_of
from tpuherd_activations.worker.architecture import read
from tpuherd_activations.worker.errors import PlaceError
from tpuherd_activations.worker.places import open_place
from tpuherd_activations.worker.places.folder import Folder

if TYPE_CHECKING:
    from pathlib import Path

    from tpuherd import Cloud
    from tpuherd_activations.worker.architecture import Architecture
    from tpuherd_activations.worker.places import Place


def place_of(address: str, cloud: Cloud) -> Place:
    """Open a place; buckets are those of the cloud.

    Raises:
        PlaceError: it is a bucket, and there are no credentials.
    """
    if not address.startswith("gs://"):
        return open_place(address)
    from google.auth.exceptions import GoogleAuthError

    try:
        return open_place(address, client=client_of(cloud))
    except GoogleAuthError as error:
        raise PlaceError(f"{address}: {error}") from error


def architecture_of(model: Place, scratch: Path) -> Architecture:
    """What the checkpoint is; of a bucket its `config.json` is fetched.

    Args:
        model: Its place.
        scratch: A folder of this machine for what is fetched.

    Raises:
        ModelError: it is none that is supported.
        PlaceError: it cannot be fetched.
    """
    root = model.root if isinstance(model, Folder) else model.local("config.json", scratch).parent
    return read(root)
