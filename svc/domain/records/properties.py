"""Property types, and the lenient coercion of values from website forms."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.limits import LONG_TEXT_CHARS_MAX, TEXT_CHARS_MAX, URL_CHARS_MAX
from svc.domain.records.contact_points import normalise_email, normalise_phone
from svc.domain.scalars import Scalar, text_of
from svc.domain.times import rfc3339

PropertyType = Literal[
    "text",
    "long_text",
    "number",
    "amount",
    "date",
    "datetime",
    "boolean",
    "select",
    "multi_select",
    "email",
    "phone",
    "url",
    "picture",
    "relation",
    "member",
]

Value = str | int | float | bool | list[str]

_TRUE: Final = frozenset({"true", "yes", "y", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "n", "off", "0"})
_NUMBER: Final = re.compile(r"[+-]?(\d{1,15}(\.\d{1,9})?|\.\d{1,9})")


class Property(msgspec.Struct, frozen=True, kw_only=True):
    """One property of an object."""

    slug: str
    label: str
    type: PropertyType
    options: tuple[str, ...] = ()
    """The choices of a select; the object that a relation leads to."""
    personal: bool = False
    unique: bool = False
    """Whether no two records of the object may have the same value."""


CURRENCY_SUFFIX: Final = "_currency"
"""The currency of an amount is stored under the amount's slug plus this suffix."""
TEXT_TYPES: Final[frozenset[PropertyType]] = frozenset(
    {"text", "long_text", "email", "phone", "url", "select", "multi_select"}
)
"""Types whose values are indexed for full-text search."""
UNIQUE_TYPES: Final[frozenset[PropertyType]] = frozenset({"text", "number", "email", "phone", "url"})
"""Types of which a property may be unique."""


def coerce(prop: Property, raw: Scalar, country: str) -> Value | None:
    """*raw*, as a website form sends it, as a value of *prop*; None when it is empty.

    Raises `InvalidValue` if it cannot be read as one, or the property takes no value from a form.
    """
    text = text_of(raw).strip()
    if not text:
        return None
    read = _READERS.get(prop.type)
    if read is None:
        raise InvalidValue(f"a {prop.type} is not set by a form")
    return read(prop, text, country)


def _text(_prop: Property, text: str, _country: str) -> Value:
    if len(text) > TEXT_CHARS_MAX:
        raise InvalidValue(f"longer than {TEXT_CHARS_MAX} characters")
    return text


def _long_text(_prop: Property, text: str, _country: str) -> Value:
    if len(text) > LONG_TEXT_CHARS_MAX:
        raise InvalidValue(f"longer than {LONG_TEXT_CHARS_MAX} characters")
    return text


def _number(_prop: Property, text: str, _country: str) -> Value:
    if not _NUMBER.fullmatch(text):
        raise InvalidValue("not a number")
    number = float(text)
    return int(number) if number.is_integer() else number


def _date(_prop: Property, text: str, _country: str) -> Value:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise InvalidValue("not a date such as 2026-09-18") from None


def _datetime(_prop: Property, text: str, _country: str) -> Value:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return rfc3339(round(moment.timestamp() * 1000))
    except (ValueError, OverflowError):
        raise InvalidValue("not a time such as 2026-09-18T12:00:00Z") from None


def _boolean(_prop: Property, text: str, _country: str) -> Value:
    folded = text.casefold()
    if folded not in _TRUE | _FALSE:
        raise InvalidValue("neither yes nor no")
    return folded in _TRUE


def _choice(options: tuple[str, ...], text: str) -> str:
    for option in options:
        if option.casefold() == text.casefold():
            return option
    raise InvalidValue("not one of the choices")


def _select(prop: Property, text: str, _country: str) -> Value:
    return _choice(prop.options, text)


def _multi_select(prop: Property, text: str, _country: str) -> Value:
    chosen = [_choice(prop.options, part.strip()) for part in text.split(",") if part.strip()]
    return list(dict.fromkeys(chosen))


def _email(_prop: Property, text: str, _country: str) -> Value:
    return normalise_email(text)


def _phone(_prop: Property, text: str, country: str) -> Value:
    return normalise_phone(text, country)


def _url(_prop: Property, text: str, _country: str) -> Value:
    url = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise InvalidValue("not a web address") from None
    if parts.scheme not in {"http", "https"} or "." not in host or re.search(r"[\s<>\"]", url):
        raise InvalidValue("not a web address")
    if len(url) > URL_CHARS_MAX:
        raise InvalidValue(f"longer than {URL_CHARS_MAX} characters")
    return url


_READERS: Final[Mapping[PropertyType, Callable[[Property, str, str], Value]]] = {
    "text": _text,
    "long_text": _long_text,
    "number": _number,
    "amount": _number,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
    "select": _select,
    "multi_select": _multi_select,
    "email": _email,
    "phone": _phone,
    "url": _url,
}

SET_BY_FORMS: Final = frozenset(_READERS)
"""The types of properties that a website form can set."""
