"""Schemas of the contract as tables of the reference: fields, types in words, and rules."""

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
    """One object of a schema, with its name as anchor."""

    name: str
    description: str
    fields: list[Field]


def shapes_of(schemas: Mapping[str, Json], name: str, prefix: str) -> list[Shape]:
    """The schema *name* and those that it references, in order of their first mention."""
    shapes, waiting = dict[str, Shape](), [name]
    while waiting:
        name = waiting.pop(0)
        if name not in shapes:
            shapes[name] = _shape(name, schemas[name], prefix)
            waiting.extend(_mentions(schemas[name]))
    return list(shapes.values())


def _shape(name: str, schema: Json, prefix: str) -> Shape:
    required = schema.get("required", [])
    fields = [
        Field(
            field_name,
            _type(field, prefix),
            field_name in required,
            _description(field),
            list(dict.fromkeys(_rules(field))),
        )
        for field_name, field in schema.get("properties", {}).items()
    ]
    return Shape(name, schema.get("description", ""), fields)


def _description(field: Json) -> str:
    """The field's description, or that of its first alternative with one."""
    descriptions = (part.get("description", "") for part in [field, *field.get("anyOf", [])])
    return next(filter(None, descriptions), "")


def _mentions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield _name(schema)
        for value in schema.values():
            yield from _mentions(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _mentions(item)


def _name(schema: Json) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    return name


def _type(schema: Json, prefix: str) -> Markup:
    """The type in words, with links to other shapes."""
    if "$ref" in schema:
        return Markup('<a href="#{}{}">{}</a>').format(prefix, _name(schema), _name(schema))
    if "anyOf" in schema:
        return Markup(" or ").join(_type(alternative, prefix) for alternative in schema["anyOf"])
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
    choices = [Markup("<code>{}</code>").format(_text(value)) for value in values[:_CHOICES_SHOWN_MAX]]
    more = len(values) - len(choices)
    return Markup(" · ").join([*choices, f"and {more} more"] if more else choices)


def _rules(schema: Json) -> Iterator[str]:
    """The constraints of a value, in words."""
    yield from _range(schema.get("minimum"), schema.get("maximum"), "{}")
    yield from _range(schema.get("minLength"), schema.get("maxLength"), "{} characters")
    yield from _range(schema.get("minItems"), schema.get("maxItems"), "{} items")
    yield from _range(schema.get("minProperties"), schema.get("maxProperties"), "{} names")
    if "pattern" in schema:
        yield f"matches `{schema['pattern']}`"
    for alternative in schema.get("anyOf", []):
        yield from _rules(alternative)
    for example in schema.get("examples", [])[:1]:
        yield f"such as `{_text(example)}`"


def _range(minimum: float | None, maximum: float | None, unit: str) -> Iterator[str]:
    if minimum is not None and maximum is not None:
        yield unit.format(f"{minimum:,} to {maximum:,}" if minimum != maximum else f"{minimum:,}")
    elif maximum is not None:
        yield "at most " + unit.format(f"{maximum:,}")
    elif minimum is not None:
        yield "at least " + unit.format(f"{minimum:,}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
