"""Finding a person: their records, submissions and conversations, and the marks learned from them."""

import re
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.erasure.marks import Marks, Scrubber, ids_in, is_mark
from svc.domain.errors import Conflict, Fault, InvalidInput, InvalidValue, NotFound
from svc.domain.input.near_names import shown
from svc.domain.records.contact_points import normalise_email, normalise_phone
from svc.domain.versions import ERASED_VERSION
from svc.storage.erasure.learning import full_name, learn_from_records, values_in
from svc.storage.erasure.person import LESSER_CHARS_MIN, Person, PersonQuery
from svc.storage.erasure.scans import Reads, scan
from svc.storage.erasure.treatments import BY_TABLE
from svc.storage.identity import organizations
from svc.storage.records import objects as record_objects
from svc.storage.records import rows as record_rows
from svc.storage.records import tables as records_tables

_EXTERNAL_CHARS_MIN: Final = 5

_TELLS: Final = re.compile(rf'"version":{ERASED_VERSION},"properties":{{}}'.encode())
"""In an event that tells of an erasure, which has to reach those who are to erase the person, too."""


def find(read: Reads, organization_id: str, wanted: PersonQuery, known: Person | None = None) -> Person:
    """Find all that is the person's own, beside what is *known* of an earlier pass.

    Raises:
        NotFound: there is no such record, and none was erased.
        Conflict: an e-mail or phone leads to several contacts; then the record has to be named.
        InvalidInput: the e-mail or the phone is none, or the record is of no person.
    """
    person = known or Person()
    read(_begin, organization_id, wanted, person)
    live = _add_records(read, organization_id, wanted, person)
    if known is None and wanted.record_id is None and len(live) > 1:
        raise Conflict(
            f"several contacts have this e-mail or phone: {', '.join(sorted(live))}; "
            "merge them, or name one with --record"
        )
    read(learn_from_records, organization_id, person)
    _find_shared_points(read, organization_id, person)
    _add_records(read, organization_id, wanted, person, deleted=True)
    read(learn_from_records, organization_id, person)
    # Twice, since what was sent tells more than the contact has.
    for _ in range(2):
        _add_submissions(read, organization_id, person)
        _add_conversations(read, organization_id, person)
    _find_shared(read, organization_id, person)
    _add_followers(read, organization_id, person)
    return person


def _begin(conn: sa.Connection, organization_id: str, wanted: PersonQuery, person: Person) -> None:
    organization = organizations.get(conn, organization_id)
    if wanted.email is None and wanted.phone is None and wanted.record_id is None:
        raise InvalidInput([Fault("", "missing", "say the e-mail, the phone or the record of the person")])
    given: list[tuple[str, str]] = []
    try:
        if wanted.email is not None:
            given.append(("email", normalise_email(wanted.email)))
        if wanted.phone is not None:
            given.append(("phone", normalise_phone(wanted.phone, organization.country)))
    except InvalidValue as error:
        raise InvalidInput([Fault("", "invalid_value", str(error))]) from error
    if wanted.record_id is not None:
        _begin_with_record(conn, organization_id, wanted.record_id, person)
    for kind, value in given:
        (person.emails if kind == "email" else person.phones).add(value)
        person.records |= set(_known_by(conn, organization_id, kind, value))


def _known_by(conn: sa.Connection, organization_id: str, kind: str, value: str) -> list[str]:
    """The contacts that are found by an e-mail or phone."""
    identities = records_tables.identities.c
    found = sa.select(identities.record_id).where(
        identities.organization_id == organization_id, identities.kind == kind, identities.value == value
    )
    return list(conn.scalars(found))


def _begin_with_record(conn: sa.Connection, organization_id: str, record_id: str, person: Person) -> None:
    row = record_rows.by_id(conn, organization_id, record_id)
    if row is None:
        raise NotFound(f"there is no record {shown(record_id)}")
    while row is not None and row.merged_into is not None:
        row = record_rows.by_id(conn, organization_id, row.merged_into)
    assert row is not None  # noqa: S101  # a foreign key
    types = {prop.type for prop in record_rows.object_of(conn, row).kept}
    if not types & {"email", "phone"}:
        detail = f"the record {shown(record_id)} is a `{row.of.slug}`, which has no e-mail and no phone"
        raise InvalidInput([Fault("/recordId", "invalid_value", detail)])
    person.records.add(row.id)


def _add_records(
    read: Reads, organization_id: str, wanted: PersonQuery, person: Person, *, deleted: bool = False
) -> set[str]:
    """Add contacts that have an e-mail or phone and are not found by it any more, and merged ones.

    With *deleted*, only those that were deleted. Returns those that are not.
    """
    emails, phones = person.emails - person.shared, person.phones - person.shared
    seeds = Scrubber(Marks(emails=tuple(emails), phones=tuple(phones)), linked=False)
    contact_id = read(record_objects.ids_by_slug, organization_id)["contact"]
    live: set[str] = set(person.records)
    is_named = deleted or wanted.record_id is not None

    def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        if row.merged_into is not None and row.merged_into.decode() in person.records:
            return str(key[0])
        if row.object_id.decode() != contact_id or (row.deleted_at is None and is_named):
            return None
        if not seeds.finds(row.properties.decode(errors="replace")):
            return None
        values = values_in(row.properties)
        if values.get("email") in emails or values.get("phone") in phones:
            if row.deleted_at is None:
                live.add(str(key[0]))
            return str(key[0])
        return None

    columns = ("object_id", "properties", "deleted_at", "merged_into")
    before = -1
    while before != len(person.records):  # what was merged twice is found by a further look
        before = len(person.records)
        person.records |= set(scan(read, BY_TABLE["records"], organization_id, columns, examine))
    return live


def _add_submissions(read: Reads, organization_id: str, person: Person) -> None:
    """Add what was filed to the records, and what has the e-mail or the phone, filed or held."""
    _find_shared_points(read, organization_id, person)
    emails, phones = person.emails - person.shared, person.phones - person.shared

    def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        contact, email, phone = (_text(part) for part in (row.contact_id, row.email, row.phone))
        is_filed = contact in person.records
        if not (is_filed or (contact is None and (email in emails or phone in phones))):
            return None
        if is_filed or email in emails:
            person.emails |= {email} - {None} if email else set()
            person.phones |= {phone} if phone else set()
            if name := _text(row.name):
                person.names.add(name)
        if row.visitors:
            person.visitors |= set(_strings(row.visitors))
        return str(key[0])

    columns = ("contact_id", "email", "phone", "name", "visitors")
    person.submissions |= set(scan(read, BY_TABLE["submissions"], organization_id, columns, examine))


def _add_conversations(read: Reads, organization_id: str, person: Person) -> None:
    """Add conversations with the contact, and those whose participant has the e-mail or the phone."""
    _find_shared_points(read, organization_id, person)
    marks = Scrubber(
        Marks(emails=tuple(person.emails - person.shared), phones=tuple(person.phones - person.shared)),
        linked=False,
    )

    def examine(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        if row.kind != b"direct":
            return None
        contact = _text(row.contact_id)
        evidence = row.evidence.decode(errors="replace")
        external = _text(row.external_id) or ""
        if contact not in person.records and not (
            contact is None and (marks.finds(evidence) or marks.finds(external))
        ):
            return None
        known = values_in(row.evidence)
        if known.get("name"):
            person.names.add(known["name"])
        for word, chars_min in ((known.get("username"), LESSER_CHARS_MIN), (external, _EXTERNAL_CHARS_MIN)):
            if word and len(word) >= chars_min:
                person.lesser.add(word)
        return str(key[0])

    columns = ("kind", "contact_id", "evidence", "external_id")
    person.conversations |= set(scan(read, BY_TABLE["conversations"], organization_id, columns, examine))


def _find_shared_points(read: Reads, organization_id: str, person: Person) -> None:
    person.shared |= read(_shared_points, organization_id, person)


def _shared_points(conn: sa.Connection, organization_id: str, person: Person) -> set[str]:
    """Which of the e-mails and phones another contact has."""
    return {
        value
        for kind, values in (("email", person.emails), ("phone", person.phones))
        for value in values
        if not person.records.issuperset(_known_by(conn, organization_id, kind, value))
    }


def _find_shared(read: Reads, organization_id: str, person: Person) -> None:
    """Find which e-mails, phones and names another contact or a member has."""
    _find_shared_points(read, organization_id, person)
    names = {_folded(name): name for name in person.names if is_mark(name)}
    if not names:
        return
    any_name = Scrubber(Marks(names=tuple(names.values())), linked=False)
    contact_id = read(record_objects.ids_by_slug, organization_id)["contact"].encode()

    def in_record(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        if row.object_id != contact_id or row.deleted_at is not None or key[0] in person.records:
            return None
        if not any_name.finds(row.properties.decode(errors="replace")):
            return None
        values = values_in(row.properties)
        full = full_name(values)
        return next(
            (names[name] for value in (values.get("name"), full) if (name := _folded(str(value))) in names),
            None,
        )

    columns = ("object_id", "properties", "deleted_at")
    person.shared |= set(scan(read, BY_TABLE["records"], organization_id, columns, in_record))

    def of_member(_: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        return names.get(_folded(row.name.decode(errors="replace")))

    person.shared |= set(scan(read, BY_TABLE["people"], organization_id, ("name",), of_member))


def _add_followers(read: Reads, organization_id: str, person: Person) -> None:
    """Add what has no id of the person's own but belongs to something that has."""
    subjects = person.subjects

    told: set[str] = set()

    def follows(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        return str(key[0]) if _text(row.conversation_id) in person.conversations else None

    def happened(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        if _text(row.subject) not in subjects:
            return None
        if _TELLS.search(row.data):
            told.add(str(key[0]))
            return None
        return str(key[0])

    def is_delivered(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        return str(key[0]) if _text(row.subject) in subjects and _text(row.event_id) not in told else None

    def leads(key: tuple[Any, ...], row: sa.Row[Any]) -> str | None:
        return None if ids_in(row.event).isdisjoint(subjects) or _TELLS.search(row.event) else str(key[0])

    for found, table in ((person.agent_runs, "agent_runs"), (person.replies, "replies")):
        found |= set(scan(read, BY_TABLE[table], organization_id, ("conversation_id",), follows))
    person.events |= set(scan(read, BY_TABLE["events"], organization_id, ("subject", "data"), happened))
    person.deliveries |= set(
        scan(read, BY_TABLE["webhook_deliveries"], organization_id, ("subject", "event_id"), is_delivered)
    )
    person.workflow_runs |= set(scan(read, BY_TABLE["workflow_runs"], organization_id, ("event",), leads))


def _strings(stored: bytes) -> list[str]:
    try:
        return msgspec.json.decode(stored, type=list[str])
    except msgspec.DecodeError:
        return []


def _text(stored: bytes | None) -> str | None:
    return None if stored is None else stored.decode(errors="replace")


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
