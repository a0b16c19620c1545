"""Values of properties as tools pass them: validated strictly, and normalized.

What a program sends is not guessed at; a website form is read leniently, by `coerce`.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from svc.domain.errors import Fault, InvalidValue, pointer_to
from svc.domain.input.faults import json_type
from svc.domain.input.near_names import hint
from svc.domain.limits import FAULTS_MAX
from svc.domain.locale.currencies import CURRENCIES
from svc.domain.records.kinds.kind import Kind
from svc.domain.records.kinds.registry import KINDS
from svc.domain.records.properties import CURRENCY_SUFFIX, Property, PropertyType, Value
from svc.domain.scalars import Scalar, text_of

Values = dict[str, Any]
"""A record's values by slug, as they are stored; an amount's currency beside it. Nothing is null."""

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def read(prop: Property, value: Any, country: str) -> Value | None:
    """*value*, decoded JSON, as a value of *prop*; None when it is null or empty.

    Raises `InvalidValue` if it is not of the property's type.
    """
    if value is None:
        return None
    kind = KINDS[prop.type]
    if not _has_type(kind, value):
        raise InvalidValue(f"must be {kind.json_name}, not {json_type(value)}")
    if isinstance(value, str):
        value = value.strip()
        if not value:
            return None
        if _UNSTORABLE.search(value):
            raise InvalidValue("holds a character that cannot be stored")
    return kind.read(prop, value, country)


def coerce(prop: Property, raw: Scalar, country: str) -> Value | None:
    """*raw*, as a website form sends it, as a value of *prop*; None when it is empty.

    Raises `InvalidValue` if it cannot be read as one, or the property takes no value from a form.
    """
    text = text_of(raw).strip()
    if not text:
        return None
    form = KINDS[prop.type].form
    if form is None:
        raise InvalidValue(f"a {prop.type} is not set by a form")
    return form.read(prop, text, country)


def is_of(type_: PropertyType, value: Any) -> bool:
    """Whether *value*, decoded JSON, has the JSON type of values of *type_*."""
    return _has_type(KINDS[type_], value)


def _has_type(kind: Kind, value: Any) -> bool:
    return isinstance(value, kind.json_type) and (kind.json_type is bool or not isinstance(value, bool))


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
