"""What things are called, by their ids: what acts of the audit trail were done to, and what did them."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec
import sqlalchemy as sa

from svc.domain.records.objects import FIRST_PROPERTY
from svc.storage.channels import tables as channels_tables
from svc.storage.embeds import tables as embeds_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.grants import tables as grants_tables
from svc.storage.identity import members
from svc.storage.identity import tables as identity_tables
from svc.storage.imports import tables as imports_tables
from svc.storage.records import objects
from svc.storage.records import tables as records_tables
from svc.storage.sites import tables as sites_tables
from svc.storage.sql import json_values
from svc.storage.statements import Statement
from svc.storage.views import tables as views_tables
from svc.storage.webhooks import tables as webhooks_tables
from svc.storage.workflows import tables as workflows_tables

_NAME_CHARS_MAX: Final = 80
"""Of a name in a sentence; a longer one is cut off."""


class ObjectWords(NamedTuple):
    """What records of an object are called."""

    slug: str
    label: str
    label_plural: str


class RecordName(NamedTuple):
    """What a record is called, None where it has no name; and its object."""

    of: ObjectWords
    name: str | None


def _named(name: sa.ColumnElement[str]) -> Statement[tuple[str, str]]:
    """Ids and names of the things of an organization, in the table of *name*."""
    table = sa.inspect(name).table
    return Statement(
        sa.select(table.c.id, name.label("name")).where(
            json_values.is_item(table.c.id, sa.bindparam("ids", type_=sa.Text())),
            table.c.organization_id == sa.bindparam("organization_id"),
            name.is_not(None),
        )
    )


_BY_PREFIX: Final = {
    "con": _named(channels_tables.connections.c.name),
    "emb": _named(embeds_tables.embeds.c.name),
    "frm": _named(forms_tables.forms.c.name),
    "imp": _named(imports_tables.imports.c.name),
    "inv": _named(identity_tables.invitations.c.email),
    "obj": _named(records_tables.objects.c.label),
    "prp": _named(records_tables.properties.c.label),
    "rol": _named(identity_tables.roles.c.name),
    "sit": _named(sites_tables.sites.c.domain),
    "tea": _named(identity_tables.teams.c.name),
    "app": _named(grants_tables.apps.c.name),
    "gra": _named(identity_tables.grants.c.app_name),
    "viw": _named(views_tables.views.c.name),
    "whk": _named(webhooks_tables.webhooks.c.name),
    "wfl": _named(workflows_tables.workflows.c.name),
}
_RECORDS: Final = Statement(
    sa.select(
        records_tables.records.c.id,
        records_tables.records.c.object_id,
        json_values.value(records_tables.records.c.properties, FIRST_PROPERTY.slug, "text").label("name"),
    ).where(
        json_values.is_item(records_tables.records.c.id, sa.bindparam("ids", type_=sa.Text())),
        records_tables.records.c.organization_id == sa.bindparam("organization_id"),
        records_tables.records.c.deleted_at.is_(None),
    )
)
_API_KEYS: Final = _named(identity_tables.api_keys.c.name)
_SERVER_KEYS: Final = _named(forms_tables.server_keys.c.name)


def _places(target: sa.ColumnElement[str]) -> Statement[tuple[str, str]]:
    """Ids of the rows in the table of *target*, and what these belong to."""
    table = sa.inspect(target).table
    return Statement(
        sa.select(table.c.id, target.label("of")).where(
            json_values.is_item(table.c.id, sa.bindparam("ids", type_=sa.Text())),
            table.c.organization_id == sa.bindparam("organization_id"),
        )
    )


_RECORDS_OF: Final = {
    "not": _places(records_tables.notes.c.record_id),
    "sug": _places(records_tables.suggestions.c.record_id),
}
_OBJECTS_OF: Final = {
    "imp": _places(imports_tables.imports.c.object_type),
    "obj": _places(records_tables.objects.c.slug),
}
_OBJECT_OF_PROPERTY: Final = Statement(
    sa.select(records_tables.properties.c.id, records_tables.objects.c.slug.label("of"))
    .join(records_tables.objects, records_tables.objects.c.id == records_tables.properties.c.object_id)
    .where(
        json_values.is_item(records_tables.properties.c.id, sa.bindparam("ids", type_=sa.Text())),
        records_tables.properties.c.organization_id == sa.bindparam("organization_id"),
    )
)


def prefix_of(id_: str) -> str:
    """The type that an id begins with, such as `frm`."""
    return id_.partition("_")[0]


def of_things(conn: sa.Connection, organization_id: str, ids: Iterable[str]) -> dict[str, str]:
    """The names of things by id; none of what has no name, is not there or belongs to others. No records."""
    found: dict[str, str] = {}
    for prefix, some in _by_prefix(ids).items():
        asked = {"ids": msgspec.json.encode(some).decode(), "organization_id": organization_id}
        if prefix == "usr":
            found |= members.names(conn, organization_id, some)
        elif prefix == "key":
            for statement in (_API_KEYS, _SERVER_KEYS):
                found.update(statement.all(conn, asked))
        elif prefix in _BY_PREFIX:
            found.update(_BY_PREFIX[prefix].all(conn, asked))
    return {id_: _cut(name) for id_, name in found.items()}


def of_records(conn: sa.Connection, organization_id: str, ids: Collection[str]) -> dict[str, RecordName]:
    """What live records are called, by id."""
    if not ids:
        return {}
    words = object_words(conn, organization_id)
    asked = {"ids": msgspec.json.encode(sorted(ids)).decode(), "organization_id": organization_id}
    return {
        row.id: RecordName(words[row.object_id], _cut(row.name) if _is_name(row.name) else None)
        for row in _RECORDS.all(conn, asked)
    }


def object_words(conn: sa.Connection, organization_id: str) -> dict[str, ObjectWords]:
    """What the organization's objects are called, by id."""
    return {
        one.id: ObjectWords(one.slug, one.label, one.label_plural)
        for one in objects.heads(conn, organization_id)
    }


def records_of(conn: sa.Connection, organization_id: str, ids: Iterable[str]) -> dict[str, str]:
    """The records of notes and suggestions, by the ids of these."""
    return _found(conn, organization_id, _RECORDS_OF, ids)


def objects_of(conn: sa.Connection, organization_id: str, ids: Iterable[str]) -> dict[str, str]:
    """The slugs of the objects of imports, of properties and of objects themselves, by the ids of these."""
    return _found(conn, organization_id, {**_OBJECTS_OF, "prp": _OBJECT_OF_PROPERTY}, ids)


def _found(
    conn: sa.Connection,
    organization_id: str,
    statements: Mapping[str, Statement[tuple[str, str]]],
    ids: Iterable[str],
) -> dict[str, str]:
    found: dict[str, str] = {}
    for prefix, some in _by_prefix(ids).items():
        if prefix in statements:
            asked = {"ids": msgspec.json.encode(some).decode(), "organization_id": organization_id}
            found.update(statements[prefix].all(conn, asked))
    return found


def _by_prefix(ids: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for id_ in sorted(set(ids)):
        found.setdefault(prefix_of(id_), []).append(id_)
    return found


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _cut(name: str) -> str:
    text = " ".join(name.split())
    return text if len(text) <= _NAME_CHARS_MAX else f"{text[: _NAME_CHARS_MAX - 1]}…"
