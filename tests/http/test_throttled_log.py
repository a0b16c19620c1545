"""Logging what goes wrong over and over."""

import structlog
import trio
from structlog.testing import capture_logs

from svc.http.throttled_log import LOG_SECONDS, ThrottledLog


async def test_what_happens_over_and_over_is_said_now_and_then(autojump_clock):
    """The first time is logged at once; what follows is counted, and said with the next line."""
    with capture_logs() as lines:
        log = ThrottledLog(structlog.get_logger(), "refused")
        for _ in range(1_000):
            log.note("full")
        await trio.sleep(LOG_SECONDS)
        log.note("still full")

    assert [(1, "full"), (1_000, "still full")] == [(line["count"], line["latest"]) for line in lines]
