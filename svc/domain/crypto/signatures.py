"""Signatures of what we send to others' servers: Standard Webhooks (https://www.standardwebhooks.com).

`v1,` and the base64 of HMAC-SHA256 over `<delivery id>.<unix seconds>.<raw body>`. While a secret is being
replaced, both sign: the receiver may know either.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final

from svc.domain.randomness import Randomness

SECRET_PREFIX: Final = "whsec_"  # noqa: S105  # what secrets begin with
_SECRET_BYTES: Final = 32


def new_secret(random: Randomness) -> str:
    """A new signing secret: `whsec_` and the base64 of 32 random bytes."""
    return SECRET_PREFIX + b64encode(random(_SECRET_BYTES)).decode()


def same_headers(delivery_id: str, *, event: str, contract: str) -> dict[str, str]:
    """The headers of a delivery of JSON that are the same at each attempt."""
    return {
        "X-Service-Delivery": delivery_id,
        "webhook-id": delivery_id,
        "Content-Type": "application/json",
        "X-Service-Event": event,
        "X-Service-Contract": contract,
    }


class Signer:
    """Signs what goes to one receiver, with each of its secrets.

    The keys are taken up once, which is most of what a signature costs. A copy of a keyed hash that gets a
    message of a usual length does not release the interpreter's lock either, for which others would wait.
    """

    __slots__ = ("_keyed",)

    def __init__(self, signing_secrets: Sequence[str]) -> None:
        self._keyed = [hmac.new(_key(secret), digestmod="sha256") for secret in signing_secrets]

    def sign(self, delivery_id: str, timestamp: int, body: bytes) -> str:
        """The signatures of *body*, one for each secret, parted by spaces. *timestamp* is in unix seconds."""
        signed = b"%b.%d.%b" % (delivery_id.encode(), timestamp, body)
        return " ".join(["v1," + b64encode(_digest(keyed, signed)).decode() for keyed in self._keyed])

    def signed_headers(self, delivery_id: str, timestamp: int, body: bytes) -> dict[str, str]:
        """The headers of a signed request: our own names, and those that stock verifiers look for."""
        signature = self.sign(delivery_id, timestamp, body)
        return {
            "X-Service-Signature": signature,
            "X-Service-Delivery": delivery_id,
            "X-Service-Timestamp": str(timestamp),
            "webhook-id": delivery_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature,
        }

    def delivery_headers(
        self, delivery_id: str, timestamp: int, body: bytes, *, event: str, contract: str
    ) -> dict[str, str]:
        """All headers of a delivery of JSON: as `signed_headers`, with the type of the *event*."""
        same = same_headers(delivery_id, event=event, contract=contract)
        return self.signed_headers(delivery_id, timestamp, body) | same


def _digest(keyed: hmac.HMAC, message: bytes) -> bytes:
    mac = keyed.copy()
    mac.update(message)
    return mac.digest()


def _key(secret: str) -> bytes:
    return b64decode(secret.removeprefix(SECRET_PREFIX))
