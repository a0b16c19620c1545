"""Page views of tracked sites, reduced to what is stored."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from svc.domain.errors import InvalidValue
from svc.domain.net.client_addresses import visitor_of
from svc.domain.net.origins import normalise_domain
from svc.domain.sites.limits import VISIT_TITLE_CHARS_MAX, VISIT_URL_CHARS_MAX

CAMPAIGN_PREFIX: Final = "utm_"
"""The parameters of a page's query that are stored; all others may hold personal data."""


class PageView(msgspec.Struct, frozen=True, kw_only=True):
    """One view of one page. `host` is the site's, without `www.`; `url` and `referrer` are cut down."""

    host: str
    url: str
    referrer: str | None
    title: str | None


def page_view(url: str, referrer: str | None, title: str | None) -> PageView:
    """The stored form of a view of *url*. Raises `InvalidValue` if that is not a page of a website."""
    short_url = _cut_down(url)
    try:
        kept_referrer = _cut_down(referrer) if referrer else None
    except InvalidValue:
        kept_referrer = None
    return PageView(
        host=normalise_domain(url),
        url=short_url,
        referrer=kept_referrer,
        title=title[:VISIT_TITLE_CHARS_MAX] if title else None,
    )


def _cut_down(url: str) -> str:
    """*url* without credentials, without its fragment, and with only the campaign of its query."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidValue("not a web address") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidValue("not a web address")
    campaign = [pair for pair in parse_qsl(parts.query) if pair[0].startswith(CAMPAIGN_PREFIX)]
    place = f"{host}:{port}" if port else host
    short_url = urlunsplit((parts.scheme, place, parts.path, urlencode(campaign), ""))
    if len(short_url) > VISIT_URL_CHARS_MAX:
        raise InvalidValue(f"longer than {VISIT_URL_CHARS_MAX} characters")
    return short_url


def visitor_digests(address: str, user_agent: str, keys: Sequence[bytes]) -> tuple[str, ...]:
    """The hashes of the browser at *address* under each of the days' *keys*."""
    return tuple(visitor_of(address, user_agent, key) for key in keys)
