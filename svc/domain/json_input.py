"""Reading JSON that somebody sends: into a shape, or with a word on what is wrong with it."""

import json
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson, pointer_to

T = TypeVar("T")


def read(decoder: "msgspec.json.Decoder[T]", body: bytes | msgspec.Raw) -> T:
    """What *body* says. Raises `MalformedJson`, and `InvalidInput` for another shape or text that is none."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise InvalidInput([_fault(str(error))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        faults = _half_pairs(bytes(body))
        if faults:
            raise InvalidInput(faults) from None
        raise MalformedJson("the body is not JSON") from None


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
