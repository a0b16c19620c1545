"""What of records is shown: which properties, what relations lead to, and values as people read them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType
from sqlalchemy import Connection

from svc.domain.errors import Fault, InvalidInput, NotFound
from svc.domain.identity.callers import Caller
from svc.domain.identity.organizations import Organization
from svc.domain.records.answers import EXAMPLE, RecordAnswer
from svc.domain.records.formats import Formats
from svc.domain.records.limits import EXPANDED_MAX, PROPERTIES_MAX
from svc.domain.records.objects import FIRST_PROPERTY
from svc.domain.records.properties import Property
from svc.domain.records.queries import unknown_property
from svc.domain.records.values import Values
from svc.storage.identity import members
from svc.storage.records import objects
from svc.storage.records.listing import related
from svc.storage.records.listing.related import RelatedRecord
from svc.storage.records.objects import StoredObject
from svc.storage.records.rows import Record, visible, with_values
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.answers import answer_of
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
_listed: Final = Projection(Record, ListedRecord, given=("properties", "texts"))


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
        shown = [record.properties for record in records]
        if self._selects:
            shown = [visible(self._shown, properties) for properties in shown]
        texts: Sequence[dict[str, str] | UnsetType] = [UNSET] * len(records)
        if self._expanded or self._texts:
            relations = [prop for prop in self._shown.values() if prop.type == "relation"]
            leads = _values_of(shown, relations if self._texts else self._expanded)
            found = related.by_ids(self._conn, self._organization.id, leads) if leads else {}
            if self._texts:
                texts = self._texts_of(shown, relations, found)
            if self._expanded:
                shown = self._expand(shown, found)
        return tuple(
            _listed(record, properties=properties, texts=text)
            for record, properties, text in zip(records, shown, texts, strict=True)
        )

    def _expand(self, shown: Sequence[Values], found: Mapping[str, RelatedRecord]) -> list[Values]:
        """The values *shown*, with the records themselves that the expanded relations lead to."""
        wholes = {
            prop.slug: {
                record_id: answer_of(with_values(object_, found[record_id].row, found[record_id].values))
                for record_id, object_ in self._seen(prop, _values_of(shown, [prop]), found)
            }
            for prop in self._expanded
        }
        return [
            values
            | {
                slug: whole
                for slug, leads in wholes.items()
                if (whole := leads.get(values.get(slug, ""))) is not None
            }
            for values in shown
        ]

    def _texts_of(
        self, shown: Sequence[Values], relations: Sequence[Property], found: Mapping[str, RelatedRecord]
    ) -> list[dict[str, str]]:
        names: dict[str, str] = {}
        for prop in relations:
            for record_id, object_ in self._seen(prop, _values_of(shown, [prop]), found):
                if FIRST_PROPERTY.slug in object_.properties:
                    names[record_id] = found[record_id].values.get(FIRST_PROPERTY.slug, "")
        person_ids = _values_of(shown, [one for one in self._shown.values() if one.type == "member"])
        if person_ids and self._caller.narrowed_to is None:
            names |= members.names(self._conn, self._organization.id, person_ids)
        formats = Formats(self._organization.locale, self._organization.time_zone)
        return [formats.texts(self._shown.values(), values, names) for values in shown]

    def _seen(
        self, relation: Property, record_ids: Iterable[str], found: Mapping[str, RelatedRecord]
    ) -> Iterator[tuple[str, StoredObject]]:
        """Those of the ids where *relation* leads that the caller sees something of, with what that is."""
        [slug] = relation.options
        object_ = self._target(slug)
        if object_ is not None:
            for record_id in record_ids:
                lead = found.get(record_id)
                if lead is not None and lead.row.object_id == object_.id:
                    part = narrowing.part_for(self._caller, object_, lead.row.id)
                    if part is not None:
                        yield record_id, part

    def _target(self, slug: str) -> StoredObject | None:
        if slug not in self._targets:
            try:
                self._targets[slug] = objects.get(self._conn, self._organization.id, slug)
            except NotFound:
                self._targets[slug] = None
        return self._targets[slug]


def _unknown(member: str, slugs: Iterable[str], known: Mapping[str, Property]) -> Iterator[Fault]:
    return (
        unknown_property(f"/{member}/{place}", slug, known)
        for place, slug in enumerate(slugs)
        if slug not in known
    )


def _values_of(shown: Iterable[Values], properties: Sequence[Property]) -> set[str]:
    """The different values of *properties*."""
    return {values[prop.slug] for values in shown for prop in properties if prop.slug in values}
