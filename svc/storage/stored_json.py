"""What is stored as JSON, column by column, and which rows of it cannot be read: for `svc check`."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import msgspec
from sqlalchemy import Column, Connection, LargeBinary, Select, cast, select

from svc.domain.channels.messages import Attachment, ReportedError, Sender
from svc.domain.embeds.blocks import AnyBlock
from svc.domain.identity.roles import Permission
from svc.domain.scalars import Scalar
from svc.storage.channels.conversations import Participant
from svc.storage.channels.tables import conversations, messages, replies
from svc.storage.embeds.tables import embeds
from svc.storage.forms.tables import forms, submissions
from svc.storage.identity.tables import api_keys, invitations, roles
from svc.storage.records.tables import properties, record_changes, records, suggestions
from svc.storage.tables import events

TYPES: Final[tuple[tuple[Column[str], Any], ...]] = (
    (submissions.c.fields, dict[str, Scalar]),
    (submissions.c.recognised, tuple[str, ...]),
    (submissions.c.mapped, dict[str, str]),
    (submissions.c.visitors, tuple[str, ...]),
    (submissions.c.candidates, tuple[str, ...]),
    (forms.c.field_map, dict[str, str]),
    (embeds.c.blocks, tuple[AnyBlock, ...]),
    (properties.c.options, tuple[str, ...]),
    (records.c.properties, dict[str, Any]),
    (record_changes.c.changed, dict[str, Any]),
    (record_changes.c.source, dict[str, Any]),
    (suggestions.c.value, Any),
    (events.c.data, dict[str, Any]),
    (roles.c.permissions, frozenset[Permission]),
    (invitations.c.team_ids, tuple[str, ...]),
    (api_keys.c.tools, tuple[str, ...]),
    (conversations.c.evidence, Participant),
    (conversations.c.candidates, tuple[str, ...]),
    (messages.c.sender, Sender),
    (messages.c.attachments, tuple[Attachment, ...]),
    (replies.c.error, ReportedError),
)


def unreadable(conn: Connection) -> Iterator[str]:
    """Name each value that does not decode: its table, row and column."""
    for (column, _), (rows, decode) in zip(TYPES, _readings(), strict=True):
        for row_id, stored in conn.execute(rows):
            try:
                decode(stored)
            except msgspec.DecodeError:
                yield f"{column.table.name} {row_id}, its {column.name}"


@cache
def _readings() -> tuple[tuple[Select[Any], Callable[[bytes], Any]], ...]:
    """The query for each of `TYPES`, and its decoder. To make them costs more than to ask."""
    return tuple(
        (
            # As bytes, since text that is no UTF-8 could not even be fetched.
            select(column.table.c.id, cast(column, LargeBinary))
            .where(column.is_not(None))
            .execution_options(yield_per=1_000),
            msgspec.json.Decoder(kind).decode,
        )
        for column, kind in TYPES
    )
