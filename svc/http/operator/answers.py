"""Answers of the operator's listener: JSON of structs, and paths that hold any key."""

from functools import cache
from typing import Any

import msgspec
from quart import Response
from werkzeug.routing import BaseConverter


class AnyText(BaseConverter):
    """The rest of a path, as it is: slashes, line breaks and all."""

    regex = r"(?s:.+)"
    part_isolating = False


def json_answer(value: Any, status: int = 200) -> Response:
    return Response(
        msgspec.json.encode(value),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
    )


def to_json(value: Any) -> Any:
    """Structs as JSON objects with camelCase names; the keys of a mapping stay as they are."""
    match value:
        case msgspec.Struct():
            return {_camel(name): to_json(getattr(value, name)) for name in value.__struct_fields__}
        case list() | tuple():
            return [to_json(item) for item in value]
        case _:
            return value


@cache
def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
