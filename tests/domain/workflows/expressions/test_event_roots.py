"""Roots of paths with an event's members: what the struct has is there, of its own type."""

import pytest

from svc.domain.forms.events import SubmissionHeld
from svc.domain.workflows.expressions.event_roots import MESSAGE, SUBMISSION, EventRoot


class Later(SubmissionHeld, frozen=True):
    """An event as it may be one day, with members of every type."""

    contact_id: str | None
    note: str | None
    pages: int
    paid: bool | None
    details: dict[str, str]
    parts: list[str]


ROOT = EventRoot(Later, "submission_id", elsewhere=("parts",), first=("note",))


def test_members_are_named_as_they_are_sent():
    """Its own id is `id`, and comes first; what is elsewhere, and the source, are left out."""
    assert ["id", "note", "formId", "reason", "contactId", "pages", "paid", "details"] == [*ROOT.members]


def test_types_are_those_of_the_struct():
    """A text is compared as a text, and an id of a record as one of its object."""
    told = {name: (member.type, member.object_type) for name, member in ROOT.members.items()}

    assert told == {
        "id": ("long_text", None),
        "note": ("long_text", None),
        "formId": ("long_text", None),
        "reason": ("long_text", None),
        "contactId": ("relation", "contact"),
        "pages": ("number", None),
        "paid": ("boolean", None),
        "details": (None, None),
    }


def test_what_an_event_does_not_have_is_null():
    """Or an empty object, so that there is nothing below it."""
    values = ROOT.values({"submissionId": "sub_1", "pages": 3, "other": True})

    missing = dict.fromkeys(("note", "formId", "reason", "contactId", "paid"))
    assert values == {"id": "sub_1", "pages": 3, "details": {}} | missing


@pytest.mark.parametrize(
    ("root", "names"),
    [
        (SUBMISSION, ["id", "formId", "fields"]),
        (MESSAGE, ["id", "text", "conversationId", "connectionId", "contactId"]),
    ],
)
def test_documents_that_are_stored_keep_their_paths(root, names):
    """Runs go on with the version of the document that they were started with."""
    assert names == [*root.members][: len(names)]
