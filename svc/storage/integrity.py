"""Invariants of the data, and the checks that find violations.

A violation is a fault of the program or the disk, or an edit by hand; none heals by itself.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc import storage
from svc.domain.records.objects import BUILTIN_OBJECTS, CONTACT
from svc.packages import modules_called
from svc.storage import stored_json, tables
from svc.storage.channels import tables as channels_tables
from svc.storage.forms import search_blocks
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import tables as identity_tables
from svc.storage.metadata import metadata
from svc.storage.records import tables as records_tables
from svc.storage.records.listing import pictures
from svc.storage.sites import sites
from svc.storage.sql.expressions import Utf8
from svc.storage.sql.wholeness import foreign_key_faults, integrity_faults

EXAMPLES_MAX: Final = 5

Broken = Callable[[sa.Connection], Iterable[str]]
"""Names each violation, for a person who goes to look at it."""


class Finding(msgspec.Struct, frozen=True):
    """The result of one check."""

    promise: str
    broken: int
    """How many violations there are."""
    examples: tuple[str, ...]
    """The first of them."""


_replies, _conversations = channels_tables.replies, channels_tables.conversations
_connections, _submissions = channels_tables.connections, forms_tables.submissions
_records, _objects = records_tables.records, records_tables.objects
_identities, _notes = records_tables.identities, records_tables.notes
_suggestions, _organizations = records_tables.suggestions, identity_tables.organizations


def check(conn: sa.Connection, more: Mapping[str, Broken] | None = None) -> Iterator[Finding]:
    """Run every check, and *more* of them, within one transaction of *conn*."""
    for promise, broken in {**INVARIANTS, **(more or {})}.items():
        count = 0
        examples: list[str] = []
        for one in broken(conn):
            count += 1
            if count <= EXAMPLES_MAX:
                examples.append(one)
        yield Finding(promise, count, tuple(examples))


def _rows(table: sa.Table, *where: sa.ColumnElement[bool]) -> Broken:
    """The ids of the rows of *table* for which all of *where* holds."""
    return lambda conn: conn.scalars(sa.select(table.c.id).where(*where))


def _of_another_organization(conn: sa.Connection) -> Iterator[str]:
    """Rows that refer to a row of another organization, along every foreign key."""
    for table, column, crossing in _crossings():
        for row_id in conn.scalars(crossing):
            yield f"{table} {row_id}, by its {column}"


@cache
def _crossings() -> tuple[tuple[str, str, sa.Select[Any]], ...]:
    """Table, column and query of each such foreign key, cached: to make them costs more than to run them."""
    found = []
    for table in metadata.sorted_tables:
        for key in table.foreign_keys:
            parent = key.column.table.alias()
            if "organization_id" not in table.c or "organization_id" not in parent.c:
                continue
            crossing = (
                sa.select(table.c.get("id", key.parent))
                .join(parent, parent.c[key.column.name] == key.parent)
                .where(parent.c.organization_id != table.c.organization_id)
            )
            found.append((table.name, key.parent.name, crossing))
    return tuple(found)


def _without_objects(conn: sa.Connection) -> Iterator[str]:
    for builtin in BUILTIN_OBJECTS:
        has = sa.select(_objects.c.id).where(
            _objects.c.organization_id == _organizations.c.id,
            _objects.c.slug == builtin.slug,
        )
        for organization_id in conn.scalars(sa.select(_organizations.c.id).where(~has.exists())):
            yield f"{organization_id} has no {builtin.slug}"


def _unknown_by(conn: sa.Connection) -> Iterator[str]:
    """Contacts that are not known by the e-mail and phone that they have, and by those merged into them."""
    survivors = set(
        conn.scalars(sa.select(_records.c.merged_into).where(_records.c.merged_into.is_not(None)))
    )
    rows = conn.execute(
        sa.select(
            _records.c.id,
            Utf8(_records.c.properties),
            _identities.c.kind,
            _identities.c.value,
        )
        .join(_objects, _objects.c.id == _records.c.object_id)
        .outerjoin(_identities, _identities.c.record_id == _records.c.id)
        .where(_objects.c.slug == CONTACT, _records.c.deleted_at.is_(None))
        .order_by(_records.c.id)
        .execution_options(yield_per=1_000)
    )
    for contact_id, group in groupby(rows.tuples(), key=itemgetter(0)):
        found = list(group)
        try:
            properties = msgspec.json.decode(found[0][1], type=dict[str, Any])
        except msgspec.DecodeError:
            continue  # another check names it
        has = {(kind, properties[kind]) for kind in ("email", "phone") if properties.get(kind)}
        known_by = {(kind, value) for _, _, kind, value in found if kind is not None}
        if not has <= known_by or (has != known_by and contact_id not in survivors):
            yield contact_id


def _filed_without_note(conn: sa.Connection) -> Iterable[str]:
    note = sa.select(_notes.c.id).where(
        _notes.c.record_id == _submissions.c.contact_id,
        _notes.c.submission_id == _submissions.c.id,
    )
    return conn.scalars(
        sa.select(_submissions.c.id).where(
            _submissions.c.state == "filed",
            _submissions.c.contact_id.is_not(None),
            ~note.exists(),
        )
    )


def _positions_ahead(conn: sa.Connection) -> Iterable[str]:
    newest = sa.select(tables.event_positions.c.newest).where(
        tables.event_positions.c.organization_id == tables.events.c.organization_id
    )
    beyond = tables.events.c.position > sa.func.coalesce(newest.scalar_subquery(), 0)
    return conn.scalars(sa.select(tables.events.c.id).where(beyond))


def _messages_elsewhere(conn: sa.Connection) -> Iterable[str]:
    """Messages and replies of a conversation that are of another connection than it is."""
    for table in (channels_tables.messages, _replies):
        yield from conn.scalars(
            sa.select(table.c.id)
            .join(_conversations, _conversations.c.id == table.c.conversation_id)
            .where(_conversations.c.connection_id != table.c.connection_id)
        )


def _taken_twice(conn: sa.Connection) -> Iterable[str]:
    """Conversations of which a reply is taken while an earlier one waits, is leased or is being pushed."""
    ahead = _replies.alias()
    return conn.scalars(
        sa.select(_replies.c.conversation_id)
        .distinct()
        .join(
            ahead,
            (ahead.c.conversation_id == _replies.c.conversation_id) & (ahead.c.id < _replies.c.id),
        )
        .where(
            _replies.c.state == "taken",
            sa.or_(ahead.c.state == "waiting", ahead.c.lease_expires_at.is_not(None)),
        )
    )


def _taken_without_end(conn: sa.Connection) -> Iterable[str]:
    """Replies that are taken without an end, though no push reached their bridge."""
    reached = sa.select(channels_tables.deliveries.c.id).where(
        channels_tables.deliveries.c.reply_id == _replies.c.id,
        channels_tables.deliveries.c.done_at.is_not(None),
    )
    return conn.scalars(
        sa.select(_replies.c.id).where(
            _replies.c.state == "taken",
            _replies.c.lease_expires_at.is_(None),
            ~reached.exists(),
        )
    )


INVARIANTS: Final[dict[str, Broken]] = {
    "the file is whole": integrity_faults,
    "everything that is stored can be read": stored_json.unreadable,
    "nothing refers to what is not there": foreign_key_faults,
    "nothing refers to another organization's": _of_another_organization,
    "every organization has its built-in objects": _without_objects,
    "every submission is due, queued, filed, held, discarded or erased": _rows(
        _submissions,
        _submissions.c.state.not_in(("due", "queued", "filed", "held", "discarded", "erased")),
    ),
    "every discarded submission says since when and from which state, and no other does": _rows(
        _submissions,
        sa.or_(
            (_submissions.c.state == "discarded") != _submissions.c.discarded_at.is_not(None),
            (_submissions.c.state == "discarded")
            != sa.func.coalesce(_submissions.c.discarded_from, "").in_(("due", "queued", "held")),
        ),
    ),
    "every due submission has its place in the form's pace": _rows(
        _submissions, _submissions.c.state == "due", _submissions.c.paced_at.is_(None)
    ),
    "every queued submission waits since a time, and has no place in the pace": _rows(
        _submissions,
        _submissions.c.state == "queued",
        sa.or_(_submissions.c.queued_at.is_(None), _submissions.c.paced_at.is_not(None)),
    ),
    "every filed submission has its contact and its time": _rows(
        _submissions,
        _submissions.c.state == "filed",
        sa.or_(_submissions.c.contact_id.is_(None), _submissions.c.filed_at.is_(None)),
    ),
    "every filed submission left a note on its contact": _filed_without_note,
    "every held submission says why, and is filed nowhere": _rows(
        _submissions,
        _submissions.c.state == "held",
        sa.or_(_submissions.c.held_reason.is_(None), _submissions.c.contact_id.is_not(None)),
    ),
    "every block of submissions has what they are searched by": search_blocks.unlike_rows,
    "every contact is known by its own e-mail and phone": _unknown_by,
    "every suggestion is open, or was decided": _rows(
        _suggestions, (_suggestions.c.state == "open") != _suggestions.c.decided_at.is_(None)
    ),
    "every message and reply is of the connection of its conversation": _messages_elsewhere,
    "every lease and every push under way has an end, unless a push has reached the bridge": (
        _taken_without_end
    ),
    "no reply is leased or being pushed unless it is taken": _rows(
        _replies, _replies.c.state != "taken", _replies.c.lease_expires_at.is_not(None)
    ),
    "no reply is taken before an earlier one of its conversation": _taken_twice,
    "every failed reply says why, and no other does": _rows(
        _replies, (_replies.c.state == "failed") != _replies.c.failure.is_not(None)
    ),
    "every held conversation says why, and has no contact": _rows(
        _conversations,
        _conversations.c.held_reason.is_not(None),
        _conversations.c.contact_id.is_not(None),
    ),
    "no event has a position beyond the last of its organization": _positions_ahead,
    "every connection that pushes has an address and a secret": _rows(
        _connections,
        _connections.c.delivery == "push",
        _connections.c.status != "removed",
        sa.or_(_connections.c.url.is_(None), _connections.c.secret.is_(None)),
    ),
    "no tracked site is at a public suffix, below which strangers have pages": lambda conn: (
        f"{site.id} at {site.domain}: move it with `site.update`" for site in sites.at_shared_domains(conn)
    ),
    "every picture that is a file is known as a use of it": pictures.unknown,
    **{
        promise: broken
        for module in modules_called("integrity", storage)
        for promise, broken in module.INVARIANTS.items()
    },
}
"""Checks by invariant: those that are here, and those of each noun. Each reads all rows of its tables."""
