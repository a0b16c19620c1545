"""The link to a service: `/debug/live` for what all do, and a trace for the one actor that is looked at.

It runs in a thread of its own, with Trio. What it is told it hands on with `tell`, which must be callable
from any thread; what it is asked may be asked from any thread.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Never
from urllib.parse import quote, urlsplit

import httpx
import msgspec
import trio
from trio_websocket import (
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    wrap_client_stream,
)

from svc.actors._core.statistics import place_of
from svc.cli.top.view import Choice, Connection, Json

RETRY_SECONDS: Final = 2.0
"""Between two attempts to connect."""

LOOK_SECONDS: Final = 1.0
"""How long one look at an actor takes: what it does meanwhile is shown as it ends."""

LOOK_TURNS_MAX: Final = 200
"""Turns that one look can tell of."""

ANSWER_SECONDS: Final = 10.0
MESSAGE_BYTES_MAX: Final = 4_000_000
"""Of one message: all kinds and 200 actors are some tens of kilobytes."""

_ENDS: Final = (OSError, HandshakeError, ConnectionClosed, msgspec.MsgspecError, trio.TooSlowError)
"""How a connection ends, or is never made. What is refused is a `HandshakeError`."""

_TRY_AGAIN_LATER: Final = 1013
_UNAUTHORIZED: Final = 401


class Told(msgspec.Struct, frozen=True):
    """What `/debug/live` has sent."""

    message: Json


class State(msgspec.Struct, frozen=True):
    """How the connection stands; `why` is the reason where it does not."""

    connection: Connection
    why: str = ""


class Look(msgspec.Struct, frozen=True):
    """An actor as it was found, and its turns since the look before; None where it is not in memory."""

    name: str
    actor: Json | None
    turns: list[Json]


News = Told | State | Look


class ServiceLink:
    """The link to the service whose operator's listener is at *url*."""

    def __init__(self, url: str, token: str, tell: Callable[[News], object]) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._tell = tell
        self._choice = Choice()
        self._socket: WebSocketConnection | None = None
        self._looked_at: tuple[str, str] | None = None
        self._looks = trio.Event()
        self._token: trio.lowlevel.TrioToken | None = None
        self._scope = trio.CancelScope()
        self._begun = threading.Event()
        self._thread = threading.Thread(target=trio.run, args=(self._run,), name="svc top's link")

    def start(self) -> None:
        self._thread.start()
        self._begun.wait()

    def stop(self) -> None:
        """End it, and wait for that."""
        if self._thread.is_alive():
            self._soon(self._scope.cancel)
            self._thread.join()

    def choose(self, choice: Choice) -> None:
        """Have other actors listed."""
        self._soon(self._choose, choice)

    def look_at(self, actor: tuple[str, str] | None) -> None:
        """Look at an actor, as its kind and key, until another is, or none."""
        self._soon(self._look_at, actor)

    def _soon(self, fn: Callable[..., object], *args: Any) -> None:
        if self._token is not None:
            with suppress(trio.RunFinishedError):
                self._token.run_sync_soon(fn, *args)

    def _choose(self, choice: Choice) -> None:
        self._choice = choice
        if self._socket is not None:
            self._nursery.start_soon(self._subscribe, self._socket)

    def _look_at(self, actor: tuple[str, str] | None) -> None:
        self._looked_at = actor
        self._looks.set()
        self._looks = trio.Event()

    async def _run(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        self._begun.set()
        try:
            with self._scope:
                async with trio.open_nursery() as self._nursery:
                    self._nursery.start_soon(self._look_for_ever)
                    while True:
                        self._tell(await self._follow())
                        await trio.sleep(RETRY_SECONDS)
        except Exception as error:  # noqa: BLE001  # the screen would stand still, and nobody know why
            self._tell(State("over", f"a fault of the program, please report it: {place_of(error)}"))

    async def _follow(self) -> State:
        """Follow `/debug/live` for as long as it lasts; returns why it does not."""
        try:
            with trio.fail_after(ANSWER_SECONDS):
                stream = await self._open()
        except (OSError, trio.TooSlowError) as error:
            return State("away", _reason(error))
        try:
            async with trio.open_nursery() as nursery:
                await self._speak(nursery, stream)
        except ExceptionGroup as group:
            ends, faults = group.split(_ENDS)
            if faults is not None or ends is None:
                raise
            return _state_after(_first(ends))
        finally:
            self._socket = None
            # Of a stream whose handshake was refused nobody else takes care.
            await trio.aclose_forcefully(stream)

    async def _open(self) -> trio.SocketStream | trio.SSLStream[trio.SocketStream]:
        address = urlsplit(self._url)
        host = address.hostname or ""
        if address.scheme == "https":
            return await trio.open_ssl_over_tcp_stream(host, address.port or 443)
        return await trio.open_tcp_stream(host, address.port or 80)

    async def _speak(
        self, nursery: trio.Nursery, stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]
    ) -> Never:
        """Tell what comes, until the nursery ends by how the connection did."""
        headers = [(name.encode(), value.encode()) for name, value in self._headers.items()]
        address = urlsplit(self._url)
        with trio.fail_after(ANSWER_SECONDS):
            socket = await wrap_client_stream(
                nursery,
                stream,
                address.netloc,
                f"{address.path}/debug/live",
                extra_headers=headers,
                max_message_size=MESSAGE_BYTES_MAX,
            )
        self._socket = socket
        await self._subscribe(socket)
        while True:
            message = msgspec.json.decode(await socket.get_message())
            self._tell(State("live"))
            self._tell(Told(message))

    async def _subscribe(self, socket: WebSocketConnection) -> None:
        with suppress(ConnectionClosed):
            await socket.send_message(msgspec.json.encode({"subscribe": self._choice}).decode())

    async def _look_for_ever(self) -> None:
        async with httpx.AsyncClient(
            base_url=self._url, headers=self._headers, timeout=ANSWER_SECONDS, trust_env=False
        ) as client:
            while True:
                looks = self._looks
                if self._looked_at is None:
                    await looks.wait()
                    continue
                with trio.CancelScope() as scope:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(_cancel_after, looks, scope)
                        await self._look(client, *self._looked_at)
                        nursery.cancel_scope.cancel()

    async def _look(self, client: httpx.AsyncClient, kind: str, key: str) -> None:
        """Look at one actor, without a message to it: one that is stuck tells as much."""
        name = f"{kind}/{key}"
        path = f"/debug/trace/{quote(kind, safe='')}/{quote(key, safe='')}"
        turns: list[Json] = []
        # The first look comes at once, and each after it with the turns since the one before.
        for seconds in (0.01, LOOK_SECONDS):
            query = {"turns": LOOK_TURNS_MAX, "seconds": seconds}
            try:
                async with client.stream("GET", path, params=query) as answer:
                    answer.raise_for_status()
                    async for line in answer.aiter_lines():
                        said = msgspec.json.decode(line)
                        if "turn" in said:
                            turns.append(said["turn"])
                        else:
                            self._tell(Look(name, said["actor"], turns))
                            turns = []
            except (httpx.HTTPError, msgspec.MsgspecError):
                await trio.sleep(RETRY_SECONDS)


async def _cancel_after(event: trio.Event, scope: trio.CancelScope) -> None:
    await event.wait()
    scope.cancel()


def _state_after(error: Exception) -> State:
    """How the connection stands after it has ended by *error*, one of `_ENDS`."""
    match error:
        case ConnectionRejected(status_code=code) if code == _UNAUTHORIZED:
            return State("over", "the service has another operator token: set SVC_OPERATOR__TOKEN to it")
        case ConnectionRejected(status_code=code):
            return State("away", f"the service answered {code}")
        case ConnectionClosed(reason=reason):
            is_full = reason is not None and reason.code == _TRY_AGAIN_LATER
            return State("full" if is_full else "away", "the connection was closed")
        case _:
            return State("away", _reason(error))


def _first(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _reason(error: Exception) -> str:
    while isinstance(error.__cause__, OSError | ExceptionGroup):
        error = _first(error.__cause__)
    if isinstance(error, trio.TooSlowError):
        return "no answer in time"
    return getattr(error, "strerror", None) or type(error).__name__
