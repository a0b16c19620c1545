"""The public application: every door that the outside may knock on."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final, cast

from quart import Response, request
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    RequestTimeout,
)

from svc.actors.house import House
from svc.domain.senders import Network
from svc.http import forms, problems, tracker
from svc.http.asgi import ASGIApp
from svc.http.demo import DemoShop, demo_doors
from svc.http.forms import FormDoor
from svc.http.hot import Hot
from svc.http.lean import LeanQuart, LeanRequest
from svc.http.people import people_doors
from svc.http.problems import Code, problem
from svc.http.tracker import TrackerDoor

_CODES: Final[dict[type[HTTPException], Code]] = {
    NotFound: "not_found",
    MethodNotAllowed: "method_not_allowed",
    RequestEntityTooLarge: "body_too_large",
    RequestTimeout: "too_slow",
}


def public_app(
    house: House, *, trusted_proxies: Sequence[Network] = (), demo: DemoShop | None = None
) -> ASGIApp:
    """The application on the public listener. *demo* adds a shop page under `/demo/`."""
    app = quart_app()
    app.register_blueprint(tracker.script)
    app.register_blueprint(people_doors(house, trusted_proxies))
    if demo is not None:
        app.register_blueprint(demo_doors(demo))
    return Hot(
        app,
        {
            forms.PATH: FormDoor(house, trusted_proxies),
            tracker.PATH: TrackerDoor(house, trusted_proxies),
        },
    )


def quart_app() -> LeanQuart:
    """An application whose refusals are problems."""
    app = LeanQuart("svc", static_folder=None)
    app.register_blueprint(problems.pages)

    @app.errorhandler(HTTPException)
    async def refuse(error: HTTPException) -> Response:
        ours = (error.code or 500) >= HTTPStatus.INTERNAL_SERVER_ERROR
        other: Code = "internal" if ours else "malformed_request"
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), other)
        answer = problem(code, cast("LeanRequest", request).id)
        if isinstance(error, MethodNotAllowed) and error.valid_methods:
            answer.headers["Allow"] = ", ".join(sorted(error.valid_methods))
        return answer

    return app
