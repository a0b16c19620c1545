"""Header fields that several doors send, and the success of a call."""

from collections.abc import Sequence
from typing import Final

from svc.http.fast_path import Answer

Field = tuple[bytes, bytes]
Fields = Sequence[Field]
"""Header fields as they are sent: names in lower case, in the order given."""

JSON: Final = (b"content-type", b"application/json")
NO_STORE: Final = (b"cache-control", b"no-store")
NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
CROSS_ORIGIN_RESOURCE: Final = (b"cross-origin-resource-policy", b"cross-origin")
"""Lets pages of any origin load the answer, isolated ones too."""
REPLAYED: Final = (b"idempotent-replayed", b"true")


def json_answer(status: int, body: bytes | bytearray, *fields: Field) -> Answer:
    """Answer with JSON that no cache may store, since it is for one caller."""
    return Answer(status, [JSON, NO_STORE, *fields], body)


def success(body: bytes, *, replayed: bool) -> Answer:
    """Answer a call with 200; *replayed* marks the stored answer of the first call under its key."""
    return json_answer(200, body, REPLAYED) if replayed else json_answer(200, body)
