"""All kinds of properties, by type."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from svc.domain.records.kinds import (
    amount,
    boolean,
    date,
    datetime,
    duration,
    email,
    long_text,
    member,
    multi_select,
    number,
    phone,
    picture,
    relation,
    select,
    text,
    url,
)
from svc.domain.records.kinds.kind import Kind
from svc.domain.records.properties import PropertyType
from svc.domain.records.sort_keys import EMPTY, KEYS

KINDS: Final[Mapping[PropertyType, Kind]] = {
    module.KIND.name: module.KIND
    for module in (
        text,
        long_text,
        number,
        amount,
        date,
        datetime,
        duration,
        boolean,
        select,
        multi_select,
        email,
        phone,
        url,
        picture,
        relation,
        member,
    )
}

if set(KINDS) != set(get_args(PropertyType)):
    raise TypeError(f"not each type has a kind, and the reverse: {set(KINDS) ^ set(get_args(PropertyType))}")

_SORT_KEYS: Final = {name: KEYS[kind.order] for name, kind in KINDS.items()}


def sort_key(kind: PropertyType, value: Any) -> bytes:
    """The key of *value*, a stored value of a property of *kind*. A text is cut to the length of a key."""
    return EMPTY if value is None else _SORT_KEYS[kind](value)
