"""The doors of files, with a key below `/api/v1/files`, signed in below `/app/api/files`.

`POST` takes a file as the raw body; `GET` of its id gives it back, with a right or by a signed address.
"""

from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

import structlog
from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import DomainError, Unauthenticated
from svc.domain.files.addresses import PATH as FILE_PATH
from svc.domain.files.files import StoredFile
from svc.domain.limits import FILE_BYTES_MAX
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.files.representation import Part, etag_of, headers_of, name_in, part_of
from svc.http.problems.call_problems import call_problem
from svc.http.request.body import ClientGone
from svc.http.response.answers import Fields, success
from svc.http.response.conditional import is_not_modified
from svc.http.tools.admission import answer_admitted, budget_headers, call_of
from svc.http.tools.door import Gate
from svc.services import files, tool_calls
from svc.tools.registry import Registry

log = structlog.get_logger("svc.http.files")

API_PATH: Final = FILE_PATH.removesuffix("/")
APP_PATH: Final = "/app/api/files"
_PIECE_BYTES: Final = 256 * 1024
"""What is read from the disk, and sent, at once."""


class OneFileOnly(DomainError):
    """Raised for a body of several parts: the file is the body itself."""

    code = "unsupported_media_type"


class UploadDoor:
    """Takes files."""

    def __init__(self, system: System, registry: Registry, gate: Gate) -> None:
        self._system = system
        self._registry = registry
        self._gate = gate

    async def __call__(self, request: Request) -> Answer:
        admission = await self._gate.admit(request)
        return await answer_admitted(request, admission, self._answer, self.problem_for)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error, self._gate.unauthorized)

    async def _answer(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, method, media type, name, length, right and room; then read."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        if (request.text("content-type") or "").lower().startswith("multipart/"):
            raise OneFileOnly("send the file itself as the body, and its name in Content-Disposition")
        name = name_in(request.text("content-disposition"))
        pieces = request.pieces(FILE_BYTES_MAX)
        call = call_of(self._system, self._registry, admission, self._gate.door, request)
        await files.check_upload(self._system, call, request.length)
        result = await files.upload(self._system, call, name, pieces, request.text("idempotency-key"))
        return success(result.body, replayed=result.replayed)


class DownloadDoor:
    """Serves files, by their ids. With *signed*, signed addresses open them without a credential, too."""

    def __init__(self, system: System, registry: Registry, gate: Gate, *, signed: bool = False) -> None:
        self._system = system
        self._registry = registry
        self._gate = gate
        self._signed = signed

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        asked = parse_qs(request.query.decode("latin-1"))
        if self._signed and "sig" in asked:
            await _check_method(request)
            ends = asked.get("exp", [""])[0]
            file = await files.find_signed(self._system, _id_in(request), ends, asked["sig"][0])
            return self._serve(request, file, ())
        admission = await self._gate.admit(request)
        budget = budget_headers(admission.allowance)
        try:
            await _check_method(request)
            call = call_of(self._system, self._registry, admission, self._gate.door, request)
            file = await files.find(self._system, admission, call, _id_in(request))
        except (ClientGone, Unauthenticated):
            raise
        except Exception as error:  # noqa: BLE001  # the caller is admitted, so problems show the budget too
            answer = self.problem_for(request, error)
            return Answer(answer.status, [*answer.headers, *budget], answer.body)
        return self._serve(request, file, budget)

    def problem_for(self, request: Request, error: Exception) -> Answer:
        """Answer *error* with its problem; faults of this service are logged."""
        return call_problem(log, request, error, self._gate.unauthorized)

    def _serve(self, request: Request, file: StoredFile, more: Fields) -> Answer | StreamAnswer:
        headers = [*headers_of(file), *more]
        etag = etag_of(file)
        if is_not_modified(request.header(b"if-none-match"), etag):
            return Answer(HTTPStatus.NOT_MODIFIED, headers)
        try:
            part = part_of(file.size, request.text("range"), request.text("if-range"), etag)
        except ValueError:
            unsatisfied = (b"content-range", b"bytes */%d" % file.size)
            return Answer(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, [*headers, unsatisfied])
        status = HTTPStatus.OK
        if part is None:
            part = Part(0, file.size)
        else:
            status = HTTPStatus.PARTIAL_CONTENT
            headers.append((b"content-range", b"bytes %d-%d/%d" % (part.start, part.end - 1, file.size)))
        headers.append((b"content-length", b"%d" % (part.end - part.start)))

        async def write(parts: PartSender) -> None:
            async with files.opened(self._system, file) as content:
                at = part.start
                while at < part.end:
                    piece = await content.read(at, min(_PIECE_BYTES, part.end - at))
                    if not piece:
                        raise EOFError(f"the content of {file.id} is shorter than its row says")
                    await parts.send(piece)
                    at += len(piece)

        return StreamAnswer(status, headers, write)


async def _check_method(request: Request) -> None:
    if request.method not in {"GET", "HEAD"}:
        raise MethodNotAllowed(["GET", "HEAD"])
    await request.read(0)


def _id_in(request: Request) -> str:
    return request.path.rpartition("/")[2]
