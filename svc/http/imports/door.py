"""The door of imports: `POST …/imports/<id>/parts/<n>`, and `GET …/imports/<id>/refused` and `…/report`."""

import base64
import re
from contextlib import aclosing
from typing import Final, Literal, NamedTuple

import msgspec
from werkzeug.exceptions import MethodNotAllowed, NotFound

from svc.actors.identity.organization import Admission
from svc.domain.errors import Fault, InvalidInput
from svc.domain.imports.limits import IMPORT_PART_BYTES
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.response.answers import NO_STORE, NOSNIFF, json_answer
from svc.http.tools.gated_door import GatedDoor
from svc.services import imports
from svc.services.tools import calls as tool_calls

Output = Literal["refused", "report"]

_PATH: Final = re.compile(
    r".*/imports/(?P<id>[^/]+)/(?:parts/(?P<part>[0-9]{1,6})|(?P<output>refused|report))"
)
_SHA_256: Final = re.compile(r"sha-256=:([A-Za-z0-9+/]{43}=):")
_TYPES: Final = {"csv": b"text/csv; charset=utf-8", "ndjson": b"application/x-ndjson"}


class UploadPath(NamedTuple):
    """What the path of a request names."""

    import_id: str
    part: int | None
    output: Output | None


class ImportsDoor(GatedDoor):
    """Answers below one path, to those that its gate admits."""

    logged_as = imports.TOOL

    async def answer_call(self, request: Request, admission: Admission) -> Answer | StreamAnswer:
        """Check, in this order: budget, path, method, right; then the body."""
        tool_calls.check_budget(admission)
        asked = _asked(request)
        if asked is None:
            raise NotFound
        if asked.output is not None and request.method == "GET":
            return await self._stream(request, admission, asked.import_id, asked.output)
        if asked.part is None or request.method != "POST":
            raise MethodNotAllowed(["POST"] if asked.part is not None else ["GET"])
        call = self.call_of(request, admission)
        digest = _digest(request.text("content-digest"))
        data = await request.read(IMPORT_PART_BYTES)
        taken = await imports.put_part(
            self._system, call, asked.import_id, asked.part, data=data, digest=digest
        )
        return json_answer(200, msgspec.json.encode(taken))

    async def _stream(
        self, request: Request, admission: Admission, import_id: str, output: Output
    ) -> StreamAnswer:
        await request.read(0)
        found = await imports.output(self._system, self.call_of(request, admission), import_id, output)

        async def write(parts: PartSender) -> Answer | None:
            async with aclosing(found.pieces) as pieces:
                async for piece in pieces:
                    await parts.send(piece.encode())
            return None

        name = f"{import_id}-{output}.{found.format}"
        fields = [
            (b"content-type", _TYPES[found.format]),
            (b"content-disposition", f'attachment; filename="{name}"'.encode()),
            NO_STORE,
            NOSNIFF,
        ]
        return StreamAnswer(200, fields, write)


def _asked(request: Request) -> UploadPath | None:
    match = _PATH.fullmatch(request.path)
    if match is None:
        return None
    part, output = match["part"], match["output"]
    kind: Output | None = "refused" if output == "refused" else "report" if output else None
    return UploadPath(match["id"], None if part is None else int(part), kind)


def _digest(header: str | None) -> bytes | None:
    """The SHA-256 in `Content-Digest` (RFC 9530); other algorithms are not looked at."""
    if header is None:
        return None
    match = _SHA_256.search(header)
    if match is None:
        if "sha-256" in header:
            raise InvalidInput([Fault("", "invalid_value", "`Content-Digest` is no SHA-256 in base64")])
        return None
    return base64.b64decode(match[1])
