"""The screen of `svc top`, told by a test what a service would tell."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Static

from svc.cli.top.actor_screen import ActorScreen
from svc.cli.top.app import TopApp
from svc.cli.top.link import Look, State, Told
from svc.cli.top.tables import Table
from svc.cli.top.view import Choice

Walk = Callable[[TopApp, Pilot[str | None]], Awaitable[None]]


class Script:
    """A link that notes what it is asked."""

    def __init__(self) -> None:
        self.choices: list[Choice] = []
        self.looks: list[tuple[str, str] | None] = []
        self.started = False

    def start(self) -> None:
        self.started = True

    def choose(self, choice: Choice) -> None:
        self.choices.append(choice)

    def look_at(self, actor: tuple[str, str] | None) -> None:
        self.looks.append(actor)


def kind(name: str, **more: Any) -> dict[str, Any]:
    last = {"seconds": 60, "turns": 0, "crashes": 0, "refused": 0, "runSeconds": 0}
    return {
        "kind": name,
        "active": 0,
        "quarantined": 0,
        "mailboxDepth": 0,
        "mailboxOldestSeconds": 0,
        "lastMinute": last | more.pop("last", {}),
    } | more


def actor(key: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": "Desk",
        "key": key,
        "phase": "waiting",
        "turn": None,
        "turnAgeSeconds": None,
        "task": None,
        "taskAgeSeconds": None,
        "mailboxDepth": 0,
        "mailboxOldestSeconds": None,
        "guardedWaits": 0,
        "timers": {},
        "turns": 0,
        "crashes": 0,
    } | more


def snapshot(*actors: dict[str, Any], **more: Any) -> Told:
    return Told(
        {
            "type": "snapshot",
            "at": 100_000,
            "draining": False,
            "kinds": [
                kind("Quiet"),
                kind("Desk", active=len(actors), last={"turns": 120, "crashes": 1, "runSeconds": 30}),
            ],
            "total": len(actors),
            "order": [f"Desk/{one['key']}" for one in actors],
            "actors": list(actors),
            "waiting": [],
        }
        | more
    )


def walk(steps: Walk, size: tuple[int, int] = (140, 40)) -> tuple[Script, str | None]:
    """Take *steps*; returns the link, and what the app returned."""
    script = Script()
    app = TopApp("http://ops.test", script)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            app.tell(State("live"))
            await steps(app, pilot)

    asyncio.run(run())
    assert script.started
    return script, app.return_value


def rows(app: TopApp, table: str) -> list[list[str]]:
    shown = app.screen_stack[0].query_one(f"#{table}", Table)
    return [[str(cell) for cell in shown.get_row_at(place)] for place in range(shown.row_count)]


def line(app: TopApp) -> str:
    return str(app.screen_stack[0].query_one("#summary", Static).render())


def _first(app: TopApp) -> list[str]:
    """What is said to stand out."""
    first = app.query_one("#first", Static)
    return str(first.render()).split("\n") if first.display else []


def _keys_of(app: TopApp) -> set[str]:
    """What the line of keys offers now."""
    return {one.binding.description for one in app.screen.active_bindings.values() if one.binding.show}


def test_the_whole_is_on_one_screen() -> None:
    """A line on the service, kinds with the quiet ones last, and the actors in their order."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1", phase="running", turn="work", turnAgeSeconds=3.2), actor("2")))
        await pilot.pause()

        assert "svc top live  2 actors, by trouble  2.0 turns/s  busy 50 %" in line(app)
        assert [["Desk", "2", "–", "–", "2.0", "50 %", "1", "–"], ["Quiet", *["–"] * 7]] == rows(app, "kinds")
        assert ["Desk", "running", "3.2 s", "work", "–", "–", "–", "1"] == rows(app, "actors")[0]
        assert ["Desk", "idle", "–", "", "–", "–", "–", "2"] == rows(app, "actors")[1]
        app.tell(snapshot(actor("3", task="_push", taskAgeSeconds=1.0)))
        await pilot.pause()
        assert ["Desk", "in a task", "1.0 s", "_push (task)", "–", "–", "–", "3"] == rows(app, "actors")[0]
        assert not app.query_one("#waiting").display

    walk(steps)


def test_what_stands_out_is_said_above_all() -> None:
    """The first three in trouble, in a sentence each; nothing in an order that need not list them."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1", phase="running", turn="work", turnAgeSeconds=1.0)))
        await pilot.pause()
        assert [] == _first(app)
        app.tell(snapshot(*(actor(str(n), turn="work", turnAgeSeconds=9.0 - n) for n in range(4))))
        await pilot.pause()
        assert [f"Desk/{n}: its turn work has run for {9 - n}.0 s" for n in range(3)] == _first(app)
        await pilot.press("s")
        app.tell(snapshot(actor("1", turn="work", turnAgeSeconds=9.0)))
        await pilot.pause()

        assert [] == _first(app)

    walk(steps)


def test_it_fits_a_terminal_of_80_columns() -> None:
    """Kinds stand above the actors then, and the key, which comes last, is what is cut off."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1")))
        await pilot.pause()
        kinds, actors = app.query_one("#kinds").region, app.query_one("#actors").region

        assert kinds.bottom <= actors.y
        assert actors.height >= 8

    walk(steps, (80, 24))


def test_orders_and_kinds_and_keys_are_chosen_by_keys() -> None:
    """What is asked of the service is what the line says."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1")))
        await pilot.press("s")
        await pilot.press("slash", *"org_", "enter")
        assert "actors with 'org_', by mailbox" in line(app)
        await pilot.press("shift+tab")
        while app.focused is None or app.focused.id != "kinds":
            await pilot.press("tab")
        await pilot.press("enter")
        assert "of Desk with 'org_'" in line(app)
        await pilot.press("a")

    script, _ = walk(steps)

    assert Choice(sort="mailbox") == script.choices[0]
    assert Choice(key="org_", sort="mailbox") == script.choices[4]
    assert [Choice(kind="Desk", key="org_", sort="mailbox"), Choice(sort="mailbox")] == [
        script.choices[5],
        script.choices[-1],
    ]


def test_a_cursor_stays_at_its_actor() -> None:
    """Once it was moved, also when the order changes; before that it is at the first."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        table = app.query_one("#actors", Table)
        app.tell(snapshot(actor("1"), actor("2"), actor("3")))
        await pilot.pause()
        app.tell(snapshot(actor("3"), actor("1"), actor("2")))
        await pilot.pause()
        assert "Desk/3" == table.chosen()
        await pilot.press("down")
        app.tell(snapshot(actor("2"), actor("3"), actor("1")))
        await pilot.pause()

        assert "Desk/1" == table.chosen()

    walk(steps)


def test_one_actor_is_looked_at() -> None:
    """Where it stands, what waits and its turns are shown as they come; Escape leads back."""
    turn = {"turn": "work", "at": 99_000, "requestId": "req-1", "waitMs": 1.5, "runMs": 2.5, "outcome": "ok"}
    found = {
        "statistics": actor("1", phase="running", turn="work", turnAgeSeconds=3, mailboxOldestSeconds=2.0),
        "stack": ["svc/desk.py:1 in Desk.work", "trio/_core/_traps.py:71 in _real_async_yield"],
        "requestId": "req-2",
        "waitsFor": [],
        "waiting": {"work": 12},
        "tasks": [],
        "turns": [turn],
        "crash": None,
    }

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1")))
        await pilot.pause()
        await pilot.press("enter")
        app.tell(Look("Desk/1", found, []))
        app.tell(Look("Desk/2", None, []))
        await pilot.pause()
        assert isinstance(app.screen, ActorScreen)
        about = str(app.screen.query_one("#about", Static).render())
        assert about.startswith("running: work, for 3.0 s · 0 turns · 0 crashes\nrequest req-2\n")
        assert "Where the turn stands\n  svc/desk.py:1 in Desk.work\n" in about
        assert "In the mailbox, for up to 2.0 s\n     12  work\n" in about
        assert "00:01:39  work" in about
        # The same turn, whose time was counted back from another moment, is not another one.
        app.tell(Look("Desk/1", found, [turn | {"at": 98_999}]))
        await pilot.pause()
        assert about == str(app.screen.query_one("#about", Static).render())
        assert {"Hold still", "Back"} == _keys_of(app) - {"Look at", "Next table", "Quit"}
        await pilot.press("space")
        app.tell(Look("Desk/1", None, [turn]))
        await pilot.pause()
        assert about == str(app.screen.query_one("#about", Static).render())
        await pilot.press("space")
        app.tell(Look("Desk/1", None, [turn]))
        await pilot.pause()
        gone = str(app.screen.query_one("#about", Static).render())
        assert gone.startswith("It is not in memory.")
        await pilot.press("escape")
        assert not isinstance(app.screen, ActorScreen)

    script, _ = walk(steps)

    assert [("Desk", "1"), None] == script.looks


def test_what_waits_leads_to_its_actor() -> None:
    """What a person has to do leads nowhere, and says so."""
    queue = {"organizationId": "org_1", "count": 2, "oldestId": "x", "oldestSince": 40_000, "why": "w"}

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(
            snapshot(
                waiting=[
                    {"noun": "approvals", "count": 2, "queues": [queue | {"actor": None}]},
                    {"noun": "replies", "count": 2, "queues": [queue | {"actor": "Outbox/con_1"}]},
                ]
            )
        )
        await pilot.pause()
        assert ["approvals", "2", "60 s", "w", "a member decides"] == rows(app, "waiting")[0]
        while app.focused is None or app.focused.id != "waiting":
            await pilot.press("tab")
        await pilot.press("enter")
        assert not isinstance(app.screen, ActorScreen)
        await pilot.press("down", "enter")
        assert isinstance(app.screen, ActorScreen)

    script, _ = walk(steps)

    assert [("Outbox", "con_1")] == script.looks


def test_a_lost_connection_is_told() -> None:
    """What was known stays; the next message has all again."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("1")))
        app.tell(State("away", "Connection refused"))
        await pilot.pause()

        assert "no connection, trying again: Connection refused" in line(app)
        assert 1 == len(rows(app, "actors"))

    walk(steps)


def test_another_token_ends_it() -> None:
    """With the reason, for the command to say."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(State("over", "another token"))
        await pilot.pause()

    _, why = walk(steps)

    assert "another token" == why


def test_keys_cannot_draw_on_the_terminal() -> None:
    """Neither markup nor control characters of a key are more than text."""

    async def steps(app: TopApp, pilot: Pilot[str | None]) -> None:
        app.tell(snapshot(actor("[red]a[/red]\x1b[2J\n")))
        await pilot.pause()

        assert "[red]a[/red]·[2J·" == rows(app, "actors")[0][-1]

    walk(steps)
