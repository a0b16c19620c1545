"""E-mail addresses and phone numbers come out in one spelling, or are refused."""

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.records.contact_points import normalise_email, normalise_phone, parse_phone


@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("anna@example.com", "anna@example.com"),
        ("  Anna.Petrova+News@Example.COM \n", "anna.petrova+news@example.com"),
        ("anna@münchen.de", "anna@xn--mnchen-3ya.de"),
        ("anna@xn--mnchen-3ya.de", "anna@xn--mnchen-3ya.de"),
        ("ANNA@MÜNCHEN.DE", "anna@xn--mnchen-3ya.de"),
        ("anna@example.com.", "anna@example.com"),
        ("jörg@example.de", "jörg@example.de"),
        ("JO\u0308RG@example.de", "jörg@example.de"),
        ("почта@пример.рф", "почта@xn--e1afmkfd.xn--p1ai"),
        ("ｔａｒｏ＠ｅｘａｍｐｌｅ．ｊｐ", "taro@example.jp"),
        ("\u202aanna@example.com\u202c", "anna@example.com"),
        ("anna@example.com\u200b", "anna@example.com"),
        ("o'brien@example.ie", "o'brien@example.ie"),
        ("a@b.co", "a@b.co"),
        ("1@2.3.museum", "1@2.3.museum"),
        ("x" * 64 + "@example.com", "x" * 64 + "@example.com"),
    ],
)
def test_an_email_address_has_one_spelling(text: str, email: str) -> None:
    """Case, spaces around it and the script of the domain make no difference."""
    assert email == normalise_email(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "anna", "@", "anna@", "@example.com", "anna@example", "anna@localhost", "anna@b.c"),
        *("anna example@example.com", "anna@exam ple.com", "anna@@example.com", "a@b@example.com"),
        *(
            ".anna@example.com",
            "anna.@example.com",
            "an..na@example.com",
            "anna@.example.com",
            "anna@example..com",
        ),
        *(
            '"an na"@example.com',
            "anna@[192.0.2.1]",
            "anna@192.0.2.1",
            "anna@-example.com",
            "anna@exa_mple.com",
        ),
        *(
            "Anna <anna@example.com>",
            "anna@example.com, bo@example.com",
            "anna(at)example.com",
            "anna\x00@example.com",
        ),
        *(
            "an\u202ena@\u202e",
            "anna\u00a0b@example.com",
            "an\u00adna\u00ad@example.com",
            "\ud800@example.com",
        ),
        *(
            "x" * 65 + "@example.com",
            "a@" + "b" * 63 + "." + "c" * 63 + "." + "d" * 63 + "." + "e" * 63 + ".com",
        ),
        *("ü" * 33 + "@example.com", "a@ü..de", "a@☃.net"),
    ],
)
def test_what_is_no_email_address_is_refused(text: str) -> None:
    """Without a local part and a domain that mail can reach, it is no address."""
    with pytest.raises(InvalidValue):
        normalise_email(text)


@given(
    st.text(max_size=30) | st.tuples(st.text(max_size=12), st.text(max_size=12)).map("@".join) | st.emails()
)
def test_an_email_address_stays_as_it_is(text: str) -> None:
    """An address that came out once comes out the same again, within its length."""
    try:
        email = normalise_email(text)
    except InvalidValue:
        return

    assert email == normalise_email(email)
    assert len(email) <= 254


@pytest.mark.parametrize(
    ("value", "country", "phone"),
    [
        ("+49 170 1234567", "DE", "+491701234567"),
        ("0170 1234567", "DE", "+491701234567"),
        ("0170/123 45-67", "DE", "+491701234567"),
        ("+49 (0)170 1234567", "US", "+491701234567"),
        ("(+49) 170 1234567", "US", "+491701234567"),
        ("0049 170 1234567", "DE", "+491701234567"),
        ("0049 170 1234567", "US", "+491701234567"),
        ("0049 170 1234567", None, "+491701234567"),
        ("(415) 555-2671", "US", "+14155552671"),
        ("415.555.2671", "US", "+14155552671"),
        ("1-415-555-2671", "US", "+14155552671"),
        (4155552671, "US", "+14155552671"),
        ("+1 555 123 4567", "DE", "+15551234567"),
        ("8 (912) 345-67-89", "RU", "+79123456789"),
        ("06 12 34 56 78", "FR", "+33612345678"),
        ("02 1234 5678", "IT", "+390212345678"),
        ("\u202a+44\u00a020\u20117946\u20110958\u202c", "US", "+442079460958"),
        ("０３-1234-5678", "JP", "+81312345678"),
        ("٠١٠٠١٢٣٤٥٦٧", "EG", "+201001234567"),
    ],
)
def test_a_phone_number_has_one_spelling(value: str | int, country: str | None, phone: str) -> None:
    """However a number is written in its country or from abroad, it comes out in E.164."""
    assert phone == normalise_phone(value, country)


@pytest.mark.parametrize(
    ("text", "extension"),
    [
        ("+1 415 555 2671 ext. 12", "12"),
        ("+1 415 555 2671 x12", "12"),
        ("+1 415 555 2671, extension 12", "12"),
        ("+1 415 555 2671#12", "12"),
        ("+1 415 555 2671 доб. 12", "12"),
        ("+1 415 555 2671", None),
    ],
)
def test_an_extension_stands_beside_the_number(text: str, extension: str | None) -> None:
    """An extension is kept apart from the number, which is the same without it."""
    assert ("+14155552671", extension) == parse_phone(text, "US")


@pytest.mark.parametrize(
    ("value", "country"),
    [
        *(("", "DE"), (" ", "DE"), ("-", "DE"), ("+", "DE"), ("call me", "DE"), ("12", "US"), ("123", "US")),
        *(
            ("1-800-FLOWERS", "US"),
            ("+1 415 555 CALL", "US"),
            ("0170 1234567 abends", "DE"),
            ("0x1234567", "US"),
        ),
        *(("555-0100", "US"), ("0170 1234567", None), ("0170 1234567", "ZZ"), ("+999 123 4567", "DE")),
        *(
            ("+49 170 1234567 +49 170 7654321", "DE"),
            ("1" * 64, "DE"),
            ("+49 1701234567890123", "DE"),
            (-4155552671, "US"),
        ),
        *(
            ("4111 1111 1111 1111", "US"),
            (378282246310005, "DE"),
            ("0170\x001234567", "DE"),
            ("1 " * 1_000, "DE"),
        ),
    ],
)
def test_what_is_no_phone_number_is_refused(value: str | int, country: str | None) -> None:
    """Letters, lengths that the country's plan does not have, and numbers of no country are refused."""
    with pytest.raises(InvalidValue):
        normalise_phone(value, country)


@given(
    st.text(max_size=30) | st.text("+-() 0123456789x", max_size=24),
    st.sampled_from(["DE", "US", "IT", "RU", None]),
)
def test_a_phone_number_stays_as_it_is(text: str, country: str | None) -> None:
    """A number that came out once comes out the same again, wherever it is read."""
    try:
        phone = normalise_phone(text, country)
    except InvalidValue:
        return

    assert len(phone) <= 16
    assert phone == normalise_phone(phone, None)


@given(st.sampled_from(sorted(phonenumbers.SUPPORTED_REGIONS)), st.sampled_from(range(3)))
def test_every_country_can_be_dialled(region: str, form: int) -> None:
    """Each country's example number is the same number in its national, international and E.164 form."""
    number = phonenumbers.example_number(region)
    if number is None:
        return
    written = phonenumbers.format_number(number, form)

    assert phonenumbers.format_number(number, 0) == normalise_phone(written, region)
