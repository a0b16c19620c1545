"""The fields of a form in an embed."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.embeds.embedded_forms import EmbeddedForm, embedded
from svc.domain.forms.fields import field_map, meaning_of, plain_name
from svc.domain.forms.forms import Form
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.domain.records.properties import Property

CONTACT = {prop.slug: prop for prop in BUILTIN_OBJECTS[0].properties} | {
    "size": Property(slug="size", label="Size", type="select", options=("S", "L")),
    "news": Property(slug="news", label="Newsletter", type="boolean"),
    "born": Property(slug="born", label="Born", type="date", personal=True),
    "owner": Property(slug="owner", label="Owner", type="member"),
}


def embed(**changes: Any) -> EmbeddedForm:
    form = Form(**({"id": "frm_1", "organization_id": "org_1", "name": "F", "form_key": "svcf_1"} | changes))
    return embedded(form, CONTACT)


def test_a_form_asks_who_it_is_and_what_they_say() -> None:
    """A form without a mapping has name, e-mail, phone and a message."""
    form = embed(honeypot="fax")

    assert ["name", "email", "phone", "message"] == [field.name for field in form.fields]
    assert ["text", "email", "tel", "area"] == [field.control for field in form.fields]
    assert ("svcf_1", "fax") == (form.form_key, form.honeypot)


def test_mapped_fields_have_controls_of_their_kind() -> None:
    """A mapped field is labelled as its property, and what no form can set is left out."""
    form = embed(field_map={"s": "size", "n": "news", "b": "born", "o": "owner", "x": "gone"})

    assert [
        ("s", "Size", "select", ("S", "L")),
        ("n", "Newsletter", "checkbox", ()),
        ("b", "Born", "date", ()),
    ] == [(field.name, field.label, field.control, field.options) for field in form.fields[3:-1]]


def test_a_mapping_renames_what_everybody_is_asked() -> None:
    """The contact's own field is asked for under the form's name for it, and once."""
    form = embed(field_map={"mailbox": "email", "phone": "city", "message": "job_title"})

    assert ["name", "mailbox", "tel", "phone", "message"] == [field.name for field in form.fields]
    assert ["Name", "E-mail", "Phone", "City", "Job title"] == [field.label for field in form.fields]


_NAMES = st.sampled_from(["email", "E-Mail", "mail", "phone", "name", "message", "a", "B", "ask"])


@given(st.dictionaries(_NAMES, st.sampled_from(sorted(CONTACT)), max_size=6))
def test_what_is_asked_is_understood(mapping: dict[str, str]) -> None:
    """Whatever a form maps, no name is asked for twice, and each means to the form what its label says."""
    form = embed(field_map=mapping)
    names = [plain_name(field.name) for field in form.fields]

    assert len(set(names)) == len(names) or len({plain_name(one) for one in mapping}) < len(mapping)
    for field in form.fields:
        meaning = meaning_of(plain_name(field.name), field_map(mapping))
        if field.label in {"Name", "E-mail", "Phone"} and meaning is not None:
            assert {"Name": "name", "E-mail": "email", "Phone": "phone"}[field.label] == meaning.kind
