"""The SignInGate: limits the rate of failed sign-ins and of failed confirmations of a password."""

import hmac

import msgspec

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.errors import TooManyAttempts
from svc.domain.identity.sign_in_pace import SignInPace
from svc.domain.net.client_addresses import sender_of
from svc.storage.identity import sign_in
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Owner


class SignInGateState(msgspec.Struct, kw_only=True):
    """The recent attempts that failed or are still in progress."""

    pace: Private[SignInPace]


class SignInGate(Actor[System, SignInGateState]):
    """A singleton, with the key `main`. For its limits, see `svc.domain.identity.sign_in_pace`.

    An attempt counts as failed from its start, and is taken back when it succeeds. So neither concurrent
    attempts nor a client that disconnects before the response can evade the count.
    """

    policy = Policy(mailbox_max=1_024)

    async def load(self) -> SignInGateState:
        """Read the recent failures, including those from before a restart."""
        units = self.system.store.of(Owner.PEOPLE)
        failures = await units.read(sign_in.recent_failures, self.system.clock.now())
        pace = SignInPace((failure.account, failure.address, failure.at) for failure in failures)
        return SignInGateState(pace=Private(pace))

    @turn
    async def enter(self, email: str, address: str) -> Failure:
        """Admit an attempt to sign in with *email*, and return the failure that it counts as meanwhile.

        Raises `TooManyAttempts`, whether or not such an account exists.
        """
        secret, now = self.system.secrets.sender, self.system.clock.now()
        attempt = Failure(self._digest("account:" + email), sender_of(address, secret), now)
        next_try_at = self.state.pace.value.next_try_at(attempt.account, attempt.address, now)
        return self._admit(attempt, next_try_at)

    @turn
    async def enter_known(self, account: str, client: str) -> Failure:
        """As `enter`, for a client that has signed in before: the failures of other clients do not count.

        *account* and *client* are any unique names, such as the ids of a person and of their session.
        """
        attempt = Failure(
            self._digest("known:" + account), self._digest("known at:" + client), self.system.clock.now()
        )
        next_try_at = self.state.pace.value.next_pair_at(attempt.account, attempt.address, attempt.at)
        return self._admit(attempt, next_try_at)

    @turn
    async def take_back(self, attempt: Failure) -> None:
        """Do not count *attempt*: it succeeded, or was no attempt after all."""
        self.state.pace.value.take_back(attempt.account, attempt.address, attempt.at)

    def _admit(self, attempt: Failure, next_try_at: int | None) -> Failure:
        if next_try_at is not None:
            raise TooManyAttempts("too many sign-ins failed", retry_after_ms=next_try_at - attempt.at)
        self.state.pace.value.add(attempt.account, attempt.address, attempt.at)
        return attempt

    def _digest(self, name: str) -> str:
        return hmac.digest(self.system.secrets.sender, name.encode(errors="replace"), "sha256").hex()
