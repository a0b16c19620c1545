"""The public application: all doors of the public listener, under one ASGI callable."""

from collections.abc import Sequence

from quart import Blueprint

from svc.actors.system import System
from svc.domain.forms.forms import SUBMIT_PATH
from svc.domain.net.client_addresses import Network
from svc.domain.randomness import SYSTEM, Randomness
from svc.http.ai import door as gateway
from svc.http.ai.door import CompletionsDoor, KeyDoor, ModelsDoor
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
from svc.http.files import door as files
from svc.http.files.door import DownloadDoor, UploadDoor
from svc.http.forms.door import FormDoor
from svc.http.identity.door import people_doors
from svc.http.imports.door import ImportsDoor
from svc.http.mcp import door as mcp
from svc.http.mcp.door import McpDoor
from svc.http.quart_app import QuartApp
from svc.http.request.transport import StrictTransport, Transport
from svc.http.screens import assets as screens
from svc.http.screens import events_door
from svc.http.screens.assets import Assets
from svc.http.screens.events_door import EventsDoor
from svc.http.screens.shell import shell_pages
from svc.http.screens.static_door import StaticDoor
from svc.http.sites import tracker
from svc.http.sites.tracker import TrackerDoor
from svc.http.tools import door as tools
from svc.http.tools.door import KeyGate, SessionGate, ToolDoor
from svc.tools.catalogue import REGISTRY
from svc.tools.imports import answers as imports


def public_app(
    system: System,
    *,
    trusted_proxies: Sequence[Network] = (),
    public_https: bool = False,
    strict_transport_seconds: int = 0,
    demo: DemoShop | None = None,
    blueprints: Sequence[Blueprint] = (),
    assets: Assets | None = None,
) -> ASGIApp:
    """Build the application of the public listener, whose screens are *assets*, by default the package's.

    Its pages show the keys of the *demo*, and *blueprints* add pages. *public_https* says that the trusted
    proxies are reached by TLS alone. With *strict_transport_seconds*, answers over TLS carry
    `Strict-Transport-Security` for that long (RFC 6797). Raises `ScreensNotBuilt`.
    """
    assets = assets or screens.built()
    transport = Transport(trusted_proxies, public_https)
    app, pages = described_app(demo, trusted_proxies, system.random)
    app.add_url_rule("/docs/welcome", "welcome", PublicFront(pages, len(REGISTRY)).show)
    app.register_blueprint(shell_pages(app, system, transport, REGISTRY, assets))
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
            files.API_PATH: UploadDoor(system, REGISTRY, KeyGate(system)),
            f"{files.API_PATH}/": DownloadDoor(system, REGISTRY, KeyGate(system), signed=True),
            files.APP_PATH: UploadDoor(system, REGISTRY, SessionGate(system, transport)),
            f"{files.APP_PATH}/": DownloadDoor(system, REGISTRY, SessionGate(system, transport, reads=True)),
            events_door.PATH: EventsDoor(system, transport, REGISTRY),
            screens.STATIC_PATH: StaticDoor(assets),
            tools.APP_PATH: ToolDoor(system, REGISTRY, SessionGate(system, transport)),
            gateway.COMPLETIONS_PATH: CompletionsDoor(system),
            gateway.MODELS_PATH: ModelsDoor(system),
            gateway.KEY_PATH: KeyDoor(system),
            mcp.PATH: McpDoor(system, REGISTRY),
            mcp.FULL_PATH: McpDoor(system, REGISTRY, flat=True),
        },
        system.random,
        trees={
            imports.API_PATH: ImportsDoor(system, REGISTRY, KeyGate(system)),
            imports.APP_PATH: ImportsDoor(system, REGISTRY, SessionGate(system, transport)),
        },
    )
    return StrictTransport(doors, transport, strict_transport_seconds) if strict_transport_seconds else doors


def described_app(
    demo: DemoShop | None = None,
    trusted_proxies: Sequence[Network] | None = None,
    random: Randomness = SYSTEM,
) -> tuple[QuartApp, Pages]:
    """Build an application that serves the documentation, and the renderer of its pages.

    It answers errors to browsers with a page and to programs with a problem. Without *trusted_proxies*,
    pages show a default address instead of the one in the request. Request ids are made of *random*.
    """
    app = QuartApp("svc", random=random, static_folder=None)
    doors, pages = doc_pages(REGISTRY, demo=demo, trusted_proxies=trusted_proxies)
    app.register_blueprint(doors)
    answer_problems_with_pages(app, pages)
    return app, pages


def quart_app() -> QuartApp:
    """Build an application that answers errors with problems, to put fast-path doors in front of."""
    app, _ = described_app()
    return app
