"""Buckets of a job that are far from its TPUs: said before anything is created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tpuherd.cloud.placement import placements
from tpuherd.transfer import is_local, price_per_gib

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tpuherd.config.spec import JobSpec
    from tpuherd.model.cloud import Cloud
    from tpuherd.model.job import Job

READ_TIMEOUT_S = 10.0
"""How long one bucket is asked where it is."""


def warn_of_distant(job: Job) -> None:
    """Tell the user which buckets are in another region than the TPUs may be, and what that costs.

    A bucket that does not say where it is, for whatever reason, stops nothing.
    """
    names = buckets_of(job.spec)
    if not names:
        return
    zones = dict.fromkeys(place.zone for place in placements(job.spec.tpu, job.attempt.zone))
    for name in names:
        bucket = _read(job, name)
        if bucket is not None:
            for text in _warnings(bucket, zones):
                job.session.note(text)


def buckets_of(spec: JobSpec) -> tuple[str, ...]:
    """Names of the buckets that a job file names, each once."""
    found = []
    if spec.output.directory and spec.output.directory.startswith("gs://"):
        found.append(spec.output.directory.removeprefix("gs://").partition("/")[0])
    mounts = (spec.gcsfuse, *spec.gcsfuse.extra_mounts) if spec.gcsfuse else ()
    found += [mount.bucket_name for mount in mounts]
    return tuple(dict.fromkeys(found))


def _warnings(bucket: Any, zones: Iterable[str]) -> list[str]:
    regions = bucket.data_locations or ()
    distant = [zone for zone in zones if not is_local(bucket.location, zone, regions)]
    return [_warning(bucket, zone) for zone in distant]


def _warning(bucket: Any, zone: str) -> str:
    price = price_per_gib(bucket.location, zone)
    cost = f"about {price:.2f} USD per GiB" if price is not None else "extra"
    return f"bucket {bucket.name} is in {bucket.location}, the TPUs in {zone}: moving its data costs {cost}"


def _read(job: Job, name: str) -> Any | None:
    """The bucket, or `None` if it cannot be read from here."""
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError
    from requests.exceptions import RequestException

    try:
        return client(job).get_bucket(name, timeout=READ_TIMEOUT_S, retry=None)
    except (GoogleAPIError, GoogleAuthError, RequestException, OSError, ValueError):
        return None


def client(job: Job) -> Any:
    """A client of the storage of the job's cloud."""
    return client_of(job.cloud)


def client_of(cloud: Cloud) -> Any:
    """A client of a cloud's storage: an emulated one tells its workers where its storage is."""
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import storage

    endpoint = cloud.worker_variables.get("STORAGE_EMULATOR_HOST")
    if endpoint is None:
        return storage.Client(project=cloud.project)
    options = {"api_endpoint": endpoint}
    return storage.Client(cloud.project, AnonymousCredentials(), client_options=options)
