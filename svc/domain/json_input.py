"""Reading JSON that somebody sends: into a shape, or with a word on what is wrong with it."""

import json
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson, pointer_to
from svc.domain.input_faults import Checked

T = TypeVar("T")


def read(decoder: "msgspec.json.Decoder[T]", body: bytes | msgspec.Raw) -> T:
    """What *body* says.

    Raises:
        MalformedJson: it is not JSON; the message says at which line and column.
        InvalidInput: every way in which it is of another shape, or holds text that is none.
    """
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as refusal:
        return _read_again(decoder.type, bytes(body), refusal)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as refusal:
        raise _unread(bytes(body), refusal) from None


def _read_again(kind: type[T], body: bytes, refusal: msgspec.ValidationError) -> T:
    """What *body* says, once its decoder has stopped at the first fault. Raises as `read` does."""
    try:
        checked = Checked(kind, msgspec.json.decode(body))
        if checked.faults:
            raise InvalidInput(checked.faults) from None
        return msgspec.convert(checked.value, kind)
    except msgspec.ValidationError as other:
        # A number that no double holds; the message names its place where the decoder knew it.
        raise InvalidInput([_fault(str(other if "[...]" not in str(other) else refusal))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as unread:
        raise _unread(body, unread) from None


def _unread(body: bytes, refusal: Exception) -> InvalidInput | MalformedJson:
    """What is wrong with a *body* that cannot be decoded at all."""
    faults = _half_pairs(body)
    if faults:
        return InvalidInput(faults)
    if isinstance(refusal, RecursionError):
        return MalformedJson("the body is nested too deeply")
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return MalformedJson(f"the body is not UTF-8: {_place(body, error.start)} is no character")
    if not body.strip():
        return MalformedJson("the body is empty: send a JSON object")
    what, _, where = str(refusal).removeprefix("JSON is malformed: ").partition(" (byte ")
    if not where:  # "Input data was truncated"
        return MalformedJson(f"the body is not JSON: it ends too early, at {_place(body, len(body))}")
    offset = int(where.rstrip(")")) - what.startswith("trailing characters")  # of which the second is named
    return MalformedJson(f"the body is not JSON: {what} at {_place(body, offset)}")


def _place(body: bytes, offset: int) -> str:
    """Where the byte at *offset* stands, counted from 1, in characters as an editor counts them."""
    before = body[:offset].decode(errors="replace")
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def check_storable(told: msgspec.Struct) -> None:
    """Raises `InvalidInput` for text with a NUL character, which not every database can keep."""
    faults = [
        Fault(pointer, "invalid_value", "has a NUL character")
        for pointer, text in _texts("", msgspec.to_builtins(told))
        if "\0" in text
    ]
    if faults:
        raise InvalidInput(faults)


def _half_pairs(body: bytes) -> list[Fault]:
    """Where *body* has half a surrogate pair, which JSON can say (RFC 8259 section 8.2) and is no text."""
    try:
        return [
            Fault(pointer.encode(errors="replace").decode(), "invalid_value", "has half of a surrogate pair")
            for pointer, text in _texts("", json.loads(body))
            if any("\ud800" <= character <= "\udfff" for character in text)
        ]
    except (ValueError, RecursionError):
        return []


def _texts(pointer: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in *value*, keys included, and where it is."""
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, inner in value.items():
                yield pointer, key
                yield from _texts(pointer + pointer_to(key), inner)
        case list() | tuple():
            for place, inner in enumerate(value):
                yield from _texts(f"{pointer}/{place}", inner)


def _fault(message: str) -> Fault:
    """What msgspec found wrong, which names the place as a path such as `$.filters[0].op`."""
    detail, _, place = message.partition(" - at ")
    path = place.removeprefix("`key` in ").strip("`")
    return Fault(_pointer(path), "invalid_value", detail[:1].lower() + detail[1:])


def _pointer(path: str) -> str:
    """*path* as a JSON pointer. A key of an open object is not named in it: it ends before that."""
    steps = path.removeprefix("$").partition("[...]")[0].replace("[", ".").replace("]", "").split(".")
    return "".join(f"/{step}" for step in steps if step)
