"""Decoding JSON from callers: into a struct, or with every fault named.

A repeated name in an object is rejected (RFC 8259 section 4 leaves its meaning open): two programs that read
such a body, a proxy and this one, say, may each take another of the values.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, takewhile
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from svc.domain.errors import Fault, InvalidInput, MalformedJson, pointer_to
from svc.domain.input.faults import CheckedValue
from svc.domain.limits import FAULTS_MAX

POINTER_CHARS_MAX: Final = 1_000
"""Length of a pointer in a fault; a longer one is cut to the nearest parent that fits."""

_LITERALS: Final = ("true", "false", "null")
_LONGEST_LITERAL_CHARS: Final = max(map(len, _LITERALS))

_NUL: Final = rb"\u0000"
"""In JSON the character stands in no other way."""
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")

T = TypeVar("T")


class RepeatedName(ValueError):
    """Raised when a name is repeated in an object."""


def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object with these members, for the standard library's decoder. Raises `RepeatedName`."""
    object_ = dict(pairs)
    if len(object_) != len(pairs):
        raise RepeatedName
    return object_


def _check_names(pairs: list[tuple[str, Any]]) -> None:
    """Raises `RepeatedName`. The object is not kept: many take more time and memory than all else."""
    if len(pairs) > 1 and len({name for name, _ in pairs}) != len(pairs):
        raise RepeatedName


# msgspec silently keeps the last of repeated members; this decoder sees all of them, at 5 ns a byte.
_names: Final = json.JSONDecoder(object_pairs_hook=_check_names)


def read(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """Decode *body*.

    Raises `MalformedJson` for what is not JSON, with line and column; and `InvalidInput` with every fault:
    another shape, text that is not Unicode, a repeated name.
    """
    try:
        value = decoder.decode(body)
    except msgspec.ValidationError as error:
        return _read_again(decoder.type, body, error, look_for_repeats=True)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unread(body, error) from None
    faults = repeated_names(body)
    if faults:
        raise InvalidInput(faults)
    return value


def read_part(decoder: "msgspec.json.Decoder[T]", part: msgspec.Raw) -> T:
    """Decode *part* of a body that was already checked for repeated names. Raises as `read` does."""
    try:
        return decoder.decode(part)
    except msgspec.ValidationError as error:
        return _read_again(decoder.type, bytes(part), error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _unread(bytes(part), error) from None


def _read_again(
    kind: type[T], body: bytes, error: msgspec.ValidationError, *, look_for_repeats: bool = False
) -> T:
    """Decode *body* again after msgspec stopped at the first fault, to find all. Raises as `read` does."""
    try:
        checked = CheckedValue(kind, msgspec.json.decode(body))
        faults = [*checked.faults, *(repeated_names(body) if look_for_repeats else ())]
        if faults:
            raise InvalidInput(faults) from None
        return msgspec.convert(checked.value, kind)
    except msgspec.ValidationError as second:
        # A number out of range of a double; the message names its place where the decoder knew it.
        raise InvalidInput([_fault(str(second if "[...]" not in str(second) else error))]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as unread:
        raise _unread(body, unread) from None


def repeated_names(body: bytes) -> tuple[Fault, ...]:
    """The repeated names in the objects of the JSON text *body*, at most `FAULTS_MAX` of them.

    Raises `MalformedJson` if it cannot be decoded.
    """
    try:
        _names.raw_decode(body.decode().lstrip())
    except RepeatedName:
        repeats = _repeats(_all_members.decode(body.decode()))
        return tuple(_faults_at(repeats, "stands twice in one object", "duplicate_name"))
    except (ValueError, RecursionError) as error:
        raise _unread(body, error) from None
    return ()


def read_storable(decoder: "msgspec.json.Decoder[T]", body: bytes) -> T:
    """As `read`, for what may be stored: see `check_storable`."""
    return _storable(read(decoder, body), body)


def read_storable_part(decoder: "msgspec.json.Decoder[T]", part: msgspec.Raw) -> T:
    """As `read_part`, for what may be stored: see `check_storable`."""
    return _storable(read_part(decoder, part), bytes(part))


def _storable(value: T, body: bytes) -> T:
    if _NUL in body:  # hardly ever, and to look at each text takes longer than to read it
        check_storable(value)
    return value


def check_storable(value: object) -> None:
    """Raises `InvalidInput` for text with a NUL character, which not every database can store."""
    faults = _faults_at(
        (path for path, text in _texts(msgspec.to_builtins(value)) if "\0" in text), "has a NUL character"
    )
    if faults:
        raise InvalidInput(faults)


def _unread(body: bytes, error: Exception) -> InvalidInput | MalformedJson:
    """The error for a *body* that cannot be decoded at all."""
    faults = _half_pairs(body)
    if faults:
        return InvalidInput(faults)
    if isinstance(error, RecursionError):
        return MalformedJson("the body is nested too deeply")
    try:
        body.decode()
    except UnicodeDecodeError as undecodable:
        return MalformedJson(f"the body is not UTF-8: {_place(body, undecodable.start)} is no character")
    if not body.strip():
        return MalformedJson("the body is empty: send a JSON object")
    if not isinstance(error, msgspec.DecodeError):  # such as an integer over Python's limit of digits
        return MalformedJson("the body is not JSON that can be read")
    what, _, where = str(error).removeprefix("JSON is malformed: ").partition(" (byte ")
    offset = int(where.rstrip(")")) if where else len(body)
    literal = _broken_literal(body[:offset])
    if literal is not None:
        return MalformedJson(f"the body is not JSON: invalid literal at {_place(body, literal)}")
    if not where:  # "Input data was truncated"
        return MalformedJson(f"the body is not JSON: it ends too early, at {_place(body, offset)}")
    offset -= what.startswith("trailing characters")  # msgspec names the second of these
    return MalformedJson(f"the body is not JSON: {what} at {_place(body, offset)}")


def _broken_literal(read: bytes) -> int | None:
    """The offset of the broken `true`, `false` or `null` at the end of what msgspec has *read*, if any.

    msgspec names the byte behind as many as the literal should have. The standard library names the first.
    """
    text = read.decode(errors="ignore")  # it may end within a character
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos : error.pos + _LONGEST_LITERAL_CHARS]
        begun = any(literal.startswith(rest[:1]) for literal in _LITERALS)
        if rest and begun and not any(literal.startswith(rest) for literal in _LITERALS):
            return len(text[: error.pos].encode())
    except (ValueError, RecursionError):
        pass
    return None


def _place(body: bytes, offset: int) -> str:
    """Line and column of the byte at *offset*, counted from 1 in characters, as editors do."""
    before = body[:offset].decode(errors="replace")
    return f"line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))}"


def _half_pairs(body: bytes) -> list[Fault]:
    """Where *body* has unpaired surrogates, which JSON can escape (RFC 8259 section 8.2) and UTF-8 cannot."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return []
    halves = (path for path, text in _texts(value) if _HALF_PAIR.search(text))
    return _faults_at(halves, "has half of a surrogate pair")


class _Members(list[tuple[str, Any]]):
    """An object with all of its members, repeated ones included."""


_all_members: Final = json.JSONDecoder(object_pairs_hook=_Members)


def _repeats(value: Any) -> Iterator["_Path"]:
    for path, node in _walk(value):
        if isinstance(node, _Members) and len(dict(node)) != len(node):
            counts = Counter(name for name, _ in node)
            yield from ((path, name) for name, count in counts.items() if count > 1)


_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""The path to a value: that of its parent, and its name or index in it. None for the root."""


def _texts(value: Any) -> Iterator[tuple[_Path, str]]:
    """Every string in *value*, keys included, with its path."""
    for path, node in _walk(value):
        if isinstance(node, str):
            yield path, node
        elif isinstance(node, dict):
            yield from ((path, name) for name in node)


def _walk(value: Any) -> Iterator[tuple[_Path, Any]]:
    """Every value in *value*, itself first, with its path."""
    # Iterative, and pointers are built only for faults: one for each value of a deep body, or under long
    # names, would take quadratic time.
    waiting: list[Iterator[tuple[_Path, Any]]] = [iter([(None, value)])]
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
            continue
        yield node
        waiting.append(_children(*node))


def _children(path: _Path, value: Any) -> Iterator[tuple[_Path, Any]]:
    match value:
        case dict():
            yield from (((path, name), child) for name, child in value.items())
        case _Members():
            yield from (((path, name), child) for name, child in value)
        case list() | tuple():
            yield from (((path, place), child) for place, child in enumerate(value))


def _faults_at(paths: Iterable[_Path], detail: str, code: str = "invalid_value") -> list[Fault]:
    pointers = dict.fromkeys(_pointer_along(path) for path in islice(paths, FAULTS_MAX))
    return [Fault(pointer, code, detail) for pointer in pointers]


def _pointer_along(path: _Path) -> str:
    steps = []
    while path is not None:
        path, step = path
        steps.append(pointer_to(str(step)))
    lengths = accumulate(map(len, reversed(steps)))
    fitting = sum(1 for _ in takewhile(POINTER_CHARS_MAX.__ge__, lengths))
    pointer = "".join(islice(reversed(steps), fitting))
    return pointer.encode(errors="replace").decode()  # a name may have unpaired surrogates, too


def _fault(message: str) -> Fault:
    """The fault in a message of msgspec, which names the place as a path such as `$.filters[0].op`."""
    detail, _, place = message.partition(" - at ")
    path = place.removeprefix("`key` in ").strip("`")
    return Fault(_pointer(path), "invalid_value", detail[:1].lower() + detail[1:])


def _pointer(path: str) -> str:
    """*path* as a JSON pointer. A key of an open object is not named in it: it ends before that."""
    steps = path.removeprefix("$").partition("[...]")[0].replace("[", ".").replace("]", "").split(".")
    return "".join(f"/{step}" for step in steps if step)
