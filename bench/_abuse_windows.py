"""Clients that ask for much and take nothing of it: what they keep in memory, and what others feel of it.

`python -m bench._abuse_windows`: over HTTP/2, connections with an initial window of 0 and 100 requests each,
for the contract, which is the same bytes for all, and for searches of the documentation, which are rendered
for each; over HTTP/1.1, connections that ask and do not read. Meanwhile another organization's programs work
as in the calm.
"""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Final

import h2.config
import h2.connection
import msgspec
from h2.settings import SettingCodes

from bench._machine import Server, stand_aside
from bench._neighbours import Felt, make, print_beside_calm, probe, serving, times_calm
from bench._report import Target, print_table, print_targets
from bench._world import workspace
from svc.domain.limits import CALLS_MAX
from tests.certificates import certify

STREAMS: Final = 100
"""Requests of one connection of HTTP/2: as many as it may have under way."""
CONTRACT: Final = "/api/v1/openapi.json"
SEARCH: Final = "/docs/search?q=record"
WARM_UP_SECONDS: Final = 3
SECONDS: Final = 8
REST_SECONDS: Final = 6
"""For what the requests cost by themselves, as any others would: a search is some 10 ms of CPU."""
SAMPLE_SECONDS: Final = 0.05
SECONDS_MAX: Final = 120
TIMES_CALM_MAX: Final = 2
MORE_MIB_MAX: Final = 64
_READ_BYTES: Final = 4_096
"""Of an answer over HTTP/1.1 that the client's machine takes: the buffer of its socket."""


class Abuse(msgspec.Struct, frozen=True):
    """So many *connections*, all of which ask for *path*; with *streams* over HTTP/2."""

    name: str
    connections: int
    path: str
    streams: int = STREAMS

    def hold(self, port: int, authority: Path, asked: Event) -> None:
        """Ask, and take no answer; in a process of its own, until that is ended."""
        trust = _trust(authority)
        with ExitStack() as stack:
            for _ in range(self.connections):
                connection = stack.enter_context(_dial(port, trust, "h2" if self.streams else "http/1.1"))
                connection.sendall(self._requests_http2() if self.streams else self._request())
            asked.set()
            time.sleep(SECONDS_MAX)

    def _request(self) -> bytes:
        return f"GET {self.path} HTTP/1.1\r\nhost: bench\r\n\r\n".encode()

    def _requests_http2(self) -> bytes:
        client = h2.connection.H2Connection(h2.config.H2Configuration())
        client.initiate_connection()
        client.update_settings({SettingCodes.INITIAL_WINDOW_SIZE: 0})
        fields = {":method": "GET", ":path": self.path, ":scheme": "https", ":authority": "bench"}
        for number in range(self.streams):
            client.send_headers(2 * number + 1, list(fields.items()), end_stream=True)
        return client.data_to_send()


ABUSES: Final = (
    Abuse("20 shut windows, the contract", 20, CONTRACT),
    Abuse("60 shut windows, the contract", 60, CONTRACT),
    Abuse("20 shut windows, searches", 20, SEARCH),
    Abuse("200 that do not read, the contract", 200, CONTRACT, streams=0),
)


class Phase(msgspec.Struct, frozen=True):
    """What the honest clients felt, and the most memory meanwhile."""

    felt: list[Felt]
    more_mib: float


def run() -> None:
    """Print each abuse beside the calm, and whether its bounds hold."""
    stand_aside()
    targets: list[Target] = []
    for abuse in ABUSES:
        calm, abused = _measure(abuse)
        print_beside_calm(abuse.name, "abused", calm.felt, abused.felt)
        print_table(abuse.name, ["", "MiB more"], [["calm", calm.more_mib], ["abused", abused.more_mib]])
        targets += [
            Target(name=f"{abuse.name}: {target.name}", figure=target.figure, bound=target.bound)
            for target in times_calm(calm.felt, abused.felt, TIMES_CALM_MAX)
        ]
        more = abused.more_mib - calm.more_mib
        targets.append(Target(name=f"{abuse.name}: memory", figure=more, bound=MORE_MIB_MAX, unit="MiB more"))
    print_targets(targets)


def _measure(abuse: Abuse) -> tuple[Phase, Phase]:
    with workspace() as space:
        world = make(space / "world")
        certificate = certify(space, "bench")
        trust = _trust(certificate.chain_path)
        tls = {
            "SVC_SERVER__TLS_CERTIFICATE": str(certificate.chain_path),
            "SVC_SERVER__TLS_KEY": str(certificate.key_path),
        }
        with serving(world, CALLS_MAX * 10, settings=tls) as server:
            _ask_once(server.port, trust)
            probe(server, world, seconds=WARM_UP_SECONDS, tls=trust)
            before = server.rss_mib()
            with _sampled(server, before) as calm_mib:
                calm = probe(server, world, seconds=SECONDS, tls=trust)
            with _sampled(server, before) as abused_mib, _held(abuse, server.port, certificate.chain_path):
                abused = probe(server, world, seconds=SECONDS, tls=trust)
            return Phase(calm, max(calm_mib)), Phase(abused, max(abused_mib))


@contextmanager
def _held(abuse: Abuse, port: int, authority: Path) -> Iterator[None]:
    """While *abuse* has asked, and holds what it was answered."""
    processes = get_context("spawn")
    asked = processes.Event()
    holding = processes.Process(target=abuse.hold, args=(port, authority, asked))
    holding.start()
    try:
        asked.wait(SECONDS_MAX)
        time.sleep(REST_SECONDS)
        yield
    finally:
        if not holding.is_alive():
            raise SystemExit("the abuse has ended by itself")
        holding.kill()
        holding.join()


@contextmanager
def _sampled(server: Server, before: float) -> Iterator[list[float]]:
    """The memory beyond *before*, again and again."""
    samples = [0.0]
    done = threading.Event()

    def sample() -> None:
        while not done.wait(SAMPLE_SECONDS):
            samples.append(server.rss_mib() - before)

    sampling = threading.Thread(target=sample)
    sampling.start()
    try:
        yield samples
    finally:
        done.set()
        sampling.join()


def _ask_once(port: int, trust: ssl.SSLContext) -> None:
    """Have what is made once be made: the contract, the index of the search."""
    for path in (CONTRACT, SEARCH):
        with _dial(port, trust, "http/1.1") as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n\r\n".encode())
            while connection.recv(65_536):
                pass


def _trust(authority: Path) -> ssl.SSLContext:
    trust = ssl.create_default_context(cafile=str(authority))
    trust.check_hostname = False
    return trust


@contextmanager
def _dial(port: int, trust: ssl.SSLContext, protocol: str) -> Iterator[ssl.SSLSocket]:
    plain = socket.socket()
    plain.settimeout(60)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _READ_BYTES)
    plain.connect(("127.0.0.1", port))
    trust.set_alpn_protocols([protocol])
    with trust.wrap_socket(plain) as connection:
        trust.set_alpn_protocols(["http/1.1"])
        yield connection


if __name__ == "__main__":
    run()
