"""The door of exports: `GET …/exports/<id>/file`."""

import re
from http import HTTPStatus
from typing import Final

from werkzeug.exceptions import MethodNotAllowed, NotFound

from svc.actors.identity.organization import Admission
from svc.http.fast_path import PartSender, Request, StreamAnswer
from svc.http.response.answers import NO_STORE, NOSNIFF
from svc.http.response.contents import send_content
from svc.http.tools.gated_door import GatedDoor
from svc.services import exports
from svc.services.exports import ExportedFile
from svc.services.tools import calls as tool_calls

_PATH: Final = re.compile(r".*/exports/(?P<id>[^/]+)/file")
_TYPES: Final = {"csv": b"text/csv; charset=utf-8", "ndjson": b"application/x-ndjson"}


class ExportsDoor(GatedDoor):
    """Answers below one path, to those that its gate admits."""

    logged_as = exports.TOOL

    async def answer_call(self, request: Request, admission: Admission) -> StreamAnswer:
        """Check, in this order: budget, path, method, right."""
        tool_calls.check_budget(admission)
        match = _PATH.fullmatch(request.path)
        if match is None:
            raise NotFound
        if request.method not in {"GET", "HEAD"}:
            raise MethodNotAllowed(["GET", "HEAD"])
        await request.read(0)
        call = self.call_of(request, admission)
        return self._serve(await exports.find(self._system, call, match["id"]))

    def _serve(self, file: ExportedFile) -> StreamAnswer:
        fields = [
            (b"content-type", _TYPES[file.format]),
            (b"content-disposition", f'attachment; filename="{file.name}"'.encode()),
            (b"content-length", b"%d" % file.size),
            NO_STORE,
            NOSNIFF,
        ]

        async def write(parts: PartSender) -> None:
            async with exports.opened(self._system, file) as content:
                await send_content(parts, content, 0, file.size, file.name)

        return StreamAnswer(HTTPStatus.OK, fields, write)
