"""Which events a subscription wants, and which subscriptions may be saved."""

from ipaddress import ip_network
from typing import Any

import pytest

from svc.domain.errors import Fault, InvalidInput
from svc.domain.webhooks.subscriptions import Subscription, SubscriptionSettings, checked, matching

EVENTS = ("record.created", "record.updated", "submission.filed", "message.received")
OBJECTS = ("contact", "deal", "lamp")
URL = "https://hooks.example.com/in"


def faults_of(**given: Any) -> list[Fault]:
    try:
        checked(settings(**given), event_types=EVENTS, objects=OBJECTS)
    except InvalidInput as error:
        return [*error.faults]
    return []


def settings(**given: Any) -> SubscriptionSettings:
    return SubscriptionSettings(**{"url": URL, "events": ("record.created",)} | given)


def subscription(*, active: bool = True, **given: Any) -> Subscription:
    return Subscription(
        id="whk_1",
        organization_id="org_1",
        settings=settings(**given),
        contract="2026-09",
        active=active,
        created_at=0,
        updated_at=0,
    )


def test_an_event_goes_to_the_subscriptions_of_its_type():
    one, other = subscription(), subscription(events=("message.received", "record.updated"))

    assert [one] == matching([one, other], "record.created", "contact")
    assert [other] == matching([one, other], "message.received", None)
    assert [] == matching([one, other], "record.deleted", "contact")


def test_object_types_narrow_events_of_records_only():
    """A message has no object."""
    narrow = subscription(events=("record.created", "message.received"), object_types=("deal",))

    assert [narrow] == matching([narrow], "record.created", "deal")
    assert [] == matching([narrow], "record.created", "contact")
    assert [narrow] == matching([narrow], "message.received", None)


def test_an_inactive_subscription_gets_nothing():
    assert [] == matching([subscription(active=False)], "record.created", "contact")


def test_a_good_one_is_taken_with_its_name_trimmed():
    taken = checked(
        settings(name=" Warehouse ", object_types=("lamp",), max_per_second=100),
        event_types=EVENTS,
        objects=OBJECTS,
    )

    assert settings(name="Warehouse", object_types=("lamp",), max_per_second=100) == taken


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example.com",
        "ftp://hooks.example.com/",
        "https://",
        "https://user@hooks.example.com/",
        "https://user:secret@hooks.example.com/",
        "https://hooks.example.com/#part",
        "https://hooks.example.com/a b",
        "https://hooks.example.com:0/",
        "https://[::1/",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[fe80::1]/",
        "http://10.1.2.3:8080/",
        "http://169.254.169.254/latest/meta-data/",
        "https://hooks.example.com/" + "a" * 2_000,
    ],
)
def test_an_address_that_nothing_may_be_sent_to_is_refused(url: str):
    """Private ones in every spelling."""
    assert ["/url"] == [fault.pointer for fault in faults_of(url=url)]


def test_a_private_network_that_the_installation_allows_is_taken():
    own = settings(url="http://10.1.2.3/")

    assert own == checked(own, event_types=EVENTS, objects=OBJECTS, allowed=(ip_network("10.0.0.0/8"),))


def test_every_fault_is_told_at_once():
    """Each at its place, with the nearest name."""
    faults = faults_of(
        url="http://localhost:x/",
        name="\n",
        events=("record.create", "record.updated", "record.updated"),
        object_types=("lamps",),
        max_per_second=101,
    )

    assert ["/name", "/url", "/events/0", "/events/2", "/objectTypes/0", "/maxPerSecond"] == [
        fault.pointer for fault in faults
    ]
    assert "did you mean `record.created`" in faults[2].detail


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"events": ()}, "/events"),
        ({"events": ("nothing",) * 100_000}, "/events"),
        ({"events": ("message.received",), "object_types": ("deal",)}, "/objectTypes"),
        ({"object_types": ("deal", "deal")}, "/objectTypes/1"),
        ({"max_per_second": 0}, "/maxPerSecond"),
        ({"max_per_second": -1}, "/maxPerSecond"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, Any], pointer: str):
    assert [pointer] == [fault.pointer for fault in faults_of(**given)]
