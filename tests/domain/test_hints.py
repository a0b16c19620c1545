"""The log of hints: each thing once, the last changes in order, and what is forgotten is told."""

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.hints import Hint, HintLog
from svc.domain.limits import SCREEN_HINTS_MAX

THINGS = st.tuples(st.sampled_from(["record", "form"]), st.sampled_from(["1", "2", "3", None]))


def test_numbers_count_up():
    """From where the log began."""
    log = HintLog(100)
    log.note("record", "rec_1")
    log.note("form", None)

    assert [Hint(101, "record", "rec_1"), Hint(102, "form", None)] == log.since(100)
    assert [Hint(102, "form", None)] == log.since(101)
    assert [] == log.since(102)
    assert 102 == log.newest


def test_a_thing_that_changes_often_takes_one_place():
    """At its last change."""
    log = HintLog(0)
    log.note("record", "rec_1")
    log.note("record", "rec_2")
    for _ in range(10 * SCREEN_HINTS_MAX):
        log.note("record", "rec_1")

    assert [Hint(2, "record", "rec_2"), Hint(log.newest, "record", "rec_1")] == log.since(0)


def test_nouns_of_which_screens_see_no_more_than_a_part():
    """A property is a part of its object, an old name is the new one."""
    log = HintLog(0)
    for noun in ("property", "automation", "credits", "record"):
        log.note(noun, "1")

    assert ["object", "workflow", "ai", "record"] == [hint.noun for hint in log.since(0) or ()]


def test_what_is_forgotten_is_told():
    """A reader of before is told so; one that has seen what was forgotten is not."""
    log = HintLog(0)
    for number in range(SCREEN_HINTS_MAX + 2):
        log.note("record", str(number))

    assert log.since(1) is None
    assert SCREEN_HINTS_MAX == len(log.since(2) or ())


def test_numbers_of_another_log_are_none_of_this():
    """Those of a log before it, which are lower, and those that were never given."""
    log = HintLog(1_000)
    log.note("record", "rec_1")

    assert [None, None, None] == [log.since(number) for number in (-1, 999, 1_002)]


@given(st.lists(st.one_of(THINGS, st.none()), max_size=60))
def test_a_reader_misses_nothing(steps):
    """Whatever changed between two looks (None) is in the later one, once; or the reader is told."""
    log = HintLog(0)
    seen, changed = 0, set()
    for step in steps:
        if step is not None:
            log.note(*step)
            changed.add(step)
            continue
        hints = log.since(seen)
        assert hints is not None
        assert changed == {(hint.noun, hint.id) for hint in hints}
        assert len(changed) == len(hints)
        numbers = [hint.number for hint in hints]
        assert numbers == sorted(numbers)
        seen, changed = log.newest, set()
