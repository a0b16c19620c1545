"""A proxy before a server's socket, which cuts a connection around its next COMMIT."""

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Literal
from urllib.parse import quote

from tests.postgresql_server import PORT, Server

_COMMIT = b"COMMIT\0"
_READ_BYTES = 65_536


class Proxy:
    """A proxy in *directory*. Tests say when it cuts; each cut is one connection's."""

    def __init__(self, server: Server, directory: Path) -> None:
        self._server = server.directory / f".s.PGSQL.{PORT}"
        self._directory = directory
        self.cuts: Literal["before", "after"] | None = None
        """Cut the connection that sends the next COMMIT: before it is passed on, or after it was answered."""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(directory / f".s.PGSQL.{PORT}"))
        self._listener.listen()
        Thread(target=self._accept, daemon=True).start()

    def url(self, database: str) -> str:
        return f"postgresql://svc@/{database}?host={quote(str(self._directory), safe='')}&port={PORT}"

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(str(self._server))
            except OSError:
                client.close()
                server.close()
                continue
            cut = Cut()
            Thread(target=self._pass_on, args=(client, server, cut), daemon=True).start()
            Thread(target=self._pass_back, args=(client, server, cut), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket, cut: "Cut") -> None:
        with suppress(OSError):
            while data := client.recv(_READ_BYTES):
                if self.cuts is not None and _COMMIT in data:
                    how, self.cuts = self.cuts, None
                    if how == "before":
                        break
                    cut.at_answer = True
                server.sendall(data)
        _shut(client, server)
        client.close()

    def _pass_back(self, client: socket.socket, server: socket.socket, cut: "Cut") -> None:
        with suppress(OSError):
            while data := server.recv(_READ_BYTES):
                if cut.at_answer:
                    break
                client.sendall(data)
        _shut(client, server)
        server.close()


class Cut:
    """Whether a connection is cut where the server answers next."""

    at_answer = False


def _shut(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy_before(server: Server) -> Iterator[Proxy]:
    """A proxy before *server*."""
    with tempfile.TemporaryDirectory(prefix="svc-pg-") as directory:
        proxy = Proxy(server, Path(directory))
        try:
            yield proxy
        finally:
            proxy.close()
