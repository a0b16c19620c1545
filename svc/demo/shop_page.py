"""The demo shop's web page, with a form."""

from typing import Final

import msgspec
from quart import Blueprint, Response, render_template

from svc.http.docs.demo_shop import DemoShop
from svc.http.static_files import StaticFile, names_in


class Lamp(msgspec.Struct, frozen=True):
    """A product of the shop; its picture is `<slug>.svg`."""

    slug: str
    name: str
    price: str
    about: str


LAMPS: Final = (
    Lamp(
        "skerry",
        "Skerry wall light",
        "£95",
        "Spun steel on an oak back plate. Washes the wall in warm light.",
    ),
    Lamp(
        "pendant",
        "Brass pendant",
        "£145",
        "A bell of raw brass that darkens over the years. Made for tables.",
    ),
    Lamp(
        "reading", "Anchor reading lamp", "£79", "A head that turns, on an arm that stays where you leave it."
    ),
)

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    # With `no-referrer`, a browser whose scripts are off would send the form from an origin `null`.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def shop_blueprint(shop: DemoShop) -> Blueprint:
    """The page of *shop*, at `/demo/`, with its assets."""
    blueprint = Blueprint("demo", __name__, url_prefix="/demo", template_folder="templates")

    @blueprint.get("/")
    async def page() -> Response:
        html = await render_template("shop.html", shop=shop, lamps=LAMPS)
        return Response(html, content_type="text/html; charset=utf-8", headers=_HEADERS)

    for name in names_in("demo/static/shop"):
        asset = StaticFile(f"demo/static/shop/{name}", {"Cache-Control": "no-cache"})
        blueprint.add_url_rule(f"/{name}", name.replace(".", "_"), asset.answer)
    return blueprint
