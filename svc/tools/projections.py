"""Projections: typed mappings from stored structs to answers, checked when the module loads.

They serve as well from an input to what the storage takes of it.

    answer_of = Projection(Note, NoteAnswer)
    answer_of = Projection(Member, MemberAnswer, role=attrgetter("role_id"))
    details_of = Projection(Connection, ConnectionDetails, given=("keys",))  # details_of(c, keys=[…])

A member of the answer is the source's of the same name, with times as RFC 3339 and structs projected in turn;
or it has a function of its own; or it is given at each call. A member that is none of these is a `TypeError`
at import, and so is one whose type would change.
"""

from collections.abc import Callable, Iterable, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from svc.domain.locale.times import rfc3339

S = TypeVar("S")
R = TypeVar("R", bound=msgspec.Struct)

Getter = Callable[[Any], Any]

_TIME: Final = {"format": "date-time"}


class Projection(Generic[S, R]):
    """Maps *source* to *answer*. *members* are functions of the source; *given* are passed by each call."""

    def __init__(
        self, source: type[S], answer: type[R], /, *, given: Iterable[str] = (), **members: Callable[[S], Any]
    ) -> None:
        """Raises `TypeError` for a member of *answer* that *source* lacks or has with another type."""
        given = frozenset(given)
        wanted = get_type_hints(answer, include_extras=True)
        if unknown := (given | members.keys()) - wanted.keys():
            raise TypeError(f"{answer.__name__} has no {', '.join(sorted(unknown))}")
        has = _members_of(source)
        arguments: dict[str, str] = {name: name for name in given}
        functions: dict[str, Getter] = {}
        for name in (name for name in answer.__struct_fields__ if name not in given):
            if name in members:
                functions[name], arguments[name] = members[name], f"to_{name}(source)"
                continue
            if name not in has:
                raise TypeError(f"{answer.__name__}.{name} is none of {source.__name__}: give it a function")
            convert = _conversion(f"{answer.__name__}.{name}", has[name], wanted[name])
            if convert is None:
                arguments[name] = f"source.{name}"
            else:
                functions[name], arguments[name] = convert, f"to_{name}(source.{name})"
        self._project: Final = _compile(answer, arguments, functions, given)

    def __call__(self, source: S, **given: Any) -> R:
        """The answer for *source*. Raises `TypeError` unless exactly the *given* names are passed."""
        answer: R = self._project(source, **given)
        return answer


def _compile(
    answer: type[msgspec.Struct],
    arguments: Mapping[str, str],
    functions: Mapping[str, Getter],
    given: Iterable[str],
) -> Callable[..., Any]:
    """The function `lambda source, *, given: answer(name=argument, …)`.

    Compiled, as the constructors of dataclasses are, since it runs for each row of a list: a loop over the
    members takes seven times as long. The text has nothing but names of fields.
    """
    parameters = ", ".join(["source", *(["*", *sorted(given)] if given else [])])
    call = ", ".join(f"{name}={argument}" for name, argument in arguments.items())
    compiled: Callable[..., Any] = eval(  # noqa: S307
        f"lambda {parameters}: answer({call})",
        {"answer": answer} | {f"to_{name}": function for name, function in functions.items()},
    )
    compiled.__qualname__ = answer.__name__  # for the `TypeError` of a wrong call
    return compiled


def _members_of(source: type) -> dict[str, Any]:
    """The types of the fields and the properties of *source*, by name."""
    hints = dict(get_type_hints(source))
    for kind in source.__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, property) and member.fget is not None:
                hints.setdefault(name, get_type_hints(member.fget).get("return"))
    return hints


def _conversion(where: str, has: Any, wanted: Any) -> Getter | None:
    """The conversion from type *has* to type *wanted*; None where they are the same."""
    plain, is_optional = _without_none(_without_annotations(wanted))
    had, may_be_none = _without_none(has)
    if may_be_none and not is_optional:
        raise TypeError(f"{where} is never null, and its source may be")
    convert = _conversion_of_some(where, had, plain, is_time=_is_time(wanted))
    if convert is None or not may_be_none:
        return convert
    return lambda value: None if value is None else convert(value)


def _conversion_of_some(where: str, has: Any, wanted: Any, *, is_time: bool) -> Getter | None:
    if is_time and has is int:
        return rfc3339
    if has == wanted:
        return None
    if _is_struct(has) and _is_struct(wanted):
        return Projection(has, wanted)
    sequence = get_origin(wanted)
    if sequence in {list, tuple} and get_origin(has) in {list, tuple}:
        each = _conversion(where, get_args(has)[0], get_args(wanted)[0])
        return sequence if each is None else lambda values: sequence(map(each, values))
    raise TypeError(f"{where} is {wanted}, and its source {has}: give it a function")


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _is_time(hint: Any) -> bool:
    """Whether *hint* has the format of a time."""
    if get_origin(hint) is Annotated:
        inner, *metadata = get_args(hint)
        return any(getattr(item, "extra_json_schema", None) == _TIME for item in metadata) or _is_time(inner)
    return get_origin(hint) in {Union, UnionType} and any(map(_is_time, get_args(hint)))


def _without_annotations(hint: Any) -> Any:
    """*hint* without `Annotated`, at any depth."""

    class Holder:
        __annotations__: dict[str, Any] = {"it": hint}  # of a class that lives for one line

    return get_type_hints(Holder)["it"]


def _without_none(hint: Any) -> tuple[Any, bool]:
    """*hint* without None, and whether None was in it."""
    if get_origin(hint) not in {Union, UnionType}:
        return hint, False
    some = tuple(arg for arg in get_args(hint) if arg is not NoneType)
    return Union[some], len(some) < len(get_args(hint))  # noqa: UP007  # of a tuple
