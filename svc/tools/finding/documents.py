"""The documents that a search for tools ranks, made of the tools' contracts."""

from collections.abc import Iterator
from typing import Any

from svc.tools.finding import vocabulary
from svc.tools.finding.ranking import Document
from svc.tools.schemas import Schemas
from svc.tools.tool import Tool


def document_of(tool: Tool[Any, Any], schemas: Schemas) -> Document:
    """The document of *tool*: its name, synonyms of noun and verb, its description, and its properties."""
    rest = tool.description.removeprefix(tool.summary)
    noun, verb = vocabulary.words_for(tool.name)
    return Document(
        name=tool.name,
        noun=noun,
        verb=verb,
        summary=tool.summary,
        description=rest,
        properties=" ".join(_property_texts(schemas.input)),
    )


def _property_texts(schema: dict[str, Any]) -> Iterator[str]:
    """The names and descriptions of all properties, nested ones included."""
    for name, property_ in schema.get("properties", {}).items():
        yield name
        yield property_.get("description", "")
        yield from _property_texts(property_)
    subschemas = [*schema.get("anyOf", ()), *schema.get("$defs", {}).values()]
    if "items" in schema:
        subschemas.append(schema["items"])
    for property_ in subschemas:
        yield from _property_texts(property_)
