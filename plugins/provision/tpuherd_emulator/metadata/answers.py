"""Answers to metadata requests: values, folders, and waiting for a change."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from tpuherd_emulator.metadata.changes import Changes

ROOT = "/computeMetadata/v1"

Pages = Callable[[], dict[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """One response."""

    status: int
    text: str
    etag: str = ""
    kind: str = "application/text"


def answer(target: str, pages: Pages, changes: Changes) -> Answer:
    """Answer a GET.

    Args:
        target: Path and query of the request.
        pages: Gives the worker's values as they are now; empty if the worker is gone.
        changes: Told of every change; `wait_for_change` waits for one.
    """
    split = urlsplit(target)
    query = {name: values[-1] for name, values in parse_qs(split.query).items()}
    if split.path in {"", "/"}:
        return Answer(200, "computeMetadata/\n")  # Google's libraries ask this to find out where they are
    if split.path != ROOT and not split.path.startswith(ROOT + "/"):
        return Answer(404, "there is nothing outside of /computeMetadata/v1/\n")
    path = split.path.removeprefix(ROOT).lstrip("/")
    if query.get("wait_for_change") == "true":
        _wait(path, query, pages, changes)
    return _now(path, query, pages())


def _wait(path: str, query: dict[str, str], pages: Pages, changes: Changes) -> None:
    """Return when the value is another than at `last_etag`, or than now; or after `timeout_sec`."""
    count = changes.count
    known = query.get("last_etag") or _now(path, query, pages()).etag
    deadline = time.monotonic() + float(query.get("timeout_sec", "inf"))
    # The values are read without holding anything: whoever changes them waits for nobody here.
    while _now(path, query, pages()).etag == known and changes.wait_beyond(count, deadline):
        count = changes.count


def _now(path: str, query: dict[str, str], pages: dict[str, str]) -> Answer:
    if path in pages:
        return Answer(200, pages[path], _etag(pages[path]))
    below = {
        name: value for name, value in pages.items() if name.startswith(path.rstrip("/") + "/") or not path
    }
    if not below:
        return Answer(404, f"there is no metadata {path!r}\n", "0")
    if query.get("recursive") == "true":
        text = json.dumps(_nested(path.rstrip("/"), below))
        return Answer(200, text, _etag(text), "application/json")
    return _folder(path, below)


def _folder(path: str, below: dict[str, str]) -> Answer:
    """List names, folders with a slash at the end."""
    start = len(path.rstrip("/")) + 1 if path else 0
    rests = (name[start:] for name in below)
    entries = {rest.partition("/")[0] + ("/" if "/" in rest else "") for rest in rests}
    text = "".join(f"{entry}\n" for entry in sorted(entries))
    return Answer(200, text, _etag(text))


def _nested(path: str, below: dict[str, str]) -> dict[str, object]:
    """All values below a folder as nested objects; two keys are lists, as the real server has them."""
    tree: dict[str, object] = {}
    for name, value in below.items():
        *folders, last = name[len(path) :].strip("/").split("/")
        place = tree
        for folder in folders:
            place = place.setdefault(folder, {})  # type: ignore[assignment]
        place[last] = [value] if last in {"aliases", "scopes"} else value
    return tree


def _etag(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
