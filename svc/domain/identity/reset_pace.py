"""How often mails with a link can be asked for, by where they go to and by where the request comes from."""

import hmac

from svc.domain.identity.limits import RESET_WINDOW_MS, RESETS_FROM_ADDRESS_MAX, RESETS_OF_ACCOUNT_MAX
from svc.domain.net.client_addresses import sender_of
from svc.domain.rate_limits.keyed_windows import KeyedWindows


class ResetPace:
    """Windows in memory alone: a restart is nothing that strangers can cause."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._of_account = KeyedWindows(RESET_WINDOW_MS, RESETS_OF_ACCOUNT_MAX)
        self._from_address = KeyedWindows(RESET_WINDOW_MS, RESETS_FROM_ADDRESS_MAX)

    def next_at(self, email: str, address: str, now: int) -> int | None:
        """Count a request at *now* and return None; or when the next one fits, if this one does not.

        What does not fit counts for nothing, so that its sender does not prolong another's wait.
        """
        account, sender = self._digest(email), sender_of(address, self._secret)
        fits_at = [
            at
            for at in (
                self._of_account.next_room_at(account, now),
                self._from_address.next_room_at(sender, now),
            )
            if at is not None
        ]
        if fits_at:
            return max(fits_at)
        self._of_account.add(account, now)
        self._from_address.add(sender, now)
        return None

    def _digest(self, name: str) -> str:
        return hmac.digest(self._secret, b"reset:" + name.encode(errors="replace"), "sha256").hex()
