"""Ids sort in the order they were made."""

import pytest

from svc.domain.ids import Ids, first_id, last_id

AT = 1_789_689_600_000


def test_an_id_is_its_prefix_and_a_ulid() -> None:
    """An id is its type prefix, an underscore and 26 characters of Crockford's base32."""
    prefix, _, ulid = Ids().new("sub", AT).partition("_")

    assert "sub" == prefix
    assert 26 == len(ulid)
    assert set(ulid) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def test_ids_of_one_moment_sort_as_they_were_made() -> None:
    """Ids made within one millisecond are all different and sort in the order they were made."""
    made = Ids()

    ids = [made.new("rec", AT) for _ in range(1_000)]

    assert sorted(set(ids)) == ids


def test_ids_still_sort_when_the_clock_runs_backwards() -> None:
    """An id made at an earlier time than the one before still sorts after it."""
    made = Ids()

    earlier, later = made.new("rec", AT + 5_000), made.new("rec", AT)

    assert earlier < later


def test_counting_up_past_the_random_part_goes_on_in_the_next_millisecond(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the random part of a millisecond is used up, ids go on in the next one."""
    made = Ids()
    monkeypatch.setattr("secrets.randbits", lambda _bits: (1 << 80) - 1)
    made.new("rec", AT)

    assert first_id("rec", AT + 1) == made.new("rec", AT)


def test_the_bounds_of_a_moment_enclose_the_ids_made_then() -> None:
    """No id made at a time sorts before the first id of that time, or after the last id of all."""
    assert first_id("rec", AT) <= Ids().new("rec", AT) < first_id("rec", AT + 1) < last_id("rec")
