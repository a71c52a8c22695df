"""The page of the job file, from its JSON Schema with the sections of the built-in plugins."""

from __future__ import annotations

import json
from typing import Any

from markup import code, note, table

from tpuherd.config.schema import json_schema
from tpuherd.hooks import GlobalHooks
from tpuherd.manager import make_plugin_manager

HEAD = """
# The job file

YAML. `tpu` is the only section that every file needs. Unknown keys and wrong types are refused, with file,
line, dotted key and the nearest valid choice, before anything is touched. `${tpu.accelerator}` stands for the
value of another key. `--override tpu.zone=us-east1-d` replaces a value for one command. Paths start at the
folder of the job file. Where a plugin is named, `tpu-vm` and `tpu_vm` are the same.

`tpuherd config.schema` prints the JSON Schema for your editor, with the sections of all plugins that you have
installed. This page shows those of the built-in plugins.
"""

SECRETS = """
A value can be a reference, which is read as late as possible and is never stored, logged or planned:
`{env: WANDB_API_KEY}` takes a variable of the machine where tpuherd runs, `{file: key.txt}` a file there. A
value that looks like a secret and is written out is refused.
"""

TYPES = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}


def page() -> str:
    """Return the whole page."""
    schema = json_schema(GlobalHooks(make_plugin_manager()).config_sections())
    sections = [_section(name, schema) for name in schema["properties"]]
    return note("the JSON Schema of job files") + HEAD + "".join(sections)


def _section(name: str, schema: dict[str, Any]) -> str:
    value = schema["properties"][name]
    model = _model(value, schema)
    description = value.get("description") or (model or {}).get("description", "")
    text = f"\n## {name}\n\n{description}\n"
    text += SECRETS if name == "env" else ""
    if model:
        return text + "\n" + table(("key", "type", "default", "meaning"), _rows(name, model, schema))
    default = _default(value)
    return text + f"\nType: {_type(value)}.{default and f' Default: {default}.'}\n"


def _rows(prefix: str, model: dict[str, Any], schema: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    rows = []
    for key, value in model["properties"].items():
        needed = key in model.get("required", ())
        default = "**required**" if needed else _default(value)
        rows.append((code(f"{prefix}.{key}"), _type(value), default, value.get("description", "")))
        inner = _model(value, schema) or _model(value.get("items", {}), schema)
        many = "[]" if value.get("type") == "array" else ""
        rows += _rows(f"{prefix}.{key}{many}", inner, schema) if inner else []
    return rows


def _model(value: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any] | None:
    """The section that a value is, also where it may be left out."""
    for choice in value.get("anyOf", [value]):
        if "$ref" in choice and choice["$ref"] != "#/$defs/SecretRef":
            found: dict[str, Any] = schema["$defs"][choice["$ref"].rpartition("/")[2]]
            return found
    return None


def _type(value: dict[str, Any]) -> str:
    if "enum" in value:
        return " or ".join(code(word) for word in value["enum"])
    if "const" in value:
        return code(value["const"])
    choices = [_type(choice) for choice in value.get("anyOf", ()) if choice.get("type") != "null"]
    return " or ".join(choices) or _plain_type(value)


def _plain_type(value: dict[str, Any]) -> str:
    if value.get("$ref", "").endswith("SecretRef"):
        return "reference"
    if "$ref" in value:
        return "section"
    if value.get("type") == "array":
        return f"list of {_type(value['items'])}"
    if value.get("type") == "object":
        of = value["additionalProperties"]
        return "map" if of is True else f"map of {_type(of)}"
    return "path" if value.get("format") == "path" else TYPES.get(value.get("type", ""), "anything")


def _default(value: dict[str, Any]) -> str:
    default = value.get("default")
    return (
        ""
        if default in (None, "", [], {})
        else code(default if isinstance(default, str) else json.dumps(default))
    )
