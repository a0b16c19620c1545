"""What of records is shown: which properties, what relations lead to, and values as people read them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import Connection

from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.identity.callers import Caller
from svc.domain.identity.organizations import Organization
from svc.domain.limits import EXPANDED_MAX, PROPERTIES_MAX
from svc.domain.records.formats import Formats
from svc.domain.records.objects import FIRST_PROPERTY
from svc.domain.records.properties import Property
from svc.domain.records.queries import unknown_property
from svc.storage.identity import members
from svc.storage.records import objects
from svc.storage.records.listing import related
from svc.storage.records.listing.related import RelatedRecord
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, visible
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.answers import EXAMPLE, RecordAnswer, answer_of
from svc.tools.tool import ToolInput, about

Texts = Annotated[
    dict[str, str],
    about(
        description="Values as people read them, by the same slugs: in the organization's language, time "
        "zone and formats. A relation and a member are names; empty where there is none to be seen."
    ),
]


class ShownMembers(ToolInput, frozen=True, kw_only=True):
    """What is shown of each record."""

    fields: (
        Annotated[
            tuple[str, ...],
            about(
                description="Slugs of the properties to show; all of them without it.",
                max_length=PROPERTIES_MAX,
                examples=[["name", "city"]],
            ),
        ]
        | None
    ) = None
    expand: Annotated[
        tuple[str, ...],
        about(
            description="Slugs of relations that show the record that they lead to, in the place of its id.",
            max_length=EXPANDED_MAX,
            examples=[["company"]],
        ),
    ] = ()
    texts: Annotated[bool, about(description="Show values as people read them, too, in `texts`.")] = False


class ListedRecord(RecordAnswer, frozen=True, kw_only=True):
    """A record, with its values as people read them where that was asked."""

    texts: Texts | UnsetType = UNSET


LISTED: Final = ListedRecord(**msgspec.structs.asdict(EXAMPLE))
_listed: Final = Projection(Record, ListedRecord, given=("texts",))


class Presentation:
    """What one call shows of records of one object."""

    def __init__(
        self,
        conn: Connection,
        caller: Caller,
        organization: Organization,
        object_: StoredObject,
        request: ShownMembers,
    ) -> None:
        """*object_* has the properties that *caller* may see. Raises `InvalidInput` with every fault."""
        known = object_.properties
        faults = [
            *_unknown("fields", request.fields or (), known),
            *_unknown("expand", request.expand, known),
        ]
        faults += [
            Fault(f"/expand/{place}", "invalid_value", f"is of type {known[slug].type}, and no relation")
            for place, slug in enumerate(request.expand)
            if slug in known and known[slug].type != "relation"
        ]
        if faults:
            raise InvalidInput(faults)
        self._conn = conn
        self._caller = caller
        self._organization = organization
        self._texts = request.texts
        self._expanded = [known[slug] for slug in dict.fromkeys(request.expand)]
        wanted = known if request.fields is None else {*request.fields, *request.expand}
        self._shown = {slug: prop for slug, prop in known.items() if slug in wanted}
        self._selects = request.fields is not None
        self._targets: dict[str, StoredObject | None] = {}

    def of(self, records: Sequence[Record]) -> tuple[ListedRecord, ...]:
        """The answers that show *records*, in their order."""
        if self._selects:
            records = [
                msgspec.structs.replace(record, properties=visible(self._shown, record.properties))
                for record in records
            ]
        if not (self._expanded or self._texts):
            return tuple(_listed(record, texts=UNSET) for record in records)
        named = [prop for prop in self._shown.values() if prop.type == "relation"]
        leads = _values_of(records, named if self._texts else self._expanded)
        found = related.by_ids(self._conn, self._organization.id, leads) if leads else {}
        texts = self._texts_of(records, named, found) if self._texts else [UNSET] * len(records)
        return tuple(
            _listed(self._expand(record, found), texts=text)
            for record, text in zip(records, texts, strict=True)
        )

    def _expand(self, record: Record, found: Mapping[str, RelatedRecord]) -> Record:
        """*record* with the records themselves that its expanded relations lead to."""
        properties = record.properties
        for prop in self._expanded:
            lead = found.get(properties.get(prop.slug, ""))
            object_ = None if lead is None else self._seen(prop, lead)
            if lead is not None and object_ is not None:
                properties = properties | {prop.slug: _whole(object_, lead)}
        return msgspec.structs.replace(record, properties=properties)

    def _texts_of(
        self, records: Sequence[Record], named: Sequence[Property], found: Mapping[str, RelatedRecord]
    ) -> list[dict[str, str] | UnsetType]:
        names: dict[str, str] = {}
        for prop in named:
            for record_id in _values_of(records, [prop]):
                lead = found.get(record_id)
                object_ = None if lead is None else self._seen(prop, lead)
                if lead is not None and object_ is not None and FIRST_PROPERTY.slug in object_.properties:
                    names[record_id] = lead.values.get(FIRST_PROPERTY.slug, "")
        person_ids = _values_of(records, [one for one in self._shown.values() if one.type == "member"])
        if person_ids and self._caller.narrowed_to is None:
            names |= members.names(self._conn, self._organization.id, person_ids)
        formats = Formats(self._organization.locale, self._organization.time_zone)
        return [formats.texts(self._shown.values(), record.properties, names) for record in records]

    def _seen(self, relation: Property, lead: RelatedRecord) -> StoredObject | None:
        """The object of what *relation* leads to, with what the caller may see of it; None for nothing."""
        [slug] = relation.options
        if slug not in self._targets:
            try:
                self._targets[slug] = objects.get(self._conn, self._organization.id, slug)
            except NotFound:
                self._targets[slug] = None
        object_ = self._targets[slug]
        if object_ is None or object_.id != lead.object_id:
            return None
        return narrowing.part_for(self._caller, object_, lead.id)


def _unknown(member: str, slugs: Iterable[str], known: Mapping[str, Property]) -> Iterator[Fault]:
    return (
        unknown_property(f"/{member}/{place}", slug, known)
        for place, slug in enumerate(slugs)
        if slug not in known
    )


def _values_of(records: Iterable[Record], properties: Sequence[Property]) -> set[str]:
    """The different values of *properties* in *records*."""
    return {
        record.properties[prop.slug]
        for record in records
        for prop in properties
        if prop.slug in record.properties
    }


def _whole(object_: StoredObject, lead: RelatedRecord) -> Any:
    return answer_of(
        Record(
            id=lead.id,
            object_type=object_.slug,
            version=lead.version,
            properties=visible(object_.properties, lead.values),
            created_at=lead.created_at,
            updated_at=lead.updated_at,
        )
    )
