"""Forms, and the settings that decide about their submissions."""

from typing import Any, Final, NamedTuple

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, UnsetType

from svc.domain.changes import FormChanged
from svc.domain.crypto.keys import FORM_KEY, new_key
from svc.domain.errors import Conflict, Fault, InvalidInput, NotFound, PlanRequired
from svc.domain.forms.forms import Form, FormStatus, NewForm
from svc.domain.forms.settings import checked
from svc.domain.identity.organizations import Organization
from svc.domain.limits import FORMS_MAX
from svc.domain.near_names import shown
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import Property
from svc.domain.sites.domains import binding_faults
from svc.domain.versions import check_version
from svc.storage.forms import tables
from svc.storage.readable import LenientDecoder
from svc.storage.records import objects
from svc.storage.sites import tables as sites_tables
from svc.storage.statements import Statement
from svc.storage.store import Tx


class FormRow(NamedTuple):
    """A form's row, with the domain of its site."""

    id: str
    organization_id: str
    name: str
    form_key: str
    status: FormStatus
    domain: str | None
    field_map: str
    deal_title: str | None
    honeypot: str | None


COLUMNS: Final = tuple(
    tables.forms.c[name] if name in tables.forms.c else sites_tables.sites.c[name] for name in FormRow._fields
)
JOINED = tables.forms.outerjoin(sites_tables.sites, tables.forms.c.site_id == sites_tables.sites.c.id)

_BY_KEY = Statement(
    sa.select(*COLUMNS).select_from(JOINED).where(tables.forms.c.form_key == sa.bindparam("form_key")),
    FormRow,
)
_STORED: Final = sa.select(
    *COLUMNS,
    tables.forms.c.site_id,
    tables.forms.c.version,
    tables.forms.c.created_at,
    tables.forms.c.updated_at,
).select_from(JOINED)

_field_map = LenientDecoder(msgspec.json.Decoder(dict[str, str]), dict, tables.forms.c.field_map)
"""Without its map a form still takes submissions: what would be mapped goes to the note."""


class StoredForm(Form, frozen=True, kw_only=True):
    """A form, with the fields that only people read. Times are ms since the epoch."""

    site_id: str | None
    version: int
    created_at: int
    updated_at: int


class FormChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of a form; None leaves a field as it is."""

    name: str | UnsetType = UNSET
    site_id: str | UnsetType | None = UNSET
    field_map: dict[str, str] | UnsetType = UNSET
    deal_title: str | UnsetType | None = UNSET
    honeypot: str | UnsetType | None = UNSET


def create(tx: Tx, organization: Organization, new: NewForm) -> StoredForm:
    """Make a form with a new key.

    Raises:
        PlanRequired: the organization has no form endpoint.
        NotFound: the site is not the organization's.
        InvalidInput: see `form_rules.checked` and `binding_faults`.
        Conflict: there are `FORMS_MAX` forms already.
    """
    _check_plan(tx, organization)
    new = checked(new, _contact_properties(tx.conn, organization.id))
    _check_site(tx.conn, organization.id, new.site_id)
    there = tx.conn.execute(
        sa.select(sa.func.count()).where(
            tables.forms.c.organization_id == organization.id, tables.forms.c.status != "removed"
        )
    )
    if there.scalar_one() >= FORMS_MAX:
        raise Conflict(f"an organization has at most {FORMS_MAX} forms")
    form_id = tx.new_id("frm")
    tx.conn.execute(
        sa.insert(tables.forms).values(
            **_values(new),
            id=form_id,
            organization_id=organization.id,
            form_key=new_key(FORM_KEY, tx.random),
            status="active",
            created_at=tx.now,
            updated_at=tx.now,
        )
    )
    made = get(tx.conn, organization.id, form_id)
    tx.announce(FormChanged(made.form_key))
    return made


def update(
    tx: Tx, organization_id: str, form_id: str, changes: FormChanges, *, if_version: int | None = None
) -> StoredForm:
    """Change a form, effective with the next submission.

    Raises:
        NotFound: no such form.
        InvalidInput: see `settings.checked` and `binding_faults`.
        Conflict: it is at another version than *if_version*.
    """
    form = get(tx.conn, organization_id, form_id)
    check_version(form.version, if_version)
    before = NewForm(
        name=form.name,
        site_id=form.site_id,
        field_map=form.field_map,
        deal_title=form.deal_title,
        honeypot=form.honeypot,
    )
    given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    after = checked(
        msgspec.structs.replace(before, **given), _contact_properties(tx.conn, organization_id), before
    )
    if after.site_id != before.site_id:
        _check_site(tx.conn, organization_id, after.site_id)
    return _write(tx, form, _values(after))


def pause(tx: Tx, organization_id: str, form_id: str) -> StoredForm:
    """Pause the form: it takes no submissions until it is resumed. Raises `NotFound`."""
    return _set_status(tx, get(tx.conn, organization_id, form_id), "paused")


def resume(tx: Tx, organization: Organization, form_id: str) -> StoredForm:
    """Resume the form. Raises `NotFound`, and `PlanRequired` without the form endpoint."""
    form = get(tx.conn, organization.id, form_id)
    _check_plan(tx, organization)
    return _set_status(tx, form, "active")


def remove(tx: Tx, organization_id: str, form_id: str) -> StoredForm:
    """Remove the form for good; its submissions stay. Raises `NotFound`."""
    return _set_status(tx, get(tx.conn, organization_id, form_id), "removed")


def _set_status(tx: Tx, form: StoredForm, status: FormStatus) -> StoredForm:
    return form if form.status == status else _write(tx, form, {"status": status})


def _write(tx: Tx, form: StoredForm, values: dict[str, Any]) -> StoredForm:
    tx.conn.execute(
        sa.update(tables.forms)
        .where(tables.forms.c.id == form.id)
        .values(**values, updated_at=tx.now, version=tables.forms.c.version + 1)
    )
    tx.announce(FormChanged(form.form_key))
    return _stored(tx.conn.execute(_STORED.where(tables.forms.c.id == form.id)).one())


def _values(form: NewForm) -> dict[str, Any]:
    return msgspec.structs.asdict(form) | {"field_map": msgspec.json.encode(form.field_map).decode()}


def _check_plan(tx: Tx, organization: Organization) -> None:
    if not organization.may_take_forms(tx.now):
        raise PlanRequired("the form endpoint needs a plan that includes it, and the Marketing hub")


def _check_site(conn: sa.Connection, organization_id: str, site_id: str | None) -> None:
    if site_id is None:
        return
    found = conn.execute(
        sa.select(sites_tables.sites.c.domain).where(
            sites_tables.sites.c.id == site_id,
            sites_tables.sites.c.organization_id == organization_id,
            sites_tables.sites.c.removed_at.is_(None),
        )
    )
    domain = found.scalar_one_or_none()
    if domain is None:
        raise InvalidInput([Fault("/siteId", "not_found", f"there is no site {shown(site_id)}")])
    faults = binding_faults(domain)
    if faults:
        raise InvalidInput(faults)


def _contact_properties(conn: sa.Connection, organization_id: str) -> dict[str, Property]:
    return {**objects.properties_of(conn, objects.ids_by_slug(conn, organization_id)[CONTACT])}


def by_key(conn: sa.Connection, form_key: str) -> Form:
    """The form with the public key, whatever its status. Raises `NotFound`."""
    row = _BY_KEY.one(conn, form_key=form_key)
    if row is None:
        raise NotFound("no such form")
    return from_row(row)


def get(conn: sa.Connection, organization_id: str, form_id: str) -> StoredForm:
    """The form, unless it is removed. Raises `NotFound`."""
    row = conn.execute(
        _STORED.where(
            tables.forms.c.id == form_id,
            tables.forms.c.organization_id == organization_id,
            tables.forms.c.status != "removed",
        )
    ).one_or_none()
    if row is None:
        raise NotFound(f"there is no form {shown(form_id)}")
    return _stored(row)


def list_all(conn: sa.Connection, organization_id: str) -> list[StoredForm]:
    """The organization's forms that are not removed, the oldest first."""
    rows = conn.execute(
        _STORED.where(
            tables.forms.c.organization_id == organization_id, tables.forms.c.status != "removed"
        ).order_by(tables.forms.c.id)
    )
    return [_stored(row) for row in rows]


def from_row(row: FormRow) -> Form:
    """The form of a row."""
    return Form(
        id=row.id,
        organization_id=row.organization_id,
        name=row.name,
        form_key=row.form_key,
        status=row.status,
        domain=row.domain,
        field_map=_field_map.read(row.field_map, row.id),
        deal_title=row.deal_title,
        honeypot=row.honeypot,
    )


def _stored(row: sa.Row[Any]) -> StoredForm:
    return StoredForm(**row._asdict() | {"field_map": _field_map.read(row.field_map, row.id)})
