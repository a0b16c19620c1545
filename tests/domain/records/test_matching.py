"""Who a person is among the contacts that are known."""

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.records.matching import Clear, NoMatch, Unclear, match

ids = st.sets(st.sampled_from(["rec_a", "rec_b", "rec_c", "rec_d"]))


def test_an_unknown_person_is_new():
    """Without a contact that has the e-mail or the phone, it is a new person."""
    assert NoMatch() == match("a@x.test", set(), set(), set())


def test_one_has_the_email():
    """One contact with the e-mail, and no other with the phone, is clear."""
    assert Clear("rec_a") == match("a@x.test", {"rec_a"}, set(), set())
    assert Clear("rec_a") == match("a@x.test", {"rec_a"}, {"rec_a"}, set())


def test_email_and_phone_of_two_people():
    """An e-mail of one contact and a phone of another conflict."""
    assert Unclear("conflict", ("rec_a", "rec_b")) == match("a@x.test", {"rec_a"}, {"rec_b"}, {"rec_b"})
    assert Unclear("conflict", ("rec_a", "rec_b")) == match("a@x.test", {"rec_a"}, {"rec_a", "rec_b"}, set())


def test_several_have_the_email():
    """An e-mail that several contacts share identifies none of them."""
    assert Unclear("several", ("rec_a", "rec_b")) == match("a@x.test", {"rec_a", "rec_b"}, set(), set())


def test_several_have_the_phone():
    """A phone that several contacts share identifies none of them, whatever their e-mails."""
    assert Unclear("several", ("rec_a", "rec_b")) == match("a@x.test", set(), {"rec_a", "rec_b"}, {"rec_a"})
    assert Unclear("several", ("rec_a", "rec_b")) == match(None, set(), {"rec_a", "rec_b"}, {"rec_a"})


def test_one_has_the_phone_and_no_email():
    """One contact with the phone and no e-mail of its own is clear, and will get the new one."""
    assert Clear("rec_a") == match("a@x.test", set(), {"rec_a"}, set())


def test_one_has_the_phone_and_another_email():
    """One contact with the phone and another e-mail only looks like it."""
    assert Unclear("similar", ("rec_a",)) == match("a@x.test", set(), {"rec_a"}, {"rec_a"})


def test_a_phone_alone_finds_its_contact():
    """A person who gives no e-mail has none that could differ from the contact's."""
    assert Clear("rec_a") == match(None, set(), {"rec_a"}, {"rec_a"})


@given(with_email=ids, with_phone=ids, data=st.data())
def test_it_names_only_contacts_with_something_in_common(with_email, with_phone, data):
    """A match names contacts that have the e-mail or the phone, and all of them where it is unclear."""
    others = data.draw(st.sets(st.sampled_from(sorted(with_phone)))) if with_phone else set()

    found = match("a@x.test", with_email, with_phone, others - with_email)

    known = with_email | with_phone
    if isinstance(found, NoMatch):
        assert set() == known
    elif isinstance(found, Clear):
        assert {found.contact_id} == known
    else:
        assert tuple(sorted(known)) == found.candidates
