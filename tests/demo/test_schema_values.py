"""The smallest value of a schema, as the demo's model answers with it."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no types of its own
import pytest

from svc.demo.schema_values import smallest

TREE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["name", "next"],
        }
    },
}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": ""}),
        ({"type": "object"}, {}),
        ({"properties": {"a": {"type": "boolean"}}, "required": ["a"]}, {"a": False}),
        ({"type": "array", "items": {"type": "integer"}}, []),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [0, 0]),
        ({"type": "string", "minLength": 3}, "xxx"),
        ({"type": "string", "format": "date"}, "2026-01-01"),
        ({"type": "string", "enum": ["red", "green"]}, "red"),
        ({"const": 7}, 7),
        ({"type": "integer", "minimum": 3}, 3),
        ({"type": "integer", "exclusiveMinimum": 3}, 4),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "integer", "exclusiveMaximum": 0}, -1),
        ({"type": "integer", "minimum": 3, "multipleOf": 5}, 5),
        ({"type": "number", "minimum": 0.5}, 1),
        ({"type": ["string", "null"]}, None),
        ({"type": "null"}, None),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 0),
        ({"allOf": [{"properties": {"a": {"type": "integer"}}}, {"required": ["a"]}]}, {"a": 0}),
        (TREE, {"name": "", "next": None}),
        ({}, None),
    ],
)
def test_it_is_the_smallest_that_the_schema_allows(schema: Any, expected: Any):
    """Required members alone, and the first of a choice."""
    value = smallest(schema)

    assert expected == value
    jsonschema.validate(value, schema)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"type": "object", "properties": 1, "required": 2},
        {"type": "array", "minItems": 10**9},
        {"type": "string", "minLength": 10**9},
        {"allOf": [1, {"$ref": "#"}]},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}, "required": ["a", "b"]},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 99},
    ],
)
def test_what_makes_no_sense_has_an_end(schema: Any):
    """It comes from whoever calls."""
    smallest(schema)
