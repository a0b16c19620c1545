"""What a form may be set up to do."""

import pytest

from svc.domain.errors import InvalidInput
from svc.domain.forms.forms import NewForm
from svc.domain.forms.limits import FORM_FIELD_NAME_CHARS_MAX, FORM_FIELDS_MAX
from svc.domain.forms.settings import checked
from svc.domain.records.objects import BUILTIN_OBJECTS

CONTACT = {prop.slug: prop for prop in BUILTIN_OBJECTS[0].properties}


@pytest.mark.parametrize(
    ("mapping", "honeypot"),
    [({}, None), ({"Town": "city", "E": "email"}, "website2"), ({"mail": "city"}, "leave_empty")],
)
def test_a_sound_form_passes(mapping, honeypot):
    """Fields go to properties that forms can set, and the honeypot is a field of its own."""
    checked(NewForm(name="Contact", field_map=mapping, honeypot=honeypot), CONTACT)


@pytest.mark.parametrize(
    ("mapping", "honeypot"),
    [
        ({"Town": "town"}, None),
        ({"Firm": "company"}, None),
        ({}, "Email"),
        ({}, "clientphone"),
        ({"Town": "city"}, "town "),
        ({}, " "),
        ({"Town": "city", "town ": "job_title"}, None),
        ({" ": "city"}, None),
        ({"x" * (FORM_FIELD_NAME_CHARS_MAX + 1): "city"}, None),
        (dict.fromkeys(map(str, range(FORM_FIELDS_MAX + 1)), "city"), None),
    ],
)
def test_a_form_that_would_swallow_enquiries_is_refused(mapping, honeypot):
    """An unknown property, one that no form can set, and a honeypot that people fill in are refused."""
    with pytest.raises(InvalidInput):
        checked(NewForm(name="Contact", field_map=mapping, honeypot=honeypot), CONTACT)


def test_all_faults_are_reported_at_once():
    """Each fault points to what has to be mended."""
    form = NewForm(name="\n", field_map={"a/b": "town"}, deal_title=" ", honeypot="phone")

    with pytest.raises(InvalidInput) as caught:
        checked(form, CONTACT)

    assert ["/dealTitle", "/fieldMap/a~1b", "/honeypot", "/name"] == sorted(
        fault.pointer for fault in caught.value.faults
    )


def test_a_mapping_that_stays_is_not_looked_at_again():
    """A property that was deleted since is no fault of a change of the name."""
    before = NewForm(name="Contact", field_map={"town": "gone"})

    assert NewForm(name="Lamps", field_map=before.field_map) == checked(
        NewForm(name=" Lamps ", field_map=before.field_map), CONTACT, before
    )
