"""An organization: its plan, its hubs, and the formats that its people read."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal
from zoneinfo import available_timezones

import msgspec

from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.identity.people import clean_name
from svc.domain.locale.currencies import CURRENCIES

Plan = Literal["free", "pro", "business", "enterprise"]

PLANS_WITH_FORMS: Final[frozenset[Plan]] = frozenset({"pro", "business", "enterprise"})
"""Plans that include the form endpoint; a trial includes it too."""


class Organization(msgspec.Struct, frozen=True, kw_only=True):
    """One organization as it stands. Times are ms since the epoch."""

    id: str
    name: str
    country: str
    """ISO 3166 alpha-2: where a phone number without a country code is dialled."""
    currency: str
    """ISO 4217."""
    locale: str
    time_zone: str
    plan: Plan
    trial_ends_at: int | None
    marketing_hub: bool
    created_at: int
    closed_at: int | None = None
    allow_keys_elsewhere: bool = False
    """Whether people whose home this is may issue keys in other organizations."""
    own_provider_falls_back_to_credits: bool = False
    """Whether a call goes on from an own AI provider to the service's, which takes credits."""
    members_may_connect_apps: bool = False
    """Whether members without the permission `security` may connect apps."""
    version: int

    def in_trial(self, now: int) -> bool:
        return self.trial_ends_at is not None and now < self.trial_ends_at

    def may_take_forms(self, now: int) -> bool:
        """Whether the form endpoint is open: by plan or trial, with the Marketing hub on."""
        return (
            self.closed_at is None
            and self.marketing_hub
            and (self.plan in PLANS_WITH_FORMS or self.in_trial(now))
        )


_LOCALE: Final = re.compile(r"[a-z]{2,3}([_-][A-Z][a-z]{3})?([_-][A-Z]{2})?")


def clean_country(text: str) -> str:
    """*text* as a country of ISO 3166, in upper case. Raises `InvalidValue`."""
    import phonenumbers  # noqa: PLC0415  # 0.8 MiB, from the first country or number on

    country = text.strip().upper()
    if country not in phonenumbers.SUPPORTED_REGIONS:
        raise InvalidValue(f"{text!r} is no country of ISO 3166, such as DE or US")
    return country


def clean_currency(text: str) -> str:
    """*text* as a currency of ISO 4217, in upper case. Raises `InvalidValue`."""
    currency = text.strip().upper()
    if currency not in CURRENCIES:
        raise InvalidValue(f"{text!r} is no currency of ISO 4217, such as EUR")
    return currency


def clean_locale(text: str) -> str:
    """*text*, if it has the shape of a locale. Raises `InvalidValue`."""
    if not _LOCALE.fullmatch(text):
        raise InvalidValue(f"{text!r} is no locale, such as de_DE")
    return text


def clean_time_zone(text: str) -> str:
    """*text*, if it is a time zone of the IANA database. Raises `InvalidValue`."""
    known = _time_zones()
    if known and text not in known:
        raise InvalidValue(f"{text!r} is no time zone, such as Europe/Berlin")
    return text


class _Fact(msgspec.Struct, frozen=True):
    pointer: str
    clean: Callable[[str], str]


_FACTS: Final[Mapping[str, _Fact]] = {
    "name": _Fact("/name", clean_name),
    "country": _Fact("/country", clean_country),
    "currency": _Fact("/currency", clean_currency),
    "locale": _Fact("/locale", clean_locale),
    "time_zone": _Fact("/timeZone", clean_time_zone),
}


def clean_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Validate and normalize the *facts* of an organization, by the names of its fields.

    Raises `InvalidInput` with every fault.
    """
    clean: dict[str, Any] = {}
    faults = []
    for name, fact in _FACTS.items():
        if name not in facts:
            continue
        try:
            clean[name] = fact.clean(facts[name])
        except InvalidValue as error:
            faults.append(Fault(fact.pointer, "invalid_value", str(error)))
    if faults:
        raise InvalidInput(faults)
    return clean


@cache
def _time_zones() -> frozenset[str]:
    """Their names; empty on a machine without the time zone database. Cached: it takes reading many files."""
    return frozenset(available_timezones())
