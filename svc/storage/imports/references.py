"""References by name: the records and members that cells name instead of telling their ids."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.errors import InvalidValue
from svc.domain.identity.organizations import Organization
from svc.domain.imports.faults import Reason
from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.lines import Line, MissingRecord
from svc.domain.input.near_names import shown
from svc.domain.records.cells.formats import NameReference
from svc.domain.records.contact_points import normalise_email
from svc.domain.records.kinds.registry import sort_key
from svc.domain.records.objects import CONTACT
from svc.domain.records.sort_keys import fold
from svc.domain.records.values import read
from svc.storage.identity import tables as identity_tables
from svc.storage.records import contacts, objects, tables
from svc.storage.records.listing import index as record_index
from svc.storage.records.listing import index_builds
from svc.storage.records.objects import StoredObject, StoredProperty
from svc.storage.rows import Selection
from svc.storage.statements import Statement
from svc.storage.store import Tx

_NAME: Final = "name"
_CANDIDATES_MAX: Final = 100
"""Records whose names begin alike that are looked at; where there are more, the name is none's alone."""


class _Named(msgspec.Struct, frozen=True):
    """A record that may have a name."""

    id: str
    properties: dict[str, Any]


_NAMED: Final = Selection(_Named, tables.records)
_BY_KEY: Final = _NAMED.prepared(
    _NAMED.select(
        tables.record_keys.c.property_id == sa.bindparam("property_id"),
        tables.record_keys.c.key == sa.bindparam("key"),
        tables.records.c.deleted_at.is_(None),
    )
    .join(tables.record_keys, tables.record_keys.c.record_id == tables.records.c.id)
    .order_by(tables.records.c.id)
    .limit(_CANDIDATES_MAX)
)
_MEMBERS: Final = Statement(
    sa.select(identity_tables.members.c.person_id)
    .join(identity_tables.people, identity_tables.people.c.id == identity_tables.members.c.person_id)
    .where(
        identity_tables.members.c.organization_id == sa.bindparam("organization_id"),
        identity_tables.people.c.email == sa.bindparam("email"),
    ),
    str,
)


def are_ready(tx: Tx, object_: StoredObject, slugs: Iterable[str]) -> bool:
    """Whether the records that relations among *slugs* lead to can be found by name.

    If not, the indexes that are missing are wanted from now on, and the Indexer builds them.
    """
    missing = []
    for slug in slugs:
        prop = object_.properties.get(slug)
        if prop is not None and prop.type == "relation":
            target = objects.get(tx.conn, object_.organization_id, prop.options[0])
            name = target.properties.get(_NAME)
            if name is not None and name.index_state != "ready":
                missing.append(name)
    wanted = [name.id for name in missing if name.index_state is None]
    if wanted:
        index_builds.want(tx, object_.organization_id, wanted)
    return not missing


class References:
    """Looks up what the lines of one batch name, each name once."""

    def __init__(
        self,
        conn: sa.Connection,
        organization: Organization,
        object_: StoredObject,
        settings: ReadingSettings,
    ) -> None:
        """Of the objects that *settings* name, what is not found is to be made."""
        self._conn = conn
        self._organization = organization
        self._object = object_
        self._settings = settings
        self._targets: dict[str, StoredObject] = {}
        self._found: dict[tuple[str, str], str | MissingRecord | InvalidValue] = {}

    def resolve(self, line: Line) -> None:
        """Replace what *line* names by ids. What is not found is to be made, or a reason to refuse it."""
        for slug, value in [*line.values.items()]:
            if isinstance(value, NameReference):
                found = self._found.get((slug, value.text))
                if found is None:
                    found = self._found[slug, value.text] = self._look_up(slug, value.text)
                if isinstance(found, InvalidValue):
                    line.refuse(Reason(slug, str(found), found.general), slug, self._settings)
                elif isinstance(found, MissingRecord):
                    line.missing[slug] = found
                else:
                    line.values[slug] = found

    def _look_up(self, slug: str, text: str) -> str | MissingRecord | InvalidValue:
        prop = self._object.properties[slug]
        what = "member" if prop.type == "member" else prop.options[0]
        ids = self._members(text) if prop.type == "member" else self._records(what, text)
        if len(ids) == 1:
            return ids[0]
        if ids:
            return InvalidValue(f"several records of `{what}` are called {shown(text)}: tell the id of one")
        return self._missing(what, text) if prop.type == "relation" else InvalidValue(_none(what, text))

    def _missing(self, slug: str, text: str) -> MissingRecord | InvalidValue:
        """The record called *text* that is to be made, or why it is not."""
        target = self._targets[slug]
        name = target.properties.get(_NAME)
        if name is None or (target.slug == CONTACT and "@" in text):
            return InvalidValue(_none(slug, text))
        if slug not in self._settings.make_missing:
            return InvalidValue(
                f"{_none(slug, text)}: make it, or give `makeMissing` (--make-missing {slug})"
            )
        try:
            read(name, text, self._organization.country)
        except InvalidValue as error:
            return InvalidValue(f"{_none(slug, text)}, and none can be made: {error}")
        return MissingRecord(slug, text)

    def _members(self, text: str) -> list[str]:
        try:
            email = normalise_email(text)
        except InvalidValue:
            return []
        return _MEMBERS.all(self._conn, organization_id=self._organization.id, email=email)

    def _records(self, slug: str, text: str) -> list[str]:
        """The records with that unique value, else that e-mail or phone of a contact, else that name."""
        target = self._targets.get(slug)
        if target is None:
            target = self._targets[slug] = objects.get(self._conn, self._organization.id, slug)
        ids = [owner for prop in target.properties.values() if (owner := self._owner(prop, text)) is not None]
        if not ids and target.slug == CONTACT:
            ids = self._known_by(text)
        return list(dict.fromkeys(ids)) or self._named(target, text)

    def _owner(self, prop: StoredProperty, text: str) -> str | None:
        if not prop.unique or prop.type == "number":
            return None
        try:
            value = read(prop, text, self._organization.country)
        except InvalidValue:
            return None
        if value is None:
            return None
        return record_index.owner(self._conn, prop.id, record_index.unique_key(value))

    def _known_by(self, text: str) -> list[str]:
        if "@" not in text:
            return []
        try:
            email = normalise_email(text)
        except InvalidValue:
            return []
        return sorted(contacts.ids_known_by(self._conn, self._organization.id, "email", email))

    def _named(self, target: StoredObject, text: str) -> list[str]:
        name = target.properties.get(_NAME)
        if name is None:
            return []
        rows = _BY_KEY.all(self._conn, property_id=name.id, key=sort_key(name.type, text))
        return [row.id for row in rows if fold(str(row.properties.get(_NAME, ""))) == fold(text)]


def _none(what: str, text: str) -> str:
    return f"there is no {what} {shown(text)}"
