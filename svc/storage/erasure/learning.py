"""Learning what a person is known by, from what their records have, and had."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.objects import NAMES
from svc.domain.records.values import Values
from svc.storage.erasure.person import Person
from svc.storage.records import rows as record_rows
from svc.storage.records import tables as records_tables
from svc.storage.sql.expressions import Utf8

_NAME_PARTS: Final = (
    ("first_name", "firstname", "given_name", "forename"),
    ("last_name", "lastname", "surname", "family_name"),
)

_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode


def learn_from_records(conn: sa.Connection, organization_id: str, person: Person) -> None:
    """Learn e-mails, phones and names from what the records have, and had."""
    for record_id in person.records:
        row = record_rows.by_id(conn, organization_id, record_id)
        if row is None:
            continue
        kept = {prop.slug: prop.type for prop in record_rows.object_of(conn, row).kept}
        values = values_in(row.properties.encode())
        _learn(person, kept, values.items())
        if name := full_name(values):
            person.names.add(name)
        changes = conn.scalars(
            sa.select(Utf8(records_tables.record_changes.c.changed)).where(
                records_tables.record_changes.c.record_id == record_id
            )
        )
        for changed in changes:
            for slug, before_and_after in values_in(changed).items():
                if isinstance(before_and_after, list):
                    _learn(person, kept, ((slug, value) for value in before_and_after))
        identities = records_tables.identities.c
        for kind, value in conn.execute(
            sa.select(identities.kind, identities.value).where(identities.record_id == record_id)
        ).tuples():
            (person.emails if kind == "email" else person.phones).add(value)


def _learn(person: Person, types: dict[str, Any], values: Iterable[tuple[str, Any]]) -> None:
    for slug, value in values:
        if not isinstance(value, str) or not value:
            continue
        kind = types.get(slug)
        if kind == "email":
            person.emails.add(value)
        elif kind == "phone":
            person.phones.add(value)
        elif slug in NAMES and kind is not None and KINDS[kind].is_free_text:
            person.names.add(value)


def full_name(values: Values) -> str | None:
    """First and last name, where a record has one of each."""
    parts = [next((values[slug] for slug in slugs if values.get(slug)), None) for slugs in _NAME_PARTS]
    return " ".join(map(str, parts)) if all(parts) else None


def values_in(stored: bytes) -> dict[str, Any]:
    """The values of a stored object of JSON; none if it cannot be read."""
    try:
        return _decode(stored)
    except msgspec.DecodeError:
        return {}
