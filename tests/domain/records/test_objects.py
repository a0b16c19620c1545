"""What properties of objects have to be."""

import pytest

from svc.domain.errors import InvalidInput
from svc.domain.records.objects import check_property
from svc.domain.records.properties import Property


@pytest.mark.parametrize(
    ("of", "slug", "kind", "personal"),
    [
        *(
            ("contact", slug, "text", True)
            for slug in ("name", "first_name", "last_name", "given_name", "family_name", "surname")
        ),
        ("contact", "job_title", "text", False),
        ("boat", "name", "text", False),
        ("boat", "harbour_mail", "email", True),
        ("boat", "harbour_phone", "phone", True),
    ],
)
def test_what_is_personal_cannot_be_made_otherwise(of, slug, kind, personal):
    """Every e-mail and phone, and whatever is a contact's name; of other objects a name is just a name."""
    prop = Property(slug=slug, label="A property", type=kind, personal=False)

    assert personal == check_property(of, prop, ()).personal


def test_a_refusal_names_the_type_so_that_it_reads():
    """Whatever the type is called: no article stands before it."""
    prop = Property(slug="price", label="Price", type="amount", unique=True, options=("a",))

    with pytest.raises(InvalidInput) as refused:
        check_property("lamp", prop, ())

    told = [fault.detail for fault in refused.value.faults]
    assert ["type amount cannot be unique", "type amount has no choices"] == told
