"""What a form may be set up to do."""

import pytest

from svc.domain.errors import InvalidValue
from svc.domain.form_rules import check_form
from svc.domain.objects import BUILTIN_OBJECTS

CONTACT = {prop.slug: prop for prop in BUILTIN_OBJECTS[0].properties}


@pytest.mark.parametrize(
    ("mapping", "honeypot"),
    [({}, None), ({"Town": "city", "E": "email"}, "website2"), ({"mail": "city"}, "leave_empty")],
)
def test_a_sound_form_passes(mapping, honeypot):
    """Fields go to properties that forms can set, and the honeypot is a field of its own."""
    check_form(mapping, honeypot, CONTACT)


@pytest.mark.parametrize(
    ("mapping", "honeypot"),
    [
        ({"Town": "town"}, None),
        ({"Firm": "company"}, None),
        ({}, "Email"),
        ({}, "clientphone"),
        ({"Town": "city"}, "town "),
        ({}, " "),
    ],
)
def test_a_form_that_would_swallow_enquiries_is_refused(mapping, honeypot):
    """An unknown property, one that no form can set, and a honeypot that people fill in are refused."""
    with pytest.raises(InvalidValue):
        check_form(mapping, honeypot, CONTACT)
