"""Input and output of a tool as self-contained JSON Schemas (2020-12)."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from svc.domain.either import Either
from svc.tools.tool import Tool

_REFERENCE: Final = "#/$defs/{name}"


class Schemas(NamedTuple):
    """Of one tool. Both are of type `object`, and self-contained."""

    input: dict[str, Any]
    output: dict[str, Any]


def schemas_of(tool: Tool[Any, Any]) -> Schemas:
    return Schemas(schema_of(tool.request_type), schema_of(tool.answer_type))


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema of *kind*, with the definitions that it refers to under `$defs`."""
    (root,), definitions = components([kind], _REFERENCE)
    name = root["$ref"].rpartition("/")[2]
    whole = dict(definitions[name])
    if not _refers(definitions, name):
        del definitions[name]
    if definitions:
        whole["$defs"] = {name: _untitled(definition) for name, definition in definitions.items()}
    return _untitled(whole)


def components(
    kinds: Iterable[type[Any]], ref_template: str
) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Any]]]:
    """The schemas of *kinds*, and the definitions that they refer to, by name.

    What is one of several shapes is any of theirs.
    """
    roots, definitions = msgspec.json.schema_components(kinds, ref_template=ref_template)
    for either in Either.__subclasses__():
        if either.__name__ in definitions:
            shapes, theirs = msgspec.json.schema_components(either.SHAPES, ref_template=ref_template)
            whole = definitions[either.__name__]
            kept = {key: whole[key] for key in ("title", "description")}
            definitions |= theirs | {either.__name__: {**kept, "anyOf": [*shapes]}}
    return roots, definitions


def _refers(schema: Any, name: str) -> bool:
    """Whether *schema* refers to the definition *name* anywhere."""
    if isinstance(schema, dict):
        return schema.get("$ref") == _REFERENCE.format(name=name) or any(
            _refers(part, name) for part in schema.values()
        )
    return isinstance(schema, list) and any(_refers(part, name) for part in schema)


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """*schema* without its title, which is the name of a class."""
    return {key: value for key, value in schema.items() if key != "title"}
