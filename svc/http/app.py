"""The public application: every door that the outside may knock on."""

from collections.abc import Sequence
from typing import cast

from quart import Response, has_websocket_context, request, websocket
from werkzeug.exceptions import HTTPException, NotFound
from werkzeug.routing import WebsocketMismatch

from svc.actors.house import House
from svc.domain.forms import SUBMIT_PATH
from svc.domain.senders import Network
from svc.http import channels, embeds, tools, tracker
from svc.http.asgi import ASGIApp
from svc.http.channels import ChannelDoor
from svc.http.demo import DemoShop, demo_doors
from svc.http.embeds import EmbedDoor
from svc.http.forms import FormDoor
from svc.http.hot import Hot
from svc.http.lean import LeanQuart, LeanRequest
from svc.http.mcp import door as mcp
from svc.http.mcp.door import McpDoor
from svc.http.people import people_doors
from svc.http.problems import as_response, refusal
from svc.http.reference import reference_pages
from svc.http.request_id import request_id_of
from svc.http.tools import KeyGate, SessionGate, ToolDoor
from svc.http.tracker import TrackerDoor
from svc.tools.catalogue import FINDER, REGISTRY


def public_app(
    house: House, *, trusted_proxies: Sequence[Network] = (), demo: DemoShop | None = None
) -> ASGIApp:
    """The application on the public listener. *demo* adds a shop page under `/demo/`."""
    app = quart_app()
    app.register_blueprint(tracker.script)
    app.register_blueprint(embeds.loader)
    app.register_blueprint(people_doors(house, trusted_proxies))
    if demo is not None:
        app.register_blueprint(demo_doors(demo))
    return Hot(
        app,
        {
            SUBMIT_PATH: FormDoor(house, trusted_proxies),
            tracker.PATH: TrackerDoor(house, trusted_proxies),
            channels.PATH: ChannelDoor(house),
            embeds.PATH: EmbedDoor(house),
            tools.API_PATH: ToolDoor(house, REGISTRY, KeyGate(house)),
            tools.APP_PATH: ToolDoor(house, REGISTRY, SessionGate(house)),
            mcp.PATH: McpDoor(house, FINDER),
            mcp.FULL_PATH: McpDoor(house, FINDER, flat=True),
        },
    )


def quart_app() -> LeanQuart:
    """An application whose refusals are problems."""
    app = LeanQuart("svc", static_folder=None)
    app.register_blueprint(reference_pages(REGISTRY))

    @app.errorhandler(HTTPException)
    async def refuse(error: HTTPException) -> Response:
        if not has_websocket_context():
            return as_response(refusal(error, cast("LeanRequest", request).id))
        # RFC 6455 section 4.2.2: where there is no WebSocket, whatever else there may be, is 404.
        told = NotFound() if isinstance(error, WebsocketMismatch) else error
        request_id = request_id_of(list(websocket.scope["headers"]))
        answer = as_response(refusal(told, request_id))
        answer.headers["X-Request-Id"] = request_id.decode()
        return answer

    return app
