"""Formatting of values for people: in the organization's locale and time zone."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from babel.dates import format_date, format_datetime
from babel.numbers import format_currency, format_decimal

from svc.domain.locales import locale_of, time_zone_of
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType
from svc.domain.records.values import Values
from svc.domain.text import inert_text

_YES: Final = "✓"
_NO: Final = "–"
_NAMED: Final[frozenset[PropertyType]] = frozenset({"relation", "member"})


class Formats:
    """The formats of one organization. An unknown locale falls back to English, such a time zone to UTC."""

    __slots__ = ("_locale", "_time_zone")

    def __init__(self, locale: str, time_zone: str) -> None:
        self._locale = locale_of(locale)
        self._time_zone = time_zone_of(time_zone)

    def text(self, prop: Property, value: Any, currency: str | None = None) -> str:
        """*value* of *prop* as it is read; nothing where there is none. *currency* is that of an amount.

        Raises:
            ValueError, TypeError, ArithmeticError: it is no value of such a property.
        """
        if value is None:
            return ""
        if prop.type == "amount" and currency is not None:
            return inert_text(format_currency(_decimal(value), currency, locale=self._locale))
        return inert_text(_TEXTS.get(prop.type, _as_it_is)(self, value))

    def texts(
        self, properties: Iterable[Property], values: Values, names: Mapping[str, str]
    ) -> dict[str, str]:
        """The texts of a record's *values*, by slug, as `text`.

        A relation and a member show the name of what they lead to, which *names* has by id: nothing without.
        What is no value of its property is as it is stored.
        """
        texts = {}
        for prop in properties:
            value = values.get(prop.slug)
            if value is None:
                continue
            try:
                if prop.type in _NAMED:
                    value = names.get(value)
                texts[prop.slug] = self.text(prop, value, values.get(prop.slug + CURRENCY_SUFFIX))
            except (ValueError, TypeError, ArithmeticError):
                texts[prop.slug] = inert_text(str(value))
        return texts

    def number(self, value: float) -> str:
        return format_decimal(_decimal(value), locale=self._locale)

    def date(self, value: str) -> str:
        return format_date(date.fromisoformat(value), locale=self._locale)

    def datetime(self, value: str) -> str:
        moment = datetime.fromisoformat(value)
        return format_datetime(moment, tzinfo=self._time_zone, locale=self._locale)


def _as_it_is(_formats: Formats, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _boolean(_formats: Formats, value: bool) -> str:
    # Signs, since the data of locales has no words for it.
    return _YES if value else _NO


def _choices(_formats: Formats, value: list[str]) -> str:
    return ", ".join(value)


_TEXTS: Final[Mapping[PropertyType, Callable[[Formats, Any], str]]] = {
    "number": Formats.number,
    "amount": Formats.number,
    "date": Formats.date,
    "datetime": Formats.datetime,
    "boolean": _boolean,
    "multi_select": _choices,
}


def _decimal(value: float) -> Decimal:
    """The shortest decimal that reads back as *value*, not its exact binary expansion."""
    return Decimal(str(value))
