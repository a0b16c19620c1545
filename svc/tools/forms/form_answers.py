"""What tools of forms are asked and answer: a form, its settings, and what came in by it."""

from typing import Annotated, Final

from svc.domain.forms.forms import FormStatus
from svc.domain.forms.limits import (
    DEAL_TEMPLATE_CHARS_MAX,
    DEAL_TITLE_CHARS_MAX,
    FORM_FIELD_NAME_CHARS_MAX,
    FORM_FIELDS_MAX,
    RECENT_SUBMISSIONS,
)
from svc.domain.forms.seen_fields import RecentField
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.locale.times import Timestamp
from svc.domain.scalars import Scalar
from svc.domain.versions import Version
from svc.storage.forms.forms import StoredForm
from svc.tools.forms.submission_answers import FormId, SubmissionLine
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about

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


class RecentFieldAnswer(ToolOutput, frozen=True, kw_only=True):
    """A field of recent submissions."""

    name: Annotated[str, about(description="As the website sent it last.")]
    example: Annotated[Scalar, about(description="The last value that was not empty.")]
    property: Annotated[
        str | None, about(description="The contact's property that it goes to; null for the note alone.")
    ]
    proposed: Annotated[
        str | None, about(description="A property that it might be mapped to, which is called alike.")
    ]


class FormDetails(FormAnswer, frozen=True, kw_only=True):
    """A form, and what came in by it."""

    fields_seen: Annotated[
        list[RecentFieldAnswer],
        about(description="The fields of the latest submissions.", max_length=FORM_FIELDS_MAX),
    ]
    deal_title_preview: Annotated[
        str | None,
        about(description="The title of the deal that the latest submission would open; null if none."),
    ]

    recent_submissions: Annotated[
        list[SubmissionLine], about(description="The newest first.", max_length=RECENT_SUBMISSIONS)
    ]


answer_of: Final = Projection(StoredForm, FormAnswer)
details_of: Final = Projection(
    StoredForm, FormDetails, given=("recent_submissions", "fields_seen", "deal_title_preview")
)
seen_of: Final = Projection(RecentField, RecentFieldAnswer)

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
