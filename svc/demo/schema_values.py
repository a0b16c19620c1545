"""The smallest value of a JSON Schema, such as `demo-echo` answers with."""

from collections.abc import Iterable
from typing import Any, Final

_DEPTH_MAX: Final = 32
"""Of schemas within schemas: what refers to itself has an end."""
_VALUES_MAX: Final = 1_000
"""Values within one: beyond them there is null."""
_CHARS_MAX: Final = 100
_FORMATS: Final = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "email": "a@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
"""Texts of the formats that structured outputs know."""


def smallest(schema: Any) -> Any:
    """The smallest value that *schema* allows: required members alone, empty lists, the first of a choice.

    A text does not follow its `pattern`. What is no schema allows anything, so its value is null.
    """
    return _Values(schema).smallest(schema, 0)


class _Values:
    """The values of one schema, *root*, and of those within it."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = _VALUES_MAX

    def smallest(self, schema: Any, depth: int) -> Any:
        self._left -= 1
        if not isinstance(schema, dict) or depth > _DEPTH_MAX or self._left < 0:
            return None
        if isinstance(schema.get("$ref"), str):
            return self.smallest(self._at(schema["$ref"]), depth + 1)
        if "const" in schema:
            return schema["const"]
        if isinstance(options := schema.get("enum"), list) and options:
            return options[0]
        for name in ("anyOf", "oneOf"):
            if isinstance(options := schema.get(name), list) and options:
                return self._simplest(options, depth)
        if isinstance(parts := schema.get("allOf"), list) and parts:
            return self.smallest(self._merged([schema, *parts]), depth + 1)
        return self._of_kind(schema, depth)

    def _of_kind(self, schema: dict[str, Any], depth: int) -> Any:
        match _kind(schema):
            case "object":
                members, required = schema.get("properties"), schema.get("required")
                known = members if isinstance(members, dict) else {}
                names = required if isinstance(required, list) else []
                texts = (name for name in names if isinstance(name, str))
                return {name: self.smallest(known.get(name), depth + 1) for name in texts}
            case "array":
                count = min(_whole(schema.get("minItems")), max(0, self._left))
                return [self.smallest(schema.get("items"), depth + 1) for _ in range(count)]
            case "string":
                return _text(schema)
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return False
        return None

    def _simplest(self, options: list[Any], depth: int) -> Any:
        """The first of the *options*, but null where that is one: it ends what refers to itself."""
        is_nullable = any(isinstance(one, dict) and one.get("type") == "null" for one in options)
        return None if is_nullable else self.smallest(options[0], depth + 1)

    def _at(self, reference: str) -> Any:
        """What a *reference* such as `#/$defs/lamp` names; None where there is nothing."""
        found = self._root
        for step in reference.removeprefix("#").split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, dict) else None
        return found

    def _merged(self, parts: Iterable[Any]) -> dict[str, Any]:
        """All *parts* of an `allOf` as one schema, members and what is required of each together."""
        merged: dict[str, Any] = {}
        for part in parts:
            reference = part.get("$ref") if isinstance(part, dict) else None
            own = self._at(reference) if isinstance(reference, str) else part
            for name, value in own.items() if isinstance(own, dict) else ():
                if name == "properties" and isinstance(value, dict):
                    merged[name] = merged.get(name, {}) | value
                elif name == "required" and isinstance(value, list):
                    merged[name] = [*merged.get(name, []), *value]
                elif name != "allOf":
                    merged[name] = value
        return merged


def _kind(schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        return "null" if "null" in kind else next(iter(kind), None)
    if kind is None and ("properties" in schema or "required" in schema):
        return "object"
    return kind


def _text(schema: dict[str, Any]) -> str:
    text = _FORMATS.get(str(schema.get("format")), "")
    return text.ljust(min(_whole(schema.get("minLength")), _CHARS_MAX), "x")


def _number(schema: dict[str, Any]) -> Any:
    """The number nearest to zero, in whole steps."""
    step = schema.get("multipleOf")
    step = step if isinstance(step, int | float) and step > 0 else 1
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    most, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if isinstance(above, int | float) and above >= 0:
        return (above // step + 1) * step
    if isinstance(least, int | float) and least > 0:
        return -(-least // step) * step
    if isinstance(below, int | float) and below <= 0:
        return (-(-below // step) - 1) * step
    if isinstance(most, int | float) and most < 0:
        return most // step * step
    return 0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0
