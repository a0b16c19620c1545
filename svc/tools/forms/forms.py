"""`form.*`: website forms, whose submissions become contacts, notes and deals."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, NotFound, PlanRequired
from svc.domain.forms.forms import FormStatus, NewForm
from svc.domain.identity.callers import Call
from svc.domain.limits import (
    DEAL_TEMPLATE_CHARS_MAX,
    DEAL_TITLE_CHARS_MAX,
    FORM_FIELD_NAME_CHARS_MAX,
    FORM_FIELDS_MAX,
    FORMS_MAX,
    NAME_CHARS_MAX,
    RECENT_SUBMISSIONS,
)
from svc.storage.forms import forms, submission_lists
from svc.storage.forms.forms import FormChanges, StoredForm
from svc.storage.identity import organizations
from svc.storage.store import Tx, View
from svc.tools.forms import submissions
from svc.tools.forms.submissions import FormId, SubmissionLine
from svc.tools.projections import Projection
from svc.tools.tool import (
    IfVersion,
    Timestamp,
    ToolInput,
    ToolOutput,
    Version,
    about,
    reads,
    writes,
)

Name = Annotated[
    str,
    about(
        description="What people call it; a submission's note has it as its title.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
    ),
]
SiteId = Annotated[
    str | None,
    about(description="The tracked site that it takes posts from; null for any, which is bound to no site."),
]
FieldName = Annotated[str, about(min_length=1, max_length=FORM_FIELD_NAME_CHARS_MAX)]
FieldMap = Annotated[
    dict[FieldName, str],
    about(
        description=(
            "The website's own field names to slugs of a contact's properties. What is not in it keeps the"
            " meaning that its name has to every form, or goes into the note."
        ),
        max_length=FORM_FIELDS_MAX,
    ),
]
DealTitle = Annotated[
    Annotated[str, about(min_length=1, max_length=DEAL_TEMPLATE_CHARS_MAX)] | None,
    about(
        description=(
            "The title of the deal that each submission opens; `{{field}}` stands for a field's text, and"
            f" what comes of it is cut after {DEAL_TITLE_CHARS_MAX} characters. Null opens none."
        )
    ),
]
Honeypot = Annotated[
    FieldName | None,
    about(description="A field that people do not see: a submission that fills it in is held as `spam`."),
]


class FormAnswer(ToolOutput, frozen=True, kw_only=True):
    """A form as it is set up."""

    id: FormId
    name: str
    status: Annotated[
        FormStatus, about(description="An `active` one takes submissions; a `removed` one never will again.")
    ]
    form_key: Annotated[str, about(description="What submissions name it by. It is no secret.")]
    submit_path: Annotated[
        str,
        about(description="Where a page posts it, on this service's origin. A server leaves the query out."),
    ]
    site_id: SiteId
    domain: Annotated[str | None, about(description="The domain of that site.")]
    field_map: dict[str, str]
    deal_title: str | None
    honeypot: str | None
    version: Version
    created_at: Timestamp
    updated_at: Timestamp


class FormDetails(FormAnswer, frozen=True, kw_only=True):
    """A form, and what came in by it."""

    recent_submissions: Annotated[
        list[SubmissionLine], about(description="The newest first.", max_length=RECENT_SUBMISSIONS)
    ]


_answer: Final = Projection(StoredForm, FormAnswer)
_details: Final = Projection(StoredForm, FormDetails, given=("recent_submissions",))

_KEY: Final = "svcf_6qXv0nJc2TzB8mRk4WyLd1HsGp9EaUf3Y1Zt0Q"
EXAMPLE: Final = FormAnswer(
    id="frm_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Ask about a lamp",
    status="active",
    form_key=_KEY,
    submit_path=f"/api/f/s?f={_KEY}",
    site_id="sit_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    domain="harbourlamps.example",
    field_map={"town": "city"},
    deal_title="{{lamp}} for {{name}}",
    honeypot="fax",
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


class ListForms(ToolInput, frozen=True, kw_only=True):
    """Nothing is asked: all of them are listed."""


class FormList(ToolOutput, frozen=True, kw_only=True):
    """The forms that are not removed."""

    forms: Annotated[list[FormAnswer], about(description="The oldest first.", max_length=FORMS_MAX)]


@reads("form.list", needs="forms", example=ListForms(), answer=FormList(forms=[EXAMPLE]))
def list_all(view: View, call: Call, request: ListForms) -> FormList:  # noqa: ARG001  # nothing is asked
    """List the forms."""
    return FormList(forms=[_answer(form) for form in forms.list_all(view.conn, call.caller.organization_id)])


class FormById(ToolInput, frozen=True, kw_only=True):
    """Which form."""

    id: FormId


@reads(
    "form.get",
    needs="forms",
    raises=(NotFound,),
    example=FormById(id=EXAMPLE.id),
    answer=FormDetails(
        **{name: getattr(EXAMPLE, name) for name in FormAnswer.__struct_fields__},
        recent_submissions=[submissions.EXAMPLE_LINE],
    ),
)
def get(view: View, call: Call, request: FormById) -> FormDetails:
    """Show a form, with its latest submissions."""
    organization_id = call.caller.organization_id
    form = forms.get(view.conn, organization_id, request.id)
    recent = submission_lists.list_page(
        view.conn, organization_id, form_id=form.id, limit=RECENT_SUBMISSIONS
    ).submissions
    return _details(form, recent_submissions=[submissions.line_of(submission) for submission in recent])


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
    return _answer(forms.create(tx, organization, NewForm(**msgspec.structs.asdict(request))))


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
    return _answer(forms.update(tx, call.caller.organization_id, form_id, changes, if_version=if_version))


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
    return _answer(forms.pause(tx, call.caller.organization_id, request.id))


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
    return _answer(forms.resume(tx, organization, request.id))


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
    return _answer(forms.remove(tx, call.caller.organization_id, request.id))
