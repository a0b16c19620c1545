"""The ids in the examples of the registry, which no service has, and those of a demo in their place."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

ExampleIds = Mapping[str, Mapping[str, str]]
"""By the name of a tool, or by `*` for all others: ids of examples, and those of the demo for them."""

NO_IDS: Final[ExampleIds] = {}


def with_ids(tool: str, value: Any, ids: ExampleIds) -> Any:
    """*value*, JSON of an example of *tool*, with the demo's own ids in it."""
    known = {**ids.get("*", {}), **ids.get(tool, {})}
    if not known:
        return value
    text = msgspec.json.encode(value).decode()
    for placeholder, real in known.items():
        text = text.replace(f'"{placeholder}"', f'"{real}"')
    return msgspec.json.decode(text)
