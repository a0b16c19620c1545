"""The doors of the fast path as routes of Quart: the same doors, by Quart's routing and its responses."""

from typing import Final, cast

from quart import Response
from werkzeug.routing import BaseConverter

from svc.http.asgi import Receive, Scope
from svc.http.fast_path import Door, Request, Routes, StreamAnswer, answer_at
from svc.http.problems.problems import as_response
from svc.http.quart_app import QuartApp, StreamResponse, current_request

_SEGMENT: Final = "door_segment"
_TREE: Final = "door_tree"
ENDPOINT: Final = "door "
"""The beginning of the endpoints' names."""


class _Segment(BaseConverter):
    regex = "[^/]*"


class _Tree(BaseConverter):
    regex = ".*"
    part_isolating = False


def add_doors(app: QuartApp, routes: Routes) -> None:
    """Let *app* answer at *routes*, whatever the method: the doors look at that themselves.

    The target `*` is no path, so the fast path alone answers to that.
    """
    app.url_map.converters |= {_SEGMENT: _Segment, _TREE: _Tree}
    for path, door in routes.doors.items():
        if path.startswith("/"):
            _add(app, f"{path}<{_SEGMENT}:rest>" if path.endswith("/") else path, door)
    for above, door in routes.trees.items():
        _add(app, f"{above}<{_TREE}:rest>", door)


def _add(app: QuartApp, rule: str, door: Door) -> None:
    async def view(**_: str) -> Response:
        asked = current_request()
        request = Request(cast("Scope", asked.scope), cast("Receive", asked.body.receive), asked.id)
        answer = await answer_at(door, request)
        if isinstance(answer, StreamAnswer):
            return StreamResponse(request, answer, door)
        return as_response(answer)

    endpoint = f"{ENDPOINT}{rule}"
    app.url_map.add(app.url_rule_class(rule, endpoint=endpoint, merge_slashes=False))
    app.view_functions[endpoint] = view
