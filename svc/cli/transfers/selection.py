"""Which installation a command is for: options, and the choice by them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec

import click
import msgspec

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.transfers.installation import Caller, Installation
from svc.cli.transfers.local import LocalReader, local
from svc.cli.transfers.remote import RemoteInstallation, remote
from svc.domain.identity import callers
from svc.domain.identity.callers import operator_call
from svc.tools.catalogue import REGISTRY

P = ParamSpec("P")

_SERVER: Final = click.option(
    "--server", envvar="SVC_URL", metavar="URL", show_envvar=True, help="The service, if it is not the data."
)
_KEY: Final = click.option(
    "--key", envvar="SVC_KEY", metavar="KEY", show_envvar=True, help="An API key of the service."
)


class Selection(msgspec.Struct, frozen=True):
    """The installation that a command was given."""

    operator: Operator
    organization: str | None
    server: str | None
    key: str | None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Installation]:
        """The installation, as long as the block runs; no other process writes then. Raises `Failure`."""
        if self.server is not None:
            async with self._service(self.server) as service:
                yield service
        else:
            organization_id = self.operator.organization(self.organization).id
            call = operator_call(organization_id, installation=callers.Installation(registry=REGISTRY))
            async with local(self.operator.directory, call) as data:
                yield data

    @asynccontextmanager
    async def opened_to_read(self) -> AsyncIterator[Caller]:
        """The installation, to read alone: a service may have the data open. Raises `Failure`."""
        if self.server is not None:
            async with self._service(self.server) as service:
                yield service
        else:
            yield LocalReader(self.operator, self.operator.organization(self.organization).id)

    def _service(self, url: str) -> AbstractAsyncContextManager[RemoteInstallation]:
        if self.organization is not None:
            raise Failure("--organization is for a data directory: a key has one organization")
        if not (self.key or "").strip():
            raise Failure("there is no API key: set SVC_KEY to one")
        return remote(url, self.key or "")


def on_installation(fn: Callable[Concatenate[Selection, P], None]) -> Callable[..., None]:
    """Pass a command the installation that it is for: a service, or the data directory."""

    @_SERVER
    @_KEY
    @ORGANIZATION
    @as_operator
    @wraps(fn)
    def command(
        operator: Operator,
        /,
        *args: Any,
        server: str | None,
        key: str | None,
        organization: str | None,
        **kwargs: Any,
    ) -> None:
        fn(Selection(operator, organization, server, key), *args, **kwargs)

    return command
