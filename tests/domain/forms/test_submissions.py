"""A submission is checked against the rules of its shape and text, then read as what a contact said."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.forms.fields import RECOGNISED, field_map
from svc.domain.forms.submissions import (
    BadSubmission,
    FieldFault,
    PreparedSubmission,
    SubmissionInput,
    prepare,
    read_submission,
)
from svc.domain.scalars import Scalar

KEY = "svcf_0123456789"
NO_MAPPING = field_map({})

names = st.text(min_size=1, max_size=64)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
)
values = st.dictionaries(
    names | st.sampled_from([*sum(RECOGNISED.values(), ()), "password", "cvv"]), scalars, max_size=12
)
json = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=70), inner, max_size=4),
)


def fault_of(body: object, form_key: str | None = None) -> tuple[str, dict[str, FieldFault]]:
    with pytest.raises(BadSubmission) as caught:
        read_submission(body, form_key)
    return caught.value.reason, caught.value.fields


def read(
    fields: dict[str, Scalar], mapping: dict[str, str] | None = None, country: str | None = "DE"
) -> PreparedSubmission:
    return prepare(fields, field_map(mapping or {}), country)


class TestShape:
    @pytest.mark.parametrize(
        "body",
        [
            *(None, 1, "x", [], [{"f": KEY, "v": {}}], {}, {"f": KEY}, {"v": {}}, {"f": None, "v": {}}),
            *(
                {"f": 1, "v": {}},
                {"f": "", "v": {}},
                {"f": KEY, "v": None},
                {"f": KEY, "v": []},
                {"f": KEY, "v": "x"},
            ),
            *({"F": KEY, "V": {}}, {"f": "k" * 129, "v": {}}),
        ],
    )
    def test_anything_but_a_key_and_an_object_of_fields_is_refused(self, body: object) -> None:
        """A submission is an object with the form key in `f` and the fields in `v`."""
        assert ("shape", {}) == fault_of(body)

    def test_the_largest_submission_is_taken(self) -> None:
        """200 fields, names of 64 and strings of 2,000 code points are within the rules."""
        fields: dict[str, Scalar] = {f"{n:03d}" + "\U0001f600" * 61: "\U0001f600" * 2_000 for n in range(200)}

        assert SubmissionInput(KEY, fields) == read_submission({"f": KEY, "v": fields})

    def test_one_field_too_many_is_refused(self) -> None:
        """A submission of 201 fields is none."""
        assert ("shape", {}) == fault_of({"f": KEY, "v": {f"n{n}": n for n in range(201)}})

    @pytest.mark.parametrize("name", ["", "n" * 65])
    def test_a_name_has_1_to_64_characters(self, name: str) -> None:
        """A name that is too short or too long is refused, and not said back."""
        assert ("shape", {}) == fault_of({"f": KEY, "v": {name: "x"}})

    @pytest.mark.parametrize(
        ("value", "fault"),
        [("x" * 2_001, "too_long"), ([], "wrong_type"), ({}, "wrong_type"), (["x"], "wrong_type")],
    )
    def test_a_value_is_a_short_string_or_a_scalar(self, value: object, fault: FieldFault) -> None:
        """A string of 2,001 characters, a list and an object are refused, with the name of the field."""
        assert ("shape", {"b": fault}) == fault_of({"f": KEY, "v": {"a": "x", "b": value}})

    def test_every_field_at_fault_is_named(self) -> None:
        """Fields at fault are all named, unless their names cannot be said back."""
        body = {"f": KEY, "v": {"a": [], "b": "x" * 2_001, "c": 1, "\ud800": [], "d" * 65: []}}

        assert ("shape", {"a": "wrong_type", "b": "too_long"}) == fault_of(body)

    def test_other_members_are_ignored(self) -> None:
        """What stands beside the key and the fields changes nothing."""
        assert SubmissionInput(KEY, {}) == read_submission({"f": KEY, "v": {}, "x": {"y": [1, "\x00"]}})

    def test_the_address_may_name_only_the_same_form(self) -> None:
        """A form key in the address that differs from the one in the body is refused."""
        body = {"f": KEY, "v": {}}

        assert SubmissionInput(KEY, {}) == read_submission(body, KEY)
        assert ("shape", {}) == fault_of(body, KEY + "x")
        assert ("shape", {}) == fault_of(body, "")


class TestText:
    @pytest.mark.parametrize("bad", ["\x00", "a\x00b", "\ud800", chr(0xDFFF), "\udc00\ud800"])
    def test_what_cannot_be_stored_is_refused_wherever_it_stands(self, bad: str) -> None:
        """NUL and half surrogates are refused in a value, in a name and in the form key."""
        assert ("text", {"b": "unstorable"}) == fault_of({"f": KEY, "v": {"a": "x", "b": bad}})
        assert ("text", {}) == fault_of({"f": KEY, "v": {bad: "x"}})
        assert ("text", {}) == fault_of({"f": bad, "v": {}})

    @pytest.mark.parametrize(
        "good", ["", "a\r\nb\tc", "\x01\x0b\x0c\x1b\x1f\x7f\x85", "\ufffe\uffff", "\U0001f600\u200d", "ž"]
    )
    def test_what_people_paste_is_taken(self, good: str) -> None:
        """Line breaks, tabs and the stray control characters of word processors are stored as they came."""
        assert SubmissionInput(KEY, {"m": good}) == read_submission({"f": KEY, "v": {"m": good}})

    def test_the_shape_is_told_before_the_text(self) -> None:
        """Where both are wrong, the sender hears of the shape."""
        assert ("shape", {"b": "wrong_type"}) == fault_of({"f": KEY, "v": {"a": "\x00", "b": []}})
        assert ("shape", {}) == fault_of({"f": "\x00", "v": {}}, KEY)

    @given(st.builds(dict, f=json | st.just(KEY), v=json | values) | json, st.none() | st.just(KEY))
    def test_any_body_is_taken_or_refused_with_a_reason(self, body: Any, form_key: str | None) -> None:
        """Whatever the body is, it is a submission or a refusal, and what is said of it can be said."""
        try:
            submission = read_submission(body, form_key)
        except BadSubmission as bad:
            refusal = bad
        else:
            assert SubmissionInput(body["f"], body["v"]) == submission
            return

        assert refusal.reason in {"shape", "text"}
        assert "".join(refusal.fields).encode().decode() == "".join(refusal.fields)


def note_of(prepared: PreparedSubmission) -> dict[str, Scalar]:
    """The fields that are on the contact in no other form."""
    elsewhere = {*prepared.recognised, *prepared.mapped.values()}
    return {name: value for name, value in prepared.fields.items() if name not in elsewhere}


class TestContact:
    def test_a_plain_enquiry_is_read(self) -> None:
        """E-mail, phone and name are the contact's, all else is left for the note, in the order it came."""
        fields: dict[str, Scalar] = {
            "message": "Hi\nthere",
            "Name": " Anna  Petrova ",
            "EMAIL": "Anna@Example.com",
        }
        fields |= {"tel": "0170 1234567", "n": 3}
        prepared = read(fields)

        expected = PreparedSubmission(
            email="anna@example.com",
            phone="+491701234567",
            name="Anna Petrova",
            fields=fields,
            recognised=("EMAIL", "Name", "tel"),
            mapped={},
            dropped=0,
            invalid={},
        )
        assert expected == prepared
        assert {"message": "Hi\nthere", "n": 3} == note_of(prepared)
        assert prepared.has_contact

    def test_the_first_good_one_in_the_order_of_the_contract_wins(self) -> None:
        """Order in the contract decides, not order in the form; the others stay ordinary fields."""
        prepared = read(
            {
                "customerEmail": "c@example.com",
                "mail": "m@example.com",
                "firstName": "An",
                "fullName": "Anna P",
            }
        )

        assert ("m@example.com", "Anna P") == (prepared.email, prepared.name)
        assert {"customerEmail": "c@example.com", "firstName": "An"} == note_of(prepared)

    def test_a_bad_or_empty_one_does_not_win(self) -> None:
        """A field in which there is no address, or nothing at all, leaves the place to the next one."""
        prepared = read(
            {
                "email": "anna(at)example.com",
                "e-mail": " ",
                "mail": "m@example.com",
                "name": "",
                "firstName": "An",
            }
        )

        assert ("m@example.com", "An") == (prepared.email, prepared.name)
        assert {"email": "invalid"} == prepared.invalid
        assert {"email": "anna(at)example.com", "e-mail": " ", "name": ""} == note_of(prepared)

    def test_a_phone_alone_is_a_contact_and_the_bad_address_is_kept(self) -> None:
        """With a phone number an invalid e-mail address is no obstacle, and stays for the note."""
        prepared = read({"email": "nobody", "phone": "0170 1234567"})

        assert prepared.has_contact
        assert {"email": "nobody"} == note_of(prepared)

    @pytest.mark.parametrize(
        ("fields", "invalid"),
        [
            ({}, {}),
            ({"message": "call me", "mobile": "0170 1234567"}, {}),
            ({"email": "", "phone": None}, {}),
            ({"email": "nobody", "phone": "no"}, {"email": "invalid", "phone": "invalid"}),
            ({"email": 7, "phone": True}, {"email": "invalid", "phone": "invalid"}),
            ({"phone": 1701234567.5}, {"phone": "invalid"}),
        ],
    )
    def test_without_a_way_to_answer_there_is_no_contact(
        self, fields: dict[str, Scalar], invalid: dict[str, FieldFault]
    ) -> None:
        """Without a valid e-mail address or phone number there is no contact, and bad fields are named."""
        prepared = read(fields)

        assert (False, invalid) == (prepared.has_contact, prepared.invalid)

    def test_a_phone_may_be_a_number(self) -> None:
        """A phone number that came as a JSON number is one."""
        assert "+14155552671" == read({"phone": 4155552671}, country="US").phone

    def test_an_extension_is_not_lost(self) -> None:
        """A phone number with an extension stays for the note as well, since E.164 has no place for it."""
        prepared = read({"phone": "+1 415 555 2671 ext. 12"})

        assert "+14155552671" == prepared.phone
        assert {"phone": "+1 415 555 2671 ext. 12"} == note_of(prepared)

    def test_a_name_is_text(self) -> None:
        """A number is not a name."""
        prepared = read({"name": 7})

        assert (None, {"name": 7}) == (prepared.name, note_of(prepared))

    @pytest.mark.parametrize(
        ("fields", "mapping", "name"),
        [
            ({"first_name": "Anna ", "last_name": " Petrova"}, {}, "Anna Petrova"),
            ({"familyName": "Petrova", "firstName": "Anna"}, {}, "Anna Petrova"),
            ({"firstname": "Anna", "Surname": "Ilić", "last_name": ""}, {}, "Anna Ilić"),
            ({"first_name": "Anna", "last_name": "Petrova"}, {"last_name": "city"}, "Anna"),
            ({"first_name": "Anna P", "last_name": "Petrova"}, {"first_name": "name"}, "Anna P"),
            ({"name": "Anna P", "first_name": "Anna", "last_name": "Petrova"}, {}, "Anna P"),
            ({"first_name": "Anna", "last_name": 7}, {}, "Anna"),
            ({"last_name": "Petrova"}, {}, None),
            ({"first_name": "A" * 1_500, "last_name": "P" * 1_500}, {}, "A" * 1_500),
        ],
    )
    def test_a_surname_is_joined_to_a_first_name(
        self, fields: dict[str, Scalar], mapping: dict[str, str], name: str | None
    ) -> None:
        """Unless the form maps either; and it stands in the note as it did."""
        prepared = read(fields, mapping)

        surnames = {
            plain: value for plain, value in fields.items() if plain not in {"name", *prepared.recognised}
        }
        assert name == prepared.name
        assert {plain: value for plain, value in surnames.items() if plain not in mapping} == note_of(
            prepared
        )

    def test_names_that_differ_in_case_alone_are_one_field_to_a_contact(self) -> None:
        """Of names that are compared as equal, the first that is filled in may be the contact's."""
        prepared = read({"email": "", "EMAIL": "first@example.com", "Email ": "second@example.com"})

        assert "first@example.com" == prepared.email
        assert {"email": "", "Email ": "second@example.com"} == note_of(prepared)


class TestMapping:
    def test_a_mapped_field_goes_to_its_property(self) -> None:
        """A field that the form maps goes to that property, its name compared as recognised names are."""
        prepared = read(
            {" firma ": "ACME", "seats": 25, "x": 1}, {"Firma": "company_name", "seats": "size", "y": "z"}
        )

        assert {"company_name": " firma ", "size": "seats"} == prepared.mapped
        assert {"x": 1} == note_of(prepared)

    def test_a_mapping_to_email_phone_and_name_counts_as_recognised(self) -> None:
        """Mapped to those properties a field is the contact's, before any recognised name."""
        prepared = read(
            {"email": "e@example.com", "Kontakt": "k@example.com", "Handy": "0170 1234567", "Wer": "Anna"},
            {"kontakt": "email", "handy": "phone", "wer": "name"},
        )

        assert ("k@example.com", "+491701234567", "Anna") == (prepared.email, prepared.phone, prepared.name)
        assert ("Kontakt", "Wer", "Handy") == prepared.recognised
        assert {} == prepared.mapped

    def test_a_bad_mapped_address_leaves_the_place_to_a_recognised_name(self) -> None:
        """Where the mapped field holds no address, the recognised one counts."""
        assert "e@example.com" == read({"kontakt": "?", "email": "e@example.com"}, {"kontakt": "email"}).email

    def test_a_recognised_name_mapped_elsewhere_is_recognised_no_more(self) -> None:
        """A form that maps `name` to the company has no name there."""
        prepared = read({"name": "ACME"}, {"name": "company_name"})

        assert (None, {"company_name": "name"}) == (prepared.name, prepared.mapped)

    def test_the_first_filled_in_field_gets_the_property(self) -> None:
        """Of two fields mapped to one property the first with something in it counts, the other stays."""
        prepared = read({"a": " ", "b": "B", "c": "C"}, dict.fromkeys("abc", "city"))

        assert {"city": "b"} == prepared.mapped
        assert {"a": " ", "c": "C"} == note_of(prepared)


class TestSensitive:
    def test_sensitive_fields_are_gone_and_counted(self) -> None:
        """Passwords, codes and card details are in no part of what is prepared, only in the count."""
        prepared = read(
            {"mail": "a@b.example", "password": "pw", "cvv": 123, "note": "4111 1111 1111 1111", "pin": None}
        )

        assert 4 == prepared.dropped
        assert {"mail": "a@b.example"} == prepared.fields

    def test_mapping_a_sensitive_field_does_not_keep_it(self) -> None:
        """A form cannot ask for a password or a card number by mapping its field to a property."""
        prepared = read({"password": "pw", "vip": 4111111111111111}, {"password": "secret", "vip": "vip"})

        assert (2, {}, {}) == (prepared.dropped, prepared.mapped, prepared.fields)

    def test_a_valid_phone_number_is_no_card_number(self) -> None:
        """A phone number that happens to pass Luhn's check is kept where a phone number is expected."""
        prepared = read({"phone": "6281234567899", "other": "6281234567899"}, country="ID")

        assert ("+6281234567899", 1) == (prepared.phone, prepared.dropped)
        assert {"phone": "6281234567899"} == prepared.fields

    @pytest.mark.parametrize("name", ["email", "phone", "name", "message"])
    def test_a_card_number_is_dropped_from_any_field(self, name: str) -> None:
        """A card number in the wrong field is dropped from there too, and not called invalid."""
        prepared = read({name: "4111 1111 1111 1111"})

        assert (1, {}, {}) == (prepared.dropped, prepared.fields, prepared.invalid)

    def test_a_card_number_is_cut_out_of_a_longer_text(self) -> None:
        """Each counts as one that was dropped; what stays is what is noted, mapped and called somebody."""
        prepared = read(
            {
                "email": "a@b.example",
                "name": "Ada 4111 1111 1111 1111",
                "message": "Charge 378282246310005 or 4111-1111-1111-1111, exp 12/27.",
                "vat": "Firma 5500005555555559",
            },
            {"vat": "vat"},
        )

        assert (4, "Ada [removed]") == (prepared.dropped, prepared.name)
        assert {
            "email": "a@b.example",
            "name": "Ada [removed]",
            "message": "Charge [removed] or [removed], exp 12/27.",
            "vat": "Firma [removed]",
        } == prepared.fields

    def test_an_address_and_a_phone_number_are_no_text_with_a_card_number(self) -> None:
        """What can be read as a contact's is left as it came."""
        fields: dict[str, Scalar] = {
            "email": "4111111111111111@example.com",
            "phone": "+6281234567899",
            "tel": "00 628 1234 567 899",
        }
        prepared = read(fields, country="ID")

        assert (0, fields) == (prepared.dropped, prepared.fields)

    @pytest.mark.parametrize(
        ("value", "country", "phone"),
        [
            ("6281234567899", "ID", "+6281234567899"),
            ("+4915112345678901", "DE", None),
            ("4111111111111111", "DE", None),
            ("call 4111111111111111", "DE", None),
        ],
    )
    def test_thirteen_digits_and_more_in_a_phone_field(
        self, value: str, country: str, phone: str | None
    ) -> None:
        """A phone number where a country has given that out, or a plus or zero says so; else a card."""
        prepared = read({"phone": value, "email": "a@b.example"}, country=country)

        assert phone == prepared.phone
        assert "4111111111111111" not in str(prepared)

    def test_a_field_that_is_called_a_card_number_is_dropped(self) -> None:
        """Programs that mix up names and values send such."""
        prepared = read({"4111 1111 1111 1111": "on", "email": "a@b.example"})

        assert (1, {"email": "a@b.example"}) == (prepared.dropped, prepared.fields)

    def test_identity_numbers_and_secrets_are_dropped_unless_they_are_asked_for(self) -> None:
        """A form that maps such a field keeps it; passwords and cards are never kept."""
        fields: dict[str, Scalar] = {"ssn": "078-05-1120", "api_key": "k", "token": "t", "clientSecret": "s"}
        bare = read(fields | {"email": "a@b.example"})
        mapped = read(fields | {"email": "a@b.example", "pin": 1}, {"ssn": "social", "pin": "pin"})

        assert (4, {"email": "a@b.example"}) == (bare.dropped, bare.fields)
        assert (4, {"email": "a@b.example", "ssn": "078-05-1120"}) == (mapped.dropped, mapped.fields)
        assert {"social": "ssn"} == mapped.mapped

    @given(
        values,
        st.dictionaries(
            names | st.sampled_from(["a", "password", "token"]), st.sampled_from(["email", "city"])
        ),
    )
    def test_every_field_is_kept_as_it_came_or_dropped(
        self, fields: dict[str, Scalar], mapping: dict[str, str]
    ) -> None:
        """No field is lost or changed: it is dropped and counted, or kept and perhaps read."""
        prepared = read(fields, mapping)

        changed = {name for name, value in prepared.fields.items() if value != fields[name]}
        assert all("[removed]" in str(prepared.fields[name]) for name in changed)
        assert len(fields) - prepared.dropped <= len(prepared.fields) <= len(fields)
        assert changed or len(fields) - prepared.dropped == len(prepared.fields)
        assert prepared.fields.keys() <= fields.keys()
        assert {*prepared.recognised, *prepared.mapped.values(), *prepared.invalid} <= prepared.fields.keys()
