"""What becomes of a stored submission."""

from itertools import count

import msgspec
import pytest

from svc.domain.forms.filing import Contact, ContactIndex, Filing, StoredSubmission, file, file_to
from svc.domain.forms.forms import Form
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import Property

FORM = Form(id="frm_1", organization_id="org_1", name="Contact us", form_key="svcf_x")
PROPERTIES = {prop.slug: prop for prop in BUILTIN_OBJECTS[0].properties} | {
    "seats": Property(slug="seats", label="Seats", type="number"),
    "size": Property(slug="size", label="Size", type="select", options=("Small", "Large")),
}


def contact_of(filing: Filing) -> Contact:
    assert filing.contact is not None
    return filing.contact


def directory(*contacts: Contact) -> ContactIndex:
    numbers = count(1)
    return ContactIndex(
        contacts, properties=PROPERTIES, country="DE", new_contact_id=lambda: f"rec_new{next(numbers)}"
    )


def submission(**changes: object) -> StoredSubmission:
    return msgspec.structs.replace(
        StoredSubmission(
            id="sub_1",
            form=FORM,
            received_at=0,
            email="ada@example.com",
            phone=None,
            name=None,
            fields={"email": "ada@example.com"},
            recognised=("email",),
            mapped={},
            dropped=0,
        ),
        **changes,
    )


def test_a_new_person_becomes_a_contact():
    """An unknown person becomes a new contact with what was sent."""
    filing = file(submission(name="Ada", phone="+4930123456"), directory())

    assert filing.created
    assert {"name": "Ada", "email": "ada@example.com", "phone": "+4930123456"} == contact_of(
        filing
    ).properties
    assert contact_of(filing).properties == filing.filled


def test_two_submissions_of_one_new_person_make_one_contact():
    """The second submission of a batch meets the contact that the first one made."""
    known = directory()

    first = file(submission(), known)
    second = file(submission(id="sub_2", phone="+4930123456"), known)

    assert (True, False) == (first.created, second.created)
    assert first.contact is second.contact
    assert {"phone": "+4930123456"} == second.filled


def test_an_empty_property_is_filled_and_a_different_value_is_suggested():
    """What a contact has is never overwritten by a form."""
    ada = Contact(id="rec_ada", properties={"email": "ada@example.com", "name": "Ada L."})

    filing = file(submission(name="Ada Lovelace", phone="+4930123456"), directory(ada))

    assert not filing.created
    assert {"phone": "+4930123456"} == filing.filled
    assert {"name": "Ada Lovelace"} == filing.suggested
    assert "Ada L." == ada.properties["name"]


def test_the_same_value_in_other_letters_is_no_suggestion():
    """Case and spaces alone make no other name."""
    ada = Contact(id="rec_ada", properties={"email": "ada@example.com", "name": "Ada  LOVELACE"})

    assert {} == file(submission(name="ada lovelace"), directory(ada)).suggested


@pytest.mark.parametrize(
    ("field", "slug", "expected"),
    [("12", "seats", 12), ("large", "size", "Large"), ("acme.example", "website", "https://acme.example")],
)
def test_a_mapped_field_is_written_as_its_property_type(field, slug, expected):
    """A mapped field becomes a value of the property's type, and is not repeated in the note."""
    sent = submission(fields={"email": "ada@example.com", "x": field}, mapped={slug: "x"})

    filing = file(sent, directory())

    assert expected == contact_of(filing).properties[slug]
    assert "" == filing.note


@pytest.mark.parametrize(("value", "slug"), [("many", "seats"), ("Huge", "size"), ("hello", "gone")])
def test_a_mapped_value_that_does_not_fit_stays_in_the_note(value, slug):
    """What cannot be written to its property is not lost."""
    sent = submission(fields={"email": "ada@example.com", "x": value}, mapped={slug: "x"})

    filing = file(sent, directory())

    assert slug not in contact_of(filing).properties
    assert f"x: {value}" == filing.note


def test_the_note_has_all_other_fields_and_the_count_of_the_dropped():
    """The note says what is nowhere else, and how many fields were dropped."""
    sent = submission(
        fields={"email": "ada@example.com", "message": "Hello", "newsletter": True, "size": None}, dropped=2
    )

    assert (
        "message: Hello\nnewsletter: yes\nsize: \n(2 sensitive values were dropped)"
        == file(sent, directory()).note
    )


def test_an_unclear_match_is_held():
    """A person decides where e-mail and phone are of two contacts; nothing is written."""
    ada = Contact(id="rec_ada", properties={"email": "ada@example.com"})
    bob = Contact(id="rec_bob", properties={"phone": "+4930123456"})

    filing = file(submission(phone="+4930123456"), directory(ada, bob))

    assert ("conflict", ("rec_ada", "rec_bob"), None) == (filing.held, filing.candidates, filing.contact)


def test_a_phone_of_a_contact_with_another_email_is_held_as_similar():
    """The same phone with another e-mail may be a colleague."""
    bob = Contact(id="rec_bob", properties={"phone": "+4930123456", "email": "bob@example.com"})

    filing = file(submission(phone="+4930123456"), directory(bob))

    assert ("similar", ("rec_bob",)) == (filing.held, filing.candidates)


def test_spam_is_held_with_its_candidates():
    """A filled-in honeypot is held, however clear the match is."""
    ada = Contact(id="rec_ada", properties={"email": "ada@example.com"})

    filing = file(submission(held_reason="spam"), directory(ada))

    assert ("spam", ("rec_ada",)) == (filing.held, filing.candidates)


def test_attaching_does_not_take_the_identity_of_another_contact():
    """A phone that is another contact's is suggested, so that no two contacts get it unseen."""
    ada = Contact(id="rec_ada", properties={"email": "ada@example.com"})
    bob = Contact(id="rec_bob", properties={"phone": "+4930123456"})

    filing = file_to(submission(phone="+4930123456"), "rec_ada", directory(ada, bob))

    assert ({}, {"phone": "+4930123456"}) == (filing.filled, filing.suggested)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{product}} for {{ email }}", "Lamp {{email}} for ada@example.com"),
        ("{{nothing}}", "Contact us"),
        ("x" * 300, "x" * 200),
        ("Deal", "Deal"),
        ("{{ Product }}", "Lamp {{email}}"),
    ],
)
def test_a_deal_is_titled_by_the_template(template, expected):
    """Placeholders are replaced once and plainly; an empty title falls back to the form's name."""
    form = msgspec.structs.replace(FORM, deal_title=template)
    sent = submission(form=form, fields={"email": "ada@example.com", "product": "Lamp {{email}}"})

    assert expected == file(sent, directory()).deal_title
