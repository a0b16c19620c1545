"""The operator's application: health checks, a view into the actors and the store, and commands.

It has a listener of its own. The two health checks need no token, because probes cannot hold a secret.
Every other path answers 401 without it, whether it exists or not.
"""

import hmac
from collections.abc import Awaitable, Callable
from functools import cache
from heapq import nlargest
from typing import Annotated, Any, Final, Literal

import msgspec
import trio
from quart import Response, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import BaseConverter

from svc.actors._core import ActorError, ActorStatistics
from svc.actors._core.statistics import Phase
from svc.actors.reconciler import Reconciler
from svc.actors.system import System
from svc.domain.errors import DomainError, InvalidValue, Unavailable
from svc.domain.near_names import hint, shown
from svc.http.app import described_app
from svc.http.asgi import ASGIApp
from svc.http.docs.front import OperatorFront
from svc.http.docs.problem_pages import page_or_problem
from svc.http.operator import metrics
from svc.http.operator.calls import OperatorCalls
from svc.http.problems.problems import problem, problem_response
from svc.http.quart_app import current_request
from svc.http.request.bearer import token_of
from svc.services import mail_state

CHECK_SECONDS: Final = 2.0
"""How long a probe may take before its check fails."""

SNAPSHOT_SECONDS: Final = 1.0
"""How long an actor may take to show its state; after that it is listed without."""

RETRY_SECONDS: Final = 1
"""`Retry-After` of a failed readiness check."""

_OPEN: Final = frozenset(
    {"/", "/healthz", "/readyz", "/favicon.ico", "/robots.txt", "/docs/icon.svg", "/docs/page.css"}
)
"""Paths without the token: the health checks, and what the page needs that asks for the token."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of one probe; `why` is the reason of a failure."""

    ok: bool
    why: str | None = None


class ActorFilter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The query of `/debug/actors`: which actors, in which order."""

    kind: str | None = None
    phase: Phase | None = None
    sort: Literal["mailbox", "age", "turns", "crashes"] = "mailbox"
    limit: Annotated[int, msgspec.Meta(ge=1, le=200)] = 50


_SORTS: Final[dict[str, Callable[[ActorStatistics], float]]] = {
    "mailbox": lambda actor: actor.mailbox_depth,
    "age": lambda actor: max(actor.turn_age_seconds or 0, actor.mailbox_oldest_seconds or 0),
    "turns": lambda actor: actor.turns,
    "crashes": lambda actor: actor.crashes,
}


def operator_app(system: System, token: str) -> ASGIApp:
    """Build the application of the operator's listener, which requires *token* as a bearer token."""
    app, pages = described_app(random=system.random)
    app.url_map.converters["any_text"] = _AnyText
    door = _OperatorDoor(system)
    app.add_url_rule("/", "front", OperatorFront(pages).show)
    app.add_url_rule("/healthz", "healthz", door.show_health)
    app.add_url_rule("/readyz", "readyz", door.show_readiness)
    app.add_url_rule("/debug/actors", "actors", door.list_actors)
    app.add_url_rule("/debug/actors/<kind>/<any_text:key>", "actor", door.show_actor, merge_slashes=False)
    app.add_url_rule("/debug/store", "store", door.show_store)
    app.add_url_rule("/debug/mail", "mail", door.show_mail)
    app.add_url_rule("/metrics", "metrics", door.show_metrics)
    calls = OperatorCalls(system)
    app.add_url_rule("/tools/<name>", "tool", calls.call_tool, methods=["POST"])
    app.add_url_rule("/credits", "credits", calls.grant_credits, methods=["POST"])
    app.add_url_rule("/commands/<name>", "command", calls.run_command, methods=["POST"])

    @app.before_request
    async def require_token() -> Response | None:
        if request.path in _OPEN or _has_token(request.headers.get("Authorization", ""), token):
            return None
        answer = problem("unauthorized", current_request().id, headers=[(b"www-authenticate", b"Bearer")])
        return await page_or_problem(answer, pages)

    return app


class _AnyText(BaseConverter):
    """The rest of a path, as it is: slashes, line breaks and all."""

    regex = r"(?s:.+)"
    part_isolating = False


class _OperatorDoor:
    """The views of the operator's listener."""

    def __init__(self, system: System) -> None:
        self._system = system

    def _check_kind(self, kind: str | None) -> None:
        """Raises `InvalidValue`, which names the nearest, if *kind* does not exist."""
        kinds = [statistics.kind for statistics in self._system.statistics().kinds]
        if kind is not None and kind not in kinds:
            raise InvalidValue(f"there is no kind {shown(kind)}{hint(kind, kinds)}")

    async def show_health(self) -> Response:
        """Liveness: answering at all shows that the process runs and its event loop turns."""
        return _json({"ok": True})

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
        answer = _json({"ready": ready, "checks": checks}, status=200 if ready else 503)
        if not ready:
            answer.headers["Retry-After"] = str(RETRY_SECONDS)
        return answer

    async def list_actors(self) -> Response:
        """All kinds, and the first of the matching actors in the order of the query."""
        try:
            actor_filter = msgspec.convert(request.args.to_dict(), ActorFilter, strict=False)
            self._check_kind(actor_filter.kind)
        except (msgspec.ValidationError, InvalidValue) as error:
            return problem_response("validation_failed", current_request().id, str(error))
        matching = [
            actor
            for actor in self._system.actors(actor_filter.kind)
            if actor_filter.phase in {None, actor.phase}
        ]
        listed = [
            _to_json(actor) for actor in nlargest(actor_filter.limit, matching, key=_SORTS[actor_filter.sort])
        ]
        for actor in listed:
            del actor["latency"]  # longer than the rest of the row
        system = self._system.statistics()
        return _json(
            {
                "draining": system.draining,
                "kinds": _to_json(system.kinds),
                "total": len(matching),
                "actors": listed,
            }
        )

    async def show_actor(self, kind: str, key: str) -> Response:
        """One live or quarantined actor, with its state if it answers in time."""
        seen = self._system.seen(kind, key)
        if seen is None:
            raise NotFound
        state, why = await self._state(seen)
        return _json({"statistics": _to_json(seen), "state": state, "stateMissing": why})

    async def show_store(self) -> Response:
        """The store's statistics and queue."""
        return _json(_to_json(self._system.store.statistics()))

    async def show_mail(self) -> Response:
        """How the outbox of mail stands, and the mail server."""
        return _json(await mail_state.read(self._system))

    async def show_metrics(self) -> Response:
        """Figures for Prometheus."""
        return Response(
            await metrics.text(self._system),
            content_type=metrics.CONTENT_TYPE,
            headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
        )

    async def _state(self, seen: ActorStatistics) -> tuple[Any, str | None]:
        """The state of the actor that was *seen*, or the reason why there is none.

        An actor that is stuck gets no message, since each would stay in its mailbox.
        """
        live = self._system.actor(seen.kind, seen.key)
        if live is None or seen.phase not in {"waiting", "running"}:
            return None, f"it is {seen.phase}"
        if (seen.turn_age_seconds or 0) < SNAPSHOT_SECONDS:
            with trio.move_on_after(SNAPSHOT_SECONDS):
                try:
                    return await live.snapshot(), None
                except (ActorError, DomainError) as error:
                    return None, type(error).__name__
        return None, f"no answer within {SNAPSHOT_SECONDS:g} s"


def _has_token(authorization: str, token: str) -> bool:
    """Whether *authorization* is the bearer *token*, compared in constant time."""
    sent = token_of(authorization)
    return sent is not None and hmac.compare_digest(sent.encode(), token.encode())


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


def _json(value: Any, status: int = 200) -> Response:
    return Response(
        msgspec.json.encode(value),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
    )


def _to_json(value: Any) -> Any:
    """Structs as JSON objects with camelCase names; the keys of a mapping stay as they are."""
    match value:
        case msgspec.Struct():
            return {_camel(name): _to_json(getattr(value, name)) for name in value.__struct_fields__}
        case list():
            return [_to_json(item) for item in value]
        case _:
            return value


@cache
def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))
