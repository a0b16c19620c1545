"""When certificates are renewed, what is taken for one, and what is said of what would fail."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.certificates.chains import CHAIN_BYTES_MAX, check_issued, read_chain
from svc.domain.certificates.names import CertificateName
from svc.domain.certificates.outlook import NameFacts, Outlook, warnings
from svc.domain.certificates.refusals import DETAIL_CHARS_MAX, meaning, wait_of
from svc.domain.certificates.renewal import PAUSES_MS, WAIT_MS_MAX, Failures, Validity, order_at
from svc.domain.errors import InvalidValue
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS

NOW = 1_800_000_000_000
NAME = "crm.example.com"
KEY = ec.generate_private_key(ec.SECP256R1())


def _pem(*names: str, start: timedelta = timedelta(0), life: timedelta = timedelta(days=90)) -> bytes:
    subject = x509.Name([])
    begin = datetime.fromtimestamp(NOW // 1000, UTC) + start
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(KEY.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + life)
    )
    if names:
        alternatives = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
        builder = builder.add_extension(alternatives, critical=False)
    return builder.sign(KEY, hashes.SHA256()).public_bytes(Encoding.PEM)


@given(st.integers(0, NOW), st.integers(1, 400 * DAY_MS))
def test_renewal_is_at_two_thirds(start, life):
    """Whatever the life: six days as well as a year."""
    validity = Validity(start, start + life, (NAME,))

    assert 0 <= (validity.renews_at - start) * 3 - 2 * life + 2 <= 2
    assert order_at(validity, [NAME]) == validity.renews_at
    assert order_at(validity, [NAME, "www.example.com"]) == order_at(None, [NAME]) == 0


@given(st.integers(1, 1_000), st.integers(0, WAIT_MS_MAX))
def test_pauses_grow_and_a_restart_never_asks_at_once(count, wait):
    """At most five orders fit into an hour, with or without restarts."""
    failures = Failures((NAME,), "d", count, NOW, NOW + wait, "why")

    assert failures.retry_at() >= failures.retry_at_start() >= NOW + max(wait, MINUTE_MS)
    assert failures.retry_at_start() <= NOW + max(wait, 12 * MINUTE_MS)
    assert sorted(PAUSES_MS) == list(PAUSES_MS)
    assert sum(PAUSES_MS[:5]) > HOUR_MS


def test_what_was_ordered_is_taken():
    assert check_issued(_pem(NAME, "www.example.com"), KEY, [NAME], NOW).names == (NAME, "www.example.com")
    assert read_chain(b"-----BEGIN PRIVATE KEY-----\n" + _pem(NAME)).renews_at == NOW + 60 * DAY_MS


@pytest.mark.parametrize(
    ("pem", "why"),
    [
        (b"", "there is no certificate"),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "cannot be read"),
        (_pem(NAME) + b" " * CHAIN_BYTES_MAX, "more than 65536 bytes"),
        (_pem("www.example.com"), "the certificate is for www.example.com"),
        (_pem(), "the certificate is for no name"),
        (_pem(NAME, start=timedelta(days=-91)), "has expired by this machine's clock"),
        (_pem(NAME, start=timedelta(days=-61)), "two thirds of the certificate's life are over"),
    ],
)
def test_what_was_not_ordered_is_refused(pem, why):
    with pytest.raises(InvalidValue, match=why):
        check_issued(pem, KEY, [NAME], NOW)


def test_a_certificate_for_another_key_is_refused():
    other = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(InvalidValue, match="another key"):
        check_issued(_pem(NAME), other, [NAME], NOW)


@pytest.mark.parametrize(
    "text", ["localhost", "", "10.0.0.1", "*.example.com", "a b.example", "x..y", "[::1]"]
)
def test_a_name_that_no_directory_certifies_is_refused(text):
    with pytest.raises(ValueError, match=r"is not a domain such as crm\.example\.com"):
        CertificateName(text)


def test_names_are_as_dns_has_them():
    assert CertificateName(" Bücher.Example. ") == "xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("facts", "machine", "part"),
    [
        (NameFacts(NAME), (), f"{NAME} has no address in DNS"),
        (NameFacts(NAME, fault="no answer"), (), f"{NAME} cannot be looked up: no answer."),
        (
            NameFacts(NAME, others=("8.8.8.8",)),
            ("9.9.9.9",),
            "leads to 8.8.8.8, which is not this machine (9.9.9.9)",
        ),
        (NameFacts(NAME, others=("8.8.8.8",)), ("10.0.0.4",), "has no public address of its own"),
        (NameFacts(NAME, own=("9.9.9.9",), others=("2001:4860::1",)), ("9.9.9.9",), "2001:4860::1 as well"),
    ],
)
def test_a_name_that_leads_elsewhere_is_said(facts, machine, part):
    [sentence] = warnings(Outlook((facts,), machine))

    assert part in sentence


def test_a_directory_and_a_clock_are_said():
    own = NameFacts(NAME, own=("9.9.9.9",))
    assert warnings(Outlook((own,), ("9.9.9.9",), clock_difference=4 * MINUTE_MS)) == []
    [out_of_reach, clock] = warnings(Outlook((own,), (), fault="no route", clock_difference=-HOUR_MS))
    assert out_of_reach == "The ACME directory cannot be reached: no route."
    assert "clock is 60 minutes behind the ACME directory's" in clock


@given(st.one_of(st.none(), st.text()), st.one_of(st.none(), st.text()))
def test_a_refusal_is_one_bounded_line(code, detail):
    """A directory's words are repeated, and cannot break the log."""
    sentence = meaning(code, detail, NAME)

    assert sentence.isprintable()
    assert len(sentence) < DETAIL_CHARS_MAX + 200


@given(st.text())
def test_a_wait_is_bounded(text):
    assert wait_of(text, NOW) == 0 or NOW <= wait_of(text, NOW) <= NOW + WAIT_MS_MAX


def test_a_wait_is_seconds_or_a_date():
    assert wait_of("60", NOW) == NOW + MINUTE_MS
    assert wait_of("Fri, 15 Jan 2027 09:00:00 GMT", NOW) == NOW + HOUR_MS
    assert wait_of(None, NOW) == 0
