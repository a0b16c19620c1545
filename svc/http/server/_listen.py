"""The sockets that a server listens on."""

import errno
import ssl
from collections.abc import Iterable, Sequence
from typing import Final, Self

import msgspec
import trio

from svc.http.server._options import Certificate

_BACKLOG: Final = 1_024
"""The backlog: connections that the kernel queues until they are accepted."""
_PORT_MAX: Final = 65_535
_UNPRIVILEGED_PORT: Final = 1_024


class ListenError(Exception):
    """Raised when listening at an address fails. The message says which and why; choose another."""


class AddressInUse(ListenError):
    """Raised when another program listens at an address."""


class CertificateError(Exception):
    """Raised when the certificate's files cannot be used. The message says which and why."""


class Bind(msgspec.Struct, frozen=True):
    """A TCP address to listen on. An empty host is every address of the machine, port 0 any free port."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """A bind from `host:port`, such as `127.0.0.1:8000`, `[::1]:8000` or `:8000`.

        Raises `ListenError` if *text* is not of that form.
        """
        host, colon, port = text.rpartition(":")
        if not colon or not port.isascii() or not port.isdecimal() or int(port) > _PORT_MAX:
            raise ListenError(f"{text!r} is not an address to listen on: write host:port")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


async def open_listeners(binds: Sequence[str]) -> list[trio.SocketListener]:
    """Listen on all *binds* (`host:port` each), or on none. Connections wait until they are accepted.

    Raises `ListenError` if a bind is malformed or not this machine's, and `AddressInUse` if it is busy.
    """
    listeners: list[trio.SocketListener] = []
    try:
        for bind in map(Bind.parse, binds):
            try:
                listeners += await trio.open_tcp_listeners(
                    bind.port, host=bind.host or None, backlog=_BACKLOG
                )
            except OSError as error:
                raise _error(bind, error) from error
    except BaseException:
        close(listeners)
        raise
    return listeners


def close(listeners: Iterable[trio.SocketListener]) -> None:
    """Close *listeners*, which is idempotent. Connections in the backlog are reset."""
    for listener in listeners:
        listener.socket.close()


def bound(listener: trio.SocketListener) -> Bind:
    """The bound address of *listener*."""
    host, port = listener.socket.getsockname()[:2]
    return Bind(host, port)


def tls_context(certificate: Certificate) -> ssl.SSLContext:
    """TLS 1.2 and 1.3 with *certificate*, offering HTTP/2 and HTTP/1.1 (RFC 9113 section 9.2).

    Raises `CertificateError` if a file is missing, unreadable, or does not fit the other.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ECDHE+AESGCM:ECDHE+CHACHA20")
    context.set_alpn_protocols(["h2", "http/1.1"])
    try:
        context.load_cert_chain(certificate.chain_path, certificate.key_path)
    except (OSError, ssl.SSLError) as error:
        paths = f"{certificate.chain_path} and {certificate.key_path}"
        raise CertificateError(f"Cannot use the certificate in {paths}: {_reason(error)}") from error
    return context


def check_certificate(certificate: Certificate) -> None:
    """Raises `CertificateError` if a file is missing, unreadable, or does not fit the other."""
    tls_context(certificate)


def _error(bind: Bind, error: OSError) -> ListenError:
    if error.errno == errno.EADDRINUSE:
        return AddressInUse(f"Cannot listen on {bind}: another program listens there")
    if error.errno == errno.EACCES and 0 < bind.port < _UNPRIVILEGED_PORT:
        return ListenError(
            f"Cannot listen on {bind}: ports below {_UNPRIVILEGED_PORT} need the capability"
            " CAP_NET_BIND_SERVICE. In a systemd unit that is AmbientCapabilities=CAP_NET_BIND_SERVICE;"
            f" without systemd, `sysctl net.ipv4.ip_unprivileged_port_start={bind.port}` gives them"
            " to everybody"
        )
    return ListenError(f"Cannot listen on {bind}: {_reason(error)}")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
