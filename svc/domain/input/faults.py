"""Validation of a JSON value against a type that names every fault, in words for the API's caller.

msgspec stops at the first fault and names Python's types. So once it has rejected a value, this walks all of
it along the same type and names each fault in JSON's words, with a pointer to the member.
It accepts one thing that msgspec does not: an integer written as `1.0`, which is one to JSON Schema.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, cast

from msgspec import inspect

from svc.domain.either import Either
from svc.domain.errors import Fault, pointer_to
from svc.domain.input.near_names import guess, meant, near_first, nearest, rest_of
from svc.domain.limits import CHOICES_TOLD_MAX, FAULTS_MAX, SHOWN_NAME_CHARS_MAX

_RFC3339: Final = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})")

_Array = inspect.VarTupleType | inspect.ListType | inspect.SetType | inspect.FrozenSetType
_Type = inspect.Type


class CheckedValue:
    """A JSON value validated against a type: the converted value, and every fault in it."""

    def __init__(self, kind: type[Any], value: Any) -> None:
        """Validate *value*, decoded JSON, against *kind*. Raises `TypeError` for an unsupported type."""
        self.faults: list[Fault] = []
        """At most `FAULTS_MAX`, in document order."""
        self.value: Any = self._read(inspect.type_info(kind), value, "")
        """*value* with its integers as integers; meaningless if there are faults."""

    def _fault(self, pointer: str, code: str, detail: str) -> None:
        if len(self.faults) < FAULTS_MAX:
            self.faults.append(Fault(pointer, code, detail))

    def _read(self, kind: _Type, value: Any, pointer: str) -> Any:
        match kind:
            case inspect.Metadata():
                return self._read(kind.type, value, pointer)
            case inspect.AnyType() | inspect.RawType():
                return value
            case inspect.UnionType():
                return self._read_union(kind, value, pointer)
        if not _is_of(kind, value):
            self._fault(pointer, "invalid_value", f"must be {_named(kind)}, not {json_type(value)}")
            return value
        match kind:
            case inspect.StructType():
                return self._read_struct(kind, value, pointer)
            case inspect.DictType():
                return self._read_dict(kind, value, pointer)
            case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
                return self._read_array(kind, value, pointer)
            case inspect.LiteralType() if value not in kind.values:
                self._fault(pointer, "invalid_value", f"must be {_chosen_of(value, kind.values)}")
            case inspect.StrType():
                self._note(pointer, _text_faults(kind, value))
            case inspect.IntType():
                self._note(pointer, _number_faults(kind, value))
                return int(value)
            case inspect.FloatType():
                self._note(pointer, _number_faults(kind, value))
        return value

    def _note(self, pointer: str, details: Iterator[str]) -> None:
        for detail in details:
            self._fault(pointer, "invalid_value", detail)

    def _read_struct(self, kind: inspect.StructType, members: dict[str, Any], pointer: str) -> dict[str, Any]:
        if issubclass(kind.cls, Either):
            kind = cast(inspect.StructType, inspect.type_info(kind.cls.shape_of(members)))
        fields = {field.encode_name: field for field in kind.fields}
        values = dict(members)
        for name, field in fields.items():
            if name in members:
                values[name] = self._read(field.type, members[name], pointer + pointer_to(name))
            elif field.required:
                self._fault(pointer + pointer_to(name), "missing", f"is required: {_named(field.type)}")
        if kind.forbid_unknown_fields:
            known = [name for name in (kind.tag_field, *fields) if name is not None]
            self._refuse_unknown(known, members, pointer)
        return values

    def _refuse_unknown(self, known: list[str], members: dict[str, Any], pointer: str) -> None:
        """One fault for each member that is not *known*; a very long name is not repeated."""
        for name in members:
            if name in known:
                continue
            if len(name) > SHOWN_NAME_CHARS_MAX:
                detail = f"has a member with a name of {len(name):,} characters, which is not known here"
                self._fault(pointer, "unknown_field", detail)
            else:
                detail = f"is not known here{guess(name, known)}" if known else "is not known here: send `{}`"
                self._fault(pointer + pointer_to(name), "unknown_field", detail)
            if len(self.faults) >= FAULTS_MAX:
                return

    def _read_dict(self, kind: inspect.DictType, members: dict[str, Any], pointer: str) -> dict[str, Any]:
        size = _size_fault(kind.min_length, kind.max_length, len(members), "member")
        if size is not None:
            self._fault(pointer, "invalid_value", size)
            return members
        return {
            name: self._read(kind.value_type, inner, pointer + pointer_to(name))
            for name, inner in members.items()
        }

    def _read_array(self, kind: _Array, items: list[Any], pointer: str) -> list[Any]:
        size = _size_fault(kind.min_length, kind.max_length, len(items), "item")
        if size is not None:
            self._fault(pointer, "invalid_value", size)
            items = items[: kind.max_length]
        return [self._read(kind.item_type, inner, f"{pointer}/{place}") for place, inner in enumerate(items)]

    def _read_union(self, kind: inspect.UnionType, value: Any, pointer: str) -> Any:
        choices = [_plain(type_) for type_ in kind.types]
        tagged = [
            choice
            for choice in choices
            if isinstance(choice, inspect.StructType) and choice.tag_field is not None
        ]
        if tagged and isinstance(value, dict):
            return self._read_tagged(tagged, value, pointer)
        fitting = next((choice for choice in choices if _is_of(choice, value)), None)
        if fitting is not None:
            return self._read(fitting, value, pointer)
        self._fault(pointer, "invalid_value", f"must be {_named(kind)}, not {json_type(value)}")
        return value

    def _read_tagged(self, kinds: list[inspect.StructType], value: dict[str, Any], pointer: str) -> Any:
        """*value* as the one of *kinds* that its tag names."""
        name = str(kinds[0].tag_field)
        tags = tuple(kind.tag for kind in kinds)
        tag = value.get(name)
        tagged = next((kind for kind in kinds if kind.tag == tag), None)
        if tagged is not None:
            return self._read_struct(tagged, value, pointer)
        if name in value:
            self._fault(pointer + pointer_to(name), "invalid_value", f"must be {_chosen_of(tag, tags)}")
        else:
            self._fault(pointer + pointer_to(name), "missing", f"is required: {_one_of(tags)}")
        return value


def _plain(kind: _Type) -> _Type:
    """*kind* without its metadata."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    return kind


def _is_of(kind: _Type, value: Any) -> bool:
    """Whether *value* has the JSON type of *kind*, whatever its content."""
    match _plain(kind):
        case inspect.StructType() | inspect.DictType():
            return isinstance(value, dict)
        case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
            return isinstance(value, list)
        case inspect.StrType():
            return isinstance(value, str)
        case inspect.DateTimeType():
            return isinstance(value, str) and _is_time(value)
        case inspect.LiteralType() as literal:
            return any(isinstance(value, type(choice)) for choice in literal.values)
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.NoneType():
            return value is None
        case inspect.IntType():
            whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
            return whole and not isinstance(value, bool)
        case inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case inspect.AnyType() | inspect.RawType():
            return True
        case inspect.UnionType() as union:
            return any(_is_of(type_, value) for type_ in union.types)
    raise TypeError(f"inputs have no {kind!r}")


def _named(kind: _Type) -> str:
    """What *kind* is in JSON's words."""
    match _plain(kind):
        case inspect.StructType() | inspect.DictType():
            return "an object"
        case inspect.VarTupleType() | inspect.ListType() | inspect.SetType() | inspect.FrozenSetType():
            return "an array"
        case inspect.StrType():
            return "a string"
        case inspect.DateTimeType():
            return "a time such as 2026-09-18T12:00:00Z (RFC 3339)"
        case inspect.LiteralType() as literal:
            return _one_of(literal.values)
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.IntType():
            return "an integer"
        case inspect.FloatType():
            return "a number"
        case inspect.UnionType() as union:
            # That an optional member may be null does not help after a value of another type.
            named = (_named(type_) for type_ in union.types if not isinstance(type_, inspect.NoneType))
            return " or ".join(dict.fromkeys(named))
    return "any value"


def json_type(value: Any) -> str:
    """The JSON type of *value*; never the value itself, which may be secret."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a number"
        case str():
            return "a string" if value else "an empty string"
        case list():
            return "an array"
    return "an object"


def _one_of(values: Iterable[Any]) -> str:
    shown = [f'"{value}"' if isinstance(value, str) else str(value) for value in values]
    told = ", ".join(shown[:CHOICES_TOLD_MAX]) + rest_of(shown)
    return f"one of {told}" if len(shown) > 1 else told


def _chosen_of(value: Any, choices: tuple[Any, ...]) -> str:
    """The *choices* where *value* is none of them; those that were probably meant come first."""
    by_name = {str(choice): choice for choice in choices}
    near = meant(nearest(str(value), by_name))
    return f"{_one_of(by_name[name] for name in near_first(str(value), by_name))}{near}"


def _is_time(value: str) -> bool:
    if not _RFC3339.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value.upper())
    except ValueError:
        return False
    return True


def _text_faults(kind: inspect.StrType, value: str) -> Iterator[str]:
    size = _size_fault(kind.min_length, kind.max_length, len(value), "character")
    if size is not None:
        yield size
    if kind.pattern is not None and re.search(kind.pattern, value) is None:
        yield f"must match `{kind.pattern}`"


def _number_faults(kind: inspect.IntType | inspect.FloatType, value: float) -> Iterator[str]:
    if kind.ge is not None and value < kind.ge:
        yield f"must be at least {kind.ge:,}"
    if kind.gt is not None and value <= kind.gt:
        yield f"must be more than {kind.gt:,}"
    if kind.le is not None and value > kind.le:
        yield f"must be at most {kind.le:,}"
    if kind.lt is not None and value >= kind.lt:
        yield f"must be less than {kind.lt:,}"
    if kind.multiple_of is not None and value % kind.multiple_of:
        yield f"must be a multiple of {kind.multiple_of}"


def _size_fault(size_min: int | None, size_max: int | None, size: int, what: str) -> str | None:
    if size == 0 and size_min == 1:
        return "must not be empty"
    if size_min is not None and size < size_min:
        return f"must have at least {_counted(size_min, what)}, not {size:,}"
    if size_max is not None and size > size_max:
        return f"must have at most {_counted(size_max, what)}, not {size:,}"
    return None


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
