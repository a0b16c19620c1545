"""`form.*`: website forms, whose submissions become contacts, notes and deals."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, NotFound, PlanRequired
from svc.domain.forms.forms import NewForm
from svc.domain.forms.forms import deal_title as title_of
from svc.domain.forms.limits import FORMS_MAX, RECENT_SUBMISSIONS
from svc.domain.forms.seen_fields import seen_fields
from svc.domain.identity.callers import Call
from svc.domain.records.objects import CONTACT
from svc.domain.scalars import Scalar
from svc.storage.forms import forms, submission_lists
from svc.storage.forms.forms import FormChanges
from svc.storage.identity import organizations
from svc.storage.records import objects
from svc.storage.store import Tx, View
from svc.tools.forms.form_answers import (
    EXAMPLE,
    DealTitle,
    FieldMap,
    FormAnswer,
    FormDetails,
    Honeypot,
    Name,
    RecentFieldAnswer,
    SiteId,
    answer_of,
    details_of,
    seen_of,
)
from svc.tools.forms.submission_answers import EXAMPLE_LINE, FormId, line_of
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, reads, writes


class ListForms(ToolInput, frozen=True, kw_only=True):
    """Nothing is asked: all of them are listed."""


class FormList(ToolOutput, frozen=True, kw_only=True):
    """The forms that are not removed."""

    forms: Annotated[list[FormAnswer], about(description="The oldest first.", max_length=FORMS_MAX)]


@reads("form.list", needs="forms", example=ListForms(), answer=FormList(forms=[EXAMPLE]))
def list_all(view: View, call: Call, request: ListForms) -> FormList:  # noqa: ARG001  # nothing is asked
    """List the forms."""
    return FormList(
        forms=[answer_of(form) for form in forms.list_all(view.conn, call.caller.organization_id)]
    )


class FormById(ToolInput, frozen=True, kw_only=True):
    """Which form."""

    id: FormId


class GetForm(FormById, frozen=True, kw_only=True):
    """Which form."""

    deal_title: DealTitle = None


@reads(
    "form.get",
    needs="forms",
    raises=(NotFound,),
    example=GetForm(id=EXAMPLE.id),
    answer=FormDetails(
        **{name: getattr(EXAMPLE, name) for name in FormAnswer.__struct_fields__},
        fields_seen=[
            RecentFieldAnswer(name="email", example="ines@example.com", property="email", proposed=None),
            RecentFieldAnswer(name="Company name", example="Bellevue", property=None, proposed="company"),
        ],
        deal_title_preview="Skerry wall light for Ines Duarte",
        recent_submissions=[EXAMPLE_LINE],
    ),
)
def get(view: View, call: Call, request: GetForm) -> FormDetails:
    """Show a form, with its latest submissions, their fields, and the deal that the last one would open.

    With `dealTitle`, the preview is of that template in place of the form's own, before it is saved.
    """
    organization_id = call.caller.organization_id
    form = forms.get(view.conn, organization_id, request.id)
    recent = submission_lists.list_page(
        view.conn, organization_id, form_id=form.id, limit=RECENT_SUBMISSIONS
    ).submissions
    sent = submission_lists.recent_fields(view.conn, form.id, RECENT_SUBMISSIONS)
    slugs = objects.get(view.conn, organization_id, CONTACT).properties
    return details_of(
        form,
        recent_submissions=[line_of(submission) for submission in recent],
        fields_seen=[seen_of(field) for field in seen_fields(sent, form.field_map, slugs)],
        deal_title_preview=_title(request.deal_title or form.deal_title, sent, form.name),
    )


def _title(template: str | None, sent: list[dict[str, Scalar]], name: str) -> str | None:
    """The title that filing would give the deal of the latest submission."""
    if template is None or not sent:
        return None
    return title_of(template, sent[0]) or name


class CreateForm(ToolInput, frozen=True, kw_only=True):
    """A form to be made."""

    name: Name
    site_id: SiteId = None
    field_map: FieldMap = msgspec.field(default_factory=dict)
    deal_title: DealTitle = None
    honeypot: Honeypot = None


@writes(
    "form.create",
    needs="forms",
    raises=(PlanRequired, NotFound, Conflict),
    example=CreateForm(
        name=EXAMPLE.name,
        site_id=EXAMPLE.site_id,
        field_map=EXAMPLE.field_map,
        deal_title=EXAMPLE.deal_title,
        honeypot=EXAMPLE.honeypot,
    ),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateForm) -> FormAnswer:
    """Make a form, which takes submissions at once.

    The answer has its key, and where to post. A field map names fields as the website has them.
    """
    organization = organizations.get(tx.conn, call.caller.organization_id)
    return answer_of(forms.create(tx, organization, NewForm(**msgspec.structs.asdict(request))))


class UpdateForm(ToolInput, frozen=True, kw_only=True):
    """What to change about a form. What is left out stays; null takes away."""

    id: FormId
    name: Name | UnsetType = UNSET
    site_id: SiteId | UnsetType = UNSET
    field_map: FieldMap | UnsetType = UNSET
    deal_title: DealTitle | UnsetType = UNSET
    honeypot: Honeypot | UnsetType = UNSET
    if_version: IfVersion = None


@writes(
    "form.update",
    needs="forms",
    raises=(NotFound, Conflict),
    example=UpdateForm(id=EXAMPLE.id, field_map=EXAMPLE.field_map, honeypot=EXAMPLE.honeypot),
    answer=EXAMPLE,
)
def update(tx: Tx, call: Call, request: UpdateForm) -> FormAnswer:
    """Change a form; the very next submission is taken as it is set up then.

    A field map takes the place of the whole one before. What was stored before is filed as its fields were
    understood when it came, with the deal's title of the moment of filing.
    """
    facts = msgspec.structs.asdict(request)
    form_id, if_version = facts.pop("id"), facts.pop("if_version")
    changes = FormChanges(**facts)
    return answer_of(forms.update(tx, call.caller.organization_id, form_id, changes, if_version=if_version))


@writes(
    "form.pause",
    needs="forms",
    raises=(NotFound,),
    example=FormById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="paused"),
)
def pause(tx: Tx, call: Call, request: FormById) -> FormAnswer:
    """Take no submissions by a form until it is resumed.

    Senders are told `unknown_form`. What was stored before is filed. A form that is paused already stays so.
    """
    return answer_of(forms.pause(tx, call.caller.organization_id, request.id))


@writes(
    "form.resume",
    needs="forms",
    raises=(PlanRequired, NotFound),
    example=FormById(id=EXAMPLE.id),
    answer=EXAMPLE,
)
def resume(tx: Tx, call: Call, request: FormById) -> FormAnswer:
    """Take submissions by a form again. One that is active already stays so."""
    organization = organizations.get(tx.conn, call.caller.organization_id)
    return answer_of(forms.resume(tx, organization, request.id))


@writes(
    "form.remove",
    needs="forms",
    runs="approval",
    raises=(NotFound,),
    example=FormById(id=EXAMPLE.id),
    answer=msgspec.structs.replace(EXAMPLE, status="removed"),
)
def remove(tx: Tx, call: Call, request: FormById) -> FormAnswer:
    """Remove a form for good.

    Its key is never valid again. Its submissions stay, and those that are not filed yet are filed.
    """
    return answer_of(forms.remove(tx, call.caller.organization_id, request.id))
