"""Forms, and the settings that decide about their submissions."""

from typing import Any, Final

import msgspec
import sqlalchemy as sa
from msgspec import UNSET, UnsetType

from svc.domain.changes import FormChanged
from svc.domain.crypto.keys import FORM_KEY, new_key
from svc.domain.errors import Conflict, InvalidInput, NotFound, PlanRequired, named_at
from svc.domain.forms.forms import Form, FormStatus, NewForm
from svc.domain.forms.limits import FORMS_MAX
from svc.domain.forms.settings import checked
from svc.domain.identity.organizations import Organization
from svc.domain.input.near_names import shown
from svc.domain.records.objects import CONTACT
from svc.domain.records.properties import Property
from svc.domain.sites.domains import binding_faults
from svc.domain.versions import FIRST_VERSION, check_version
from svc.storage.forms import tables
from svc.storage.records import objects
from svc.storage.rows import Rows, Selection
from svc.storage.sites import sites
from svc.storage.sites import tables as sites_tables
from svc.storage.store import Tx


class StoredForm(Form, frozen=True, kw_only=True):
    """A form, with the fields that only people read. Times are ms since the epoch."""

    site_id: str | None
    version: int
    created_at: int
    updated_at: int


_JOINED: Final = tables.forms.outerjoin(sites_tables.sites, tables.forms.c.site_id == sites_tables.sites.c.id)
FORMS: Final = Selection(
    Form,
    tables.forms,
    members={"domain": sites_tables.sites.c.domain},
    # Without its map a form still takes submissions: what would be mapped goes to the note.
    empty={"field_map": dict},
)
_STORED: Final = Rows(
    tables.forms,
    StoredForm,
    members={"domain": sites_tables.sites.c.domain},
    empty={"field_map": dict},
)
_BY_KEY = FORMS.prepared(
    FORMS.select(tables.forms.c.form_key == sa.bindparam("form_key")).select_from(_JOINED)
)
_GET = _STORED.prepared(_STORED.select(tables.forms.c.id == sa.bindparam("form_id")).select_from(_JOINED))
_ALL = _STORED.prepared(
    _STORED.select(
        tables.forms.c.organization_id == sa.bindparam("organization_id"), tables.forms.c.status != "removed"
    )
    .select_from(_JOINED)
    .order_by(tables.forms.c.id)
)


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
    domain = _domain_of(tx.conn, organization.id, new.site_id)
    if len(list_all(tx.conn, organization.id)) >= FORMS_MAX:
        raise Conflict(f"an organization has at most {FORMS_MAX} forms")
    made = StoredForm(
        **msgspec.structs.asdict(new),
        id=tx.new_id("frm"),
        organization_id=organization.id,
        form_key=new_key(FORM_KEY, tx.random),
        domain=domain,
        version=FIRST_VERSION,
        created_at=tx.now,
        updated_at=tx.now,
    )
    _STORED.insert(tx.conn, made)
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
    before = NewForm(**{name: getattr(form, name) for name in NewForm.__struct_fields__})
    given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    after = checked(
        msgspec.structs.replace(before, **given), _contact_properties(tx.conn, organization_id), before
    )
    if after.site_id != before.site_id:
        _domain_of(tx.conn, organization_id, after.site_id)
    return _write(tx, form, **msgspec.structs.asdict(after))


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
    return form if form.status == status else _write(tx, form, status=status)


def _write(tx: Tx, form: StoredForm, **members: Any) -> StoredForm:
    version = tables.forms.c.version + 1
    tx.conn.execute(
        _STORED.update(tables.forms.c.id == form.id, **members, updated_at=tx.now, version=version)
    )
    tx.announce(FormChanged(form.form_key))
    return _GET.all(tx.conn, form_id=form.id)[0]


def _check_plan(tx: Tx, organization: Organization) -> None:
    if not organization.may_take_forms(tx.now):
        raise PlanRequired("the form endpoint needs a plan that includes it, and the Marketing hub")


def _domain_of(conn: sa.Connection, organization_id: str, site_id: str | None) -> str | None:
    """The domain of the site that a form is bound to. Raises `InvalidInput` for one that it cannot be."""
    if site_id is None:
        return None
    with named_at("/siteId"):
        domain = sites.get(conn, organization_id, site_id).domain
    if faults := binding_faults(domain):
        raise InvalidInput(faults)
    return domain


def _contact_properties(conn: sa.Connection, organization_id: str) -> dict[str, Property]:
    return {**objects.properties_of(conn, objects.ids_by_slug(conn, organization_id)[CONTACT])}


def by_key(conn: sa.Connection, form_key: str) -> Form:
    """The form with the public key, whatever its status. Raises `NotFound`."""
    form = _BY_KEY.one(conn, form_key=form_key)
    if form is None:
        raise NotFound("no such form")
    return form


def get(conn: sa.Connection, organization_id: str, form_id: str) -> StoredForm:
    """The form, unless it is removed. Raises `NotFound`."""
    form = _GET.one(conn, form_id=form_id)
    if form is None or form.organization_id != organization_id or form.status == "removed":
        raise NotFound(f"there is no form {shown(form_id)}")
    return form


def list_all(conn: sa.Connection, organization_id: str) -> list[StoredForm]:
    """The organization's forms that are not removed, the oldest first."""
    return _ALL.all(conn, organization_id=organization_id)
