"""Mails as text: nothing that strangers write gets out of its place, in headers or in bodies."""

import re
from html import unescape
from importlib.resources import files
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.domain.mail.kinds import NOTICE_KINDS, LetterKind, MailKind
from svc.domain.mail.letters import MailData, Reader, letter
from svc.domain.mail.limits import MAIL_FIELDS_MAX, MAIL_SUBJECT_CHARS_MAX
from svc.domain.mail.messages import envelope
from svc.domain.mail.senders import Sender
from svc.domain.mail.words import ENGLISH, WORDS, Message, say
from tests.mail_servers import SENDER, read, text_of

GERMAN: Reader = Reader(
    organization_id="org_1",
    organization="Lampen",
    locale="de_DE",
    time_zone="Europe/Berlin",
    base_url="https://crm.example",
)
READER = Reader(
    organization_id="org_1",
    organization="Lamps & Co",
    locale="en_GB",
    time_zone="Europe/London",
    base_url="https://crm.example",
)
AT = 1_789_689_600_000
KINDS: tuple[MailKind, ...] = (*NOTICE_KINDS, *get_args(LetterKind))
HEADERS = {
    *("message-id", "date", "from", "to", "reply-to", "subject", "auto-submitted"),
    *("mime-version", "content-type"),
}


def written(kind: MailKind, reader: Reader = READER, **data: Any) -> bytes:
    content = letter(kind, MailData(**({"at": AT} | data)), reader, "svcw_token")
    return envelope("mal_01K5D3V7Q2M8Z4X6C9B1N0T5RA", content, SENDER, "ada@example.com", AT).message


nasty = st.text(max_size=40) | st.sampled_from(
    [
        "\r\nBcc: evil@example.com",
        "a\nb",
        "a\r\n\r\nbody",
        "=?utf-8?q?=0D=0ABcc?=",
        "\u202egnp.exe",
        "\x00",
        "\ud800",
    ]
)


@settings(max_examples=60)
@given(kind=st.sampled_from(KINDS), name=nasty, person=nasty, reason=nasty, organization=nasty, value=nasty)
def test_nothing_that_is_written_becomes_a_header(
    kind: MailKind, *, name: str, person: str, reason: str, organization: str, value: str
) -> None:
    """Whatever names and values are, each mail has its own headers, one recipient and two parts."""
    reader = Reader(
        organization_id="org_1",
        organization=organization,
        locale="de_DE",
        time_zone="Europe/Berlin",
        base_url="https://crm.example",
    )
    raw = written(
        kind,
        reader,
        name=name,
        person=person,
        reason=reason,
        email="eve@visitor.example",
        fields=((name, value),),
    )
    message = read(raw)

    assert {header.lower() for header in message} <= HEADERS
    assert "ada@example.com" == message["To"]
    assert ["text/plain", "text/html"] == [part.get_content_type() for part in message.iter_parts()]
    assert len(message["Subject"]) <= MAIL_SUBJECT_CHARS_MAX
    assert [] == list(message.defects)
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert b"\n" not in raw.replace(b"\r\n", b"")


def html_of(raw: bytes) -> str:
    found = read(raw).get_body(("html",))
    assert found is not None
    return str(found.get_content())


@pytest.mark.parametrize("kind", KINDS)
def test_the_html_has_the_look_and_fetches_nothing(kind: MailKind):
    """Only the product's colours; no picture, font, style sheet or script: nobody hears that it was read."""
    html = html_of(written(kind, name="Contact", person="Eve", email="eve@x.example", reason="gone"))
    brand = (files("svc.http.look") / "static/brand.css").read_text()

    assert {*re.findall(r"#[0-9a-f]{6}", html)} <= {*re.findall(r"#[0-9a-f]{6}", brand)}
    assert not re.search(r"<(img|link|style|script|iframe|object|video)|url\(|@import|src=", html)
    addresses = {*re.findall(r'href="([^"]+)"', html)}
    assert all(address.startswith("https://crm.example/") for address in addresses)


@pytest.mark.parametrize("kind", KINDS)
def test_both_parts_say_the_same(kind: MailKind):
    """Whoever reads plain text misses nothing, and the link stands there whole."""
    raw = written(kind, name="Contact", person="Eve", email="eve@x.example", reason="gone")
    plain, html = text_of(raw), unescape(re.sub(r"<title>.*</title>|<[^>]+>", " ", html_of(raw)))

    missing = [line for line in plain.replace("-- ", "").splitlines() if line.rstrip(":") not in html]
    assert not [line for line in missing if not line.startswith("Received")]


def test_what_strangers_write_stays_text():
    """In the title, in a sentence, and in a value."""
    evil = '<img src=x onerror="x">"\'&'
    html = html_of(written("submission.filed", name=evil, person=evil, fields=((evil, evil),)))

    assert "<img" not in html
    assert html.count("&lt;img src=x") >= 4


def test_the_same_mail_is_the_same_bytes():
    """A second attempt cannot be told from the first, by its id or by anything else."""
    first = written("submission.held", name="Contact", email="eve@visitor.example")

    assert first == written("submission.held", name="Contact", email="eve@visitor.example")
    assert "<mal_01k5d3v7q2m8z4x6c9b1n0t5ra@harbour.example>" == read(first)["Message-ID"]


@pytest.mark.parametrize(
    ("locale", "time_zone", "shown"),
    [
        ("en_GB", "Europe/London", "18 Sept 2026, 01:00:00 (Europe/London)"),
        ("de_DE", "Europe/Berlin", "18.09.2026, 02:00:00 (Europe/Berlin)"),
        ("xx_XX", "Nowhere/Land", "Sep 18, 2026, 12:00:00 AM (Nowhere/Land)"),
    ],
)
def test_times_are_those_of_the_organization(locale: str, time_zone: str, shown: str):
    """In its locale and its time zone; unknown ones fall back to English and UTC."""
    reader = Reader(
        organization_id="org_1",
        organization="Lamps",
        locale=locale,
        time_zone=time_zone,
        base_url="https://x.example",
    )

    assert shown in text_of(written("apikey.ending", reader, name="Shop"))


def test_a_guests_links_lead_to_the_organization():
    """Notices are of one organization, which the link names; links with a token need no name."""
    guest = Reader(
        organization_id="org_1",
        organization="Lamps",
        locale="en",
        time_zone="UTC",
        base_url="https://x.example",
        is_guest=True,
    )

    assert "https://x.example/app/settings/api-keys?org=org_1" in text_of(written("apikey.ending", guest))
    assert "https://x.example/app/reset#svcw_token" in text_of(written("password.reset", guest))


def test_long_submissions_are_cut():
    """The screen has all of it."""
    fields = tuple((f"field{number}", "x" * 10_000) for number in range(200))
    raw = written("submission.filed", name="Contact", fields=fields)

    assert f"{200 - MAIL_FIELDS_MAX} more fields" in text_of(raw)
    assert len(raw) < 500_000


def test_the_visitor_is_replied_to():
    """Only of what was filed: whom a held one is from is not known."""
    assert "eve@x.example" == read(written("submission.filed", email="eve@x.example"))["Reply-To"]
    assert read(written("submission.held", email="eve@x.example"))["Reply-To"] is None
    assert read(written("submission.filed", email="ünal@x.example"))["Reply-To"] is None


def test_a_senders_name_is_quoted():
    """As RFC 5322 has it."""
    content = letter("credits.low", MailData(micro_credits=1_500_000), READER)
    raw = envelope(
        "mal_1", content, Sender('Lamps, "Inc"\r\nBcc: x@y.example', "crm@x.example"), "ada@x.example", AT
    )

    assert "crm@x.example" == read(raw.message)["From"].addresses[0].addr_spec
    assert read(raw.message)["Bcc"] is None
    assert "1.5 credits" in text_of(raw.message)


def _pseudo(message: Message) -> Message:
    """A message of a language that marks all of its words."""
    if isinstance(message, str):
        return f"⟦{message}⟧"
    return {form: f"⟦{text}⟧" for form, text in message.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_second_language_is_a_table_of_words(kind: MailKind, monkeypatch: pytest.MonkeyPatch):
    """Nothing of a mail is said but in its words, where there is one for the organization."""
    monkeypatch.setitem(WORDS, "de", {key: _pseudo(message) for key, message in ENGLISH.items()})
    fields = tuple((f"field{number}", "x") for number in range(MAIL_FIELDS_MAX + 1))

    for reason in ("", "spam", "gone", "of a later version"):
        data = MailData(at=AT, name="Name", person="Ada", reason=reason, fields=fields)
        said = letter(kind, data, GERMAN, "svcw_token")
        english = letter(kind, data, READER, "svcw_token")

        texts = (said.subject, *said.sentences, said.link_label, said.footer)
        assert all(text.startswith("⟦") and text.endswith("⟧") for text in texts if text)
        assert "⟦" not in "".join((english.subject, *english.sentences, english.link_label, english.footer))
        if said.facts:
            assert [name for name, _ in said.facts if name.startswith("⟦")] == ["⟦Received⟧"]
            assert dict(said.facts)["…"] == "⟦1 more field⟧"


@pytest.mark.parametrize(
    ("locale", "n", "said"),
    [
        ("en_GB", 1, "1 more field"),
        ("en_GB", 1_200, "1,200 more fields"),
        ("de_DE", 1_200, "1.200 more fields"),
        ("pl_PL", 1, "1 pole"),
        ("pl_PL", 3, "3 pola"),
        ("pl_PL", 5, "5 pól"),
        ("pl_PL", 1_200, "1\xa0200 pól"),
    ],
)
def test_plurals_are_the_languages_and_figures_the_locales(
    locale: str, n: int, said: str, monkeypatch: pytest.MonkeyPatch
):
    """English has two forms, Polish three; a form that has no text of its own has that of all others."""
    forms = {"one": "{n} pole", "few": "{n} pola", "other": "{n} pól"}
    monkeypatch.setitem(WORDS, "pl", {**ENGLISH, "submission.more": forms})

    assert said == say(locale, "submission.more", n)


def test_what_is_filled_in_is_not_filled_in_again():
    """A name is a stranger's text, and may look like one of ours."""
    data = MailData(at=AT, name="{sender} {n} {0} %s", person="{form}")

    assert letter("submission.filed", data, READER).subject == "{sender} {n} {0} %s: {form}"


def test_all_languages_have_the_same_messages():
    """With the same names in them, so that none is lost; each plural has the form for all others."""

    def names(message: Message) -> list[set[str]]:
        texts = [message] if isinstance(message, str) else list(message.values())
        return [set(re.findall(r"\{([a-z_]+)\}", text)) for text in texts]

    for words in WORDS.values():
        assert words.keys() == ENGLISH.keys()
        for key, message in words.items():
            assert isinstance(message, str) or "other" in message
            assert all(one == names(ENGLISH[key])[0] for one in names(message))
