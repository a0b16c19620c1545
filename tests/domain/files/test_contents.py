"""What a content is, whatever its sender says, and in whatever pieces it comes."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.domain.errors import InvalidValue
from svc.domain.files.contents import OCTETS, PLAIN_TEXT, SAFE_PICTURES, ContentFacts, ContentReader
from svc.domain.files.files import clean_name
from tests.files import PDF, PNG, archive

OFFICE = "application/vnd.openxmlformats-officedocument."


def facts_of(*pieces: bytes) -> ContentFacts:
    reader = ContentReader()
    for piece in pieces:
        reader.feed(piece)
    return reader.facts()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a\x01\0\x01\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x24\0\0\0WAVEfmt ", OCTETS),
        (PDF, "application/pdf"),
        (archive("a.txt"), "application/zip"),
        (archive("[Content_Types].xml", "word/document.xml"), OFFICE + "wordprocessingml.document"),
        (archive("[Content_Types].xml", "xl/workbook.xml"), OFFICE + "spreadsheetml.sheet"),
        (archive("[Content_Types].xml", "ppt/slides.xml"), OFFICE + "presentationml.presentation"),
        ("Grüße\n".encode(), PLAIN_TEXT),
        ("Grüße".encode("latin-1"), OCTETS),
        ("ü".encode()[:1], OCTETS),
        (b"a\0b", OCTETS),
        (b"", PLAIN_TEXT),
        (b"<html><script>alert(1)</script>", PLAIN_TEXT),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', PLAIN_TEXT),
        (b"\x7fELF\x02\x01\x01\0", OCTETS),
    ],
)
def test_the_type_is_what_the_content_says(content: bytes, media_type: str) -> None:
    """HTML and SVG are no more than text, and what is not known is bytes."""
    assert media_type == facts_of(content).media_type


@pytest.mark.parametrize("picture", [PNG, b"GIF89a\x01\0\x01\0", b"\xff\xd8\xff\xe0", PDF])
def test_an_archive_in_a_picture_is_no_picture(picture: bytes) -> None:
    """A program that reads archives from their end would find one in it."""
    found = facts_of(picture + archive("payload.exe"))

    assert OCTETS == found.media_type
    assert found.media_type not in SAFE_PICTURES


def test_an_open_document_says_its_type_itself() -> None:
    """Its first entry is its media type, uncompressed."""
    kind = b"application/vnd.oasis.opendocument.text"
    head = b"PK\x03\x04" + bytes(22) + b"\x08\0\0\0" + b"mimetype" + kind + b"PK\x03\x04"

    assert kind.decode() == facts_of(head).media_type


@given(
    st.sampled_from([PNG, PDF, "Grüße an alle\n".encode() * 9, archive("word/a"), PNG + archive("a")]),
    st.lists(st.integers(0, 500), max_size=6),
)
@settings(max_examples=50)
def test_pieces_make_no_difference(content: bytes, cuts: list[int]) -> None:
    """Hash, size and type are of the whole content."""
    ends = [*sorted({cut for cut in cuts if cut < len(content)}), len(content)]
    pieces = [content[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    assert facts_of(content) == facts_of(*pieces)
    assert hashlib.sha256(content).hexdigest() == facts_of(content).digest


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        (None, "file"),
        ("", "file"),
        ("..", "file"),
        ("lamp.png", "lamp.png"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\Ada\\letter.txt", "letter.txt"),
        ("a\r\nSet-Cookie: x", "aSet-Cookie: x"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("  two   words ", "two words"),
    ],
)
def test_a_name_has_no_folders_and_nothing_hidden(given_name: str | None, name: str) -> None:
    """So it can stand in a header, in a list and in a dialog as what it is."""
    assert name == clean_name(given_name)


def test_a_name_is_not_cut() -> None:
    """Cut, it might lose the end that tells what it is."""
    with pytest.raises(InvalidValue, match="255 characters"):
        clean_name("a" * 252 + ".png")
