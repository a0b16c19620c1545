"""Search for conversations: by whom they are with, by their contacts, and by what was said in them.

No index is kept for it, so that taking a message costs nothing for the sake of searches. Names and addresses
are looked for in all conversations of an organization, contacts by their own index, and words in the newest
messages of the conversations that came up last: `SEARCHED_CONVERSATIONS_MAX` and `SEARCHED_MESSAGES_MAX`.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import sqlalchemy as sa

from svc.domain.channels.participants import Participant
from svc.domain.inbox.limits import (
    SEARCHED_CONTACTS_MAX,
    SEARCHED_CONVERSATIONS_MAX,
    SEARCHED_MESSAGES_MAX,
)
from svc.domain.records.limits import SEARCH_WORDS_MAX
from svc.domain.records.objects import CONTACT
from svc.domain.records.sort_keys import fold
from svc.domain.records.text_search import sought
from svc.storage.channels import tables
from svc.storage.records import objects
from svc.storage.records.listing import search_words
from svc.storage.records.listing.index import mark_of
from svc.storage.sql import json_values
from svc.storage.sql.expressions import Folded

_conversations: Final = tables.conversations.c
_messages: Final = tables.messages.c
_FACTS: Final = (
    _conversations.title,
    *(json_values.value(_conversations.evidence, fact, "text") for fact in Participant.__struct_fields__),
)


def conversation_ids(
    conn: sa.Connection, organization_id: str, text: str, *, contacts: bool = True
) -> list[str]:
    """The conversations that have all words of *text*, in any order, at one place each: see above.

    Case does not matter, and a word may be a part of a longer one. With *contacts*, those are found too whose
    contact has the words, as a search of records finds it.
    """
    wanted = [fold(word) for word in text.split()][:SEARCH_WORDS_MAX]
    if not wanted or "\0" in text:  # no text has such a character; a pattern would end at it
        return []
    found = [*_by_participant(conn, organization_id, wanted), *_by_message(conn, organization_id, wanted)]
    if contacts:
        found += _by_contact(conn, organization_id, text)
    return list(dict.fromkeys(found))


def _by_participant(conn: sa.Connection, organization_id: str, wanted: Sequence[str]) -> Sequence[str]:
    # What is read at first is the JSON as it stands, since taking it apart costs more.
    whole = Folded(_conversations.evidence.concat(sa.func.coalesce(_conversations.title, "")))
    as_stored = [_has(whole, msgspec.json.encode(word).decode()[1:-1]) for word in wanted]
    somewhere = [sa.or_(*(_has(Folded(fact), word) for fact in _FACTS)) for word in wanted]
    select = sa.select(_conversations.id).where(
        _conversations.organization_id == organization_id, *as_stored, *somewhere
    )
    return conn.scalars(select).all()


def _by_message(conn: sa.Connection, organization_id: str, wanted: Sequence[str]) -> Sequence[str]:
    latest = (
        sa.select(_conversations.id)
        .where(_conversations.organization_id == organization_id)
        .order_by(_conversations.active_at.desc(), _conversations.id.desc())
        .limit(SEARCHED_CONVERSATIONS_MAX)
        .subquery("latest")
    )
    newest = (
        sa.select(_messages.text)
        .where(_messages.conversation_id == latest.c.id)
        .order_by(_messages.id.desc())
        .limit(SEARCHED_MESSAGES_MAX)
        .correlate(latest)
        .subquery("newest")
    )
    has_words = [_has(Folded(newest.c.text), word) for word in wanted]
    said: sa.Select[Any] = sa.select(sa.literal_column("1")).select_from(newest).where(*has_words)
    return conn.scalars(sa.select(latest.c.id).where(said.exists())).all()


def _by_contact(conn: sa.Connection, organization_id: str, text: str) -> Sequence[str]:
    looked_for = sought(text)
    if not looked_for.words:
        return ()
    mark = mark_of(objects.ids_by_slug(conn, organization_id)[CONTACT])
    words = [mark + word for word in looked_for.words]
    ids = search_words.newest(conn, words, prefix=looked_for.prefix, limit=SEARCHED_CONTACTS_MAX)
    listed = json_values.is_item(_conversations.contact_id, json_values.array_of(ids))
    select = sa.select(_conversations.id).where(listed, _conversations.organization_id == organization_id)
    return conn.scalars(select).all()


def _has(text: sa.ColumnElement[Any], word: str) -> sa.ColumnElement[bool]:
    return text.contains(word, autoescape=True)
