"""A database with years of submissions, all filed, written in bulk."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from bench._world import DATABASE, make_world
from svc.domain.ids import first_id
from svc.domain.limits import EVENT_LIFE_MS
from svc.domain.locale.times import DAY_MS

ORGANIZATIONS: Final = 200
FORMS: Final = 2_000
CONTACTS_EVERY: Final = 4
"""Submissions for each contact."""
YEARS_MS: Final = 2 * 365 * DAY_MS
MESSAGE: Final = "Hello, we would like a quote for 25 seats. Please call back."
SENDER: Final = "5f1d7a84db00d2fce00b31a7fc73224f"
_CACHE_KIB: Final = 500_000
_CHUNK: Final = 20_000
_STRIDE: Final = 7
"""Between the forms of two submissions that follow each other."""

_SUBMISSION: Final = """INSERT INTO submissions (id, organization_id, form_id, state, received_at, sender,
    email, name, fields, recognised, mapped, dropped, paced_at, filed_at, contact_id)
    VALUES (?, ?, ?, 'filed', ?, ?, ?, 'Anna Petrova', ?, '["name","email"]', '{}', 0, ?, ?, ?)"""
_RECORD: Final = """INSERT INTO records (id, organization_id, object_id, properties, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?)"""
_IDENTITY: Final = "INSERT INTO identities VALUES (?, 'email', ?, ?)"
_NOTE: Final = "INSERT INTO notes VALUES (?, ?, ?, 'Contact', ?, ?, ?)"
_EVENT: Final = """INSERT INTO events (id, organization_id, type, at, data, subject, depth, position)
    VALUES (?, ?, 'submission.filed', ?, ?, ?, 0, ?)"""
_POSITIONS: Final = """INSERT INTO event_positions (organization_id, newest)
    SELECT organization_id, max(position) FROM events GROUP BY organization_id"""


def fill_archive(
    data: Path,
    submissions: int,
    *,
    organizations: int = ORGANIZATIONS,
    forms: int = FORMS,
    contacts_every: int = CONTACTS_EVERY,
) -> int:
    """Make a data directory at *data* with so many *submissions* of the last two years; returns its bytes.

    Every so many submissions, *contacts_every*, are of a contact of their own.
    """
    make_world(data, organizations_count=organizations, forms_count=forms)
    path = data / DATABASE
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        made = db.execute(
            """SELECT f.id, f.organization_id, o.id FROM forms f
               JOIN objects o ON o.organization_id = f.organization_id AND o.slug = 'contact'"""
        ).fetchall()
        rows = _submissions(made, submissions, contacts_every)
        while chunk := list(islice(rows, _CHUNK)):
            _write(db, chunk)
        db.execute(_POSITIONS)
        db.commit()
        db.execute("PRAGMA journal_mode = WAL")
    return path.stat().st_size


class _Submission(msgspec.Struct):
    form_id: str
    organization_id: str
    object_id: str
    contact_id: str
    is_first: bool
    """Whether it made the contact."""
    email: str
    at: int
    number: int
    """How many came before it."""

    def id(self, prefix: str) -> str:
        """An id of its own: no two of these submissions came in one millisecond."""
        return first_id(prefix, self.at)


def _submissions(forms: list[tuple[str, str, str]], many: int, contacts_every: int) -> Iterator[_Submission]:
    """Submissions of the last two years, in the order in which they came."""
    first_at = time.time_ns() // 1_000_000 - YEARS_MS
    known: dict[str, list[tuple[str, str]]] = {}
    for number in range(many):
        at = first_at + number * YEARS_MS // many
        form_id, organization_id, object_id = forms[number * _STRIDE % len(forms)]
        contacts = known.setdefault(organization_id, [])
        is_first = number % contacts_every == 0 or not contacts
        if is_first:
            contacts.append((first_id("rec", at), f"{number}@mail.example"))
        contact_id, email = contacts[-1] if is_first else contacts[number % len(contacts)]
        yield _Submission(form_id, organization_id, object_id, contact_id, is_first, email, at, number)


def _write(db: sqlite3.Connection, chunk: list[_Submission]) -> None:
    new = [one for one in chunk if one.is_first]
    db.executemany(
        _RECORD,
        (
            (
                one.contact_id,
                one.organization_id,
                one.object_id,
                _json({"name": "Anna Petrova", "email": one.email}),
                one.at,
                one.at,
            )
            for one in new
        ),
    )
    db.executemany(_IDENTITY, ((one.organization_id, one.email, one.contact_id) for one in new))
    db.executemany(
        _SUBMISSION,
        (
            (
                one.id("sub"),
                one.organization_id,
                one.form_id,
                one.at,
                SENDER,
                one.email,
                _json({"name": "Anna Petrova", "email": one.email, "message": MESSAGE}),
                one.at,
                one.at,
                one.contact_id,
            )
            for one in chunk
        ),
    )
    db.executemany(
        _NOTE,
        (
            (
                one.id("not"),
                one.organization_id,
                one.contact_id,
                f"message: {MESSAGE}",
                one.id("sub"),
                one.at,
            )
            for one in chunk
        ),
    )
    db.executemany(
        _EVENT,
        (
            (
                one.id("evt"),
                one.organization_id,
                one.at,
                _json({"submissionId": one.id("sub"), "formId": one.form_id, "contactId": one.contact_id}),
                one.id("sub"),
                one.number,
            )
            for one in chunk
            if one.at > time.time_ns() // 1_000_000 - EVENT_LIFE_MS  # as long as the service keeps them
        ),
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
