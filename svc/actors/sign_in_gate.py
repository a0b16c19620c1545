"""The SignInGate: paces who tries to sign in, by account and by address."""

import hmac

import msgspec

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.house import House
from svc.domain.errors import TooManyAttempts
from svc.domain.keyed_windows import KeyedWindows
from svc.domain.limits import ACCOUNT_FAILURES_MAX, ADDRESS_FAILURES_MAX, SIGN_IN_WINDOW_MS
from svc.domain.senders import sender_of
from svc.storage import sign_in
from svc.storage.sign_in import Failure
from svc.storage.store import Owner


class SignInGateState(msgspec.Struct, kw_only=True):
    """The attempts of the last while that failed, or have not succeeded yet."""

    accounts: Private[KeyedWindows]
    addresses: Private[KeyedWindows]


class SignInGate(Actor[House, SignInGateState]):
    """There is one, under the key `main`.

    An attempt counts from its beginning and is taken back when it succeeds: so neither many at once nor one
    that leaves before the answer gets past the count.
    """

    policy = Policy(mailbox_max=1_024)

    async def load(self) -> SignInGateState:
        """What failed lately, whether or not the service was restarted since."""
        failures = await self.system.store.of(Owner.SIGN_IN).read(
            sign_in.recent_failures, self.system.clock.now()
        )
        return SignInGateState(
            accounts=Private(
                KeyedWindows(
                    SIGN_IN_WINDOW_MS, ACCOUNT_FAILURES_MAX, [(one.account, one.at) for one in failures]
                )
            ),
            addresses=Private(
                KeyedWindows(
                    SIGN_IN_WINDOW_MS, ADDRESS_FAILURES_MAX, [(one.address, one.at) for one in failures]
                )
            ),
        )

    @turn
    async def enter(self, email: str, address: str) -> Failure:
        """Let somebody try the account of *email*, and return the failure as which that counts until then.

        Raises `TooManyAttempts`, whether or not there is such an account.
        """
        secret, now = self.system.secrets.sender, self.system.clock.now()
        account = hmac.digest(secret, b"account:" + email.encode(errors="replace"), "sha256").hex()
        attempt = Failure(account, sender_of(address, secret), now)
        accounts, addresses = self.state.accounts.value, self.state.addresses.value
        waits = [
            until
            for until in (
                accounts.next_room_at(attempt.account, now),
                addresses.next_room_at(attempt.address, now),
            )
            if until is not None
        ]
        if waits:
            raise TooManyAttempts("too many sign-ins failed", retry_after_ms=max(waits) - now)
        accounts.add(attempt.account, now)
        addresses.add(attempt.address, now)
        return attempt

    @turn
    async def take_back(self, attempt: Failure) -> None:
        """The attempt succeeded."""
        self.state.accounts.value.take_back(attempt.account, attempt.at)
        self.state.addresses.value.take_back(attempt.address, attempt.at)
