"""Values as people read them."""

from typing import Any

import pytest

from svc.domain.records.formats import Formats
from svc.domain.records.properties import Property, PropertyType


def shown(kind: PropertyType, value: Any, *, currency: str | None = None, locale: str = "de_DE") -> str:
    return Formats(locale, "Europe/Berlin").text(Property(slug="p", label="P", type=kind), value, currency)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("text", "Lampe", "Lampe"),
        ("number", 1234.5, "1.234,5"),
        ("number", 0.1, "0,1"),
        ("number", 10**15, "1.000.000.000.000.000"),
        ("amount", 5, "5"),
        ("date", "2026-09-18", "18.09.2026"),
        ("datetime", "2026-09-18T22:30:00.000Z", "19.09.2026, 00:30:00"),
        ("duration", "PT1500H30M", "1.500 Std., 30 Min."),
        ("duration", "PT0S", "0 Sek."),
        ("boolean", True, "✓"),
        ("boolean", False, "–"),
        ("multi_select", ["Messing", "Glas"], "Messing, Glas"),
        ("text", None, ""),
        ("text", "a\u202eb", "ab"),
    ],
)
def test_a_value_is_shown_in_the_organizations_format(kind: PropertyType, value: Any, expected: str) -> None:
    """Numbers, days and times are written as its locale and its time zone have them."""
    assert expected == shown(kind, value)


@pytest.mark.parametrize(
    ("locale", "value", "currency", "expected"),
    [
        ("de_DE", 1234.5, "EUR", "1.234,50\xa0€"),
        ("en_GB", 95, "GBP", "£95.00"),
        ("ja_JP", 1250, "JPY", "￥1,250"),
        ("en_US", 0.1, "USD", "$0.10"),
        ("en-US", 1.005, "KWD", "KWD1.005"),
    ],
)
def test_an_amount_has_its_currency(locale: str, value: float, currency: str, expected: str) -> None:
    """Sign, place and decimals are those of the locale and the currency."""
    assert expected == shown("amount", value, currency=currency, locale=locale)


@pytest.mark.parametrize("locale", ["", "xx_YY", "not a locale", "de_DE_formal_and_more"])
def test_an_unknown_locale_is_english(locale: str) -> None:
    """An organization with a wrong locale is shown all the same, and so is one with a wrong time zone."""
    prop = Property(slug="p", label="P", type="datetime")

    assert "1,234.5" == shown("number", 1234.5, locale=locale)
    assert "Sep 18, 2026, 10:30:00\u202fPM" == Formats(locale, "Mars/Olympus").text(
        prop, "2026-09-18T22:30:00.000Z"
    )


@pytest.mark.parametrize(("kind", "value"), [("number", "x"), ("date", 5), ("text", 5), ("datetime", "now")])
def test_what_is_no_value_of_its_type_is_refused(kind: PropertyType, value: Any) -> None:
    """A value that the type cannot have raises, so that its block can say that it is in error."""
    with pytest.raises((ValueError, TypeError, ArithmeticError)):
        shown(kind, value)
