"""The operator's application: health checks, a view into the actors and the store, and commands.

It has a listener of its own. The two health checks need no token, because probes cannot hold a secret.
Every other path answers 401 without it, or the cookie that a browser gets for it, whether it exists or not.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
import trio
from quart import Response, redirect, request, websocket
from quart.typing import ResponseReturnValue

from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.domain.errors import Unavailable
from svc.http.app import described_app
from svc.http.asgi import ASGIApp
from svc.http.docs.front import OperatorFront, wants_html
from svc.http.docs.problem_pages import page_or_problem
from svc.http.fast_path import Routes
from svc.http.look import doors as look
from svc.http.operator import metrics
from svc.http.operator.access import DEBUG_PATH, SIGN_IN_PATH, Access, Session, is_own_origin
from svc.http.operator.actors import ActorViews
from svc.http.operator.answers import AnyText, json_answer, to_json
from svc.http.operator.calls import OperatorCalls
from svc.http.operator.event_loop import EventLoopWatch
from svc.http.operator.live import LiveView
from svc.http.operator.page import DebugPage
from svc.http.problems.problems import Code, as_response, problem
from svc.http.quart_app import current_request
from svc.http.quart_doors import add_doors
from svc.http.request.request_id import request_id_of
from svc.http.screens import assets as screens
from svc.http.screens.static_door import StaticDoor
from svc.http.traffic import Traffic
from svc.services.operator import mail_state
from svc.services.operator.backlog import Waiting

CHECK_SECONDS: Final = 2.0
"""How long a probe may take before its check fails."""

RETRY_SECONDS: Final = 1
"""`Retry-After` of a failed readiness check."""

_OPEN: Final = frozenset(
    {
        "/",
        "/healthz",
        "/readyz",
        "/favicon.ico",
        "/robots.txt",
        "/docs/icon.svg",
        "/docs/page.css",
        SIGN_IN_PATH,
    }
    | look.PATHS
)
"""Paths without the token: the health checks, and what the page needs that asks for the token.

Those of the built files, which are public at the other listener, are open as well.
"""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of one probe; `why` is the reason of a failure."""

    ok: bool
    why: str | None = None


def operator_app(
    system: System, token: str, traffic: Traffic | None = None, event_loop: EventLoopWatch | None = None
) -> ASGIApp:
    """Build the application of the operator's listener, which requires *token* as a bearer token.

    Its metrics have the *traffic* of the public one, and what *event_loop* has seen.
    """
    app, pages = described_app(random=system.random)
    app.url_map.converters["any_text"] = AnyText
    waiting = Waiting(system)
    door = _OperatorDoor(system, traffic or Traffic(), event_loop or EventLoopWatch(), waiting)
    app.add_url_rule("/", "front", OperatorFront(pages).show)
    app.add_url_rule("/healthz", "healthz", door.show_health)
    app.add_url_rule("/readyz", "readyz", door.show_readiness)
    actors = ActorViews(system)
    app.add_url_rule("/debug/actors", "actors", actors.list)
    app.add_url_rule("/debug/actors/<kind>/<any_text:key>", "actor", actors.show, merge_slashes=False)
    for act in (actors.passivate, actors.restart, actors.release):
        rule = f"/debug/actors/<kind>/<any_text:key>/{act.__name__}"
        app.add_url_rule(rule, act.__name__, act, methods=["POST"], merge_slashes=False)
    app.add_url_rule("/debug/trace/<kind>/<any_text:key>", "trace", actors.trace, merge_slashes=False)
    app.add_url_rule("/debug/store", "store", door.show_store)
    app.add_url_rule("/debug/mail", "mail", door.show_mail)
    app.add_url_rule("/debug/waiting", "waiting", door.show_waiting)
    app.add_url_rule("/metrics", "metrics", door.show_metrics)
    access = Access(system, token, pages)
    app.add_url_rule(SIGN_IN_PATH, "sign_in_form", access.show_form)
    app.add_url_rule(SIGN_IN_PATH, "sign_in", access.sign_in, methods=["POST"])
    app.add_url_rule("/debug/sign-out", "sign_out", access.sign_out, methods=["POST"])
    assets = screens.built()
    page = DebugPage(assets)
    # Like those of the screens, they are no secrets.
    add_doors(app, Routes({screens.STATIC_PATH: StaticDoor(assets)}))
    live = LiveView(system, waiting)

    @app.route(DEBUG_PATH)
    async def debug() -> Response:
        return await page.show(access.session(current_request()) or Session())

    @app.websocket("/debug/live")
    async def show_live() -> Response | None:
        session = access.session(websocket)
        if session is None or not is_own_origin(websocket.headers):
            code: Code = "unauthorized" if session is None else "forbidden"
            return as_response(problem(code, request_id_of(list(websocket.scope["headers"]), app.random)))
        await live.show(session.ends_at)
        return None

    calls = OperatorCalls(system)
    app.add_url_rule("/tools/<name>", "tool", calls.call_tool, methods=["POST"])
    app.add_url_rule("/credits", "credits", calls.grant_credits, methods=["POST"])
    app.add_url_rule("/commands/<name>", "command", calls.run_command, methods=["POST"])

    @app.before_request
    async def require_token() -> ResponseReturnValue | None:
        if request.path in _OPEN or request.path.startswith(screens.STATIC_PATH):
            return None
        session = access.session(current_request())
        if session is not None:
            access.check_csrf(session)
            return None
        if request.path == DEBUG_PATH and wants_html():
            return redirect(SIGN_IN_PATH, 303)
        answer = problem("unauthorized", current_request().id, headers=[(b"www-authenticate", b"Bearer")])
        return await page_or_problem(answer, pages)

    return app


class _OperatorDoor:
    """The views of the operator's listener."""

    def __init__(
        self, system: System, traffic: Traffic, event_loop: EventLoopWatch, waiting: Waiting
    ) -> None:
        self._system = system
        self._traffic = traffic
        self._event_loop = event_loop
        self._waiting = waiting

    async def show_health(self) -> Response:
        """Liveness: answering at all shows that the process runs and its event loop turns."""
        return json_answer({"ok": True})

    async def show_readiness(self) -> Response:
        """Readiness: 200, or 503 while a check fails."""
        system = self._system
        reconciler = Check(ok=False, why="not started")
        if system.is_active(Reconciler, "main"):
            reconciler = await _check(Reconciler(system, "main").start)
        checks = {
            "open": Check(ok=False, why="shutting down") if system.draining else Check(ok=True),
            "store": await _check(system.check_store),
            "reconciler": reconciler,
        }
        ready = all(check.ok for check in checks.values())
        answer = json_answer({"ready": ready, "checks": checks}, status=200 if ready else 503)
        if not ready:
            answer.headers["Retry-After"] = str(RETRY_SECONDS)
        return answer

    async def show_store(self) -> Response:
        """The store's statistics and queue."""
        return json_answer(to_json(self._system.store.statistics()))

    async def show_mail(self) -> Response:
        """How the outbox of mail stands, and the mail server."""
        return json_answer(await mail_state.read(self._system))

    async def show_waiting(self) -> Response:
        """What waits in the database, by noun and organization."""
        return json_answer({"at": self._system.clock.now(), "waiting": to_json(await self._waiting.read())})

    async def show_metrics(self) -> Response:
        """Figures for Prometheus."""
        return Response(
            await metrics.text(self._system, self._traffic, self._event_loop, self._waiting),
            content_type=metrics.CONTENT_TYPE,
            headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        )


async def _check(probe: Callable[[], Awaitable[object]]) -> Check:
    with trio.move_on_after(CHECK_SECONDS):
        try:
            await probe()
        except Exception as error:  # noqa: BLE001  # any error fails the check
            # This is answered without a token, so an error that may hold internals shows its type alone.
            why = error.detail if isinstance(error, Unavailable) else type(error).__name__
            return Check(ok=False, why=why)
        return Check(ok=True)
    return Check(ok=False, why=f"no answer within {CHECK_SECONDS:g} s")
