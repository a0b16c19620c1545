"""Whether a form accepts submissions, and from which pages."""

from typing import Literal

from svc.domain.forms.forms import Form
from svc.domain.identity.organizations import Organization
from svc.domain.net.origins import origin_allowed

Closed = Literal["unknown_form", "origin"]
"""Why a form accepts nothing: it is not active, or not in the plan; or the page is of another site."""


def is_open(form: Form, organization: Organization, now: int) -> bool:
    """Whether *form* accepts submissions: it is active, and the organization's plan includes forms."""
    return form.status == "active" and organization.may_take_forms(now)


def closed_to(form: Form, organization: Organization, origin: str | None, now: int) -> Closed | None:
    """Why *form* accepts nothing from a page at *origin*; None when it does."""
    if not is_open(form, organization, now):
        return "unknown_form"
    return None if origin_allowed(origin, form.domain) else "origin"
