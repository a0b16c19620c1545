"""The public application: all doors of the public listener, under one ASGI callable."""

from collections.abc import Sequence

from quart import Blueprint

from svc.actors.system import System
from svc.domain.forms.forms import SUBMIT_PATH
from svc.domain.net.client_addresses import Network
from svc.domain.randomness import SYSTEM, Randomness
from svc.http import asterisk_door
from svc.http.agent import door as trials
from svc.http.agent.door import AgentTrialDoor, ModelTrialDoor
from svc.http.ai import door as gateway
from svc.http.ai.door import CompletionsDoor, KeyDoor, ModelDoor, ModelsDoor, UnknownAddressDoor
from svc.http.asgi import ASGIApp
from svc.http.asterisk_door import AsteriskDoor
from svc.http.channels import door as channels
from svc.http.channels.door import ChannelDoor
from svc.http.docs.demo_shop import DemoShop
from svc.http.docs.doors import doc_pages
from svc.http.docs.front import PublicFront
from svc.http.docs.pages import Pages
from svc.http.docs.problem_pages import answer_problems_with_pages
from svc.http.embeds import door as embeds
from svc.http.embeds.door import EmbedDoor
from svc.http.exports.door import ExportsDoor
from svc.http.fast_path import FastPath, Routes
from svc.http.files import door as files
from svc.http.files.door import DownloadDoor, UploadDoor
from svc.http.forms.door import FormDoor
from svc.http.grants import metadata_doors, places
from svc.http.grants.authorize_door import authorize_page
from svc.http.grants.places import Issuer
from svc.http.grants.token_doors import RegistrationDoor, RevocationDoor, TokenDoor
from svc.http.identity.door import people_doors
from svc.http.imports.door import ImportsDoor
from svc.http.inbox import door as inbox
from svc.http.inbox.door import PresenceDoor
from svc.http.mcp import door as mcp
from svc.http.mcp.door import McpDoor
from svc.http.quart_app import QuartApp
from svc.http.quart_doors import add_doors
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
from svc.http.traffic import Traffic
from svc.telemetry.spans import Tracer
from svc.tools.catalogue import REGISTRY
from svc.tools.exports import exports
from svc.tools.imports import answers as imports


def public_app(
    system: System,
    *,
    trusted_proxies: Sequence[Network] = (),
    public_url: str = "",
    strict_transport_seconds: int = 0,
    demo: DemoShop | None = None,
    blueprints: Sequence[Blueprint] = (),
    assets: Assets | None = None,
    traffic: Traffic | None = None,
) -> ASGIApp:
    """Build the application of the public listener, whose screens are *assets*, by default the package's.

    Its pages show the keys of the *demo*, and *blueprints* add pages. *public_url* is where browsers find it;
    if that is https, the trusted proxies are reached by TLS alone. With *strict_transport_seconds*, answers
    over TLS carry `Strict-Transport-Security` for that long (RFC 6797). Answers are counted in *traffic*.

    Raises `ScreensNotBuilt`.
    """
    assets = assets or screens.built()
    transport = Transport(trusted_proxies, public_url)
    app, pages = described_app(demo, trusted_proxies, system.random, public_url)
    app.add_url_rule("/docs/welcome", "welcome", PublicFront(pages, len(REGISTRY)).show)
    app.register_blueprint(shell_pages(app, system, transport, REGISTRY, assets))
    app.register_blueprint(tracker.script)
    app.register_blueprint(embeds.loader)
    app.register_blueprint(people_doors(system, transport))
    for blueprint in blueprints:
        app.register_blueprint(blueprint)
    issuer = Issuer(public_url)
    app.register_blueprint(authorize_page(system, transport, issuer))
    file_gate = KeyGate(system, "files")
    routes = Routes(
        {
            asterisk_door.PATH: AsteriskDoor(),
            SUBMIT_PATH: FormDoor(system, trusted_proxies),
            tracker.PATH: TrackerDoor(system, trusted_proxies),
            channels.PATH: ChannelDoor(system),
            embeds.PATH: EmbedDoor(system),
            tools.API_PATH: ToolDoor(system, REGISTRY, KeyGate(system)),
            files.API_PATH: UploadDoor(system, REGISTRY, file_gate),
            f"{files.API_PATH}/": DownloadDoor(system, REGISTRY, file_gate, signed=True),
            files.APP_PATH: UploadDoor(system, REGISTRY, SessionGate(system, transport)),
            f"{files.APP_PATH}/": DownloadDoor(system, REGISTRY, SessionGate(system, transport, reads=True)),
            inbox.PATH: PresenceDoor(system, REGISTRY, SessionGate(system, transport, by_hand=False)),
            trials.AGENT_PATH: AgentTrialDoor(system, REGISTRY, SessionGate(system, transport)),
            trials.MODEL_PATH: ModelTrialDoor(system, REGISTRY, SessionGate(system, transport)),
            events_door.PATH: EventsDoor(system, transport, REGISTRY),
            screens.STATIC_PATH: StaticDoor(assets),
            tools.APP_PATH: ToolDoor(system, REGISTRY, SessionGate(system, transport)),
            gateway.COMPLETIONS_PATH: CompletionsDoor(system),
            gateway.MODELS_PATH: ModelsDoor(system),
            gateway.KEY_PATH: KeyDoor(system),
            mcp.PATH: McpDoor(system, REGISTRY, issuer),
            mcp.FULL_PATH: McpDoor(system, REGISTRY, issuer, flat=True),
            places.TOKEN: TokenDoor(system, issuer),
            places.REVOKE: RevocationDoor(system, issuer),
            places.REGISTER: RegistrationDoor(system, issuer, trusted_proxies),
            **metadata_doors.doors(issuer),
        },
        trees={
            imports.API_PATH: ImportsDoor(system, REGISTRY, file_gate),
            imports.APP_PATH: ImportsDoor(system, REGISTRY, SessionGate(system, transport)),
            exports.API_PATH: ExportsDoor(system, REGISTRY, file_gate),
            exports.APP_PATH: ExportsDoor(system, REGISTRY, SessionGate(system, transport, reads=True)),
            gateway.MODEL_PATHS: ModelDoor(system),
            gateway.PATHS: UnknownAddressDoor(),
            **metadata_doors.trees(),
        },
    )
    doors = in_front(app, routes, system.random, traffic, system.tracer)
    return StrictTransport(doors, transport, strict_transport_seconds) if strict_transport_seconds else doors


def described_app(
    demo: DemoShop | None = None,
    trusted_proxies: Sequence[Network] | None = None,
    random: Randomness = SYSTEM,
    public_url: str = "",
) -> tuple[QuartApp, Pages]:
    """Build an application that serves the documentation, and the renderer of its pages.

    It answers errors to browsers with a page and to programs with a problem. Without *trusted_proxies*,
    pages show a default address instead of the one in the request. Request ids are made of *random*. The
    contract has *public_url*, if there is one.
    """
    app = QuartApp("svc", random=random, static_folder=None)
    doors, pages = doc_pages(REGISTRY, demo=demo, trusted_proxies=trusted_proxies, public_url=public_url)
    app.register_blueprint(doors)
    answer_problems_with_pages(app, pages)
    return app, pages


def in_front(
    app: QuartApp,
    routes: Routes,
    random: Randomness = SYSTEM,
    traffic: Traffic | None = None,
    tracer: Tracer | None = None,
) -> FastPath:
    """Put the doors of *routes* in front of *app*, which answers at the same routes, only slower."""
    add_doors(app, routes)
    return FastPath(app, routes, random, traffic, tracer)


def quart_app() -> QuartApp:
    """Build an application that answers errors with problems, to put fast-path doors in front of."""
    app, _ = described_app()
    return app
