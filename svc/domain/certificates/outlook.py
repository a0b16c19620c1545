"""What would fail if a certificate were ordered now, as far as the machine itself can see: in sentences."""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address

import msgspec

from svc.domain.certificates.renewal import CLOCK_DIFFERENCE_MS_MAX
from svc.domain.locale.times import MINUTE_MS


class NameFacts(msgspec.Struct, frozen=True):
    """A name, and where it leads."""

    name: str
    own: tuple[str, ...] = ()
    """Its addresses that are this machine's."""
    others: tuple[str, ...] = ()
    fault: str | None = None
    """Why its addresses are not known."""


class Outlook(msgspec.Struct, frozen=True):
    """What the machine can see before an order."""

    names: tuple[NameFacts, ...]
    machine: tuple[str, ...]
    """The addresses from which this machine reaches others."""
    fault: str | None = None
    """Why the directory cannot be reached."""
    clock_difference: int | None = None
    """How far this machine's clock is ahead of the directory's, in ms."""
    terms: str | None = None
    """The address of the directory's terms."""


def warnings(outlook: Outlook) -> list[str]:
    """A sentence for each thing that would fail."""
    found = [sentence for name in outlook.names if (sentence := _name(name, outlook.machine)) is not None]
    if outlook.fault is not None:
        found.append(f"The ACME directory cannot be reached: {outlook.fault}.")
    if (sentence := clock_sentence(outlook.clock_difference)) is not None:
        found.append(sentence)
    return found


def clock_sentence(difference: int | None) -> str | None:
    """What is wrong with a clock that is *difference* ms ahead of the directory's; None if nothing is."""
    if difference is None or abs(difference) <= CLOCK_DIFFERENCE_MS_MAX:
        return None
    where = "ahead of" if difference > 0 else "behind"
    minutes = abs(difference) // MINUTE_MS
    return (
        f"This machine's clock is {minutes} minutes {where} the ACME directory's, and certificates hold"
        " between two times: set it, best by NTP."
    )


def _name(facts: NameFacts, machine: Sequence[str]) -> str | None:
    name = facts.name
    if facts.fault is not None:
        return f"{name} cannot be looked up: {facts.fault}."
    if not facts.own and not facts.others:
        return (
            f"{name} has no address in DNS: set its A record, and its AAAA record if there is IPv6, to"
            " this machine's."
        )
    if not facts.others:
        return None
    if facts.own:
        return (
            f"{name} leads to {_list(facts.others)} as well, which is not this machine: where the directory"
            " asks there, it finds nothing. Take that record away, or correct it."
        )
    public = [address for address in machine if ip_address(address).is_global]
    if not public:
        return (
            f"{name} leads to {_list(facts.others)}, and this machine has no public address of its own: what"
            " has that address has to pass ports 80 and 443 on to this machine."
        )
    return (
        f"{name} leads to {_list(facts.others)}, which is not this machine ({_list(public)}): the directory"
        " asks there, and finds nothing. Correct its A and AAAA records."
    )


def _list(addresses: Iterable[str]) -> str:
    return " and ".join(addresses)
