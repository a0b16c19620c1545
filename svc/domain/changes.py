"""What changed, as units of work announce it and actors hear of it after the commit."""

import msgspec


class Change(msgspec.Struct, frozen=True):
    """The base of every announced change: a plain value, told once, after the commit."""


class FormsChanged(Change, frozen=True):
    """What decides about these forms' submissions is not as it was: form, site, plan or server keys."""

    form_keys: tuple[str, ...]


class SubmissionsDue(Change, frozen=True):
    """Stored submissions of the organization wait to be filed."""

    organization_id: str
