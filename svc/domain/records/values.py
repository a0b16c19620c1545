"""Values of properties as tools pass them: validated strictly, and normalized.

A website form is read leniently by `properties.coerce`; what a program sends is not guessed at.
"""

import re
from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from typing import Any, Final
from urllib.parse import urlsplit

from svc.domain.currencies import CURRENCIES
from svc.domain.errors import Fault, InvalidValue, pointer_to
from svc.domain.files.files import is_file_id
from svc.domain.input_faults import json_type
from svc.domain.limits import FAULTS_MAX, LONG_TEXT_CHARS_MAX, NUMBER_MAX, TEXT_CHARS_MAX, URL_CHARS_MAX
from svc.domain.near_names import hint
from svc.domain.records.contact_points import normalise_email, normalise_phone
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType, Value
from svc.domain.times import rfc3339

Values = dict[str, Any]
"""A record's values by slug, as they are stored; an amount's currency beside it. Nothing is null."""

_ULID: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
_RECORD_ID: Final = re.compile(f"rec_{_ULID}")
_MEMBER_ID: Final = re.compile(f"usr_{_ULID}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_FRACTION: Final = re.compile(r"\.([0-9]+)")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_SPACE_OR_QUOTE: Final = re.compile(r"[\s<>\"]")


def read(prop: Property, value: Any, country: str) -> Value | None:
    """*value*, decoded JSON, as a value of *prop*; None when it is null or empty.

    Raises `InvalidValue` if it is not of the property's type.
    """
    if value is None:
        return None
    if not is_of(prop.type, value):
        raise InvalidValue(f"must be {JSON_NAMES[prop.type]}, not {json_type(value)}")
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return None
        if _UNSTORABLE.search(value):
            raise InvalidValue("holds a character that cannot be stored")
    return _READERS[prop.type][1](prop, value, country)


def is_of(kind: PropertyType, value: Any) -> bool:
    """Whether *value*, decoded JSON, has the JSON type of values of *kind*."""
    expected = _READERS[kind][0]
    return isinstance(value, expected) and (expected is bool or not isinstance(value, bool))


def is_storable(text: str) -> bool:
    """Whether *text* has neither NUL nor unpaired surrogates, which databases cannot store."""
    return _UNSTORABLE.search(text) is None


def changed(
    properties: Mapping[str, Property],
    stored: Values,
    changes: Mapping[str, Any],
    *,
    country: str,
    currency: str,
    pointer: str = "/properties",
    faults_max: int = FAULTS_MAX,
) -> tuple[Values, list[Fault]]:
    """*stored* with *changes* applied, and the first *faults_max* faults of those; null clears a value.

    An amount brings its currency along: without one it keeps what it had, or takes the organization's
    *currency*.
    """
    faults: list[Fault] = []
    values = dict(stored)
    for slug in changes:
        if len(faults) >= faults_max:
            break  # looking for close names takes time, and more faults than that are not shown
        try:
            value = _given(properties, values, changes, slug, country)
        except InvalidValue as error:
            known = slug in properties or _amount_of(properties, slug) is not None
            code = "invalid_value" if known else "unknown_property"
            faults.append(Fault(pointer + pointer_to(slug), code, str(error)))
            continue
        if value is None:
            values.pop(slug, None)
        else:
            values[slug] = value
    for slug, prop in properties.items():
        if prop.type == "amount" and slug in values:
            values.setdefault(slug + CURRENCY_SUFFIX, currency)
        elif prop.type == "amount":
            values.pop(slug + CURRENCY_SUFFIX, None)
    return values, faults


def _given(
    properties: Mapping[str, Property], stored: Values, changes: Mapping[str, Any], slug: str, country: str
) -> Value | None:
    prop = properties.get(slug)
    if prop is not None:
        return read(prop, changes[slug], country)
    amount = _amount_of(properties, slug)
    if amount is None:
        raise InvalidValue(f"is no property of this object{hint(slug, properties)}")
    currency = _read_currency(changes[slug])
    has_amount = changes.get(amount, stored.get(amount)) is not None
    if has_amount and currency is None and amount not in changes:
        raise InvalidValue("an amount has a currency: clear the amount, and it goes too")
    if currency is not None and not has_amount:
        raise InvalidValue("a currency stands beside an amount")
    return currency


def _amount_of(properties: Mapping[str, Property], slug: str) -> str | None:
    """The amount that *slug* is the currency of."""
    amount = slug.removesuffix(CURRENCY_SUFFIX)
    prop = properties.get(amount)
    return amount if amount != slug and prop is not None and prop.type == "amount" else None


def _read_currency(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or value not in CURRENCIES:
        raise InvalidValue("must be a currency such as EUR (ISO 4217)")
    return value


def _limited(characters_max: int) -> Callable[[Property, str, str], Value]:
    def text(_prop: Property, value: str, _country: str) -> Value:
        if len(value) > characters_max:
            raise InvalidValue(f"must have at most {characters_max:,} characters, not {len(value):,}")
        return value

    return text


def _number(_prop: Property, value: float, _country: str) -> Value:
    if not abs(value) <= NUMBER_MAX:  # false for NaN, too
        raise InvalidValue(f"must be between -{NUMBER_MAX:.0e} and {NUMBER_MAX:.0e}")
    return int(value) if isinstance(value, int) or value.is_integer() else value


def _date(_prop: Property, text: str, _country: str) -> Value:
    try:
        day = date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise InvalidValue("must be a date such as 2026-09-18")
    return day.isoformat()


def _datetime(_prop: Property, text: str, _country: str) -> Value:
    # Python 3.11 reads at most six digits of a fraction, and milliseconds are kept.
    short = _FRACTION.sub(lambda match: f".{match[1][:3]:0<3}", text.upper())
    try:
        if _DATETIME.fullmatch(text):
            return rfc3339(round(datetime.fromisoformat(short).timestamp() * 1000))
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidValue("must be a time such as 2026-09-18T12:00:00Z (RFC 3339)")


def _boolean(_prop: Property, value: bool, _country: str) -> Value:
    return value


def _option(options: Collection[str], value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidValue(f"must be one of the choices, not {json_type(value)}")
    if value not in options:
        raise InvalidValue(f"is not one of the choices{hint(value, options)}")
    return value


def _select(prop: Property, value: str, _country: str) -> Value:
    return _option(prop.options, value)


def _multi_select(prop: Property, values: list[Any], _country: str) -> Value | None:
    chosen = {_option(prop.options, value) for value in values}
    return [option for option in prop.options if option in chosen] or None


def _email(_prop: Property, value: str, _country: str) -> Value:
    return normalise_email(value)


def _phone(_prop: Property, value: str, country: str) -> Value:
    return normalise_phone(value, country)


def _url(_prop: Property, value: str, _country: str) -> Value:
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        raise InvalidValue("must be a web address such as https://example.com/") from None
    if parts.scheme not in {"http", "https"} or not host or _SPACE_OR_QUOTE.search(value):
        raise InvalidValue("must be a web address such as https://example.com/")
    if len(value) > URL_CHARS_MAX:
        raise InvalidValue(f"must have at most {URL_CHARS_MAX:,} characters, not {len(value):,}")
    return value


def _picture(prop: Property, value: str, country: str) -> Value:
    return value if is_file_id(value) else _url(prop, value, country)


def _identified(pattern: re.Pattern[str], what: str) -> Callable[[Property, str, str], Value]:
    def reference(_prop: Property, value: str, _country: str) -> Value:
        if not pattern.fullmatch(value):
            raise InvalidValue(f"must be the id of a {what}")
        return value

    return reference


_Reader = tuple[Any, Callable[[Property, Any, str], Value | None]]

_READERS: Final[Mapping[PropertyType, _Reader]] = {
    "text": (str, _limited(TEXT_CHARS_MAX)),
    "long_text": (str, _limited(LONG_TEXT_CHARS_MAX)),
    "number": (int | float, _number),
    "amount": (int | float, _number),
    "date": (str, _date),
    "datetime": (str, _datetime),
    "boolean": (bool, _boolean),
    "select": (str, _select),
    "multi_select": (list, _multi_select),
    "email": (str, _email),
    "phone": (str, _phone),
    "url": (str, _url),
    "picture": (str, _picture),
    "relation": (str, _identified(_RECORD_ID, "record")),
    "member": (str, _identified(_MEMBER_ID, "member")),
}
"""By type: the JSON type, and the reader of its values."""

JSON_NAMES: Final[Mapping[PropertyType, str]] = {
    kind: {str: "a string", list: "a list of choices", bool: "true or false"}.get(expected, "a number")
    for kind, (expected, _) in _READERS.items()
}
"""By type: what its values are in JSON's words."""
