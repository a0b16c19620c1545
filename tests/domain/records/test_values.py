"""Values of properties: strict, normalised, and refused with everything that is wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.errors import Fault, InvalidValue
from svc.domain.limits import FAULTS_MAX
from svc.domain.records.kinds.registry import sort_key
from svc.domain.records.properties import Property, PropertyType
from svc.domain.records.sort_keys import EMPTY, FIRST, LAST, number_key, text_key
from svc.domain.records.values import changed, read

RECORD = "rec_" + "0" * 26
MEMBER = "usr_" + "0" * 26
PICTURE = "fil_" + "0" * 26


def prop(kind: PropertyType, slug: str = "p") -> Property:
    options = ("New", "Won") if "select" in kind else ()
    return Property(slug=slug, label=slug, type=kind, options=options)


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("text", "  Lamp ", "Lamp"),
        ("long_text", "a\nb", "a\nb"),
        ("number", 2.0, 2),
        ("number", -0.5, -0.5),
        ("amount", 12, 12),
        ("date", "2026-09-18", "2026-09-18"),
        ("datetime", "2026-09-18T14:00:00.1234567+02:00", "2026-09-18T12:00:00.123Z"),
        ("datetime", "2026-09-18t12:00:00z", "2026-09-18T12:00:00.000Z"),
        ("duration", "PT1H30M", "PT1H30M"),
        ("duration", "P1W1DT90M60S", "PT193H31M"),
        ("duration", "P0D", "PT0S"),
        ("boolean", False, False),
        ("select", "Won", "Won"),
        ("multi_select", ["Won", "New", "Won"], ["New", "Won"]),
        ("multi_select", [], None),
        ("email", " Ada@Example.COM", "ada@example.com"),
        ("phone", "030 123456", "+4930123456"),
        ("url", "https://example.com/a", "https://example.com/a"),
        ("picture", "https://example.com/a.png", "https://example.com/a.png"),
        ("picture", PICTURE, PICTURE),
        ("relation", RECORD, RECORD),
        ("member", MEMBER, MEMBER),
        ("text", "   ", None),
        ("number", None, None),
    ],
)
def test_a_value_is_written_in_one_way(kind: PropertyType, given: Any, expected: Any) -> None:
    """Each type takes its JSON type and normalises it; null and empty texts are no value."""
    assert (expected, type(expected)) == ((found := read(prop(kind), given, "DE")), type(found))


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("text", 1),
        ("text", "a\0b"),
        ("text", "\ud800"),
        ("text", "x" * 2_001),
        ("number", "1"),
        ("number", True),
        ("number", float("nan")),
        ("number", float("inf")),
        ("amount", 1e16),
        ("date", "20260918"),
        ("date", "2026-02-30"),
        ("date", "2026-09-18T00:00:00Z"),
        ("datetime", "2026-09-18"),
        ("datetime", "2026-09-18T12:00:00"),
        ("datetime", "0001-01-01T00:00:00+14:00"),
        ("boolean", 1),
        ("boolean", "yes"),
        ("select", "won"),
        ("multi_select", "Won"),
        ("multi_select", ["Lost"]),
        ("multi_select", [1]),
        ("email", "ada"),
        ("phone", 4930123456),
        ("url", "example.com"),
        ("url", "javascript:alert(1)"),
        ("picture", "fil_1"),
        ("relation", "rec_1"),
        ("relation", [RECORD]),
        ("member", RECORD),
    ],
)
def test_what_is_not_of_the_type_is_refused(kind: PropertyType, given: Any) -> None:
    """Nothing is guessed: a number is no text, a name of a month no date."""
    with pytest.raises(InvalidValue):
        read(prop(kind), given, "DE")


PROPERTIES = {one.slug: one for one in (prop("text", "name"), prop("amount", "price"), prop("date", "made"))}


def write(stored: dict[str, Any], given: dict[str, Any]) -> tuple[dict[str, Any], list[Fault]]:
    return changed(PROPERTIES, stored, given, country="DE", currency="EUR")


def test_all_faults_are_reported_at_once() -> None:
    """Each fault has its pointer and code, and says what to change."""
    _, faults = write({}, {"name": 1, "made": "soon", "a/b~": 1, "price_currency": "EUR", "nmae": "Ada"})

    assert [
        ("/properties/name", "invalid_value", "must be a string, not an integer"),
        ("/properties/made", "invalid_value", "must be a date such as 2026-09-18"),
        (
            "/properties/a~1b~0",
            "unknown_property",
            "is no property of this object; there are `name`, `price`, `made`",
        ),
        ("/properties/price_currency", "invalid_value", "a currency stands beside an amount"),
        (
            "/properties/nmae",
            "unknown_property",
            "is no property of this object; did you mean `name` or `made`? There are `name`, `made`, `price`",
        ),
    ] == [(fault.pointer, fault.code, fault.detail) for fault in faults]


def test_only_so_many_faults_are_looked_for() -> None:
    """A body full of unknown properties costs no more than those that are reported."""
    _, faults = write({}, {f"unknown_{number}": 1 for number in range(10 * FAULTS_MAX)})

    assert FAULTS_MAX == len(faults)


def test_an_amount_has_its_currency_beside_it() -> None:
    """The organization's by default, another when given, kept by the next amount, gone with the amount."""
    first, _ = write({}, {"price": 5})
    second, _ = write(first, {"price_currency": "USD"})
    third, _ = write(second, {"price": 7, "name": "Lamp"})

    assert {"price": 5, "price_currency": "EUR"} == first
    assert {"price": 5, "price_currency": "USD"} == second
    assert {"price": 7, "price_currency": "USD", "name": "Lamp"} == third
    assert ({"name": "Lamp"}, []) == write(third, {"price": None})
    assert ["/properties/price_currency"] == [
        one.pointer for one in write(first, {"price_currency": "EURO"})[1]
    ]


@given(st.floats(-1e15, 1e15), st.floats(-1e15, 1e15))
def test_keys_of_numbers_sort_as_numbers(one: float, other: float) -> None:
    """The bytes compare as the numbers do, and both zeros are one."""
    assert (one < other, one == other) == (
        number_key(one) < number_key(other),
        number_key(one) == number_key(other),
    )


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_key_of_a_value_is_not_empty(text: str) -> None:
    """What has a value sorts behind what has none, and before the end."""
    assert EMPTY < FIRST <= text_key(text) < LAST
    assert EMPTY == sort_key("text", None)
