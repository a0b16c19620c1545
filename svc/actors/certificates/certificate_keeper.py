"""The CertificateKeeper: orders the certificate of the configured names, and renews it.

What was issued and what failed are files, so it may crash at any point.
"""

from typing import Final

import msgspec
import structlog

from svc.actors._core import Actor, Policy, turn
from svc.actors.certificates.issuer import Issuer, OrderFailed
from svc.actors.system import System
from svc.domain.certificates.renewal import Failures, Validity, order_at
from svc.domain.locale.times import DAY_MS, SECOND_MS, rfc3339

log = structlog.get_logger("svc.actors.certificates.certificate_keeper")

CERTIFICATE_KEEPER: Final = "main"
"""The key of the only one."""
ORDER_SECONDS: Final = 300
CHECK_SECONDS: Final = 3_600
"""How often it looks at the clock, which may be set or stand still while the machine sleeps."""
URGENT_MS: Final = 7 * DAY_MS
"""A certificate that holds no longer than this is an error in the log, and no warning."""


class KeeperState(msgspec.Struct, kw_only=True):
    """The memory of the CertificateKeeper, which operators may see."""

    names: tuple[str, ...]
    validity: Validity | None
    """What the certificate says that is served."""
    failures: Failures | None
    order_at: int
    """When the next order is placed, ms since the epoch."""


class CertificateKeeper(Actor[System, KeeperState]):
    """A singleton, with the key `CERTIFICATE_KEEPER`; it runs where `tls.domain` is set."""

    # It must restart after every crash, since no other actor would wake it.
    policy = Policy(
        crashes_max=1_000_000,
        backoff_seconds_max=600,
        idle_seconds=float("inf"),
        turn_seconds=ORDER_SECONDS + 60,
    )

    async def load(self) -> KeeperState:
        issuer = self._issuer
        validity, failures = await issuer.validity(), await issuer.failures()
        if failures is not None and (failures.names, failures.directory) != (issuer.names, issuer.directory):
            failures = None
        due = order_at(validity, issuer.names)
        if failures is not None:
            due = max(due, failures.retry_at_start())
        self.check.after(0)
        return KeeperState(names=issuer.names, validity=validity, failures=failures, order_at=due)

    @turn
    async def start(self) -> None:
        """Activate the keeper, and tell what would fail now."""
        self._issuer.announce(await self._issuer.look())

    @turn
    async def check(self) -> None:
        """Place the order that is due, or wait for it."""
        state = self.state
        # Armed before the order: a turn that is cancelled at its limit crashes, and `load` arms it again.
        if state.order_at <= self._now():
            await self._order()
        left = max(state.order_at - self._now(), 0) / SECOND_MS
        self.check.after(min(left, CHECK_SECONDS))

    async def _order(self) -> None:
        state = self.state
        try:
            await self._begin()
            state.validity = await self._issuer.issue()
        except OrderFailed as error:
            await self._note(error)
            return
        await self._keep(None)
        state.order_at = state.validity.renews_at
        log.info(
            "a certificate was issued",
            names=list(state.validity.names),
            expires=rfc3339(state.validity.not_after),
            renewed=rfc3339(state.order_at),
        )

    async def _begin(self) -> None:
        """Count the order before it is placed, so that no crash can lead to one after the other."""
        try:
            await self._issuer.keep_failures(
                self._failed("the service ended before the directory was done", 0)
            )
        except OSError as error:
            raise OrderFailed(f"nothing can be stored: {error.strerror or error}") from error

    def _failed(self, why: str, wait_until: int) -> Failures:
        """One more failure than are known so far."""
        before, issuer = self.state.failures, self._issuer
        return Failures(
            names=issuer.names,
            directory=issuer.directory,
            count=1 if before is None else before.count + 1,
            failed_at=self._now(),
            wait_until=wait_until,
            why=why,
        )

    async def _note(self, error: OrderFailed) -> None:
        """Back off. A cause is told once, as long as it stays the same."""
        state, now = self.state, self._now()
        before, why = state.failures, str(error)
        failures = self._failed(why, error.wait_until)
        state.failures, state.order_at = failures, failures.retry_at()
        left = None if state.validity is None else state.validity.not_after - now
        urgent = left is None or left < URGENT_MS
        if before is None or before.why != why:
            getattr(log, "error" if urgent else "warning")(
                "no certificate was issued",
                why=why,
                names=list(failures.names),
                next_order=rfc3339(state.order_at),
                present_one=_present(left),
            )
        await self._keep(failures)

    async def _keep(self, failures: Failures | None) -> None:
        self.state.failures = failures
        try:
            await self._issuer.keep_failures(failures)
        except OSError as error:
            log.warning("what failed cannot be stored, and is forgotten by a restart", why=str(error))

    @property
    def _issuer(self) -> Issuer:
        issuer = self.system.certificates
        if issuer is None:
            raise RuntimeError("no names are configured that a certificate could be for")
        return issuer

    def _now(self) -> int:
        return self.system.clock.wall()


def _present(left: int | None) -> str:
    if left is None:
        return "there is none, so nobody can connect by TLS"
    return "has expired, and is served all the same" if left <= 0 else f"holds for {left // DAY_MS} more days"
