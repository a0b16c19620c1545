"""The public application: every door that the outside may knock on."""

from collections.abc import Sequence

from quart import Blueprint

from svc.actors.system import System
from svc.domain.forms.forms import SUBMIT_PATH
from svc.domain.net.client_addresses import Network
from svc.http.asgi import ASGIApp
from svc.http.channels import door as channels
from svc.http.channels.door import ChannelDoor
from svc.http.docs.demo_shop import DemoShop
from svc.http.docs.doors import doc_pages
from svc.http.docs.front import PublicFront
from svc.http.docs.pages import Pages
from svc.http.docs.problem_pages import answer_problems_with_pages
from svc.http.embeds import door as embeds
from svc.http.embeds.door import EmbedDoor
from svc.http.fast_path import FastPath
from svc.http.forms.door import FormDoor
from svc.http.identity.door import people_doors
from svc.http.mcp import door as mcp
from svc.http.mcp.door import McpDoor
from svc.http.quart_app import QuartApp
from svc.http.request.transport import StrictTransport, Transport
from svc.http.sites import tracker
from svc.http.sites.tracker import TrackerDoor
from svc.http.tools import door as tools
from svc.http.tools.door import KeyGate, SessionGate, ToolDoor
from svc.tools.catalogue import REGISTRY


def public_app(
    system: System,
    *,
    trusted_proxies: Sequence[Network] = (),
    public_https: bool = False,
    strict_transport_seconds: int = 0,
    demo: DemoShop | None = None,
    blueprints: Sequence[Blueprint] = (),
) -> ASGIApp:
    """The application on the public listener. Its pages speak of the *demo*; *blueprints* add pages to it.

    *public_https* says that proxies are reached by TLS; answers over TLS ask for it for so many seconds.
    """
    transport = Transport(trusted_proxies, public_https)
    app, pages = described_app(demo, trusted_proxies)
    app.add_url_rule("/", "front", PublicFront(pages, len(REGISTRY)).show)
    app.register_blueprint(tracker.script)
    app.register_blueprint(embeds.loader)
    app.register_blueprint(people_doors(system, transport))
    for blueprint in blueprints:
        app.register_blueprint(blueprint)
    doors = FastPath(
        app,
        {
            SUBMIT_PATH: FormDoor(system, trusted_proxies),
            tracker.PATH: TrackerDoor(system, trusted_proxies),
            channels.PATH: ChannelDoor(system),
            embeds.PATH: EmbedDoor(system),
            tools.API_PATH: ToolDoor(system, REGISTRY, KeyGate(system)),
            tools.APP_PATH: ToolDoor(system, REGISTRY, SessionGate(system, transport)),
            mcp.PATH: McpDoor(system, REGISTRY),
            mcp.FULL_PATH: McpDoor(system, REGISTRY, flat=True),
        },
    )
    return StrictTransport(doors, transport, strict_transport_seconds) if strict_transport_seconds else doors


def described_app(
    demo: DemoShop | None = None, trusted_proxies: Sequence[Network] | None = None
) -> tuple[QuartApp, Pages]:
    """An application that explains itself, and what renders its pages.

    What it refuses is a page for browsers and a problem for programs. Without *trusted_proxies*, no page
    shows its reader's address.
    """
    app = QuartApp("svc", static_folder=None)
    doors, pages = doc_pages(REGISTRY, demo=demo, trusted_proxies=trusted_proxies)
    app.register_blueprint(doors)
    answer_problems_with_pages(app, pages)
    return app, pages


def quart_app() -> QuartApp:
    """An application whose refusals are problems, for doors beside it."""
    app, _ = described_app()
    return app
