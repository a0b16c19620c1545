"""Orders of records: the keys that a list is sorted by."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from svc.domain.records.kinds.registry import sort_key
from svc.domain.records.properties import Property


class Key(NamedTuple):
    """One key of an order."""

    prop: Property
    descending: bool


Rank = tuple[Any, ...]
_INVERTED: Final = bytes(range(255, -1, -1))
_END: Final = b"\xff"


class Order:
    """An order of records. Missing values come last in both directions; ties are broken by id.

    The id counts in the direction of the first key, so that one index can be walked one way.
    """

    __slots__ = ("descending", "keys")

    def __init__(self, keys: Sequence[Key]) -> None:
        """*keys*: at least one."""
        self.keys = tuple(keys)
        self.descending = self.keys[0].descending

    def sort_keys(self, values: Mapping[str, Any]) -> tuple[bytes, ...]:
        """The keys of a record, with its times among its *values*."""
        return tuple(sort_key(key.prop.type, values.get(key.prop.slug)) for key in self.keys)

    def rank(self, sort_keys: Sequence[bytes], record_id: str) -> Rank:
        """A tuple that compares as the records are ordered."""
        ranked = [
            (not sort_key, _inverted(sort_key) if key.descending else sort_key)
            for key, sort_key in zip(self.keys, sort_keys, strict=True)
        ]
        last = record_id.encode()
        return (*ranked, _inverted(last) if self.descending else last)


def _inverted(key: bytes) -> bytes:
    """A key that sorts in reverse; the end makes the longer of two with a common prefix come first."""
    return key.translate(_INVERTED) + _END
