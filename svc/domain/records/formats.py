"""Formatting of values for people: in the organization's locale and time zone."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from svc.domain.locale.locales import place_of
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType
from svc.domain.records.values import Values
from svc.domain.text import inert_text

_NAMED: Final[frozenset[PropertyType]] = frozenset(
    name for name, kind in KINDS.items() if kind.refers_to in {"record", "member"}
)


class Formats:
    """The formats of one organization. An unknown locale falls back to English, such a time zone to UTC."""

    __slots__ = ("_place",)

    def __init__(self, locale: str, time_zone: str) -> None:
        self._place = place_of(locale, time_zone)

    def text(self, prop: Property, value: Any, currency: str | None = None) -> str:
        """*value* of *prop* as it is read; nothing where there is none. *currency* is that of an amount.

        Raises:
            ValueError, TypeError, ArithmeticError: it is no value of such a property.
        """
        if value is None:
            return ""
        return inert_text(KINDS[prop.type].text(value, self._place, currency))

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
