"""Three faults in a running service are found and named with `svc top` alone, by keys."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from svc.cli.top.actor_screen import ActorScreen
from svc.cli.top.app import TopApp
from svc.cli.top.link import ServiceLink
from svc.cli.top.tables import Table
from tests.planted import LETTERS, TOKEN, Planted, planted

WAIT_SECONDS = 20

Walk = Callable[[TopApp, Pilot[str | None]], Awaitable[None]]


@pytest.fixture(scope="module")
def service() -> Iterator[Planted]:
    with planted() as service:
        yield service


def walk(service: Planted, steps: Walk) -> None:
    """Take *steps* in a terminal of 120 columns."""

    async def run() -> None:
        app = TopApp(service.url)
        link = app.link = ServiceLink(service.url, TOKEN, app.tell)
        try:
            async with app.run_test(size=(120, 40)) as pilot:
                await until(pilot, lambda: len(rows(app, "actors")) >= 3)
                await steps(app, pilot)
        finally:
            await asyncio.to_thread(link.stop)

    asyncio.run(run())


async def until(pilot: Pilot[str | None], holds: Callable[[], bool]) -> None:
    """Wait for what the service is about to tell."""
    async with asyncio.timeout(WAIT_SECONDS):
        while not holds():
            await pilot.pause(0.05)


def rows(app: TopApp, table: str) -> list[list[str]]:
    """The cells of a table."""
    shown = app.screen_stack[0].query_one(f"#{table}", Table)
    return [[str(cell) for cell in shown.get_row_at(place)] for place in range(shown.row_count)]


def about(app: TopApp) -> str:
    """What is said of the actor that is looked at."""
    shown = app.screen.query("#about").results(Static) if isinstance(app.screen, ActorScreen) else ()
    return next((str(one.render()) for one in shown), "")  # a screen is there before what is on it


async def look_at(app: TopApp, pilot: Pilot[str | None], kind: str) -> None:
    """Go down to the first actor of *kind*, and press Enter."""
    place = [row[0] for row in rows(app, "actors")].index(kind)
    await pilot.press(*["down"] * place, "enter")
    await until(pilot, lambda: "Where the turn stands" in about(app) or "Task " in about(app))


def test_a_turn_that_is_stuck(service: Planted) -> None:
    """It is among the first; its stack has the function that it waits in."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        # What has run for less than a second is no trouble yet.
        await until(pilot, lambda: "Archive" in {row[0] for row in rows(app, "actors")[:3]})
        first = {row[0]: row for row in rows(app, "actors")[:3]}
        assert ["running", "file_papers"] == [first["Archive"][1], first["Archive"][3]]
        await look_at(app, pilot, "Archive")

        assert "running: file_papers, for " in about(app)
        assert "in wait_for_the_key" in about(app)

    walk(service, steps)


def test_a_mailbox_that_fills(service: Planted) -> None:
    """Its kind has what waits, sorted by mailboxes it comes first, and the messages have their names."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        kinds = {row[0]: row for row in rows(app, "kinds")}
        assert 0 < int(kinds["Postbox"][2]) < LETTERS
        await pilot.press("s")
        await until(pilot, lambda: rows(app, "actors")[0][0] == "Postbox")
        await pilot.press("enter")
        await until(pilot, lambda: "In the mailbox, for up to " in about(app))

        assert re.search(r"^ +\d+  sort_letter$", about(app), re.MULTILINE)

    walk(service, steps)


def test_a_push_that_hangs(service: Planted) -> None:
    """What waits says that a push is under way and whose; Enter shows where it stands."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        await until(pilot, lambda: bool(rows(app, "waiting")))
        ((noun, number, _, why, actor),) = rows(app, "waiting")
        assert ("replies", "1", f"Outbox/{service.connection_id}") == (noun, number, actor)
        assert why.startswith("a push of it is under way")
        await pilot.press("tab")
        while app.focused is None or app.focused.id != "waiting":
            await pilot.press("tab")
        await pilot.press("enter")
        await until(pilot, lambda: "Task _push, for " in about(app))

        assert "in SignedPosts" in about(app)

    walk(service, steps)
