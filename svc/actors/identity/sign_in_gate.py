"""The SignInGate: paces who tries to sign in, and who confirms who they are."""

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
    """The tries of the last while that failed, or have not succeeded yet."""

    pace: Private[SignInPace]


class SignInGate(Actor[System, SignInGateState]):
    """There is one, under the key `main`. What its numbers are for, `svc.domain.identity.sign_in_pace` says.

    A try counts from its beginning and is taken back when it succeeds: so neither many at once nor one that
    leaves before the answer gets past the count.
    """

    policy = Policy(mailbox_max=1_024)

    async def load(self) -> SignInGateState:
        """What failed lately, whether or not the service was restarted since."""
        units = self.system.store.of(Owner.SIGN_IN)
        failures = await units.read(sign_in.recent_failures, self.system.clock.now())
        pace = SignInPace((one.account, one.address, one.at) for one in failures)
        return SignInGateState(pace=Private(pace))

    @turn
    async def enter(self, email: str, address: str) -> Failure:
        """Let somebody try the accounts of *email*, and return the failure as which that counts until then.

        Raises `TooManyAttempts`, whether or not there is such an account.
        """
        secret, now = self.system.secrets.sender, self.system.clock.now()
        one = Failure(self._digest("account:" + email), sender_of(address, secret), now)
        return self._let_in(one, self.state.pace.value.next_try_at(one.account, one.address, now))

    @turn
    async def enter_known(self, who: str, where: str) -> Failure:
        """As `enter`, for somebody who has shown before who they are: strangers' failures do not count.

        *who* and *where* are any names, such as those of a person and of their session.
        """
        one = Failure(
            self._digest("known:" + who), self._digest("known at:" + where), self.system.clock.now()
        )
        return self._let_in(one, self.state.pace.value.next_pair_at(one.account, one.address, one.at))

    @turn
    async def take_back(self, attempt: Failure) -> None:
        """The try succeeded, or was none."""
        self.state.pace.value.take_back(attempt.account, attempt.address, attempt.at)

    def _let_in(self, attempt: Failure, until: int | None) -> Failure:
        if until is not None:
            raise TooManyAttempts("too many sign-ins failed", retry_after_ms=until - attempt.at)
        self.state.pace.value.add(attempt.account, attempt.address, attempt.at)
        return attempt

    def _digest(self, name: str) -> str:
        return hmac.digest(self.system.secrets.sender, name.encode(errors="replace"), "sha256").hex()
