"""The doors of files, with a key below `/api/v1/files`, signed in below `/app/api/files`.

`POST` takes a file as the raw body; `GET` of its id gives it back, with a right or by a signed address.
"""

from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs

from werkzeug.exceptions import MethodNotAllowed

from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.errors import DomainError
from svc.domain.files.addresses import PATH as FILE_PATH
from svc.domain.files.files import READ, UPLOAD, StoredFile
from svc.domain.files.limits import FILE_BYTES_MAX
from svc.http.fast_path import Answer, PartSender, Request, StreamAnswer
from svc.http.files.representation import Part, etag_of, headers_of, name_in, part_of
from svc.http.response.conditional import is_not_modified
from svc.http.response.contents import send_content
from svc.http.tools.admission import call_success
from svc.http.tools.door import Gate
from svc.http.tools.gated_door import GatedDoor
from svc.services import files
from svc.services.tools import calls as tool_calls
from svc.tools.registry import Registry

API_PATH: Final = FILE_PATH.removesuffix("/")
APP_PATH: Final = "/app/api/files"


class OneFileOnly(DomainError):
    """Raised for a body of several parts: the file is the body itself."""

    code = "unsupported_media_type"


class UploadDoor(GatedDoor):
    """Takes files."""

    logged_as = UPLOAD

    async def answer_call(self, request: Request, admission: Admission) -> Answer:
        """Check, in this order: budget, method, media type, name, length, right and room; then read."""
        tool_calls.check_budget(admission)
        if request.method != "POST":
            raise MethodNotAllowed(["POST"])
        if (request.text("content-type") or "").lower().startswith("multipart/"):
            raise OneFileOnly("send the file itself as the body, and its name in Content-Disposition")
        name = name_in(request.text("content-disposition"))
        pieces = request.pieces(FILE_BYTES_MAX)
        call = self.call_of(request, admission)
        await files.check_upload(self._system, call, request.length)
        result = await files.upload(self._system, call, name, pieces, request.text("idempotency-key"))
        return call_success(request, result)


class DownloadDoor(GatedDoor):
    """Serves files, by their ids. With *signed*, signed addresses open them without a credential, too."""

    logged_as = READ

    def __init__(self, system: System, registry: Registry, gate: Gate, *, signed: bool = False) -> None:
        super().__init__(system, registry, gate)
        self._signed = signed

    async def __call__(self, request: Request) -> Answer | StreamAnswer:
        asked = parse_qs(request.query.decode("latin-1"))
        if self._signed and "sig" in asked:
            await _check_method(request)
            ends = asked.get("exp", [""])[0]
            file = await files.find_signed(self._system, _id_in(request), ends, asked["sig"][0])
            return self._serve(request, file)
        return await super().__call__(request)

    async def answer_call(self, request: Request, admission: Admission) -> Answer | StreamAnswer:
        """Check, in this order: method, right."""
        await _check_method(request)
        call = self.call_of(request, admission)
        return self._serve(request, await files.find(self._system, admission, call, _id_in(request)))

    def _serve(self, request: Request, file: StoredFile) -> Answer | StreamAnswer:
        headers = [*headers_of(file)]
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
                await send_content(parts, content, part.start, part.end, file.id)

        return StreamAnswer(status, headers, write)


async def _check_method(request: Request) -> None:
    if request.method not in {"GET", "HEAD"}:
        raise MethodNotAllowed(["GET", "HEAD"])
    await request.read(0)


def _id_in(request: Request) -> str:
    # PostgreSQL takes no NUL, not even to look for it: the other text is no file's either.
    return request.path.rpartition("/")[2].replace("\0", " ")
