"""First steps of a new organization, each with whether it is done."""

from collections.abc import Callable
from typing import Annotated, Final, Literal

from svc.domain.home.limits import HOME_CONTACTS_BROUGHT, HOME_FIRST_STEPS_MS
from svc.domain.identity.callers import Call
from svc.domain.records.objects import CONTACT
from svc.storage.forms import bounded_counts, forms
from svc.storage.identity import api_keys, invitations, members, organizations
from svc.storage.records import objects
from svc.storage.records.listing import creations
from svc.storage.store import View
from svc.tools.home.rights import has_permission, may_read
from svc.tools.home.waiting import ScreenPath
from svc.tools.tool import ToolOutput, about

StepKey = Literal["form", "submission", "contacts", "key", "colleague"]


class FirstStep(ToolOutput, frozen=True, kw_only=True):
    """A step that an organization takes once."""

    key: Annotated[
        StepKey,
        about(
            description="Make a form; have its first submission; bring contacts along; make an API key; "
            "invite somebody."
        ),
    ]
    done: bool
    path: ScreenPath


def first_steps(view: View, call: Call) -> tuple[FirstStep, ...] | None:
    """The steps that the caller can take; None where all are done, or the organization is not new."""
    organization = organizations.get(view.conn, call.caller.organization_id)
    if organization.created_at <= view.now - HOME_FIRST_STEPS_MS:
        return None
    steps = [
        step
        for listed_by, done_by, look in _LOOKS
        if may_read(call, listed_by) and has_permission(call, done_by)
        for step in look(view, organization.id)
    ]
    return None if all(step.done for step in steps) else tuple(steps)


def _of_forms(view: View, organization_id: str) -> tuple[FirstStep, ...]:
    made = forms.list_all(view.conn, organization_id)
    to_install = f"/app/forms/{made[-1].id}?tab=install" if made else "/app/forms?new=1"
    return (
        FirstStep(key="form", done=bool(made), path="/app/forms" if made else "/app/forms?new=1"),
        FirstStep(key="submission", done=bounded_counts.is_any(view.conn, organization_id), path=to_install),
    )


def _of_contacts(view: View, organization_id: str) -> tuple[FirstStep, ...]:
    """By their number: imports are forgotten after a while, and contacts can be brought by a key, too."""
    object_id = objects.ids_by_slug(view.conn, organization_id)[CONTACT]
    brought = creations.count_to(view.conn, object_id, view.now, HOME_CONTACTS_BROUGHT)
    return (
        FirstStep(
            key="contacts",
            done=brought >= HOME_CONTACTS_BROUGHT,
            path=f"/app/settings/objects/{CONTACT}/import",
        ),
    )


def _of_keys(view: View, organization_id: str) -> tuple[FirstStep, ...]:
    keys = api_keys.list_all(view.conn, organization_id, view.now)
    return (FirstStep(key="key", done=bool(keys), path="/app/settings/api-keys?new=1"),)


def _of_people(view: View, organization_id: str) -> tuple[FirstStep, ...]:
    is_done = members.count_to(view.conn, organization_id, 2) > 1 or bool(
        invitations.list_all(view.conn, organization_id, view.now)
    )
    return (FirstStep(key="colleague", done=is_done, path="/app/settings/members?new=1"),)


_Look = Callable[[View, str], tuple[FirstStep, ...]]
_LOOKS: Final[tuple[tuple[str, str, _Look], ...]] = (
    ("form.list", "form.create", _of_forms),
    ("import.list", "import.start", _of_contacts),
    ("apikey.list", "apikey.mint", _of_keys),
    ("member.list", "member.invite", _of_people),
)
"""By the tool that lists what the step makes, and by the one that makes it."""

EXAMPLE: Final = (
    FirstStep(key="form", done=True, path="/app/forms"),
    FirstStep(key="submission", done=False, path="/app/forms/frm_01K5D3V7Q2M8Z4X6C9B1N0T5RA?tab=install"),
)
