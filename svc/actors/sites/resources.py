"""What page views share."""

from svc.actors.unknown_keys import UnknownKeys
from svc.clock import Clock
from svc.storage.sites import sites
from svc.storage.store import Owner, Store


class SiteResources:
    """Keys of visitors, and hosts of no site."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.unknown_hosts = UnknownKeys(store.of(Owner.HOSTS), clock, sites.at_host)
        """Hosts of page views that no organization tracks."""
        self.visitor_keys: tuple[bytes, ...] = ()
        """The keys under which visitors are hashed, newest first; `Reconciler` replaces the tuple."""
