"""Encodings of files: found out, decoded from any position, and mended line by line."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.imports.encodings import decode, detect, encoded_bytes, mended

TEXT = "Name;Straße €\r\nZoë;x\r\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode("cp1252"), "windows-1252"),
    ],
)
def test_spreadsheets_encodings_are_found(data, encoding):
    """By the mark, or else by whether it is UTF-8."""
    found = detect(data, whole=True)

    assert encoding == found.encoding
    assert TEXT == decode(data[found.mark_bytes :], found.encoding, final=True)


def test_a_character_cut_in_two_is_utf_8():
    """Where the head of a file ends in the middle of it."""
    assert "utf-8" == detect("ä".encode()[:1], whole=False).encoding
    assert "windows-1252" == detect("ä".encode()[:1], whole=True).encoding


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "windows-1252"]))
def test_decoded_text_tells_its_bytes(data, encoding):
    """Whatever they are: so a position in the text is one in the file."""
    if encoding.startswith("utf-16"):
        data = data[: len(data) // 2 * 2]
    text = decode(data, encoding, final=True)

    assert len(data) == encoded_bytes(text, encoding)


def test_a_line_in_another_encoding_is_mended():
    """Windows-1252 in the midst of UTF-8; but not what neither of them has."""
    assert "Zoë" == mended(decode("Zoë".encode("cp1252"), "utf-8", final=True), "utf-8")
    with pytest.raises(InvalidValue):
        mended(decode(b"\x81\xff", "utf-8", final=True), "utf-8")
