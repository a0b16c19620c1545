"""What a directory's refusal means, in sentences (RFC 8555 section 6.7)."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from svc.domain.certificates.renewal import WAIT_MS_MAX
from svc.domain.locale.times import SECOND_MS

DETAIL_CHARS_MAX: Final = 300
"""How much of a directory's own words is repeated."""

_MEANINGS: Final[Mapping[str, str]] = {
    "accountDoesNotExist": "the directory does not know this service's account",
    "rateLimited": "the directory takes no more orders for now",
    "connection": "the directory could not connect to port 80 of the name",
    "dns": "the directory could not look the name up",
    "unauthorized": "the directory found no answer to its challenge at the name, or refuses this account",
    "incorrectResponse": "the directory got another answer to its challenge than this service's",
    "caa": "the name's CAA records forbid this directory to certify it",
    "rejectedIdentifier": "the directory certifies no such name",
    "unsupportedIdentifier": "the directory certifies no such name",
    "externalAccountRequired": "the directory wants an account made on its website, which is not supported",
    "userActionRequired": "the directory's terms have changed: read them at the address that it gives",
    "invalidContact": "the directory does not take tls.acme_email",
    "unsupportedContact": "the directory does not take tls.acme_email",
    "badCSR": "the directory does not take the request for these names",
    "serverInternal": "the directory has a fault of its own",
}


def meaning(code: str | None, detail: str | None, name: str | None = None) -> str:
    """What an error of the type *code* means, with the directory's words; for *name*, if it is about one."""
    words = " ".join((detail or "").split())
    words = "".join(char for char in words if char.isprintable())
    if len(words) > DETAIL_CHARS_MAX:
        words = f"{words[:DETAIL_CHARS_MAX]}…"
    sentence = _MEANINGS.get(code or "", "the directory refuses the order")
    where = f"{name}: " if name else ""
    return f"{where}{sentence} ({words})" if words else f"{where}{sentence}"


def wait_of(retry_after: str | None, now: int) -> int:
    """Until when a `Retry-After` asks to wait, ms since the epoch; 0 if it is missing or cannot be read."""
    if not retry_after:
        return 0
    text = retry_after.strip()
    if text.isascii() and text.isdecimal():
        return now + min(int(text[:12]) * SECOND_MS, WAIT_MS_MAX)
    try:
        until = int(parsedate_to_datetime(text).timestamp()) * SECOND_MS
    except (ValueError, TypeError, OverflowError):
        return 0
    return min(max(until, now), now + WAIT_MS_MAX)
