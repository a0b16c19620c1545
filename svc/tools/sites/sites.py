"""`site.*`: the websites that an organization tracks, and that its forms can be bound to."""

from typing import Annotated, Final

import msgspec

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp, rfc3339
from svc.domain.sites.limits import SITES_MAX
from svc.storage.sites import sites
from svc.storage.sites.sites import Site
from svc.storage.store import Tx, View
from svc.tools.projections import Projection
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

SiteId = Annotated[str, about(description="The site's id.", examples=["sit_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
Domain = Annotated[
    str,
    about(
        description="The site's domain, or any address on it as people paste it: scheme, path and `www.` go.",
        examples=["example.com"],
    ),
]


class SiteAnswer(ToolOutput, frozen=True, kw_only=True):
    """A tracked site."""

    id: SiteId
    domain: Annotated[
        str, about(description="Its domain, in lower-case ASCII; subdomains and `www.` belong to it.")
    ]
    last_view_at: Annotated[
        Timestamp | None, about(description="When a page of it was last viewed, to the minute.")
    ]
    created_at: Timestamp


_answer: Final = Projection(Site, SiteAnswer)

EXAMPLE: Final = SiteAnswer(
    id="sit_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    domain="harbourlamps.example",
    last_view_at="2026-09-21T16:05:00.000Z",
    created_at="2026-09-18T09:30:00.000Z",
)


class ListSites(ToolInput, frozen=True, kw_only=True):
    """Nothing is asked: all of them are listed."""


class SiteList(ToolOutput, frozen=True, kw_only=True):
    """The tracked sites."""

    sites: Annotated[list[SiteAnswer], about(description="The oldest first.", max_length=SITES_MAX)]


@reads("site.list", example=ListSites(), answer=SiteList(sites=[EXAMPLE]))
def list_all(view: View, call: Call, request: ListSites) -> SiteList:  # noqa: ARG001  # nothing is asked
    """List the tracked sites."""
    rows = sites.list_all(view.conn, call.caller.organization_id)
    return SiteList(sites=[_answer(site) for site in rows])


class CreateSite(ToolInput, frozen=True, kw_only=True):
    """A site to be tracked."""

    domain: Domain


@writes(
    "site.create",
    needs="settings",
    raises=(Conflict,),
    example=CreateSite(domain="https://www.harbourlamps.example/shop"),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateSite) -> SiteAnswer:
    """Track a site.

    From then on its page views are counted, as the script `/t.js` sends them, and forms can be bound to it.
    An organization has no two sites at one domain.
    """
    return _answer(sites.create(tx, call.caller.organization_id, request.domain))


class UpdateSite(ToolInput, frozen=True, kw_only=True):
    """Where a site is from now on."""

    id: SiteId
    domain: Domain


@writes(
    "site.update",
    needs="settings",
    raises=(NotFound, Conflict),
    example=UpdateSite(id=EXAMPLE.id, domain="harbour-lamps.example"),
    answer=msgspec.structs.replace(EXAMPLE, domain="harbour-lamps.example"),
)
def update(tx: Tx, call: Call, request: UpdateSite) -> SiteAnswer:
    """Change a site's domain.

    Forms that are bound to the site take the very next submission from the new domain, and none from the old.
    Page views follow within a minute. Those that were counted stay.
    """
    return _answer(sites.update(tx, call.caller.organization_id, request.id, request.domain))


class SiteById(ToolInput, frozen=True, kw_only=True):
    """Which site."""

    id: SiteId


class RemovedSite(ToolOutput, frozen=True, kw_only=True):
    """A site that is not tracked any more."""

    id: SiteId
    removed_at: Timestamp


@writes(
    "site.remove",
    needs="settings",
    runs="approval",
    raises=(NotFound,),
    example=SiteById(id=EXAMPLE.id),
    answer=RemovedSite(id=EXAMPLE.id, removed_at="2026-09-19T09:30:00.000Z"),
)
def remove(tx: Tx, call: Call, request: SiteById) -> RemovedSite:
    """Stop tracking a site.

    Its page views stay, and within a minute no more are counted. A form that is bound to it stays bound to
    its domain, so that nothing is opened by this: `form.update` binds it to another, or to none.
    """
    sites.remove(tx, call.caller.organization_id, request.id)
    return RemovedSite(id=request.id, removed_at=rfc3339(tx.now))
