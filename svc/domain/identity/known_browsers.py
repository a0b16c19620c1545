"""Known browsers: a device cookie, the mark, proves which accounts a browser has signed in to before.

A mark authenticates nothing. It only lets its browser try those accounts at a pace of its own, while failures
from unknown browsers hold others up (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). It is a
name for the browser, followed by ids of people, each with an HMAC, so that nothing of it has to be stored.
"""

import hmac
import re
from typing import Final

import msgspec

from svc.domain.identity.limits import KNOWN_PEOPLE_MAX
from svc.domain.randomness import Randomness

_NAME_BYTES: Final = 16
_MAC_BYTES: Final = 16
_NAME: Final = re.compile(rf"[0-9a-f]{{{2 * _NAME_BYTES}}}")


class KnownBrowser(msgspec.Struct, frozen=True):
    """A browser's name, and the people who have signed in with it, the latest first."""

    name: str
    person_ids: tuple[str, ...] = ()


def read_mark(mark: str | None, secret: bytes) -> KnownBrowser | None:
    """Decode *mark*; None if it is not one. Ids without a valid HMAC are dropped."""
    name, *entries = (mark or "").split(".", KNOWN_PEOPLE_MAX)
    if not _NAME.fullmatch(name):
        return None
    known = []
    for entry in entries:
        person_id, _, mac = entry.partition("-")
        if hmac.compare_digest(mac.encode(), _mac(name, person_id, secret).encode()):
            known.append(person_id)
    return KnownBrowser(name, tuple(known))


def mark_of(browser: KnownBrowser | None, person_id: str, secret: bytes, random: Randomness) -> str:
    """The mark of *browser*, or of a new one, after that person has signed in with it."""
    name = random(_NAME_BYTES).hex() if browser is None else browser.name
    before = () if browser is None else browser.person_ids
    people = [person_id, *(known_id for known_id in before if known_id != person_id)][:KNOWN_PEOPLE_MAX]
    return ".".join([name, *(f"{person}-{_mac(name, person, secret)}" for person in people)])


def _mac(name: str, person_id: str, secret: bytes) -> str:
    message = f"browser:{name}:{person_id}".encode("utf-8", "surrogatepass")
    return hmac.digest(secret, message, "sha256")[:_MAC_BYTES].hex()
