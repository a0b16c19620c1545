"""Roots of paths below which an event's members are: their names and types are those of its struct."""

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from msgspec import inspect

from svc.domain.channels.events import MessageReceived
from svc.domain.events import NewEvent
from svc.domain.forms.events import SubmissionFiled
from svc.domain.records.events import RecordUpdated
from svc.domain.records.objects import CONTACT, DEAL
from svc.domain.records.properties import PropertyType

_RECORDS: Final = {"contact_id": CONTACT, "deal_id": DEAL}
"""The object of the record that a member names."""
_TYPES: Final[dict[type[inspect.Type], PropertyType]] = {
    inspect.StrType: "long_text",
    inspect.LiteralType: "long_text",
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.BoolType: "boolean",
}


class RootMember(NamedTuple):
    """A name below a root."""

    data_name: str
    """Its name in the event's data."""
    type: PropertyType | None
    """None for JSON of which nothing is known until it is there."""
    object_type: str | None
    """The object of the record that it names."""
    is_object: bool
    """Whether it is an object of JSON: an empty one in events that do not have it."""


class EventRoot:
    """The members of *event* as names below a root: the id in *own_id* as `id`, others as they are sent.

    A new member of the struct is there by itself. Those that are found *elsewhere* are not, and `source` is
    not; what is *first* is told before the others where names are listed.
    """

    def __init__(
        self,
        event: type[NewEvent],
        own_id: str,
        *,
        elsewhere: Collection[str] = (),
        first: Collection[str] = (),
    ) -> None:
        self.event_type: Final = event.type
        info = inspect.type_info(event)
        assert isinstance(info, inspect.StructType)  # noqa: S101  # events are structs
        fields = {field.name: field for field in info.fields}
        told = dict.fromkeys([own_id, *first, *fields])
        self.members: Final = {
            "id" if name == own_id else fields[name].encode_name: _member(fields[name])
            for name in told
            if name != "source" and name not in elsewhere
        }
        """By name, in the order in which they are told."""

    def values(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """What is below the root where an event has this *data*."""
        return {
            name: data.get(member.data_name, {} if member.is_object else None)
            for name, member in self.members.items()
        }


def _member(field: inspect.Field) -> RootMember:
    kind = _plain(field.type)
    object_type = _RECORDS.get(field.name)
    return RootMember(
        data_name=field.encode_name,
        type=_TYPES.get(type(kind)) if object_type is None else "relation",
        object_type=object_type,
        is_object=isinstance(kind, inspect.DictType),
    )


def _plain(kind: inspect.Type) -> inspect.Type:
    """The type without what is said of it, and without null."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        others = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return _plain(others[0]) if len(others) == 1 else kind
    return kind


OBJECT_TYPE: Final = RecordUpdated.data_name("object_type")
CHANGED: Final = RecordUpdated.data_name("changed")

SUBMISSION: Final = EventRoot(SubmissionFiled, "submission_id", elsewhere=("contact_id", "deal_id"))
"""Its contact and its deal are the roots `record` and `deal`."""
MESSAGE: Final = EventRoot(MessageReceived, "message_id", elsewhere=("attachments",), first=("text",))
"""Attachments are no single values."""
