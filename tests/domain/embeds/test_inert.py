"""Addresses and texts on pages of others: what leads somewhere is let through, what does something is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.embeds.html_safety import is_safe_href, is_safe_src
from svc.domain.text import inert_text

SAFE = (
    "https://example.com",
    "HTTP://example.com/a?b=c#d",
    "https://bücher.example/ä",
    "/lamps",
    "./lamps",
    "../lamps/1",
    "?page=2",
    "#ask",
)
ONLY_LINKS = ("mailto:ada@example.com", "tel:+4930123456", "MAILTO:ada@example.com")
UNSAFE = (
    "",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "\x01javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "javascript&colon;alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "blob:https://example.com/1",
    "file:///etc/passwd",
    "view-source:https://example.com",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    ".//evil.example",
    "https:evil.example",
    "https://",
    "https:///evil.example",
    "https://a.example/\u202egpj.exe",
    "https://a.example/a b",
    'https://a.example/"onclick="x',
    "lamps:1",
    "mailto:",
    "https://a.example/" + "a" * 2_000,
)


@pytest.mark.parametrize("address", SAFE)
def test_what_leads_somewhere_is_let_through(address: str) -> None:
    """Web addresses and places on the page's own site are for links and pictures."""
    assert is_safe_href(address)
    assert is_safe_src(address)


@pytest.mark.parametrize("address", ONLY_LINKS)
def test_mail_and_phone_are_for_links_alone(address: str) -> None:
    """No picture comes by mail."""
    assert is_safe_href(address)
    assert not is_safe_src(address)


@pytest.mark.parametrize("address", UNSAFE)
def test_what_could_do_something_is_not(address: str) -> None:
    """Other schemes, tricks with what browsers skip, and other sites in disguise are refused."""
    assert not is_safe_href(address)
    assert not is_safe_src(address)


@given(st.text(max_size=40), st.sampled_from(["javascript:", "data:", "vbscript:", "//"]))
def test_nothing_before_a_scheme_makes_it_safe(before: str, scheme: str) -> None:
    """Whatever stands before it, an address that a browser would read as a script's is refused."""
    # As the URL standard has it: blanks and controls at the start and line ends anywhere are dropped.
    read = (before + scheme).lstrip("".join(map(chr, range(33)))).translate({9: None, 10: None, 13: None})

    if read.lower().startswith(scheme):
        assert not is_safe_href(before + scheme + "x")


def test_texts_keep_their_words_and_lose_their_tricks() -> None:
    """Overrides of direction, controls and half characters go; emoji and the marks of formats stay."""
    family = "👩\u200d👩\u200d👧"

    assert "abc" == inert_text("a\u202eb\x00c\u2066")
    assert "a\tb\nc" == inert_text("a\tb\nc\r\x7f\x9b")
    assert family + "\u200f5\ufe0f" == inert_text(family + "\u200f5\ufe0f\ud83d")


@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_what_is_inert_can_be_written(text: str) -> None:
    """Whatever a text is made of, what is left of it is UTF-8, and making it inert again changes nothing."""
    inert = inert_text(text)
    inert.encode()

    assert inert == inert_text(inert)
