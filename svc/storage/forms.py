"""Forms, and what decides about their submissions."""

from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from svc.domain.changes import FormsChanged
from svc.domain.errors import NotFound
from svc.domain.form_rules import check_form
from svc.domain.forms import Form, FormStatus
from svc.domain.ids import new_id
from svc.domain.keys import FORM_KEY, new_key
from svc.domain.objects import CONTACT
from svc.storage import objects
from svc.storage.prepared import Prepared
from svc.storage.store import Tx
from svc.storage.tables import forms, sites

COLUMNS = (
    forms.c.id,
    forms.c.organization_id,
    forms.c.name,
    forms.c.form_key,
    forms.c.status,
    sites.c.domain,
    forms.c.field_map,
    forms.c.deal_title,
    forms.c.honeypot,
)
"""What `from_row` reads, of `forms` outer-joined to `sites`."""

JOINED = forms.outerjoin(sites, forms.c.site_id == sites.c.id)

_BY_KEY = Prepared(select(*COLUMNS).select_from(JOINED).where(forms.c.form_key == bindparam("form_key")))

_field_map = msgspec.json.Decoder(dict[str, str])


class NewForm(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a form when it is made."""

    name: str
    site_id: str | None = None
    field_map: dict[str, str] = {}
    deal_title: str | None = None
    honeypot: str | None = None


def create(tx: Tx, organization_id: str, asked: NewForm) -> Form:
    """Make a form with a new key.

    Raises:
        NotFound: the site is not the organization's.
        InvalidValue: see `check_form`.
    """
    contact = objects.ids_by_slug(tx.conn, organization_id)[CONTACT]
    check_form(asked.field_map, asked.honeypot, objects.properties_of(tx.conn, contact))
    if asked.site_id is not None:
        owner = tx.conn.execute(
            select(sites.c.organization_id).where(sites.c.id == asked.site_id, sites.c.removed_at.is_(None))
        )
        if owner.scalar_one_or_none() != organization_id:
            raise NotFound("no such site")
    form_key = new_key(FORM_KEY)
    tx.conn.execute(
        insert(forms).values(
            id=new_id("frm", tx.now),
            organization_id=organization_id,
            site_id=asked.site_id,
            name=asked.name,
            form_key=form_key,
            status="active",
            field_map=msgspec.json.encode(asked.field_map).decode(),
            deal_title=asked.deal_title,
            honeypot=asked.honeypot,
            created_at=tx.now,
            updated_at=tx.now,
        )
    )
    return by_key(tx.conn, form_key)


def by_key(conn: Connection, form_key: str) -> Form:
    """The form with the public key, whatever its status. Raises `NotFound`."""
    row = _BY_KEY.one(conn, {"form_key": form_key})
    if row is None:
        raise NotFound("no such form")
    return from_row(tuple(row))


def of_organization(conn: Connection, organization_id: str) -> list[Form]:
    """The organization's forms that are not removed, the oldest first."""
    rows = conn.execute(
        select(*COLUMNS)
        .select_from(JOINED)
        .where(forms.c.organization_id == organization_id, forms.c.status != "removed")
        .order_by(forms.c.id)
    )
    return [from_row(tuple(row)) for row in rows]


def from_row(row: tuple[Any, ...]) -> Form:
    """The form in *row*, selected as `COLUMNS`."""
    form_id, organization_id, name, form_key, status, domain, field_map, deal_title, honeypot = row
    return Form(
        id=form_id,
        organization_id=organization_id,
        name=name,
        form_key=form_key,
        status=status,
        domain=domain,
        field_map=_field_map.decode(field_map),
        deal_title=deal_title,
        honeypot=honeypot,
    )


def set_status(tx: Tx, organization_id: str, form_id: str, status: FormStatus) -> None:
    """Pause, resume or remove a form, effective with the next submission. Raises `NotFound`."""
    form_key = tx.conn.execute(
        update(forms)
        .where(forms.c.id == form_id, forms.c.organization_id == organization_id, forms.c.status != "removed")
        .values(status=status, updated_at=tx.now)
        .returning(forms.c.form_key)
    ).scalar_one_or_none()
    if form_key is None:
        raise NotFound("no such form")
    tx.announce(FormsChanged((form_key,)))


def announce_all(tx: Tx, organization_id: str) -> None:
    """Announce that what decides about every form of the organization may have changed."""
    keys = tx.conn.execute(select(forms.c.form_key).where(forms.c.organization_id == organization_id))
    tx.announce(FormsChanged(tuple(keys.scalars())))
