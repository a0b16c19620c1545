"""Logging what goes wrong over and over."""

import structlog
import trio
from structlog.testing import capture_logs

from svc.logging.throttled import LOG_SECONDS, ThrottledLog


async def test_what_happens_over_and_over_is_said_now_and_then(autojump_clock):
    """The first time is logged at once; what follows is counted, and said with the next line."""
    with capture_logs() as lines:
        log = ThrottledLog(structlog.get_logger(), "refused")
        for _ in range(1_000):
            log.note("full")
        await trio.sleep(LOG_SECONDS)
        log.note("still full")

    assert [(1, "full"), (1_000, "still full")] == [(line["count"], line["latest"]) for line in lines]


async def test_the_end_is_said_once(autojump_clock):
    """When it goes well again, that is said, with how many more there were since the last line."""
    with capture_logs() as lines:
        log = ThrottledLog(structlog.get_logger(), "refused", level="error", over="taken again")
        log.end()
        for _ in range(3):
            log.note("full", units=7)
        for _ in range(3):
            log.end()

    assert [("refused", "error"), ("taken again", "info")] == [
        (line["event"], line["log_level"]) for line in lines
    ]
    assert (7, 2) == (lines[0]["units"], lines[1]["more"])


async def test_what_fails_and_works_by_turns_does_not_fill_the_log(autojump_clock):
    """In each period there is one line about failing and one about its end, however often it changes."""
    with capture_logs() as lines:
        log = ThrottledLog(structlog.get_logger(), "refused", over="taken again")
        for _ in range(2):
            for _ in range(1_000):
                log.note("full")
                log.end()
            await trio.sleep(LOG_SECONDS)
        log.note("full")

    assert ["refused", "taken again", "refused", "taken again", "refused"] == [
        line["event"] for line in lines
    ]
    assert [1, 1_000, 1_000] == [line["count"] for line in lines if line["event"] == "refused"]
