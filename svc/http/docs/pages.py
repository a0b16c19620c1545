"""Rendering and caching of pages, which differ between readers only by the address in the request."""

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any, Final

from quart import Response, render_template, request

from svc.domain.net.client_addresses import Network, is_trusted
from svc.http.docs.demo_shop import DemoShop
from svc.http.docs.examples import PLACE
from svc.http.quart_app import current_request
from svc.http.static_files import StaticBytes

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
HTML: Final = "text/html; charset=utf-8"
UNCACHED_HEADERS: Final = {**HEADERS, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}

DATA: Final = "data/demo."
"""The path of the demo's keys in the guides; readers on the same machine see the real one."""

_VARIANTS_MAX: Final = 128
"""Variants of pages that are cached: compressed, for one address."""
_HOST: Final = re.compile(r"(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


class Pages:
    """Renders each page at its first request, and caches it.

    The number of pages is fixed; the cache of variants by address is bounded.
    """

    def __init__(self, demo: DemoShop | None = None, trusted_proxies: Sequence[Network] | None = ()) -> None:
        self.demo: Final = demo
        self._trusted_proxies = trusted_proxies
        self._rendered: dict[str, str] = {}
        self._variants: OrderedDict[tuple[str, str, bool], StaticBytes] = OrderedDict()

    async def show(self, template: str, context: Callable[[], dict[str, Any]] = dict) -> Response:
        """Answer with the page at this path. *context* is called for *template* when it is not cached."""
        key = (request.path, self.address(), self.demo is not None and is_local())
        variant = self._variants.get(key)
        if variant is None:
            html = self._rendered.get(request.path)
            if html is None:
                html = self._rendered[request.path] = await render_template(
                    template, demo=self.demo, **context()
                )
            variant = self._variants[key] = StaticBytes(self._for_reader(html).encode(), HTML, HEADERS)
            if len(self._variants) > _VARIANTS_MAX:
                self._variants.popitem(last=False)
        self._variants.move_to_end(key)
        return await variant.answer()

    async def show_uncached(self, template: str, status: int = 200, **context: Any) -> Response:
        """Answer with a page for this request alone."""
        html = await render_template(template, demo=self.demo, **context)
        return Response(self._for_reader(html), status=status, content_type=HTML, headers=UNCACHED_HEADERS)

    def _for_reader(self, html: str) -> str:
        """*html* with the reader's address and, on the machine of the demo, its data directory."""
        html = html.replace(PLACE, self.address())
        if self.demo is not None and self.demo.directory and is_local():
            html = html.replace(DATA, _shown_path(f"{self.demo.directory}/demo."))
        return html

    def address(self, default: str = PLACE) -> str:
        """The address in the request, or *default*."""
        if self._trusted_proxies is None:
            return default
        return address_used(default, self._trusted_proxies)


def address_used(default: str, trusted_proxies: Sequence[Network] = ()) -> str:
    """The address in the request, if it needs no escaping in HTML, a shell or a program; else *default*."""
    host = request.headers.get("Host", "")
    if not _HOST.fullmatch(host):
        return default
    forwarded = request.headers.get("X-Forwarded-Proto", "").lower()
    behind_tls = forwarded == "https" and is_trusted(current_request().peer, trusted_proxies)
    return f"{'https' if behind_tls else request.scheme}://{host}"


def is_local() -> bool:
    """Whether the request comes from this machine, and through no proxy."""
    if any(name in request.headers for name in ("X-Forwarded-For", "Forwarded")):
        return False
    try:
        return ip_address(current_request().peer).is_loopback
    except ValueError:
        return False


def _shown_path(path: str) -> str:
    """*path*, if it needs no escaping in HTML or a shell; else the default."""
    return path if re.fullmatch(r"[\w./-]+", path) else DATA
