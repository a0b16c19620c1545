"""A renewal while clients ask all the time: nothing is lost, and new connections get the new certificate."""

import ssl
from datetime import timedelta
from functools import partial
from pathlib import Path

import trio

from svc.actors.certificates.acme_issuer import AcmeIssuer
from svc.actors.certificates.acme_order import AcmeServer
from svc.actors.certificates.certificate_keeper import CERTIFICATE_KEEPER, CertificateKeeper
from svc.actors.certificates.issuer import Challenges
from svc.actors.system import System
from svc.clock import WallClock
from svc.domain.randomness import SYSTEM
from svc.http.plain_door import plain_app
from svc.http.server import Bind, Certificate, ServedCertificate, serve
from svc.storage.certificates import CertificateFiles
from tests.certificates import certify
from tests.http.serving import GET, Client, echo
from tests.pebble import Pebble, needs_pebble, pebble
from tests.town import SECRETS, town

NAMES = ("crm.example.com",)
HELD = 3
COMING = 3
ASKED_AFTER = 5
"""How often each client still asks once the new certificate is served."""


class Load:
    """Clients of both kinds. A request that is not answered ends the test by its error."""

    def __init__(self, bind: Bind, renewed: trio.Event) -> None:
        self.answered = 0
        self.shown: dict[str, set[bytes]] = {"held": set(), "before": set(), "after": set()}
        """The certificates that connections got: those held open, and those made before and after."""
        self._bind = bind
        self._renewed = renewed
        self._anything = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._anything.check_hostname, self._anything.verify_mode = False, ssl.CERT_NONE

    async def hold(self, ready: trio.Event) -> None:
        """Ask on one connection, from before the renewal until after it."""
        stream = await self._dial()
        while not self._renewed.is_set():
            await self._ask(stream)
            ready.set()
        for _ in range(ASKED_AFTER):
            await self._ask(stream)
        self.shown["held"].add(_certificate(stream))
        await trio.aclose_forcefully(stream)

    async def come_and_go(self, ready: trio.Event) -> None:
        """Ask once on each of many connections."""
        after = 0
        while after < ASKED_AFTER:
            was_renewed = self._renewed.is_set()
            stream = await self._dial()
            # One that was begun before, and accepted after, may have either.
            if was_renewed == self._renewed.is_set():
                self.shown["after" if was_renewed else "before"].add(_certificate(stream))
            await self._ask(stream)
            await trio.aclose_forcefully(stream)
            ready.set()
            after += was_renewed

    async def _ask(self, stream: trio.SSLStream[trio.SocketStream]) -> None:
        client = Client(stream)  # type: ignore[arg-type]
        await client.send(GET)
        assert (await client.reply()).status == 200
        self.answered += 1

    async def _dial(self) -> trio.SSLStream[trio.SocketStream]:
        tcp = await trio.open_tcp_stream("127.0.0.1", self._bind.port)
        stream = trio.SSLStream(tcp, self._anything, server_hostname=NAMES[0], https_compatible=True)
        await stream.do_handshake()
        return stream


def _certificate(stream: trio.SSLStream[trio.SocketStream]) -> bytes:
    return bytes(stream.getpeercert(binary_form=True))


def _issuer(
    server: Pebble, stored: Path, answers: Challenges, renewed: trio.Event
) -> tuple[AcmeIssuer, ServedCertificate]:
    """An issuer as the service has it, and what it serves: a certificate whose life is two thirds over."""
    stored.parent.mkdir()
    old = certify(stored.parent, NAMES[0], begun=timedelta(days=80), left=timedelta(days=10))
    files, served = CertificateFiles(stored), ServedCertificate()
    files.keep_certificate(old.key_path.read_bytes(), old.chain_path.read_bytes())
    served.use(Certificate(stored, stored))

    def use() -> None:
        served.use(Certificate(stored, stored))
        renewed.set()

    at = AcmeServer(server.directory, None, str(server.roots))
    issuer = AcmeIssuer(
        at, NAMES, files, answers=answers, wall=WallClock().wall, serve=use, announce=lambda _: None
    )
    return issuer, served


@needs_pebble
async def test_a_renewal_loses_no_request(tmp_path: Path) -> None:
    """The keeper finds that it is time, orders at Pebble, stores and serves, under clients all the while."""
    answers, renewed, stop = Challenges(), trio.Event(), trio.Event()
    stored = tmp_path / "tls" / "certificate.pem"
    with pebble(tmp_path) as server:
        issuer, served = _issuer(server, stored, answers, renewed)
        async with town() as here, trio.open_nursery() as servers:
            system = System((CertificateKeeper,), here.store, WallClock(), SECRETS, certificates=issuer)
            plain = plain_app(answers, NAMES, 443, SYSTEM)
            challenged = [f"127.0.0.1:{server.http_port}"]
            await servers.start(partial(serve, plain, binds=challenged, stop=stop))
            [bind] = await servers.start(
                partial(serve, echo, binds=["127.0.0.1:0"], stop=stop, served=served)
            )
            load, ready = Load(bind, renewed), [trio.Event() for _ in range(HELD + COMING)]
            async with system.live(), trio.open_nursery() as clients:
                for place, event in enumerate(ready):
                    clients.start_soon(load.hold if place < HELD else load.come_and_go, event)
                for event in ready:
                    await event.wait()
                assert not renewed.is_set()
                await CertificateKeeper(system, CERTIFICATE_KEEPER).snapshot()  # it is at work from now on
            stop.set()

    [old] = load.shown["before"]
    [new] = load.shown["after"]
    assert load.shown["held"] == {old}
    assert new != old
    assert new == ssl.PEM_cert_to_DER_cert(_first_certificate(stored))
    assert load.answered > (HELD + COMING) * ASKED_AFTER


def _first_certificate(stored: Path) -> str:
    begin = "-----BEGIN CERTIFICATE-----"
    _, _, rest = stored.read_text().partition(begin)
    end = "-----END CERTIFICATE-----"
    return f"{begin}{rest.partition(end)[0]}{end}\n"
