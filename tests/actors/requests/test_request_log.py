"""The request log in memory: batches, a store that refuses, a limit, and the end of the process."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs

from svc.actors.requests import request_log
from svc.actors.requests.request_log import BATCH_SECONDS, RETRY_SECONDS, RequestLog
from svc.domain.requests.limits import REQUEST_BATCH_ROWS
from svc.storage.requests import requests
from svc.storage.store import StoreFailed
from tests import tables
from tests.storage.requests.test_requests import a_call
from tests.town import Town, town


@pytest.fixture
async def here() -> AsyncIterator[Town]:
    async with town() as opened:
        yield opened


def add(here: Town, log: RequestLog, *request_ids: str) -> None:
    for request_id in request_ids:
        log.add(here.organization.id, a_call(log.now(), request_id=request_id))


async def stored(here: Town) -> list[str]:
    return [row.request_id for row in await here.rows(tables.requests)]


def refuse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Have every batch fail."""

    def append(*_: Any) -> None:
        raise error

    monkeypatch.setattr(requests, "append", append)


async def test_lines_are_written_together_within_half_a_second(here: Town, autojump_clock):
    """One unit for those of an organization, and nothing while there is nothing."""
    log = RequestLog(here.store, here.clock)
    async with log.live():
        await trio.sleep(10)
        units = here.store.statistics().units
        add(here, log, "a", "b")
        await trio.sleep(BATCH_SECONDS / 2)
        add(here, log, "c")
        before = await stored(here)
        await trio.sleep(BATCH_SECONDS)

        assert [] == before
        assert ["a", "b", "c"] == await stored(here)
        assert units + 1 == here.store.statistics().units
        assert (0, 3, 0) == _figures(log)


async def test_what_is_left_is_written_at_the_end(here: Town, autojump_clock):
    """A service that is stopped loses no line."""
    log = RequestLog(here.store, here.clock)
    async with log.live():
        add(here, log, "a")

    assert ["a"] == await stored(here)


async def test_a_crash_loses_what_waits_and_nothing_else(here: Town, autojump_clock):
    """The next process goes on after the last line that was written."""
    crashed = RequestLog(here.store, here.clock)
    add(here, crashed, "a")
    await crashed.write()
    add(here, crashed, "b")
    async with RequestLog(here.store, here.clock).live():
        pass
    next_ = RequestLog(here.store, here.clock)
    add(here, next_, "c")
    await next_.write()

    assert [(1, "a"), (2, "c")] == [(row.number, row.request_id) for row in await here.rows(tables.requests)]


async def test_lines_that_the_store_refuses_are_written_later(here: Town, autojump_clock):
    """In their order, before those that came meanwhile."""
    log = RequestLog(here.store, here.clock)
    with capture_logs() as logs:
        async with log.live():
            with pytest.MonkeyPatch.context() as patch:
                refuse(patch, StoreFailed("the disk is full"))
                add(here, log, "a")
                await trio.sleep(2 * BATCH_SECONDS)
                add(here, log, "b")
            await trio.sleep(RETRY_SECONDS + 2 * BATCH_SECONDS)

            assert ["a", "b"] == await stored(here)

    assert {"the request log has to wait"} == {line["event"] for line in logs}


async def test_what_no_retry_mends_is_counted(here: Town, autojump_clock):
    """A fault in a batch neither stops the log nor the service, and is told once."""
    log = RequestLog(here.store, here.clock)
    with capture_logs() as logs:
        async with log.live():
            with pytest.MonkeyPatch.context() as patch:
                refuse(patch, RuntimeError("a fault"))
                add(here, log, "a", "b")
                await trio.sleep(2 * BATCH_SECONDS)
                add(here, log, "c")
                await trio.sleep(2 * BATCH_SECONDS)
            add(here, log, "d")

    assert ["d"] == await stored(here)
    assert (0, 1, 3) == _figures(log)
    assert ["calls are missing in the request log; the metrics count them"] == [
        line["event"] for line in logs
    ]


async def test_memory_is_bounded(here: Town, autojump_clock, monkeypatch):
    """Beyond it lines are lost and counted, while calls go on."""
    monkeypatch.setattr(request_log, "REQUESTS_BUFFERED_MAX", 2)
    log = RequestLog(here.store, here.clock)
    add(here, log, "a", "b", "c")
    lost = _figures(log)
    await log.write()
    add(here, log, "d")
    await log.write()

    assert (2, 0, 1) == lost
    assert ["a", "b", "d"] == await stored(here)


async def test_a_large_batch_is_several_units(here: Town, autojump_clock):
    """None holds the writer for long."""
    log = RequestLog(here.store, here.clock)
    units = here.store.statistics().units
    add(here, log, *map(str, range(REQUEST_BATCH_ROWS + 1)))
    await log.write()

    assert units + 2 == here.store.statistics().units
    assert [*map(str, range(REQUEST_BATCH_ROWS + 1))] == await stored(here)


def _figures(log: RequestLog) -> tuple[int, int, int]:
    figures = log.statistics()
    return figures.waiting, figures.written, figures.lost
