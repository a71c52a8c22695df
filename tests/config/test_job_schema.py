from __future__ import annotations

import json

import pytest
from job_files import GET_STARTED, SECTIONS

from tpuherd.config.document import parse
from tpuherd.config.schema import json_schema


@pytest.fixture(scope="module")
def schema():
    return json_schema(SECTIONS)


def test_it_is_json_with_a_dialect(schema):
    assert json.loads(json.dumps(schema))["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["tpu"]
    assert schema["additionalProperties"] is False


def test_every_key_is_described(schema):
    for name, section in [("top", schema), *schema["$defs"].items()]:
        assert section["description"], name
        for key, value in section.get("properties", {}).items():
            assert value.get("description") or value["$ref"], f"{name}.{key}"


def test_sections_of_plugins_are_in_it(schema):
    assert schema["properties"]["command"]["description"] == "A command."
    assert schema["$defs"]["Command"]["required"] == ["cmd"]


def test_all_references_lead_somewhere(schema):
    def references(value):
        if isinstance(value, dict):
            yield from ([value["$ref"]] if "$ref" in value else [])
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                yield from references(item)

    found = set(references(schema))
    assert found
    assert all(reference.removeprefix("#/$defs/") in schema["$defs"] for reference in found)


def test_jobmans_keys_are_all_in_it(schema):
    for section, keys in parse(GET_STARTED, "x").data.items():
        place = schema["properties"][section]
        reference = place.get("$ref") or next(item["$ref"] for item in place["anyOf"] if "$ref" in item)
        assert set(keys) <= set(schema["$defs"][reference.rpartition("/")[2]]["properties"])
