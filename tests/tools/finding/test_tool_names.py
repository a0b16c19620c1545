"""The hint for an unknown tool: the name that was probably meant."""

import pytest

from svc.tools.catalogue import REGISTRY


@pytest.mark.parametrize(
    ("guessed", "near"),
    [
        ("contact.create", ["record.create"]),
        ("contacts.list", ["record.list"]),
        ("deal.list", ["record.list"]),
        ("company.update", ["record.update"]),
        ("Company_Update", ["record.update"]),
        ("contact.remove", ["record.delete", "record.delete_many"]),
        ("contact.edit", ["record.update"]),
        ("contact.add", ["record.create", "record.create_many", "record.upsert"]),
        ("lamp.create", ["record.create"]),  # an object of an organization's own
        ("ticket.create", ["record.create"]),  # another word for a noun that has no such verb
        ("user.list", ["member.list"]),
        ("user.create", ["member.invite"]),
        ("token.create", ["apikey.mint", "serverkey.mint"]),
    ],
)
def test_the_name_of_an_object_leads_to_its_records(guessed: str, near: list[str]) -> None:
    """And another word for a noun to that noun's tools, whatever else ends in the same verb."""
    assert near == REGISTRY.nearest(guessed)
    assert f"`{near[0]}`" in REGISTRY.hint(guessed)


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        ("record.craete", "record.create"),
        ("recrod.list", "record.list"),
        ("forms.list", "form.list"),
        ("organisation.get", "organization.get"),
        ("record_get_", "record.get"),
    ],
)
def test_a_slip_of_the_pen_leads_to_what_was_meant(slip: str, meant: str) -> None:
    """A noun that is nearly right is no object's name."""
    assert meant == REGISTRY.nearest(slip)[0]


@pytest.mark.parametrize("name", ["", ".", "..", "contact", "contact.", ".create_x_y", "q" * 300, "a." * 300])
def test_a_name_like_no_other_gets_no_wrong_hint(name: str) -> None:
    """Every hint is the name of a tool."""
    assert {*REGISTRY.nearest(name)} <= {*REGISTRY}
