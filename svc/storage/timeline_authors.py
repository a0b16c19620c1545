"""Authors of what is in timelines: members, keys, forms and others, by their names."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

import msgspec
import sqlalchemy as sa

from svc.domain.events import Source
from svc.domain.identity.roles import Permission
from svc.storage.channels import tables as channels_tables
from svc.storage.forms import tables as forms_tables
from svc.storage.identity import members
from svc.storage.identity import tables as identity_tables
from svc.storage.workflows import tables as workflows_tables

AuthorKind = Literal[
    "person", "key", "grant", "form", "connection", "contact", "workflow", "agent", "service"
]


_NAMED: Final[Mapping[AuthorKind, sa.Table]] = {
    "key": identity_tables.api_keys,
    "grant": identity_tables.grants,
    "form": forms_tables.forms,
    "connection": channels_tables.connections,
    "agent": channels_tables.connections,
    "workflow": workflows_tables.workflows,
}
_SHOWN_TO: Final[Mapping[AuthorKind, Permission]] = {"workflow": "workflows"}
"""The permission without which what an author is called is not told."""


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """A member, a key, a form, or what else did it."""

    kind: AuthorKind
    id: str | None = None
    """None of a contact, and of a member who is told by name alone."""
    name: str | None = None
    """None where it is not known any more, or not shown to the caller."""


def author_of(source: Source) -> Author | None:
    """What made a change, by its *source* as it is stored."""
    match source.get("kind"):
        case "person":
            return Author(kind="person", id=source.get("id"))
        case "api" | "mcp" | "gateway" | "cli":
            id_ = source.get("id")
            return Author(kind="grant" if str(id_).startswith("gra_") else "key", id=id_)
        case "form":
            return Author(kind="form", id=source.get("formId"))
        case "channel":
            return Author(kind="connection", id=source.get("connectionId"))
        case "workflow":
            return Author(kind="workflow", id=source.get("workflowId"))
        case "agent":
            return Author(kind="agent", id=source.get("connectionId"))
        case "service":
            return Author(kind="service")
    return None


def named(
    conn: sa.Connection,
    organization_id: str,
    authors: Sequence[Author | None],
    permissions: Collection[Permission],
) -> list[Author | None]:
    """*authors* with the names that a caller of these *permissions* may see, each kind looked up at once."""
    wanted: dict[AuthorKind, set[str]] = {}
    for author in authors:
        if author is not None and author.name is None and author.id is not None:
            wanted.setdefault(author.kind, set()).add(author.id)
    names = {
        kind: _names(conn, organization_id, kind, ids)
        for kind, ids in wanted.items()
        if _SHOWN_TO.get(kind) in {None, *permissions}
    }
    return [
        msgspec.structs.replace(author, name=names.get(author.kind, {}).get(author.id or ""))
        if author is not None and author.name is None
        else author
        for author in authors
    ]


def _names(
    conn: sa.Connection, organization_id: str, kind: AuthorKind, ids: Collection[str]
) -> Mapping[str, str]:
    if kind == "person":
        return members.names(conn, organization_id, ids)
    table = _NAMED.get(kind)
    if table is None:
        return {}
    name = table.c.app_name if kind == "grant" else table.c.name
    rows = conn.execute(
        sa.select(table.c.id, name).where(table.c.id.in_(ids), table.c.organization_id == organization_id)
    )
    return dict(rows.tuples().all())
