"""Replacing the placeholder ids in the registry's examples by those of a demo."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

ExampleIds = Mapping[str, Mapping[str, str]]
"""By tool name, or `*` for all tools: from the placeholder in an example to the demo's id."""

NO_IDS: Final[ExampleIds] = {}


def with_ids(tool: str, value: Any, ids: ExampleIds) -> Any:
    """*value*, an example of *tool* as JSON, with the demo's ids."""
    replacements = {**ids.get("*", {}), **ids.get(tool, {})}
    if not replacements:
        return value
    text = msgspec.json.encode(value).decode()
    for placeholder, real in replacements.items():
        text = text.replace(f'"{placeholder}"', f'"{real}"')
    return msgspec.json.decode(text)
