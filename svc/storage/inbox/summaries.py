"""What a list shows of conversations beside themselves: last words, what is unread, whom they are with."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from svc.domain.channels.connections import Messenger
from svc.domain.channels.messages import Author, Direction, Sender
from svc.domain.inbox.limits import LAST_WORDS_CHARS_MAX, UNREAD_EXAMINED_MAX, UNREAD_MAX
from svc.domain.records.objects import FIRST_PROPERTY
from svc.storage.channels import tables as channels_tables
from svc.storage.channels.rows import Conversation
from svc.storage.inbox import tables
from svc.storage.records import tables as records_tables
from svc.storage.rows import Selection
from svc.storage.sql import json_values
from svc.storage.statements import Statement

_conversations: Final = channels_tables.conversations.c
_connections: Final = channels_tables.connections.c
_messages: Final = channels_tables.messages.c
_records: Final = records_tables.records.c
_reads: Final = tables.conversation_reads.c


class LastMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The newest message of a conversation. Times are ms since the epoch."""

    conversation_id: str
    direction: Direction
    text: str | None
    """Its beginning."""
    has_attachments: bool
    at: int
    sender: Sender | None
    author: Author | None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as a list shows it."""

    conversation: Conversation
    connection_name: str
    messenger: Messenger
    contact_name: str | None
    """None where it has no contact, the contact no name, or the reader may not see it."""
    last: LastMessage | None
    unread: int = 0
    mentioned: bool = False


class _Channel(msgspec.Struct, frozen=True, kw_only=True):
    """What a connection is called, and its messenger."""

    id: str
    name: str
    messenger: Messenger


class _Unread(msgspec.Struct, frozen=True, kw_only=True):
    """What a member has not read of a conversation."""

    id: str
    unread: int
    mentioned: bool


_IDS: Final = sa.bindparam("ids", type_=sa.Text())
_newest: Final = channels_tables.messages.alias("newest")
_LAST: Final = Selection(
    LastMessage,
    channels_tables.messages,
    members={
        "text": sa.func.substr(_messages.text, 1, LAST_WORDS_CHARS_MAX),
        "has_attachments": _messages.attachments.is_not(None),
        "at": _messages.created_at,
        "author": Selection(
            Author, members={"kind": _messages.author_kind, "name": _messages.author_name}, optional=True
        ),
    },
    empty={"sender": Sender},
)
_LAST_OF: Final = _LAST.prepared(
    _LAST.select(
        _messages.id.in_(
            sa.select(
                sa.select(sa.func.max(_newest.c.id))
                .where(_newest.c.conversation_id == _conversations.id)
                .scalar_subquery()
            ).where(json_values.is_item(_conversations.id, _IDS))
        )
    )
)
_since: Final = (
    sa.select(_messages.direction)
    .where(
        _messages.conversation_id == _conversations.id, _messages.id > sa.func.coalesce(_reads.read_to, "")
    )
    .order_by(_messages.id.desc())
    .limit(UNREAD_EXAMINED_MAX)
    .correlate(channels_tables.conversations, tables.conversation_reads)
    .subquery("since")
)
_UNREAD: Final = Selection(
    _Unread,
    channels_tables.conversations,
    members={
        "unread": sa.select(sa.func.count())
        .select_from(_since)
        .where(_since.c.direction == "in")
        .correlate(channels_tables.conversations, tables.conversation_reads)
        .scalar_subquery(),
        "mentioned": sa.func.coalesce(_reads.mentioned_in, "") > sa.func.coalesce(_reads.read_to, ""),
    },
)
_UNREAD_OF: Final = _UNREAD.prepared(
    _UNREAD.select(json_values.is_item(_conversations.id, _IDS)).join(
        tables.conversation_reads,
        (_reads.conversation_id == _conversations.id) & (_reads.person_id == sa.bindparam("person_id")),
        isouter=True,
    )
)
_CHANNELS: Final = Selection(_Channel, channels_tables.connections)
_CHANNELS_OF: Final = _CHANNELS.prepared(_CHANNELS.select(json_values.is_item(_connections.id, _IDS)))
_NAMES: Final = Statement(
    sa.select(
        _records.id,
        json_values.value(_records.properties, FIRST_PROPERTY.slug, "text").label("name"),
    ).where(json_values.is_item(_records.id, _IDS), _records.deleted_at.is_(None))
)


def of_conversations(
    conn: sa.Connection,
    conversations: Sequence[Conversation],
    *,
    person_id: str | None,
    reads_contacts: bool,
) -> list[Summary]:
    """What a list shows of *conversations*, in their order.

    What is unread is the person's; without one, nothing is. With *reads_contacts*, contacts have their names.
    """
    ids = _json(conversation.id for conversation in conversations)
    last = {one.conversation_id: one for one in _LAST_OF.all(conn, ids=ids)}
    unread: dict[str, _Unread] = {}
    if person_id is not None:
        unread = {one.id: one for one in _UNREAD_OF.all(conn, ids=ids, person_id=person_id)}
    channels = {
        one.id: one for one in _CHANNELS_OF.all(conn, ids=_json(one.connection_id for one in conversations))
    }
    contacts: dict[str, str | None] = {}
    if reads_contacts:
        named = _json(one.contact_id for one in conversations if one.contact_id is not None)
        contacts = {row.id: row.name for row in _NAMES.all(conn, ids=named)}
    return [
        Summary(
            conversation=one,
            connection_name=channels[one.connection_id].name,
            messenger=channels[one.connection_id].messenger,
            contact_name=contacts.get(one.contact_id or ""),
            last=last.get(one.id),
            unread=min(unread[one.id].unread, UNREAD_MAX) if one.id in unread else 0,
            mentioned=one.id in unread and unread[one.id].mentioned,
        )
        for one in conversations
    ]


def _json(ids: Iterable[str]) -> str:
    return msgspec.json.encode(sorted(set(ids))).decode()
