"""Ids sort in the order they were made."""

import pytest

from svc.domain.ids import Ids, first_id, last_id, time_of
from svc.domain.randomness import SYSTEM

AT = 1_789_689_600_000


def test_an_id_is_its_prefix_and_a_ulid() -> None:
    """An id is its type prefix, an underscore and 26 characters of Crockford's base32."""
    prefix, _, ulid = Ids(SYSTEM).new("sub", AT).partition("_")

    assert "sub" == prefix
    assert 26 == len(ulid)
    assert set(ulid) <= set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")


def test_ids_of_one_moment_sort_as_they_were_made() -> None:
    """Ids made within one millisecond are all different and sort in the order they were made."""
    made = Ids(SYSTEM)

    ids = [made.new("rec", AT) for _ in range(1_000)]

    assert sorted(set(ids)) == ids


def test_ids_still_sort_when_the_clock_runs_backwards() -> None:
    """An id made at an earlier time than the one before still sorts after it."""
    made = Ids(SYSTEM)

    earlier, later = made.new("rec", AT + 5_000), made.new("rec", AT)

    assert earlier < later


def test_counting_up_past_the_random_part_goes_on_in_the_next_millisecond() -> None:
    """When the random part of a millisecond is used up, ids go on in the next one."""
    made = Ids(SYSTEM)
    made.new("rec", AT)
    made.go_on_after(ulid_of(first_id("rec", AT))[:10] + 16 * "Z")

    assert first_id("rec", AT + 1) == made.new("rec", AT)


def test_the_bounds_of_a_moment_enclose_the_ids_made_then() -> None:
    """No id made at a time sorts before the first id of that time, or after the last id of all."""
    assert first_id("rec", AT) <= Ids(SYSTEM).new("rec", AT) < first_id("rec", AT + 1) < last_id("rec")


def ulid_of(made: str) -> str:
    return made.partition("_")[2]


def test_ids_go_on_after_the_newest_that_is_stored() -> None:
    """In a new process under an earlier clock, ids sort after those of the one before, and are as random."""
    before, after = Ids(SYSTEM), Ids(SYSTEM)
    stored = [before.new("rpl", AT + 3_600_000) for _ in range(3)]

    after.go_on_after(ulid_of(stored[-1]))
    ids = [after.new("rpl", AT + one // 2) for one in range(100)]

    assert sorted([*stored, *ids]) == [*stored, *ids]
    assert 50 == len({ulid_of(one)[:-10] for one in ids})  # a random part of its own for each millisecond


def test_an_older_id_changes_nothing() -> None:
    """What is stored does not pull the ids of a running process back."""
    made = Ids(SYSTEM)
    newest = made.new("rec", AT + 5)

    made.go_on_after(ulid_of(first_id("rec", AT)))

    assert newest < made.new("rec", AT)


def test_the_time_of_an_id_is_when_it_was_made() -> None:
    """To the millisecond."""
    assert AT == time_of(ulid_of(Ids(SYSTEM).new("rec", AT)))


@pytest.mark.parametrize(
    "text", ["", "01K5D3V7Q2", "01K5D3V7Q2M8Z4X6C9B1N0T5RU", "8" + "0" * 25, "\ud800" * 26]
)
def test_what_is_no_ulid_is_not_gone_on_from(text: str) -> None:
    """Too short, with letters that are none of base32, or beyond 128 bits."""
    with pytest.raises(ValueError, match="no ULID"):
        Ids(SYSTEM).go_on_after(text)
