"""One actor: where it stands, what waits for it, its last turns and its last crash."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static

from svc.cli.top.figures import duration, printable
from svc.cli.top.link import Look
from svc.cli.top.tables import BAD, SOFT, WELL, phase_of
from svc.cli.top.view import Json

_WAITING: Final = ("trio/", "svc/actors/_core/", "svc/wait_guard.py")
"""Where lines of a stack begin that are how anything waits."""

TURNS_SHOWN: Final = 50
"""Turns that are kept while an actor is looked at, besides those of its recorder."""


class ActorScreen(Screen[None]):
    """What is known of one actor, looked at again each second."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,left", "dismiss", "Back", key_display="esc"),
        Binding("space", "pause", "Hold still"),
    ]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._actor_name = name
        self._seen: list[Json] = []
        self._is_held = False

    def compose(self) -> ComposeResult:
        yield Static(Text(printable(self._actor_name), style="bold"), id="title")
        with VerticalScroll(id="scroll"):
            yield Static(Text("looking …", style=SOFT), id="about")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#scroll").focus()

    def action_pause(self) -> None:
        """Show what is there until asked to go on."""
        self._is_held = not self._is_held
        title = Text(printable(self._actor_name), style="bold")
        self.query_one("#title", Static).update(
            title.append("  held", style=SOFT) if self._is_held else title
        )

    def show(self, look: Look) -> None:
        """Show what a look has found, if it is of this actor."""
        if look.name != self._actor_name or self._is_held:
            return
        self._seen = [*reversed(look.turns), *self._seen][:TURNS_SHOWN]
        lines = Text("\n").join(_lines(look.actor, self._seen))
        self.query_one("#about", Static).update(lines)


def _lines(actor: Json | None, seen: list[Json]) -> Iterator[Text]:
    if actor is None:
        yield Text("It is not in memory. Its next message activates it.")
        yield from _turns("Turns that were seen", seen)
        return
    about = actor["statistics"]
    phase, age = about["phase"], about["turnAgeSeconds"]
    head = Text(phase_of(about), style="" if phase in WELL else BAD)
    if about["turn"]:
        head.append(f": {about['turn']}, for {duration(age or 0)}")
    head.append(f" · {about['turns']:,} turns · {about['crashes']:,} crashes", style=SOFT)
    yield head
    if actor["requestId"]:
        yield Text(f"request {printable(actor['requestId'])}")
    if about["guardedWaits"]:
        yield Text(f"{about['guardedWaits']} waits for the disk, which its time limit does not cut off")
    yield from (Text(f"waits for {printable(other)}") for other in actor["waitsFor"])
    yield from _stack("Where the turn stands", actor["stack"])
    for task in actor["tasks"]:
        yield from _stack(f"Task {task['name']}, for {duration(task['ageSeconds'])}", task["stack"])
    if actor["waiting"]:
        oldest = duration(about["mailboxOldestSeconds"] or 0)
        yield from _section(f"In the mailbox, for up to {oldest}")
        yield from (Text(f"  {number:>5,}  {turn}") for turn, number in actor["waiting"].items())
    timers = about["timers"]
    if timers:
        yield from _section("Timers")
        yield from (Text(f"  {name}, in {duration(max(seconds, 0))}") for name, seconds in timers.items())
    recorded = {_identity(turn) for turn in actor["turns"]}
    older = [turn for turn in seen if _identity(turn) not in recorded]
    yield from _turns("Last turns, the newest first", [*actor["turns"], *older])
    crash = actor["crash"]
    if crash:
        at = _time(crash["at"])
        yield from _section(f"Last crash, {at}, in {crash['turn'] or 'load, flush or a task'}", style=BAD)
        yield Text(f"  {crash['error']}")
        yield from (Text(f"  {line}") for line in crash["stack"])
        yield from _turns("The turns before it", crash["turns"])


def _identity(turn: Json) -> tuple[Any, ...]:
    """What tells a turn from others. Its time is counted back from now, and differs by a millisecond."""
    return turn["turn"], turn["requestId"], turn["waitMs"], turn["runMs"]


def _section(title: str, style: str = "bold") -> Iterator[Text]:
    yield Text("")
    yield Text(title, style=style)


def _stack(title: str, stack: list[str]) -> Iterator[Text]:
    if stack:
        yield from _section(title)
        # The innermost line of a program's own says most: below it are only those that wait.
        own = [place for place, line in enumerate(stack) if not line.startswith(_WAITING)] or [len(stack) - 1]
        for place, line in enumerate(stack):
            yield Text(f"  {line}", style="" if place == own[-1] else SOFT)


def _turns(title: str, turns: list[Any]) -> Iterator[Text]:
    if not turns:
        return
    yield from _section(title)
    for turn in turns:
        line = Text(f"  {_time(turn['at'])}  {turn['turn']:<24} ")
        line.append(f"waited {turn['waitMs']:9.1f} ms  ran {turn['runMs']:9.1f} ms  ")
        line.append(turn["outcome"], style="" if turn["outcome"] == "ok" else BAD)
        if turn["requestId"]:
            line.append(f"  {printable(turn['requestId'])}", style=SOFT)
        yield line


def _time(at: int) -> str:
    return f"{datetime.fromtimestamp(at / 1000, UTC):%H:%M:%S}"
