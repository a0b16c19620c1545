"""Marks of a person: found however they are written, and never in what only looks like them."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svc.domain.erasure.marks import ERASED, Marks, Scrubber, ids_in, is_mark

MARKS = Marks(
    emails=("ada.quill@example.com",),
    phones=("+4930123456", "+447700900123"),
    names=("Adelaide Quill", "Zoë O'Neil"),
    lesser=("Adelaide", "aquill99"),
)
ANYWHERE, LINKED = Scrubber(MARKS, linked=False), Scrubber(MARKS, linked=True)


@pytest.mark.parametrize(
    "written",
    [
        "ada.quill@example.com",
        "Ada.Quill@EXAMPLE.com",
        "ada.quill%40example.com",
        "+4930123456",
        "+49 30 123 456",
        "030/123456",
        "(030) 12-34-56",
        "0049 30 123456",
        "+49 (0)30 123456",
        "07700 900123",
        "+44 (0) 7700 900 123",
        "Adelaide Quill",
        "ADELAIDE  QUILL",
        "Quill, Adelaide",
        "Adelaide%20Quill",
        "Adelaide+Quill",
        "Zoë O'Neil",
        "Zoe\u0308 O'Neil",
    ],
)
def test_a_mark_is_found_however_it_is_written(written: str) -> None:
    """Within a sentence, an address of a page, and JSON, escaped as programs do."""
    for text in (
        written,
        f"Call {written}, please.",
        f"<{written}>",
        f"https://example.net/?q={written}&x=1",
        f"https://example.net/?q={quote(written, safe='%+')}",
        json.dumps({"text": f"Hi\n{written}\tbye"}),
        json.dumps({"text": f"Hi\n{written}\tbye"}, ensure_ascii=False),
    ):
        assert ANYWHERE.finds(text), text
        assert ERASED in ANYWHERE.text(text)
        assert not ANYWHERE.finds(ANYWHERE.text(text))


@pytest.mark.parametrize(
    "other",
    [
        "grada.quill@example.com",
        "x-ada.quill@example.com",
        "ada.quill@example.com.au",
        "ada.quill@example.community",
        "ada@example.com",
        "adaXquill@example.com",
        "+49301234567",
        "1030123456",
        "+4830123456789",
        "Adelaide Quillan",
        "McAdelaide Quill",
        "Adelaide and Quill",
        "Adelaide",
        "aquill99",
    ],
)
def test_what_only_looks_like_a_mark_is_none(other: str) -> None:
    """A longer address, number or name is somebody else's, and a single word may be anything."""
    assert not ANYWHERE.finds(f"see {other} here")
    assert f"see {other} here" == ANYWHERE.text(f"see {other} here")


def test_lesser_marks_count_in_what_leads_to_the_person() -> None:
    """There a first name and a user's name are the person's."""
    text = "Adelaide (@aquill99) asked"

    assert (text, f"{ERASED} (@{ERASED}) asked") == (ANYWHERE.text(text), LINKED.text(text))


def test_json_keeps_its_shape() -> None:
    """Texts lose the marks, names of members and numbers too; all else stays as it was."""
    value = {
        "a": ["for Adelaide Quill", 1, 2.5, None, True, {"ada.quill@example.com": 30123456}],
        "n": 447700900123,
        "id": "rec_01J00000000000000000000001",
    }

    assert {
        "a": [f"for {ERASED}", 1, 2.5, None, True, {ERASED: ERASED}],
        "n": ERASED,
        "id": "rec_01J00000000000000000000001",
    } == LINKED.json(value)


def test_a_code_with_a_mark_goes_as_a_whole() -> None:
    """Keys and request ids are made up by programs, with anything around an address."""
    assert ERASED == ANYWHERE.code("import-ADA.quill@example.com-7")
    assert "import-grace@example.com" == ANYWHERE.code("import-grace@example.com")


def test_ids_are_found_in_any_text() -> None:
    """Of records, submissions and conversations, and of nothing else."""
    ids = {f"{prefix}_01J0000000000000000000000{n}" for n, prefix in enumerate(("rec", "sub", "cnv"))}

    assert ids == ids_in((" ".join(ids) + ' "evt_01J00000000000000000000001"').encode())


def test_a_name_is_looked_for_everywhere_only_if_it_tells() -> None:
    assert (True, False, False) == (is_mark("Bo Berg"), is_mark("Adelaide"), is_mark("A B"))


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "Nd")), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(WORDS, WORDS, WORDS, st.sampled_from([" ", ", ", "\n", "/", "(", '"', "\t"]))
def test_nothing_is_left_of_any_name(first: str, last: str, around: str, between: str) -> None:
    """Whatever letters a name has: taken out once, it is not found again, in text and in JSON alike."""
    scrub = Scrubber(Marks(names=(f"{first} {last}",)), linked=False)
    text = f"{around}{between}{first} {last}{between}{around}"

    assert not scrub.finds(scrub.text(text))
    assert scrub.text(text) == scrub.json([text])[0]
    assert scrub.finds(text) == (scrub.text(text) != text)
    if scrub.finds(text):
        assert scrub.finds(json.dumps(text))
        assert scrub.finds(json.dumps(text, ensure_ascii=False))


def test_no_marks_find_nothing() -> None:
    nothing = Scrubber(Marks(), linked=True)

    assert not nothing.finds("anything")
    assert "anything" == nothing.text("anything")
