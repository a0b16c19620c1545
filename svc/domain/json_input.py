"""Reading JSON that somebody sends: into a shape, or with a word on what is wrong with it."""

from typing import TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson

T = TypeVar("T")


def read(decoder: "msgspec.json.Decoder[T]", body: bytes | msgspec.Raw) -> T:
    """What *body* says. Raises `MalformedJson`, and `InvalidInput` for another shape."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise InvalidInput([_fault(str(error))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedJson("the body is not JSON") from None


def _fault(message: str) -> Fault:
    """What msgspec found wrong, which names the place as a path such as `$.filters[0].op`."""
    detail, _, place = message.partition(" - at ")
    path = place.removeprefix("`key` in ").strip("`")
    return Fault(_pointer(path), "invalid_value", detail[:1].lower() + detail[1:])


def _pointer(path: str) -> str:
    """*path* as a JSON pointer. A key of an open object is not named in it: it ends before that."""
    steps = path.removeprefix("$").partition("[...]")[0].replace("[", ".").replace("]", "").split(".")
    return "".join(f"/{step}" for step in steps if step)
