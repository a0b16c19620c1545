"""A website form: its settings, and the deal that a submission opens."""

import re
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from svc.domain.forms.fields import plain_name
from svc.domain.forms.limits import DEAL_TITLE_CHARS_MAX
from svc.domain.scalars import Scalar, text_of

FormStatus = Literal["active", "paused", "removed"]

SUBMIT_PATH: Final = "/api/f/s"
"""Where submissions are posted, on the service's own origin."""

_PLACEHOLDER: Final = re.compile(r"\{\{\s*([^{}]{1,64}?)\s*\}\}")


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """One form, as stored."""

    id: str
    organization_id: str
    name: str
    form_key: str
    status: FormStatus = "active"
    domain: str | None = None
    """The domain of the site that it is bound to; None when it is not bound."""
    field_map: dict[str, str] = {}
    """The customer's field names to slugs of contact properties."""
    deal_title: str | None = None
    """Title template of the deal that each submission opens; None opens none."""
    honeypot: str | None = None
    """A field that people never see; a submission that fills it in is spam."""

    @property
    def submit_path(self) -> str:
        """The path to post it to, with the key: a CORS preflight can name the form only in the address."""
        return f"{SUBMIT_PATH}?f={self.form_key}"


class NewForm(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a new form."""

    name: str
    site_id: str | None = None
    field_map: dict[str, str] = {}
    deal_title: str | None = None
    honeypot: str | None = None


def deal_title(template: str, fields: Mapping[str, Scalar]) -> str:
    """*template* with each `{{field}}` replaced by that field's text, once and plainly.

    Unknown placeholders become empty. The title is cut after `DEAL_TITLE_CHARS_MAX` characters.
    """
    texts = {plain_name(name): text_of(value) for name, value in fields.items()}
    title = _PLACEHOLDER.sub(lambda match: texts.get(plain_name(match[1]), ""), template)
    return " ".join(title.split())[:DEAL_TITLE_CHARS_MAX]
