"""The body of a delivery. Its bytes are the same at each attempt and redelivery."""

from typing import Final

import msgspec

from svc.domain.errors import Unreadable
from svc.domain.locale.times import rfc3339


class Payload(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The body: what happened, as JSON."""

    id: str
    """The event's, by which a receiver recognizes what it got before; without an event, the delivery's."""
    type: str
    timestamp: str
    """When it happened."""
    organization_id: str
    data: msgspec.Raw


_encode: Final = msgspec.json.Encoder().encode
_check: Final = msgspec.json.Decoder(msgspec.Raw).decode


def payload(id_: str, type_: str, at: int, organization_id: str, data: bytes) -> bytes:
    """The bytes of a body. *at* is ms since the epoch, and *data* stored JSON, which is put in as it is.

    Raises `Unreadable` for *data* that is no JSON.
    """
    try:
        data.decode()
        raw = _check(data)
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        raise Unreadable("what is stored of it cannot be read") from error
    return _encode(
        Payload(id=id_, type=type_, timestamp=rfc3339(at), organization_id=organization_id, data=raw)
    )
