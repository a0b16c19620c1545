"""Calls of tools and commands as the operator, as which the audit trail records them.

A call that writes opens the data directory itself. If a service has it open, the call goes through the
service's operator listener, so that its actors are notified. A call that only reads needs no service.
"""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import msgspec
import trio
from sqlalchemy import Connection

from svc.cli import offline
from svc.cli.data_directory import DataDirectory, ServiceAddresses, read_private
from svc.cli.failures import Failure, faults_in_a_line
from svc.cli.offline import DataInUse
from svc.cli.serving.endpoints import public_urls
from svc.clock import WallClock
from svc.config.models import model_catalogue
from svc.config.settings import Secret, Settings
from svc.domain.errors import Fault
from svc.domain.identity.callers import Call, Installation, operator_call
from svc.domain.identity.organizations import Organization
from svc.domain.net.client_addresses import parse_networks
from svc.domain.tool_results import ToolResult
from svc.runs.runner import RUNNER
from svc.storage.identity import organizations
from svc.storage.store import Tx
from svc.tools import execution
from svc.tools.catalogue import REGISTRY
from svc.tools.command import Command
from svc.tools.tool import Tool, ToolInput

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A", bound=ToolInput)
R = TypeVar("R", bound=msgspec.Struct)

ANSWER_SECONDS: Final = 60.0
"""Timeout of a request to the service; longer than a write may wait in its queue."""


class Problem(msgspec.Struct, frozen=True):
    """The body of an error response (RFC 9457)."""

    title: str
    detail: str | None = None
    errors: tuple[Fault, ...] = ()


class Operator:
    """The operator of an installation."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.directory = DataDirectory.of(settings.data)
        self.service: ServiceAddresses | None = None
        """The service that did the last write; None if this process did it."""

    @property
    def base_url(self) -> str:
        """The public address of the service that did the last write, or that the settings will give it."""
        if self.service is not None:
            return self.service.public_url
        server = self.settings.server
        return server.base_url(public_urls(self.settings, server.bind)[0])

    def read(self, fn: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `fn(connection, *args)`. Raises `Failure` if there is no data."""
        return offline.read(self.directory, fn, *args, **kwargs)

    def organization(self, organization_id: str | None) -> Organization:
        """The organization with that id, or the only open one. Raises `NotFound` and `Failure`."""
        return self.read(_chosen, organization_id)

    def look(self, tool: Tool[A, R], organization_id: str, arguments: A) -> R:
        """The answer of a tool that reads. Raises the tool's `DomainError`."""
        return msgspec.json.decode(self.look_json(tool, organization_id, arguments), type=tool.answer_type)

    def look_json(
        self, tool: Tool[Any, Any], organization_id: str, arguments: ToolInput, *, now: int | None = None
    ) -> bytes:
        """As `look`, with the answer as JSON. *now* is needed where Trio runs already."""
        now = trio.run(_now) if now is None else now
        return self.read(_read, now, tool, self._call(organization_id), arguments)

    def look_pages(self, tool: Tool[A, R], organization_id: str, arguments: A) -> Iterator[R]:
        """The pages of a tool that lists, from the one that *arguments* ask for to the last."""
        while True:
            page: Any = self.look(tool, organization_id, arguments)
            yield page
            if page.next_cursor is None:
                return
            arguments = msgspec.structs.replace(arguments, cursor=page.next_cursor)

    def call(self, tool: Tool[A, R], organization_id: str, arguments: A) -> R:
        """The answer of a tool that writes, once it is on disk. Raises its `DomainError`, or `Failure`."""
        return msgspec.json.decode(self.call_json(tool, organization_id, arguments), type=tool.answer_type)

    def call_json(self, tool: Tool[Any, Any], organization_id: str, arguments: ToolInput) -> bytes:
        """As `call`, with the answer as JSON."""
        body = msgspec.json.encode(arguments)
        checked = tool.read(body)

        results: list[ToolResult] = []

        def unit(tx: Tx) -> bytes:
            results.append(execution.write(tx, tool, self._call(organization_id), checked))
            return results[-1].body

        answer = self._write(unit, f"/tools/{tool.name}", {"organization": organization_id}, body)
        return results[-1].answered().body if results else answer

    def run(self, command: Command[A, R], arguments: A) -> R:
        """The answer of *command*, once its work is on disk. Raises its `DomainError`, or `Failure`."""
        body = msgspec.json.encode(arguments)
        checked = command.read(body)

        def unit(tx: Tx) -> bytes:
            return msgspec.json.encode(command(tx, checked))

        answer = self._write(unit, f"/commands/{command.name}", {}, body)
        return msgspec.json.decode(answer, type=command.answer_type)

    def _call(self, organization_id: str) -> Call:
        installation = Installation(
            registry=REGISTRY,
            runner=RUNNER,
            models=model_catalogue(self.settings.ai),
            allowed_networks=parse_networks(self.settings.outgoing.allowed_networks),
        )
        return operator_call(organization_id, installation=installation, base_url=self.base_url)

    def _write(self, unit: Callable[[Tx], bytes], path: str, query: dict[str, str], body: bytes) -> bytes:
        try:
            return offline.write(self.directory, unit, mails=self.settings.mail.server is not None)
        except DataInUse as error:
            service = self.directory.service_addresses()
            if service is None or service.pid != error.holder:
                raise  # the data is open in another command, or in a service that does not listen yet
            answer = self._ask_service(service.operator_url, path, query, body)
            if answer is None:
                raise
            self.service = service
            return answer

    def _ask_service(self, url: str, path: str, query: dict[str, str], body: bytes) -> bytes | None:
        """What the service at *url* answers; None if nothing listens there. Raises `Failure`."""
        import httpx  # noqa: PLC0415  # every command imports this module, and a service needs no client

        try:
            answer = httpx.post(
                url + path,
                params=query,
                content=body,
                headers={
                    "Authorization": f"Bearer {self._token()}",
                    "Content-Type": "application/json",
                },
                timeout=ANSWER_SECONDS,
                trust_env=False,
            )
        except httpx.ConnectError:
            return None
        except httpx.HTTPError as error:
            raise Failure(
                f"the service at {url} has not answered ({type(error).__name__}): it may have been done"
            ) from error
        _refuse(url, answer.status_code, answer.content)
        return answer.content

    def lines(self, path: str, query: dict[str, Any]) -> Iterator[bytes]:
        """The lines that the running service answers at *path*, as they come. Raises `Failure`."""
        import httpx  # noqa: PLC0415  # as above

        none = self._no_service()
        url, token = self.listener()
        headers = {"Authorization": f"Bearer {token}"}
        try:
            with httpx.stream(
                "GET", url + path, params=query, headers=headers, timeout=ANSWER_SECONDS, trust_env=False
            ) as answer:
                if answer.is_error:
                    _refuse(url, answer.status_code, answer.read())
                for line in answer.iter_lines():
                    yield line.encode()
        except httpx.ConnectError:
            raise none from None
        except httpx.HTTPError as error:
            raise Failure(f"the service at {url} does not answer ({type(error).__name__})") from error

    def listener(self, url: str | None = None) -> tuple[str, Secret]:
        """The operator's listener of the running service, or the one at *url*, and its token.

        Raises `Failure` where there is none, or no token is to be found.
        """
        if url is None:
            service = self.directory.service_addresses()
            if service is None:
                raise self._no_service()
            url = service.operator_url
        elif not url.startswith(("http://", "https://")):
            raise Failure(f"{url!r} is no address such as http://127.0.0.1:8001")
        try:
            return url, self._token()
        except OSError:
            raise Failure("no operator token is to be found: set SVC_OPERATOR__TOKEN to it") from None

    def _no_service(self) -> Failure:
        return Failure(f"no service runs with the data in {self.settings.data.directory}")

    def _token(self) -> Secret:
        own = self.settings.operator.token
        return own or Secret(read_private(self.directory.operator_token).decode().strip())


def _refuse(url: str, status: int, body: bytes) -> None:
    """Raises `Failure` where the service at *url* has answered with an error."""
    if status == HTTPStatus.UNAUTHORIZED:
        raise Failure(f"the service at {url} has another operator token: set SVC_OPERATOR__TOKEN to it")
    if status >= HTTPStatus.BAD_REQUEST:
        raise Failure(_problem_in_a_line(status, body))


def _chosen(conn: Connection, organization_id: str | None) -> Organization:
    if organization_id is not None:
        return organizations.get(conn, organization_id)
    open_ones = [
        organization for organization in organizations.list_all(conn) if organization.closed_at is None
    ]
    if not open_ones:
        raise Failure("there is no organization yet: `svc setup` makes one")
    if len(open_ones) > 1:
        raise Failure("there are several organizations: choose one of `svc org list` with --organization")
    return open_ones[0]


def _read(conn: Connection, now: int, tool: Tool[Any, Any], call: Call, arguments: ToolInput) -> bytes:
    return execution.read(conn, now, tool, call, arguments, patient=True).body


async def _now() -> int:
    return WallClock().now()


def _problem_in_a_line(status: int, content: bytes) -> str:
    try:
        problem = msgspec.json.decode(content, type=Problem)
    except msgspec.MsgspecError:
        return f"the service answered {status}"
    return faults_in_a_line(problem.errors) or problem.detail or problem.title
