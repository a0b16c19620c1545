"""Structs that have one of several shapes, told apart by the members that are there.

msgspec has no union of structs without tags. So an `Either` has the members of all its shapes, each of them
optional, and is decoded as any struct is; faults of input and schemas are those of the shape.
"""

from collections.abc import Collection
from functools import cache
from typing import ClassVar, Final

import msgspec
from msgspec import UNSET

_Shape = type[msgspec.Struct]


class Either(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of such structs. The default of every member is `UNSET`."""

    SHAPES: ClassVar[tuple[_Shape, ...]] = ()
    """A value is of the first shape that requires any of its members, or else of the last."""

    def __post_init__(self) -> None:
        given = {name for name in self.__struct_fields__ if getattr(self, name) not in _ABSENT}
        known, required = _members(self.shape_of(given))
        if not required <= given <= known:
            raise ValueError(f"{sorted(given)} is no shape of a {type(self).__name__}")

    @classmethod
    def shape_of(cls, members: Collection[str]) -> _Shape:
        """The shape that a value with these *members* is of, or is meant to be."""
        return next((shape for shape in cls.SHAPES if _members(shape)[1] & {*members}), cls.SHAPES[-1])


_ABSENT: Final = (UNSET, None)


@cache
def _members(shape: _Shape) -> tuple[frozenset[str], frozenset[str]]:
    """The names of all members of *shape*, and of those that are required."""
    fields = msgspec.structs.fields(shape)
    return (
        frozenset(field.encode_name for field in fields),
        frozenset(field.encode_name for field in fields if field.required),
    )
