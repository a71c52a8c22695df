"""What pydantic found wrong, in the words of a job file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tpuherd.config.choices import nearest
from tpuherd.config.keys import description, valid_keys
from tpuherd.config.problems import dotted
from tpuherd.config.secrets import looks_secret

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

    from tpuherd.config.document import Document
    from tpuherd.config.problems import KeyPath, Problem

EXPECTED = {
    "string_type": "text (put it in quotes)",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "path_type": "a path",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a section with keys",
    "model_attributes_type": "a section with keys",
    "string_too_short": "text that is not empty",
    "finite_number": "a finite number",
}
"""What pydantic's error types mean for people."""

ZONE = "a zone, for example us-central2-b (a region has no letter behind its number)"

BUCKET = "the name of a bucket, without gs:// and folders (only_dir names one)"
FOLDER = "a folder of the bucket, without / at its start"

PATTERNS = {
    "tpu.zone": ZONE,
    "tpu.zones": ZONE,
    "gcsfuse.bucket_name": BUCKET,
    "gcsfuse.extra_mounts.bucket_name": BUCKET,
    "gcsfuse.only_dir": FOLDER,
    "gcsfuse.extra_mounts.only_dir": FOLDER,
    "ssh.private_key": "a path that begins with / or ~/",
    "ssh.identities.name": "a file name: letters, digits, dots, hyphens and underscores",
    "job.name": "letters, digits, dots, hyphens and underscores, a letter or digit first",
}
"""What the patterns of keys mean for people."""

ELSEWHERE = {
    "job.environment": "its variables belong into the section env",
    "job.queue": "queues are not part of a job file; start one job per task; "
    "prefix scripts belong into setup.scripts",
    "job.worker_num": "start one job per TPU; {user} and {job} in tpu.name keep their names apart",
}
"""jobman's keys that have another place here."""


def explain(error: ValidationError, model: type[BaseModel], document: Document) -> list[Problem]:
    """Return one problem for every key that is wrong.

    Args:
        error: What pydantic found in `document.data`.
        model: The model of the whole file.
        document: The file.
    """
    by_path: dict[KeyPath, list[str]] = {}
    for details in error.errors(include_url=False, include_context=True):
        path = _written(details, document.data)
        if path[:2] in document.filled:  # the same is wrong with the key that it was filled in from
            continue
        by_path.setdefault(path, []).append(_text(details, path, model, document))
    return [document.problem(path, " or ".join(dict.fromkeys(texts))) for path, texts in by_path.items()]


def _written(details: ErrorDetails, data: Any) -> KeyPath:
    """The part of pydantic's location that is in the file: it also names members of unions."""
    path: KeyPath = ()
    for part in details["loc"]:
        if not _has(data, part):
            return (*path, part) if details["type"] == "missing" else path
        data, path = data[part], (*path, part)
    return path


def _has(data: Any, part: str | int) -> bool:
    if isinstance(data, dict):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)


def _text(details: ErrorDetails, path: KeyPath, model: type[BaseModel], document: Document) -> str:
    match details["type"]:
        case "extra_forbidden":
            return _unknown_key(path, model)
        case "missing":
            return f"is required: {description(model, path)}"
        case "wrong":
            return details["msg"]
        case "value_error" | "assertion_error":  # a plugin's validator
            return details["msg"].partition(", ")[2]
        case "literal_error" if isinstance(details["input"], str):
            choices = re.findall(r"'([^']*)'", str(details["ctx"]["expected"]))
            return f"{_found(path, document)}; {nearest(details['input'], choices)}"
    return f"expected {_expected(details, path)}, found {_found(path, document)}"


def _expected(details: ErrorDetails, path: KeyPath) -> str:
    key = dotted(tuple(part for part in path if isinstance(part, str)))
    if details["type"] == "string_pattern_mismatch" and key in PATTERNS:
        return PATTERNS[key]
    message = details["msg"].removeprefix("Input should be ").replace("greater", "a number greater")
    return EXPECTED.get(details["type"], message)


def _found(path: KeyPath, document: Document) -> str:
    """The value as it was written, unless it may be a secret."""
    value: Any = document.data
    for part in path:
        value = value[part]
    if isinstance(value, dict | list):
        return "a section" if isinstance(value, dict) else "a list"
    if path[0] == "env" or looks_secret(str(path[-1])):
        return "another value"
    return _literal(value)


def _literal(value: Any) -> str:
    if value is None:
        return "nothing"
    return str(value).lower() if isinstance(value, bool) else repr(value)[:80]


def _unknown_key(path: KeyPath, model: type[BaseModel]) -> str:
    if dotted(path) in ELSEWHERE:
        return f"unknown key; {ELSEWHERE[dotted(path)]}"
    return f"unknown key; {nearest(str(path[-1]), valid_keys(model, path[:-1]))}"
