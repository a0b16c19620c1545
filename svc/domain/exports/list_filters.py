"""Filters of lists that are no records: which members they may compare, and how.

They are written as those of records, with a member of the list's input or answer in place of a property.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from svc.domain.errors import Fault, InvalidInput
from svc.domain.exports.exports import ExportSource
from svc.domain.input.near_names import hint, shown
from svc.domain.locale.times import moment_ms
from svc.domain.records.operators import Op
from svc.domain.records.queries import Filter

_moment: Final = Annotated[datetime, msgspec.Meta(tz=True)]
_status: Final = Annotated[int, msgspec.Meta(ge=100, le=599)] | Literal["4xx", "5xx"]

_MEMBERS: Final[Mapping[ExportSource, Mapping[str, Any]]] = {
    "submissions": {"formId": str, "state": Literal["Filed", "Held", "Queued"], "receivedAt": _moment},
    "audit": {
        "personId": str,
        "callerId": str,
        "action": str,
        "target": str,
        "outcome": Literal["done", "refused"],
        "at": _moment,
    },
    "requests": {"keyId": str, "personId": str, "tool": str, "status": _status, "at": _moment},
}
"""The members of each list, with their types. Times are compared with `gte` and `lt`, all else with `eq`."""


class ListFilter(NamedTuple):
    """One comparison; a time is ms since the epoch."""

    member: str
    comparison: Op
    value: Any


def read(source: ExportSource, filters: Sequence[Filter]) -> tuple[ListFilter, ...]:
    """The comparisons of *filters*, all of which must hold. Raises `InvalidInput` with every fault."""
    found: list[ListFilter] = []
    faults: list[Fault] = []
    for place, filter_ in enumerate(filters):
        for one in _read(_MEMBERS[source], filter_, f"/filters/{place}"):
            if isinstance(one, Fault):
                faults.append(one)
            else:
                found.append(one)
    if faults:
        raise InvalidInput(faults)
    return tuple(found)


def _read(members: Mapping[str, Any], filter_: Filter, pointer: str) -> Iterator[ListFilter | Fault]:
    [*several] = filter_.plain()
    if filter_.any is not msgspec.UNSET:
        yield Fault(f"{pointer}/any", "invalid_value", "is for records alone")
        return
    member, comparison, value = several[0].property, several[0].op, several[0].value
    if member not in members:
        detail = f"there is no {shown(member)} in this list{hint(member, members)}"
        yield Fault(f"{pointer}/property", "invalid_value", detail)
        return
    kind = members[member]
    comparisons = ("gte", "lt") if kind is _moment else ("eq",)
    if comparison not in comparisons:
        detail = f"{member} is compared by {' or '.join(comparisons)}"
        yield Fault(f"{pointer}/op", "invalid_value", detail)
        return
    try:
        given = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        yield Fault(f"{pointer}/value", "invalid_value", str(error))
        return
    yield ListFilter(member, comparison, moment_ms(given) if isinstance(given, datetime) else given)
