"""The exporter: a thread that sends recorded spans by OTLP over HTTP, in batches.

No request waits for it. What it cannot send in time is dropped and counted. The spans come encoded: a thread
that computes beside the event loop costs more than its work, as both take the interpreter from each other.
"""

import platform
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

import structlog
import trio

from svc.logging.throttled import ThrottledLog
from svc.telemetry.otlp import encode_request
from svc.telemetry.queue import SpanQueue
from svc.version import VERSION

if TYPE_CHECKING:
    from requests import Session

PATH: Final = "/v1/traces"
EXPORT_SECONDS: Final = 5.0
"""How long a span waits at most until its batch is sent."""
ANSWER_SECONDS: Final = 10.0
"""For a receiver's answer, and as long to connect."""
ATTEMPTS: Final = 5
RETRY_SECONDS: Final = 1.0
"""The wait after the first attempt; it doubles with each."""
RETRY_SECONDS_MAX: Final = 30.0
STOP_SECONDS: Final = 3.0
"""What the last batches have at the end of the service."""

_OK: Final = range(200, 300)
_RETRYABLE: Final = frozenset({429, 502, 503, 504})
"""The statuses after which the same batch may be sent again (OTLP/HTTP, "Failures")."""

log = structlog.get_logger("svc.telemetry")


class _NotTaken(Exception):
    """Raised when a receiver did not take a batch."""

    def __init__(self, why: str, *, may_retry: bool, after_seconds: float = 0.0) -> None:
        super().__init__(why)
        self.may_retry = may_retry
        self.after_seconds = after_seconds


def use_environment(session: "Session", url: str) -> None:
    """Look once for the proxy and the certificates that the environment has for *url*.

    Each request would, several times. A `.netrc` is not read: it would replace a configured header.
    """
    settings = session.merge_environment_settings(url, {}, None, None, None)
    session.proxies, session.verify = settings["proxies"], settings["verify"]
    session.trust_env = False


class Exporter:
    """Sends what is in *queue* to *endpoint*, the address of a receiver without its path."""

    def __init__(self, queue: SpanQueue, endpoint: str, headers: Mapping[str, str], service: str) -> None:
        """*service* is what the receiver calls this program."""
        self._queue = queue
        self._url = endpoint.rstrip("/") + PATH
        self._headers = {**headers, "content-type": "application/x-protobuf", "user-agent": f"svc/{VERSION}"}
        self._resource = {"service.name": service, "service.version": VERSION, "host.name": platform.node()}
        self._token: trio.lowlevel.TrioToken | None = None
        self._stopping = threading.Event()
        self._faults = ThrottledLog(log, "traces_not_exported", over="traces_are_exported_again")

    @asynccontextmanager
    async def live(self) -> AsyncIterator[None]:
        """Export until the end of the block, and then for `STOP_SECONDS` at most."""
        self._token = trio.lowlevel.current_trio_token()
        # A daemon: a receiver that does not answer must not keep the process.
        thread = threading.Thread(target=self._run, name="svc traces", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stopping.set()
            self._queue.wake()
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(thread.join, STOP_SECONDS)

    def _run(self) -> None:
        from requests import Session  # noqa: PLC0415  # imports much, for those alone who trace

        with Session() as session:
            use_environment(session, self._url)
            while True:
                stopping = self._stopping.is_set()
                if not stopping:
                    self._queue.wait(EXPORT_SECONDS)
                while spans := self._queue.take():
                    self.export(session, spans)
                if stopping:
                    return

    def export(self, session: "Session", spans: list[bytes]) -> None:
        """Send a batch, again where that may help, or drop it."""
        body = encode_request(self._resource, spans)
        for attempt in range(ATTEMPTS):
            try:
                self._send(session, body)
            except _NotTaken as error:
                self._tell(self._faults.note, error)
                pause = max(error.after_seconds, RETRY_SECONDS * 2**attempt)
                if not error.may_retry or self._stopping.wait(min(pause, RETRY_SECONDS_MAX)):
                    break
            else:
                self._queue.exported += len(spans)
                self._tell(self._faults.end)
                return
        self._queue.drop(len(spans))

    def _tell(self, log: Callable[..., None], *args: object) -> None:
        """Log on the Trio thread."""
        if self._token is None:
            return
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(log, *args)

    def _send(self, session: "Session", body: bytes) -> None:
        """Raises `_NotTaken`."""
        try:
            answer = session.post(
                self._url, body, headers=self._headers, timeout=ANSWER_SECONDS, allow_redirects=False
            )
        except OSError as error:  # all errors of requests are
            # Its message would have the address.
            raise _NotTaken(f"no answer: {type(error).__name__}", may_retry=True) from None
        if answer.status_code not in _OK:
            seconds = answer.headers.get("retry-after", "")
            raise _NotTaken(
                f"the receiver answered {answer.status_code}",
                may_retry=answer.status_code in _RETRYABLE,
                after_seconds=float(seconds) if seconds.isdecimal() else 0.0,
            )
