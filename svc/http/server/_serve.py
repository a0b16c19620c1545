"""The life of a server: listen, serve, stop."""

import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

import structlog
import trio

from svc.clock import Clock, WallClock
from svc.domain.randomness import SYSTEM, Randomness
from svc.http.asgi import ASGIApp
from svc.http.server._connection import Stream, is_readable
from svc.http.server._context import Context
from svc.http.server._listen import Bind, bound, close, open_listeners
from svc.http.server._options import DEFAULT_OPTIONS, ServerOptions
from svc.http.server._server import Server
from svc.http.server._tls import ServedCertificate
from svc.logging.throttled import ThrottledLog

log = structlog.get_logger(__name__)

_EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS})
_EXHAUSTED_PAUSE_SECONDS: Final = 0.1


async def serve(
    app: ASGIApp,
    *,
    binds: Sequence[str] = (),
    listeners: Sequence[trio.SocketListener] = (),
    stop: trio.Event,
    options: ServerOptions = DEFAULT_OPTIONS,
    served: ServedCertificate | None = None,
    clock: Clock | None = None,
    random: Randomness = SYSTEM,
    task_status: trio.TaskStatus[list[Bind]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve *app* on *binds* (`host:port` each) until *stop* is set, then until all is answered.

    Or on open *listeners*, as `open_listeners` returns them. They are closed at the end, also if serving
    cannot begin. *task_status* gets the bound addresses; request ids are made of *random*. With
    *served*, connections are by TLS, each with the certificate of the moment. Once
    *stop* is set, the listeners close, idle connections close, and every request whose head has arrived is
    answered, with `Connection: close`, for `graceful_seconds` at most. *app* is sent no lifespan events:
    its resources are opened before it is served, and closed after.

    Raises `ListenError` if a bind is malformed, busy, or not this machine's, and `CertificateError` if the
    certificate cannot be used.
    """
    try:
        if options.certificate is not None:
            served = ServedCertificate()
            served.use(options.certificate)
        listeners = [*listeners, *await open_listeners(binds)]
    except BaseException:
        close(listeners)
        raise
    context = Context(app, options, clock or WallClock(), random)
    server = Server(context)

    async with trio.open_nursery() as watches:
        for patience in context.patiences:
            watches.start_soon(patience.watch)
        async with trio.open_nursery() as connections:

            def take(stream: trio.SocketStream) -> None:
                if (ready := _secured(stream, served)) is None:
                    connections.start_soon(trio.aclose_forcefully, stream)
                else:
                    connections.start_soon(server.attend, ready)

            try:
                task_status.started([bound(listener) for listener in listeners])
                server.hold_descriptors()
                await _accept_until(stop, listeners, take, server.make_room)
            finally:
                close(listeners)
                server.let_descriptors_go()
            server.stop()
            connections.cancel_scope.deadline = context.ends_at
        watches.cancel_scope.cancel()


def _secured(stream: trio.SocketStream, served: ServedCertificate | None) -> Stream | None:
    """*stream* as it is served; None while there is no certificate to serve it with."""
    if served is None:
        return stream
    if served.context is None:
        return None
    return trio.SSLStream(stream, served.context, server_side=True, https_compatible=True)


async def _accept_until(
    stop: trio.Event,
    listeners: Sequence[trio.SocketListener],
    take: Callable[[trio.SocketStream], None],
    make_room: Callable[[], bool],
) -> None:
    """Accept connections until *stop* is set, and then those in the backlog.

    *make_room* is called when the process has no descriptor left, and returns whether it has one now.
    """
    refused = ThrottledLog(log, "cannot accept connections", over="can accept connections again")
    evicted = ThrottledLog(log, "no file descriptors are left; connections that wait are closed for others")

    def has_room(error: OSError) -> bool:
        if error.errno != errno.EMFILE or not make_room():
            refused.note(os.strerror(error.errno or 0))
            return False
        evicted.note(os.strerror(error.errno))
        return True

    async with trio.open_nursery() as nursery:
        for listener in listeners:
            nursery.start_soon(_accept, listener, take, has_room, refused)
        await stop.wait()
        nursery.cancel_scope.cancel()
    for listener in listeners:
        with suppress(OSError):
            while is_readable(listener.socket):
                take(await listener.accept())


async def _accept(
    listener: trio.SocketListener,
    take: Callable[[trio.SocketStream], None],
    has_room: Callable[[OSError], bool],
    refused: ThrottledLog,
) -> None:
    while True:
        try:
            take(await listener.accept())
        except OSError as error:
            if error.errno not in _EXHAUSTED:
                raise
            if not has_room(error):
                # Open connections may soon end and free what is exhausted; the backlog can wait.
                await trio.sleep(_EXHAUSTED_PAUSE_SECONDS)
        else:
            refused.end()
