"""SiteTraffic: rate-limits the page views of one host, and stores them for each site that tracks it."""

import msgspec

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.errors import NotFound
from svc.domain.locale.times import MINUTE_MS
from svc.domain.net.client_addresses import visitor_of
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.sites.limits import SITE_VISITS_MAX, VISIT_WINDOW_MS, VISITOR_VISITS_MAX
from svc.domain.sites.visits import PageView
from svc.storage.sites import sites, visits
from svc.storage.sites.sites import Site
from svc.storage.store import Owner


class SiteTrafficState(msgspec.Struct, kw_only=True):
    """The sites on the host, and its page views of the last minute."""

    sites: list[Site]
    fresh_until: int
    """When the sites have to be read again, ms since the epoch."""
    visitors: Private[KeyedWindows]
    views: SlidingWindow
    note_at: int = 0
    """When a view is next noted as the sites' last one, ms since the epoch."""


class SiteTraffic(Actor[System, SiteTrafficState]):
    """Takes the page views of one host. Its key is the host, without `www.`."""

    policy = Policy(mailbox_max=256, idle_seconds=120, active_max=20_000)

    async def load(self) -> SiteTrafficState:
        """Raises `NotFound` for a host that is not tracked, so that made-up hosts leave no actor behind."""
        return SiteTrafficState(
            sites=await self.system.store.of(Owner.HOSTS).read(sites.at_host, self.key),
            fresh_until=self.system.clock.now() + MINUTE_MS,
            visitors=Private(KeyedWindows(VISIT_WINDOW_MS, VISITOR_VISITS_MAX)),
            views=SlidingWindow(VISIT_WINDOW_MS, SITE_VISITS_MAX),
        )

    @turn
    async def view(self, page: PageView, address: str, user_agent: str) -> None:
        """Store a page view. Beyond the rate limit it is dropped silently."""
        state, now = self.state, self.system.clock.now()
        if now >= state.fresh_until:
            state.sites = await self._sites()
            state.fresh_until = now + MINUTE_MS
        visitor = visitor_of(address, user_agent, self.system.sites.visitor_keys[0])
        if not state.views.room(now) or state.visitors.value.next_room_at(visitor, now) is not None:
            return
        state.views.add(now)
        state.visitors.value.add(visitor, now)
        noted = now >= state.note_at
        if noted:
            state.note_at = now + MINUTE_MS
        for organization_id, own in _by_organization(state.sites).items():
            units = self.system.store.of(organization_id)
            await units.write(visits.create, own, visitor, page, noted=noted)

    async def _sites(self) -> list[Site]:
        try:
            return await self.system.store.of(Owner.HOSTS).read(sites.at_host, self.key)
        except NotFound:
            return []


async def view(system: System, page: PageView, address: str, user_agent: str) -> None:
    """Store a page view. Raises `NotFound` if no organization tracks its host."""
    if not system.is_active(SiteTraffic, page.host):
        await system.sites.unknown_hosts.check(page.host)
    await SiteTraffic(system, page.host).view(page, address, user_agent)


def _by_organization(tracking: list[Site]) -> dict[str, list[Site]]:
    """Sites by the id of their organization: nearly always one."""
    own: dict[str, list[Site]] = {}
    for site in tracking:
        own.setdefault(site.organization_id, []).append(site)
    return own
