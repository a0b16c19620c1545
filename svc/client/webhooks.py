"""Verification of signed requests: pushes and webhooks, according to Standard Webhooks."""

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Final

TOLERANCE_SECONDS: Final = 300
"""The largest difference between the clocks. An older request may be a replay."""

_SECRET_PREFIX: Final = "whsec_"  # noqa: S105  # a prefix
_TIME_DIGITS_MAX: Final = 12
_VERSION: Final = b"v1,"


class BadSignature(Exception):
    """Raised for a request that was not signed with this secret, or is too old. Respond with 401."""


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> str:
    """Verify the signature of a request, and return the id of the delivery.

    A delivery that is sent again has the same id: use it to drop duplicates.

    Args:
        secret: the signing secret, `whsec_…`.
        headers: the request's headers; names in any case.
        body: the request's body, exactly as received.
        now: Unix time; the current time by default.

    Raises `BadSignature` if the signature is missing, wrong or too old, and `ValueError` if *secret* is not a
    signing secret.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    delivery, sent, signatures = (
        by_name.get(f"webhook-{name}") or by_name.get(f"x-service-{alias}", "")
        for name, alias in (("id", "delivery"), ("timestamp", "timestamp"), ("signature", "signature"))
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
    # While a secret is being replaced there are two signatures, one for each secret.
    candidates = signatures.encode(errors="replace").split(b" ")
    if not any(hmac.compare_digest(expected, candidate) for candidate in candidates):
        raise BadSignature("no such signature")
    return delivery
