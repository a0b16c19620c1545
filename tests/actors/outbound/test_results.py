"""What a caller is told of an answer: its status, how long it took, when to come again, and some text."""

import pytest
import trio
from hypothesis import example, given
from hypothesis import strategies as st

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.connection import Connection
from svc.actors.outbound.connector import Connector
from svc.actors.outbound.errors import NotSent
from svc.actors.outbound.retry_after import retry_after_ms
from svc.actors.outbound.target import Target
from svc.domain.net.limits import OUTGOING_REST_SECONDS
from tests.receivers import NOW, client


class SlowConnection(Connection):
    """A connection whose peer sends a head after a while, and then a body in parts, without an end."""

    def __init__(self, head_seconds: float) -> None:
        self._waits = [head_seconds]
        self.closed = False

    def has_spoken_first(self) -> bool:
        return False

    async def send(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()

    async def receive(self) -> bytes:
        if self._waits:
            await trio.sleep(self._waits.pop())
            return b"HTTP/1.1 422 No\r\nContent-Length: 2000\r\n\r\n<b>\x07no\x1b[0m</b>"
        await trio.sleep(0.4)
        return b"."

    def close(self) -> None:
        self.closed = True


async def post_slowly(
    monkeypatch: pytest.MonkeyPatch, head_seconds: float
) -> tuple[PostResult | NotSent, float]:
    """POST with ten seconds. Gives what came of it, and how long that took."""
    connection = SlowConnection(head_seconds)

    async def connect(_self: object, _target: Target, _addresses: object) -> Connection:
        return connection

    monkeypatch.setattr(Connector, "connect", connect)
    began = trio.current_time()
    outcome: PostResult | NotSent
    async with client() as outbound_http:
        try:
            outcome = await outbound_http.post(
                "http://127.0.0.1", b"", {}, owner="org_1", seconds=10, now=NOW
            )
        except NotSent as error:
            outcome = error

    assert connection.closed
    return outcome, trio.current_time() - began


async def test_a_result_says_what_came_and_when(autojump_clock, monkeypatch):
    """The time is that until the status. The body has a second, and its beginning is harmless text."""
    outcome, seconds = await post_slowly(monkeypatch, 2)

    assert PostResult(422, milliseconds=2_000, answer="<b>no[0m</b>..") == outcome
    assert 2 + OUTGOING_REST_SECONDS == seconds


async def test_a_status_in_time_counts(autojump_clock, monkeypatch):
    """Also where the time is over before the body has come."""
    outcome, seconds = await post_slowly(monkeypatch, 9.75)

    assert PostResult(422, milliseconds=9_750, answer="<b>no[0m</b>") == outcome
    assert 10 == seconds


async def test_a_status_too_late_does_not(autojump_clock, monkeypatch):
    """The limit is of the request, and is said."""
    outcome, seconds = await post_slowly(monkeypatch, 10.25)

    assert ("no answer within 10 seconds", 10) == (str(outcome), seconds)


@given(st.text() | st.from_regex(r"\A[0-9]{1,2} Jan [0-9]{1,25} [0-9:]{1,8}( [+-][0-9]{1,9})?\Z"))
@example("1 Jan 99999999999999999999 00:00:00")
@example("9" * 5_000)
def test_any_retry_after_is_a_time_to_wait(value):
    """Whatever a receiver writes there; what is no time is none."""
    assert 0 <= retry_after_ms(value, NOW)
