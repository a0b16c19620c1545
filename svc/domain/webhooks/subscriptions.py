"""Subscriptions: where an organization's events are sent, and which."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from svc.domain.channels.connections import check_url
from svc.domain.errors import Fault, InvalidInput, InvalidValue
from svc.domain.identity.people import clean_name
from svc.domain.input.near_names import hint, shown
from svc.domain.net.client_addresses import Network
from svc.domain.net.egress import check_host
from svc.domain.versions import FIRST_VERSION
from svc.domain.webhooks.health import DisabledReason
from svc.domain.webhooks.limits import WEBHOOK_PER_SECOND_MAX

_OF_RECORDS: Final = "record."


class SubscriptionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a person decides about a subscription."""

    url: str
    events: tuple[str, ...]
    """The types of events that are sent."""
    object_types: tuple[str, ...] = ()
    """Slugs of the only objects whose records' events are sent; of all objects if empty."""
    name: str | None = None
    max_per_second: int | None = None
    """How many attempts may begin in a second; None for as many as come."""

    def wants(self, event_type: str, object_type: str | None) -> bool:
        """Whether events of *event_type* are sent, about a record of *object_type* if they are about one.

        `object_types` narrows events of records only: the others have no object.
        """
        if event_type not in self.events:
            return False
        return not self.object_types or object_type is None or object_type in self.object_types


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """A subscription. Times are ms since the epoch."""

    id: str
    organization_id: str
    settings: SubscriptionSettings
    contract: str
    """The contract of its payloads, fixed when it was created."""
    active: bool
    """Whether events make deliveries for it."""
    disabled_reason: DisabledReason | None = None
    """Why it was disabled; None while it is active, and if a person switched it off."""
    failing_since: int | None = None
    """The first failed attempt since the last that succeeded; None if none failed since."""
    held_until: int | None = None
    """Until when its receiver asked for a pause."""
    previous_secret_until: int | None = None
    """Until when the secret before the present one signs as well; None if none was replaced."""
    version: int = FIRST_VERSION
    """Counts the changes that people made."""
    created_at: int
    updated_at: int


def matching(
    subscriptions: Iterable[Subscription], event_type: str, object_type: str | None
) -> list[Subscription]:
    """The active *subscriptions* that an event is delivered to."""
    return [one for one in subscriptions if one.active and one.settings.wants(event_type, object_type)]


def checked(
    settings: SubscriptionSettings,
    *,
    event_types: Collection[str],
    objects: Collection[str],
    allowed: Sequence[Network] = (),
    before: SubscriptionSettings | None = None,
) -> SubscriptionSettings:
    """*settings*, checked, with the name trimmed. Raises `InvalidInput` with every fault.

    An address that was there *before* is no fault of a change, whatever may be reached by now: it is checked
    whenever it is sent to.

    *event_types* are all there are, *objects* the slugs of the organization's, and *allowed* the networks
    that may be reached although they are not public.
    """
    faults: list[Fault] = []
    name = settings.name
    try:
        name = None if name is None else clean_name(name)
    except InvalidValue as error:
        faults.append(Fault("/name", "invalid_value", str(error)))
    if before is None or settings.url != before.url:
        faults += _url_faults(settings.url, allowed)
    faults += _event_faults(settings.events, event_types)
    faults += _object_faults(settings, objects)
    if settings.max_per_second is not None and not 0 < settings.max_per_second <= WEBHOOK_PER_SECOND_MAX:
        detail = f"must be between 1 and {WEBHOOK_PER_SECOND_MAX}"
        faults.append(Fault("/maxPerSecond", "invalid_value", detail))
    if faults:
        raise InvalidInput(faults)
    return msgspec.structs.replace(settings, name=name)


def _url_faults(url: str, allowed: Sequence[Network]) -> Iterator[Fault]:
    try:
        check_host(check_url(url), allowed)
    except InvalidValue as error:
        yield Fault("/url", "invalid_value", str(error))


def _event_faults(events: Sequence[str], known: Collection[str]) -> Iterator[Fault]:
    if not events:
        yield Fault("/events", "invalid_value", "must not be empty: name the types of events to send")
    yield from _name_faults("/events", events, known, "event")


def _object_faults(settings: SubscriptionSettings, known: Collection[str]) -> Iterator[Fault]:
    slugs = settings.object_types
    yield from _name_faults("/objectTypes", slugs, known, "object")
    if slugs and not any(event_type.startswith(_OF_RECORDS) for event_type in settings.events):
        detail = "only events of records have an object, and `events` names none of them"
        yield Fault("/objectTypes", "invalid_value", detail)


def _name_faults(at: str, names: Sequence[str], known: Collection[str], what: str) -> Iterator[Fault]:
    """The *names* that are not *known*, or repeated."""
    if len(names) > len(known):
        yield Fault(at, "too_many", f"at most {len(known)}, each once")
        return
    for place, name in enumerate(names):
        if name not in known:
            yield Fault(f"{at}/{place}", "not_found", f"there is no {what} {shown(name)}{hint(name, known)}")
        elif name in names[:place]:
            yield Fault(f"{at}/{place}", "invalid_value", "is named twice")
