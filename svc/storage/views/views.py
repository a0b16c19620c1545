"""Views: lists that people save, for themselves or for all."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Forbidden, NotFound, at
from svc.domain.identity.callers import Caller
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import shown
from svc.domain.versions import FIRST_VERSION, check_version
from svc.domain.views.limits import VIEWS_MAX
from svc.domain.views.views import SavedView
from svc.storage.rows import Rows
from svc.storage.store import Tx
from svc.storage.views import tables


class NewView(msgspec.Struct, frozen=True, kw_only=True):
    """A view to be saved."""

    name: str
    tool: str
    input: dict[str, Any]
    board_by: str | None = None
    shared: bool = False


class ViewChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a view; what is unset stays."""

    name: str | UnsetType = UNSET
    input: dict[str, Any] | UnsetType = UNSET
    board_by: str | UnsetType | None = UNSET
    shared: bool | UnsetType = UNSET


VIEWS: Final = Rows(tables.views, SavedView, empty={"input": dict})
_ALL = VIEWS.prepared(
    VIEWS.select(tables.views.c.organization_id == sa.bindparam("organization_id")).order_by(
        tables.views.c.id
    )
)


def create(tx: Tx, caller: Caller, new: NewView) -> SavedView:
    """Save a view of the caller. Raises `InvalidInput`, and `Conflict` where there are `VIEWS_MAX`."""
    with at("/name"):
        name = clean_name(new.name)
    if len(_ALL.all(tx.conn, organization_id=caller.organization_id)) >= VIEWS_MAX:
        raise Conflict(f"there are {VIEWS_MAX} views, which is the limit: delete one that nobody needs")
    made = SavedView(
        id=tx.new_id("viw"),
        organization_id=caller.organization_id,
        person_id=_person(caller),
        name=name,
        tool=new.tool,
        input=new.input,
        board_by=new.board_by,
        shared=new.shared,
        version=FIRST_VERSION,
        created_at=tx.now,
        updated_at=tx.now,
    )
    VIEWS.insert(tx.conn, made)
    return made


def update(
    tx: Tx, caller: Caller, view_id: str, changes: ViewChanges, *, if_version: int | None = None
) -> SavedView:
    """Change a view.

    Raises:
        NotFound: the caller sees no such view.
        Forbidden: another member made it, and the caller lacks the permission `settings`.
        InvalidInput: the name is none.
        Conflict: it is at another version.
    """
    before = _own(tx.conn, caller, view_id)
    check_version(before.version, if_version)
    values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    if "name" in values:
        with at("/name"):
            values["name"] = clean_name(values["name"])
    after = msgspec.structs.replace(before, **values, version=before.version + 1, updated_at=tx.now)
    tx.conn.execute(sa.update(tables.views).where(tables.views.c.id == view_id).values(VIEWS.values(after)))
    return after


def delete(tx: Tx, caller: Caller, view_id: str) -> SavedView:
    """Delete a view; what it lists stays. Raises `NotFound` and `Forbidden` as `update` does."""
    before = _own(tx.conn, caller, view_id)
    tx.conn.execute(sa.delete(tables.views).where(tables.views.c.id == view_id))
    return before


def list_visible(conn: sa.Connection, caller: Caller) -> list[SavedView]:
    """The views that the caller sees, the oldest first: their own, and shared ones."""
    views = _ALL.all(conn, organization_id=caller.organization_id)
    return [view for view in views if view.shared or view.person_id == caller.person_id]


def get(conn: sa.Connection, caller: Caller, view_id: str) -> SavedView:
    """The view, if the caller sees it. Raises `NotFound`."""
    found = [view for view in list_visible(conn, caller) if view.id == view_id]
    if not found:
        raise NotFound(f"there is no view {shown(view_id)}")
    return found[0]


def _own(conn: sa.Connection, caller: Caller, view_id: str) -> SavedView:
    """The view, if the caller may change it: their own, or a shared one with `settings`."""
    view = get(conn, caller, view_id)
    if view.person_id != caller.person_id and "settings" not in caller.permissions:
        raise Forbidden("another member made this view: save one of your own, or ask who has `settings`")
    return view


def _person(caller: Caller) -> str:
    if caller.person_id is None:
        raise Forbidden("a view is a person's: an operator without a person makes none")
    return caller.person_id
