"""Certificates for the configured names from an ACME directory, stored and served."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import Any, Final, TypeVar

import trio

from svc.actors.certificates.acme_order import AcmeOrder, AcmeServer, NewCertificate, ask_terms
from svc.actors.certificates.issuer import Challenges, OrderFailed
from svc.domain.certificates.chains import check_issued
from svc.domain.certificates.outlook import NameFacts, Outlook
from svc.domain.certificates.renewal import Failures, Validity
from svc.domain.errors import InvalidValue
from svc.storage.certificates import CertificateFiles

T = TypeVar("T")

LOOK_SECONDS: Final = 15
"""How long a look-up of a name, or the directory's first answer, may take before an order."""
_OUTSIDE: Final = (("192.0.2.1", socket.AF_INET), ("2001:db8::1", socket.AF_INET6))
"""Addresses for documentation, to which nothing is sent: only the route to them is asked for."""


class AcmeIssuer:
    """An `Issuer` for *names* at *server*. *serve* has new connections get the certificate in the file."""

    def __init__(
        self,
        server: AcmeServer,
        names: tuple[str, ...],
        files: CertificateFiles,
        *,
        answers: Challenges,
        wall: Callable[[], int],
        serve: Callable[[], None],
        announce: Callable[[Outlook], None],
    ) -> None:
        self.names = names
        self.directory = server.directory
        self.announce = announce
        self._server = server
        self._files = files
        self._answers = answers
        self._wall = wall
        self._serve = serve
        # Of its own, so that a directory that does not answer takes no thread from the store.
        self._threads = trio.CapacityLimiter(2)

    async def validity(self) -> Validity | None:
        return await self._run(self._files.validity)

    async def failures(self) -> Failures | None:
        return await self._run(self._files.failures)

    async def keep_failures(self, failures: Failures | None) -> None:
        await self._run(partial(self._files.keep_failures, failures))

    async def look(self) -> Outlook:
        names = [await self._look_up(name) for name in self.names]
        machine = tuple(filter(None, (_source(*outside) for outside in _OUTSIDE)))
        outlook = partial(Outlook, names=tuple(names), machine=machine)
        given_up = threading.Event()
        try:
            with trio.fail_after(LOOK_SECONDS):
                terms = await self._run(partial(ask_terms, self._server, given_up))
        except OrderFailed as error:
            return outlook(fault=str(error))
        except trio.TooSlowError:
            return outlook(fault=f"it has not answered within {LOOK_SECONDS} seconds")
        finally:
            given_up.set()
        return outlook(clock_difference=terms.clock_difference, terms=terms.url)

    async def issue(self) -> Validity:
        now, given_up = self._wall(), threading.Event()
        try:
            issued = await self._run(partial(self._order, now, given_up))
            validity = check_issued(issued.chain_pem, issued.key, self.names, now)
            await self._run(partial(self._files.keep_certificate, issued.key_pem(), issued.chain_pem))
        except InvalidValue as error:
            raise OrderFailed(f"the directory issued something else than was ordered: {error}") from error
        except OSError as error:
            raise OrderFailed(f"the certificate cannot be stored: {error.strerror or error}") from error
        finally:
            given_up.set()
            self._answers.set({})
        self._serve()
        return validity

    def _order(self, now: int, given_up: threading.Event) -> NewCertificate:
        self._files.check_room()  # before the order, since directories count those that succeed as well
        account = self._files.account(self.directory)
        order = AcmeOrder(
            self._server,
            self.names,
            account,
            keep=self._files.keep_account,
            answers=self._answers,
            now=now,
            given_up=given_up,
        )
        return order.run()

    async def _run(self, fn: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(fn, abandon_on_cancel=True, limiter=self._threads)

    async def _look_up(self, name: str) -> NameFacts:
        try:
            with trio.fail_after(LOOK_SECONDS):
                found = await trio.socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
        except trio.TooSlowError:
            return NameFacts(name, fault=f"DNS has not answered within {LOOK_SECONDS} seconds")
        except socket.gaierror as error:
            if error.errno in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
                return NameFacts(name)
            return NameFacts(name, fault=error.strerror or str(error))
        except OSError as error:
            return NameFacts(name, fault=str(error))
        addresses = sorted({str(entry[4][0]) for entry in found})
        own = tuple(filter(is_own, addresses))
        return NameFacts(name, own=own, others=tuple(one for one in addresses if one not in own))


def is_own(address: str) -> bool:
    """Whether *address* is this machine's: only then can a socket be bound to it."""
    family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET  # noqa: PLR2004  # of IP
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.bind((address, 0))
        return True
    return False


def _source(address: str, family: socket.AddressFamily) -> str | None:
    """The address from which this machine would reach *address*; None without a route there."""
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        name: Any = probe.getsockname()[0]
        return str(name)
    return None
