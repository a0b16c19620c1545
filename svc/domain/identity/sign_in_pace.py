"""Rate limits of sign-ins.

For a pair of account and address a few attempts may fail, and then none is admitted until these are old. That
stops a guesser at their address, and not the account's person elsewhere. For an account alone, and for an
address alone, many more may fail; then attempts are spaced, never blocked. That slows down guessing from many
addresses, or at many accounts.

An account that does not exist is paced like any other.
"""

from collections.abc import Iterable
from typing import Final

from svc.domain.identity.limits import (
    ACCOUNT_FAILURES_MAX,
    ACCOUNT_SPACING_MS,
    ADDRESS_FAILURES_MAX,
    ADDRESS_SPACING_MS,
    PAIR_FAILURES_MAX,
    SIGN_IN_WINDOW_MS,
)
from svc.domain.rate_limits.keyed_windows import KeyedWindows

_BETWEEN: Final = " "


class SignInPace:
    """Recent attempts that failed or are still under way, by account and by address.

    Its size is bounded by the rate of attempts: each that is admitted costs the hash of a password.
    """

    def __init__(self, failures: Iterable[tuple[str, str, int]] = ()) -> None:
        """*failures* are accounts, addresses and times, such as those read back after a restart."""
        self._pairs = KeyedWindows(SIGN_IN_WINDOW_MS, PAIR_FAILURES_MAX)
        self._accounts = _Spaced(ACCOUNT_FAILURES_MAX, ACCOUNT_SPACING_MS)
        self._addresses = _Spaced(ADDRESS_FAILURES_MAX, ADDRESS_SPACING_MS)
        for account, address, at in failures:
            self.add(account, address, at)

    def __len__(self) -> int:
        """The number of keys, a measure of its size."""
        return len(self._pairs) + len(self._accounts) + len(self._addresses)

    def next_try_at(self, account: str, address: str, now: int) -> int | None:
        """When *account* may be tried from *address*; None where it may be at *now*."""
        untils = (
            self.next_pair_at(account, address, now),
            self._accounts.next_at(account, now),
            self._addresses.next_at(address, now),
        )
        return max((until for until in untils if until is not None), default=None)

    def next_pair_at(self, account: str, address: str, now: int) -> int | None:
        """As `next_try_at`, by the limit of the pair alone."""
        return self._pairs.next_room_at(account + _BETWEEN + address, now)

    def add(self, account: str, address: str, at: int) -> None:
        """Count a try at *account* from *address* at *at*."""
        self._pairs.add(account + _BETWEEN + address, at)
        self._accounts.add(account, at)
        self._addresses.add(address, at)

    def take_back(self, account: str, address: str, at: int) -> None:
        """No longer count a try: it succeeded."""
        self._pairs.take_back(account + _BETWEEN + address, at)
        self._accounts.take_back(account, at)
        self._addresses.take_back(address, at)


class _Spaced(KeyedWindows):
    """*free* attempts of a key within the window, and then one every *spacing_ms*."""

    def __init__(self, free: int, spacing_ms: int) -> None:
        # There is room for every attempt that is admitted, so that taking one back never evicts others: else
        # signing in to an account of one's own could clear the failures at another.
        super().__init__(SIGN_IN_WINDOW_MS, free + SIGN_IN_WINDOW_MS // spacing_ms + 1)
        self._free = free
        self._spacing_ms = spacing_ms

    def next_at(self, key: str, now: int) -> int | None:
        """When the next try of *key* may be; None where it may be at *now*."""
        if self.count(key, now) < self._free:
            return None
        until = min(self.latest(key) or now, now) + self._spacing_ms
        return until if until > now else None
