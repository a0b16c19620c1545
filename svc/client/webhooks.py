"""Verifying what the service sends: pushes and webhooks, signed as Standard Webhooks says."""

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Final

TOLERANCE_SECONDS: Final = 300
"""How far apart the clocks may be; what is older may have been overheard and sent again."""

_SECRET_PREFIX: Final = "whsec_"  # noqa: S105  # what a secret begins with
_TIME_DIGITS_MAX: Final = 12
_VERSION: Final = b"v1,"


class BadSignature(Exception):
    """Raised for what the service did not send, not to us, or not just now. Answer 401 and do nothing."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> str:
    """The id of the delivery in *body*, if its signature is good. One that is sent again has the same id.

    Args:
        secret: the signing secret, `whsec_…`.
        headers: those of the request, by names in any case.
        body: exactly the bytes that came.
        now: Unix seconds; the clock's unless given.

    Raises:
        BadSignature: it is none of the service's.
        ValueError: *secret* is none.
    """
    found = {name.lower(): value for name, value in headers.items()}
    delivery, sent, signatures = (
        found.get(f"webhook-{name}") or found.get(f"x-service-{other}", "")
        for name, other in (("id", "delivery"), ("timestamp", "timestamp"), ("signature", "signature"))
    )
    if not (sent.isascii() and sent.isdecimal() and len(sent) <= _TIME_DIGITS_MAX):
        raise BadSignature("no time in it")
    if abs((time.time() if now is None else now) - int(sent)) > TOLERANCE_SECONDS:
        raise BadSignature("too old, or a clock is wrong")
    try:
        key = b64decode(secret.removeprefix(_SECRET_PREFIX), validate=True)
    except ValueError:
        raise ValueError("a signing secret is whsec_ and base64") from None
    signed = b"%b.%b.%b" % (delivery.encode(errors="replace"), sent.encode(), body)
    expected = _VERSION + b64encode(hmac.digest(key, signed, "sha256"))
    # While a secret is being replaced there are two signatures, of which one is ours.
    given = signatures.encode(errors="replace").split(b" ")
    if not any(hmac.compare_digest(expected, one) for one in given):
        raise BadSignature("no such signature")
    return delivery
