"""What the `CertificateKeeper` needs: an issuer of certificates, and the answers to its challenges."""

from collections.abc import Callable, Mapping
from typing import Protocol

from svc.domain.certificates.outlook import Outlook
from svc.domain.certificates.renewal import Failures, Validity


class OrderFailed(Exception):
    """Raised when no certificate was issued. The message is a sentence for operators."""

    def __init__(self, why: str, wait_until: int = 0) -> None:
        super().__init__(why)
        self.wait_until = wait_until
        """Before this time the directory wants no other order, ms since the epoch."""


class Challenges:
    """The answers to the directory's challenges (RFC 8555 section 8.3), while an order is under way.

    Written in the order's thread and read by the listener on port 80.
    """

    def __init__(self) -> None:
        self._answers: Mapping[str, str] = {}

    def set(self, answers: Mapping[str, str]) -> None:
        """Give these answers from now on: the key authorization of each token."""
        self._answers = dict(answers)

    def answer(self, token: str) -> str | None:
        """The key authorization of *token*."""
        return self._answers.get(token)


class Issuer(Protocol):
    """Certificates for the configured names. Its methods wait for threads, and can be cancelled."""

    names: tuple[str, ...]
    directory: str
    announce: Callable[[Outlook], None]
    """Prints what was seen before the first order."""

    async def validity(self) -> Validity | None:
        """What the stored certificate says; None if there is none."""
        ...

    async def failures(self) -> Failures | None:
        """The orders that failed since the last one that did not."""
        ...

    async def keep_failures(self, failures: Failures | None) -> None:
        """Store *failures*."""
        ...

    async def look(self) -> Outlook:
        """What would fail, as far as the machine can see."""
        ...

    async def issue(self) -> Validity:
        """Order a certificate, store it, and serve it to whoever connects from now on.

        Raises `OrderFailed`.
        """
        ...
