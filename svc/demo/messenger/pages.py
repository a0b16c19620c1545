"""The demo messenger's page and its API, for both sides of a chat: the customer's and the team's."""

from typing import Annotated, Any, Final, TypeVar

import msgspec
import trio
from msgspec import Meta
from quart import Response, abort, request

from svc.client import ServiceError
from svc.demo.messenger.chats import DemoMessenger
from svc.demo.messenger.team import Team
from svc.demo.shop_page import CONTENT_SECURITY_POLICY
from svc.http.asgi import ASGIApp
from svc.http.look.doors import look_files
from svc.http.quart_app import QuartApp
from svc.http.static_files import StaticFile, names_in

T = TypeVar("T")

WAIT_SECONDS: Final = 20.0
"""How long a page's long poll waits for a change."""
TEXT_CHARS_MAX: Final = 4_000
NAME_CHARS_MAX: Final = 80
CHAT_ID_CHARS_MAX: Final = 64
GRACES_NUMBER: Final = "+442079460103"
"""The number of a contact of the demo: a customer who shares it is recognized."""

_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


class ChatMessage(msgspec.Struct):
    """A message of a customer or of the team."""

    text: Annotated[str, Meta(min_length=1, max_length=TEXT_CHARS_MAX)]
    name: Annotated[str, Meta(max_length=NAME_CHARS_MAX)] = ""


class CustomerName(msgspec.Struct):
    """The name that a customer states."""

    name: Annotated[str, Meta(max_length=NAME_CHARS_MAX)] = ""


def messenger_app(messenger: DemoMessenger, team: Team) -> ASGIApp:
    """The application: the page at `/`, and its API below `/chats/`. It serves only this machine."""
    app = QuartApp("svc.demo.messenger", static_folder=None)

    @app.before_request
    async def check() -> None:
        """Reject requests of pages of other sites, also under other host names (DNS rebinding)."""
        if request.host.rpartition(":")[0] not in _LOOPBACK or request.headers.get(
            "Sec-Fetch-Site", "same-origin"
        ) not in {"same-origin", "none"}:
            abort(403)

    @app.get("/chats/<chat_id>")
    async def show(chat_id: str) -> Response:
        chat = messenger.chat(_checked(chat_id))
        messenger.show(chat, seen=request.args.get("seen") == "yes")
        await chat.wait_changed(request.args.get("version", -1, type=int), WAIT_SECONDS)
        messenger.show(chat, seen=False)
        return _json({"version": chat.version, "bubbles": chat.bubbles})

    @app.post("/chats/<chat_id>/messages")
    async def say(chat_id: str) -> Response:
        said = await _read(ChatMessage)
        messenger.say(messenger.chat(_checked(chat_id)), said.name, said.text)
        return _json({})

    @app.post("/chats/<chat_id>/number")
    async def share(chat_id: str) -> Response:
        named = await _read(CustomerName)
        messenger.share_number(messenger.chat(_checked(chat_id)), named.name, GRACES_NUMBER)
        return _json({})

    @app.get("/chats/<chat_id>/team")
    async def look(chat_id: str) -> Response:
        return _json(await team.look(_checked(chat_id)))

    @app.post("/chats/<chat_id>/team/replies")
    async def reply(chat_id: str) -> Response:
        said = await _read(ChatMessage)
        if not await team.reply(_checked(chat_id), said.text):
            abort(404)
        return _json({})

    @app.errorhandler(ServiceError)
    async def unavailable(error: ServiceError) -> Response:
        return _json({"error": str(error)}, 502)

    @app.errorhandler(trio.WouldBlock)
    async def too_much(_error: trio.WouldBlock) -> Response:
        return _json({"error": "too much waits for the service"}, 503)

    app.register_blueprint(look_files())
    for name in names_in("demo/messenger/static"):
        path = "/" if name == "page.html" else f"/{name}"
        app.add_url_rule(path, name, StaticFile(f"demo/messenger/static/{name}", _HEADERS).answer)
    return app


def _checked(chat_id: str) -> str:
    if not 0 < len(chat_id) <= CHAT_ID_CHARS_MAX:
        abort(404)
    return chat_id


async def _read(shape: type[T]) -> T:
    """Decode the body. Pages of other sites cannot send JSON without a preflight request."""
    if request.mimetype != "application/json":
        abort(415)
    try:
        return msgspec.json.decode(await request.get_data(as_text=False), type=shape)
    except msgspec.DecodeError:
        abort(400)


def _json(content: Any, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(msgspec.json.encode(content), status, headers=headers, content_type="application/json")
