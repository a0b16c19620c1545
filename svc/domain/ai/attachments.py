"""Attachments of a request's messages: pictures, sound, files."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from svc.domain.ai.usage import NULL, is_null, text_bytes

_DATA: Final = {"image_url": "url", "input_audio": "data", "file": "file_data"}
"""The types of a message's parts that are attachments, and the member that holds the data of each."""
_TEXTS: Final = frozenset({"text", "refusal", "thinking", "reasoning"})
"""The types of parts that are text, every token of which is in the body."""
_DETAILS: Final = (b"null", b'"auto"', b'"low"', b'"high"')
"""How closely a model may look at a picture that counts as one of usual size."""
_TYPE_BYTES_MAX: Final = 120
"""Of the JSON of such a type, each of its characters escaped."""


class Attachments(NamedTuple):
    """What the messages of a request have beside text."""

    number: int
    """Pictures, sounds and files."""
    data_bytes: int
    """What of the body is their data."""
    fills_context: bool
    """Whether one may be as long as the model takes: all but pictures, whose data say little about it."""


class _Message(msgspec.Struct):
    content: msgspec.Raw = NULL
    audio: msgspec.Raw = NULL
    """An earlier answer that was spoken, by its id."""


class _Part(msgspec.Struct):
    type: msgspec.Raw = NULL
    image_url: msgspec.Raw = NULL
    input_audio: msgspec.Raw = NULL
    file: msgspec.Raw = NULL


class _Data(msgspec.Struct):
    url: msgspec.Raw = NULL
    data: msgspec.Raw = NULL
    file_data: msgspec.Raw = NULL
    detail: msgspec.Raw = NULL


_text: Final = msgspec.json.Decoder(str).decode
_values: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_message: Final = msgspec.json.Decoder(_Message).decode
_part: Final = msgspec.json.Decoder(_Part).decode
_data: Final = msgspec.json.Decoder(_Data).decode


def attachments_of(messages: Iterable[msgspec.Raw]) -> Attachments:
    """The attachments of *messages*, each of which is an object."""
    number = data_bytes = 0
    fills_context = False
    for message in messages:
        members = _message(message)
        fills_context |= not is_null(members.audio)
        for kind, part in _parts(members.content):
            if kind in _TEXTS:
                continue
            data = _data_of(kind, part)
            fills_context |= kind != "image_url" or bytes(data.detail) not in _DETAILS
            if kind in _DATA:
                number += 1
                data_bytes += _size(getattr(data, _DATA[kind]))
    return Attachments(number, data_bytes, fills_context)


def is_object(raw: msgspec.Raw) -> bool:
    """Whether the JSON *raw* is an object."""
    return bytes(memoryview(raw)[:1]) == b"{"


def _parts(content: msgspec.Raw) -> Iterator[tuple[str, _Part]]:
    """The parts of a message, each with its type."""
    try:
        parts = _values(content)
    except msgspec.DecodeError:
        return
    for part in filter(is_object, parts):
        members = _part(part)
        yield _short_text(members.type), members


def _short_text(raw: msgspec.Raw) -> str:
    try:
        return _text(raw) if len(memoryview(raw)) <= _TYPE_BYTES_MAX else ""
    except msgspec.DecodeError:
        return ""


def _data_of(kind: str, part: _Part) -> _Data:
    raw = getattr(part, kind) if kind in _DATA else NULL
    return _data(raw) if is_object(raw) else _Data()


def _size(data: msgspec.Raw) -> int:
    """The bytes of an attachment's data; 0 for one that is elsewhere, at an address."""
    return text_bytes(_text(data)) if bytes(memoryview(data)[:1]) == b'"' else 0
