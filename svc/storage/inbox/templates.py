"""Saved replies, of one member or for all."""

from typing import Final

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Forbidden, NotFound, at
from svc.domain.identity.callers import Caller
from svc.domain.identity.people import clean_name
from svc.domain.inbox.limits import TEMPLATES_MAX
from svc.domain.inbox.templates import ReplyTemplate, check_fields
from svc.domain.input.near_names import shown
from svc.domain.records.objects import CONTACT
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.inbox import tables
from svc.storage.records import objects
from svc.storage.rows import Rows
from svc.storage.store import Tx

_SHARING: Final = "channels"
"""The permission that a template for all takes."""
_templates: Final = tables.reply_templates
TEMPLATES: Final = Rows(_templates, ReplyTemplate)
_ALL: Final = TEMPLATES.prepared(
    TEMPLATES.select(_templates.c.organization_id == sa.bindparam("organization_id")).order_by(
        _templates.c.id
    )
)


class TemplateChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a saved reply; what is unset stays."""

    name: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    shared: bool | UnsetType = UNSET


def create(tx: Tx, caller: Caller, *, name: str, text: str, shared: bool) -> ReplyTemplate:
    """Save a reply of the caller.

    Raises:
        InvalidInput: the name is none, or the text has fields that are none.
        Forbidden: it is for all, and the caller lacks the permission `channels`; or the caller is no person.
        Conflict: there are `TEMPLATES_MAX`.
    """
    if caller.person_id is None:
        raise Forbidden("a saved reply is a person's")
    _check_sharing(caller, shared=shared)
    cleaned = _checked(tx.conn, caller, name, text)
    if len(_ALL.all(tx.conn, organization_id=caller.organization_id)) >= TEMPLATES_MAX:
        raise Conflict(f"there are {TEMPLATES_MAX} saved replies, which is the limit: delete one")
    made = ReplyTemplate(
        id=tx.new_id("tpl"),
        organization_id=caller.organization_id,
        person_id=caller.person_id,
        name=cleaned,
        text=text,
        shared=shared,
        version=FIRST_VERSION,
        created_at=tx.now,
        updated_at=tx.now,
    )
    TEMPLATES.insert(tx.conn, made)
    return made


def update(
    tx: Tx, caller: Caller, template_id: str, changes: TemplateChanges, *, if_version: int | None = None
) -> ReplyTemplate:
    """Change a saved reply.

    Raises:
        NotFound: the caller sees no such one.
        Forbidden: it is for all, or would be, and the caller lacks the permission `channels`.
        InvalidInput: the name is none, or the text has fields that are none.
        Conflict: it is at another version.
    """
    before = get(tx.conn, caller, template_id)
    _check_sharing(caller, shared=before.shared or changes.shared is True)
    check_version(before.version, if_version)
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    after = msgspec.structs.replace(before, **values, version=before.version + 1, updated_at=tx.now)
    # A field that is none any more may stay in a text that is not changed.
    text = "" if changes.text is UNSET else after.text
    after = msgspec.structs.replace(after, name=_checked(tx.conn, caller, after.name, text))
    TEMPLATES.replace(tx.conn, after)
    return after


def delete(tx: Tx, caller: Caller, template_id: str) -> None:
    """Delete a saved reply. Raises `NotFound` and `Forbidden` as `update` does."""
    before = get(tx.conn, caller, template_id)
    _check_sharing(caller, shared=before.shared)
    tx.conn.execute(sa.delete(_templates).where(_templates.c.id == template_id))


def list_visible(conn: sa.Connection, caller: Caller) -> list[ReplyTemplate]:
    """The saved replies that the caller sees, by name: their own, and those for all."""
    seen = [
        one
        for one in _ALL.all(conn, organization_id=caller.organization_id)
        if one.shared or one.person_id == caller.person_id
    ]
    return sorted(seen, key=lambda one: (one.name.casefold(), one.id))


def get(conn: sa.Connection, caller: Caller, template_id: str) -> ReplyTemplate:
    """The saved reply, if the caller sees it. Raises `NotFound`."""
    for one in list_visible(conn, caller):
        if one.id == template_id:
            return one
    raise NotFound(f"there is no saved reply {shown(template_id)}")


def _checked(conn: sa.Connection, caller: Caller, name: str, text: str) -> str:
    """The name as it is stored. Raises `InvalidInput`."""
    check_fields(text, objects.get(conn, caller.organization_id, CONTACT).properties)
    with at("/name"):
        return clean_name(name)


def _check_sharing(caller: Caller, *, shared: bool) -> None:
    if shared and _SHARING not in caller.permissions:
        raise Forbidden(f"a saved reply for all needs the permission {_SHARING}")
