"""Schemas of the contract as the reference shows them: fields, their types in words, and their rules."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec
from markupsafe import Markup

Json = dict[str, Any]

_WORDS: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
    "array": "list",
}
_FORMATS: Final = {"date-time": "time"}
_CHOICES_SHOWN_MAX: Final = 30


class Field(NamedTuple):
    """One field of an object."""

    name: str
    type: Markup
    required: bool
    description: str
    rules: list[str]


class Shape(NamedTuple):
    """One object of a schema, anchored by its name."""

    name: str
    description: str
    fields: list[Field]


def shapes_of(schemas: Mapping[str, Json], name: str, prefix: str) -> list[Shape]:
    """The schema *name* and all that it refers to, in the order of their mention, with anchors."""
    found, waiting = dict[str, Shape](), [name]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = _shape(name, schemas[name], prefix)
            waiting.extend(_mentions(schemas[name]))
    return list(found.values())


def _shape(name: str, schema: Json, prefix: str) -> Shape:
    required = schema.get("required", [])
    fields = [
        Field(
            one,
            _type(field, prefix),
            one in required,
            _description(field),
            list(dict.fromkeys(_rules(field))),
        )
        for one, field in schema.get("properties", {}).items()
    ]
    return Shape(name, schema.get("description", ""), fields)


def _description(field: Json) -> str:
    """Its own, or that of one of its alternatives."""
    said = (one.get("description", "") for one in [field, *field.get("anyOf", [])])
    return next(filter(None, said), "")


def _mentions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield _name(schema)
        for one in schema.values():
            yield from _mentions(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _mentions(one)


def _name(schema: Json) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    return name


def _type(schema: Json, prefix: str) -> Markup:
    """The type in words. Names of other shapes are links to them."""
    if "$ref" in schema:
        return Markup('<a href="#{}{}">{}</a>').format(prefix, _name(schema), _name(schema))
    if "anyOf" in schema:
        return Markup(" or ").join(_type(one, prefix) for one in schema["anyOf"])
    if "enum" in schema:
        return _choices(schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array":
        items = _type(schema["items"], prefix) if schema.get("items") else Markup("any value")
        return Markup("list of {}").format(items)
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return Markup("object of {}").format(_type(schema["additionalProperties"], prefix))
    return Markup("{}").format(_FORMATS.get(schema.get("format", ""), _WORDS.get(kind, kind)))


def _choices(values: list[Any]) -> Markup:
    shown = [Markup("<code>{}</code>").format(_text(one)) for one in values[:_CHOICES_SHOWN_MAX]]
    more = len(values) - len(shown)
    return Markup(" · ").join([*shown, f"and {more} more"] if more else shown)


def _rules(schema: Json) -> Iterator[str]:
    """What a value has to keep to, in words."""
    yield from _range(schema.get("minimum"), schema.get("maximum"), "{}")
    yield from _range(schema.get("minLength"), schema.get("maxLength"), "{} characters")
    yield from _range(schema.get("minItems"), schema.get("maxItems"), "{} items")
    yield from _range(schema.get("minProperties"), schema.get("maxProperties"), "{} names")
    if "pattern" in schema:
        yield f"matches `{schema['pattern']}`"
    for one in schema.get("anyOf", []):
        yield from _rules(one)
    for example in schema.get("examples", [])[:1]:
        yield f"such as `{_text(example)}`"


def _range(least: float | None, most: float | None, unit: str) -> Iterator[str]:
    if least is not None and most is not None:
        yield unit.format(f"{least:,} to {most:,}" if least != most else f"{least:,}")
    elif most is not None:
        yield "at most " + unit.format(f"{most:,}")
    elif least is not None:
        yield "at least " + unit.format(f"{least:,}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
