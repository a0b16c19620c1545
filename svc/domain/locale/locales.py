"""The locale and the time zone of an organization, as Babel has them."""

from datetime import tzinfo
from typing import Final, NamedTuple

from babel import Locale, UnknownLocaleError
from babel.dates import UTC, get_timezone

_FALLBACK: Final = "en"


class Place(NamedTuple):
    """Where people read: in which locale, and in which time zone."""

    locale: Locale
    time_zone: tzinfo


def locale_of(name: str) -> Locale:
    """The locale called *name*; English where it is unknown."""
    try:
        return Locale.parse(name.replace("-", "_"))
    except (ValueError, UnknownLocaleError):
        return Locale.parse(_FALLBACK)


def time_zone_of(name: str) -> tzinfo:
    """The time zone called *name*; UTC where it is unknown."""
    try:
        return get_timezone(name)
    except LookupError:
        return UTC


def place_of(locale: str, time_zone: str) -> Place:
    return Place(locale_of(locale), time_zone_of(time_zone))
