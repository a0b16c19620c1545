"""Keyset pages, over a list of numbered rows."""

from typing import NamedTuple

import pytest

from svc.domain.errors import InvalidInput
from svc.storage.pages import Keyset

QUESTION = ["rows", "org_1"]


class Row(NamedTuple):
    id: str


def rows(count: int) -> list[Row]:
    return [Row(f"row_{number}") for number in range(count)]


def test_a_full_page_goes_on_behind_its_last_row():
    page, cursor = Keyset(QUESTION, None, 2).cut(rows(3))

    assert rows(2) == page
    after = Keyset(QUESTION, cursor, 2).after
    assert after is not None
    assert "row_1" == after.id


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_last_page_has_no_cursor(count: int):
    assert (rows(count), None) == Keyset(QUESTION, None, 2).cut(rows(count))


def test_the_cursor_of_another_question_is_rejected():
    _, cursor = Keyset(QUESTION, None, 2).cut(rows(3))

    with pytest.raises(InvalidInput) as caught:
        Keyset(["rows", "org_2"], cursor, 2, pointer="/related")

    assert "/related/cursor" == caught.value.faults[0].pointer


def test_a_cursor_is_read_by_every_later_version():
    """Clients keep cursors across an upgrade: this text may not change its meaning."""
    assert "qSw7WPOFtfCSkKVyb3dfMQ" == Keyset(QUESTION, None, 2).cut(rows(3))[1]
