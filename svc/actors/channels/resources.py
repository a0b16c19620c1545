"""What calls of bridges share."""

from svc.actors.credential_cache import CredentialCache
from svc.clock import Clock
from svc.domain.channels.limits import CHANNEL_CALLS_MAX, CHANNEL_KEY_USE_NOTED_MS, CHANNEL_WINDOW_MS
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.storage.channels import keys as channel_keys
from svc.storage.channels.keys import ChannelRoute
from svc.storage.store import Store


class ChannelResources:
    """Channel keys and their calls."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.keys: CredentialCache[ChannelRoute] = CredentialCache(store, clock, channel_keys.route)
        """Channel keys, and the connection of each."""
        self.calls = KeyedWindows(CHANNEL_WINDOW_MS, CHANNEL_CALLS_MAX)
        """The calls of the last minute, by channel key."""
        self.noted_uses = KeyedWindows(CHANNEL_KEY_USE_NOTED_MS, 1)
        """The uses of channel keys that were noted, by channel key."""
