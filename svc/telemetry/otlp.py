"""Spans as OTLP's `ExportTraceServiceRequest`, in protobuf's wire format.

Written here, since it is most of what tracing costs. A message is its fields in any order, so what many spans
have in common, such as a turn's name, is encoded once; of each, only its place, its times and what is its own
are. A list is the same field again and again. The field numbers are those of
https://github.com/open-telemetry/opentelemetry-proto, whose own messages read it in the tests.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from struct import Struct
from typing import Final, Literal

Kind = Literal["internal", "server", "client"]
AttributeValue = str | int | float

_MORE: Final = 0x80
_LOW: Final = 0x7F
_INT64: Final = (1 << 64) - 1

# What begins a field: its number, and how its value is encoded (1: 8 bytes, 2: a length and so many bytes).
_RESOURCE_SPANS: Final = b"\x0a"
_RESOURCE: Final = b"\x0a"
_RESOURCE_ATTRIBUTE: Final = b"\x0a"
_SCOPE_SPANS: Final = b"\x12"
_SCOPE: Final = b"\x0a"
_SCOPE_NAME: Final = b"\x0a"
_SPAN: Final = b"\x12"
_TRACE_ID: Final = b"\x0a\x10"
_SPAN_ID: Final = b"\x12\x08"
_PARENT_ID: Final = b"\x22\x08"
_NAME: Final = b"\x2a"
_KIND: Final = b"\x30"
_BEGAN: Final = 0x39
_ENDED: Final = 0x41
_ATTRIBUTE: Final = b"\x4a"
_LINK: Final = b"\x6a"
_FAILED: Final = b"\x7a\x02\x18\x02"
"""A status with the code `ERROR`, and without a message."""
_KEY: Final = b"\x0a"
_VALUE: Final = b"\x12"
_STRING: Final = b"\x0a"
_INT: Final = b"\x18"
_DOUBLE_FIELD: Final = b"\x21"
_DOUBLE: Final = Struct("<d")

_KINDS: Final[Mapping[Kind, bytes]] = {
    "internal": _KIND + b"\x01",
    "server": _KIND + b"\x02",
    "client": _KIND + b"\x03",
}
_SCOPE_OF_ALL: Final = _SCOPE + b"\x05" + _SCOPE_NAME + b"\x03svc"
_OF_ROOT: Final = Struct("<2s16s2s8sBQBQ")
_OF_CHILD: Final = Struct("<2s16s2s8s2s8sBQBQ")
"""The ids and the times of a span, each with what begins its field."""


def encode_request(resource: Mapping[str, str], spans: Iterable[bytes]) -> bytes:
    """The request that exports *spans*, which *resource* has done."""
    attributes = [
        _field(_RESOURCE_ATTRIBUTE, _text_attribute(name, value.encode())) for name, value in resource.items()
    ]
    encoded = b"".join([_SCOPE_OF_ALL, *spans])
    of_resource = _field(_RESOURCE, b"".join(attributes)) + _field(_SCOPE_SPANS, encoded)
    return _field(_RESOURCE_SPANS, of_resource)


def encode_span(place: bytes, about: bytes, more: bytes) -> bytes:
    """One of the spans of a request: `place`, `about`, and further attributes and links."""
    size = len(place) + len(about) + len(more)
    return b"".join((_BEGINS[size] if size < len(_BEGINS) else _SPAN + _varint(size), place, about, more))


def place(trace_id: bytes, span_id: bytes, parent_id: bytes, began_ns: int, ended_ns: int) -> bytes:
    """Where and when a span is. A trace's id has 16 bytes, a span's 8; a trace begins without a parent."""
    times = _BEGAN, began_ns, _ENDED, ended_ns
    if parent_id:
        return _OF_CHILD.pack(_TRACE_ID, trace_id, _SPAN_ID, span_id, _PARENT_ID, parent_id, *times)
    return _OF_ROOT.pack(_TRACE_ID, trace_id, _SPAN_ID, span_id, *times)


def about(name: str, kind: Kind, attributes: Mapping[str, AttributeValue], *, failed: bool = False) -> bytes:
    """What a span is called, and what is said of it that others have in common with it."""
    return b"".join(
        (
            _field(_NAME, name.encode()),
            _KINDS[kind],
            *[attribute(*one) for one in attributes.items()],
            _FAILED if failed else b"",
        )
    )


def link(trace_id: bytes, span_id: bytes) -> bytes:
    """That a span goes on from another one, without being a part of its trace."""
    return _field(_LINK, b"".join((_TRACE_ID, trace_id, _SPAN_ID, span_id)))


def attribute(name: str, value: AttributeValue) -> bytes:
    """An attribute of a span."""
    if isinstance(value, str):
        return text_attribute(name, value.encode())
    if isinstance(value, float):
        return fraction_attribute(name, value)
    return _field(_ATTRIBUTE, _key(name) + _field(_VALUE, _INT + _varint(value & _INT64)))


def text_attribute(name: str, value: bytes) -> bytes:
    """An attribute of a span that is a text, in UTF-8."""
    return _text_begin(name, len(value)) + value


def fraction_attribute(name: str, value: float) -> bytes:
    """An attribute of a span that is a fraction."""
    return _fraction_begin(name) + _DOUBLE.pack(value)


@lru_cache(1_024)
def _text_begin(name: str, size: int) -> bytes:
    return _field(_ATTRIBUTE, _text_attribute(name, bytes(size)))[: -size or None]


@lru_cache(256)
def _fraction_begin(name: str) -> bytes:
    return _field(_ATTRIBUTE, _key(name) + _field(_VALUE, _DOUBLE_FIELD + bytes(_DOUBLE.size)))[
        : -_DOUBLE.size
    ]


def _text_attribute(name: str, value: bytes) -> bytes:
    return _key(name) + _field(_VALUE, _field(_STRING, value))


def _key(name: str) -> bytes:
    return _field(_KEY, name.encode())


def _field(begin: bytes, content: bytes) -> bytes:
    return begin + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > _LOW:
        encoded.append(number & _LOW | _MORE)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


_BEGINS: Final = tuple(_SPAN + _varint(size) for size in range(1_024))
"""What begins a span of so many bytes."""
