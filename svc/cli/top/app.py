"""The screen of `svc top`: a line on the whole, what waits, the kinds, and the actors in trouble."""

from typing import ClassVar, Protocol

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import DataTable, Footer, Input, Static

from svc.cli.top.actor_screen import ActorScreen
from svc.cli.top.figures import count, printable, rate, share
from svc.cli.top.link import Look, News, State, Told
from svc.cli.top.standing_out import SHOWN_MAX, standing_out
from svc.cli.top.tables import BAD, SOFT, Table, actor_row, is_quiet, kind_row, queue_row
from svc.cli.top.view import SORTS, Choice, Connection, LiveView

_WORDS: dict[Connection, str] = {
    "connecting": "connecting",
    "live": "live",
    "away": "no connection, trying again",
    "full": "all live views are in use, trying again",
    "over": "refused",
}


class Link(Protocol):
    """What is asked of the service: see `ServiceLink`."""

    def start(self) -> None: ...

    def choose(self, choice: Choice) -> None: ...

    def look_at(self, actor: tuple[str, str] | None) -> None: ...


class Arrived(Message):
    """News of the service, on their way from the thread of the link."""

    def __init__(self, news: News) -> None:
        super().__init__()
        self.news = news


class TopApp(App[str | None]):
    """Shows what it is told by `tell`, and asks its link for more. It returns why it ended, if by a fault."""

    CSS = """
    #summary { height: 1; padding: 0 1; background: $panel; }
    #first { height: auto; max-height: 6; padding: 0 1; display: none; }
    #waiting { height: auto; max-height: 7; }
    #below { height: 1fr; }
    #kinds { width: 68; height: 1fr; }
    #actors { width: 1fr; height: 1fr; }
    .narrow #below { layout: vertical; }
    .narrow #kinds { width: 1fr; height: 8; }
    #find { display: none; height: 3; }
    #find.open { display: block; }
    #title { height: 1; padding: 0 1; background: $panel; }
    #about { padding: 0 1; }
    DataTable > .datatable--header { background: $surface; text-style: dim; }
    DataTable:focus > .datatable--header { text-style: bold; }
    DataTable { scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1; }
    DataTable > .datatable--cursor { background: $surface-lighten-1; color: $text; text-style: none; }
    DataTable:focus > .datatable--cursor { background: $primary 60%; color: $text; }
    """
    TITLE = "svc top"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "narrow"), (150, "wide")]  # noqa: RUF012  # as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", "Quit"),
        Binding("s", "sort(1)", "Order"),
        Binding("S", "sort(-1)", show=False),
        Binding("slash", "find", "Find", key_display="/"),
        Binding("a", "all", "All kinds"),
        Binding("escape", "close_find", show=False),
    ]

    def __init__(self, address: str, link: Link | None = None) -> None:
        super().__init__()
        self.link = link
        self._address = address
        self._view = LiveView()
        self._choice = Choice()
        self._connection: Connection = "connecting"
        self._why = ""

    def compose(self) -> ComposeResult:
        yield Static(id="summary")
        yield Static(id="first")
        yield Table(
            "Waiting",
            "Number",
            "Oldest",
            "Why",
            "Actor",
            numbers=frozenset({"Number", "Oldest"}),
            id="waiting",
        )
        with Horizontal(id="below"):
            heads = ("Kind", "Active", "Wait", "Oldest", "Turns/s", "Busy", "Crash", "Quar")
            yield Table(*heads, numbers=frozenset(heads[1:]), id="kinds")
            heads = ("Actor", "Phase", "Age", "Turn", "Wait", "Crash", "Turns", "Key")
            yield Table(*heads, numbers=frozenset({"Age", "Wait", "Crash", "Turns"}), id="actors")
        yield Input(placeholder="part of a key", id="find")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#actors").focus()
        self._show_summary()
        if self.link is not None:
            self.link.start()  # not before: what is told to an app that does not run yet is lost

    # What the service tells.

    def tell(self, news: News) -> None:
        """Take news, from any thread."""
        self.post_message(Arrived(news))

    def on_arrived(self, arrived: Arrived) -> None:
        match arrived.news:
            case Told(message=message):
                if self._view.take(message):
                    self._show()
            case State(connection="over", why=why):
                self.exit(why)
            case State(connection=connection, why=why):
                self._connection, self._why = connection, why
                if connection != "live":
                    self._view.choose()  # the next message has all
                self._show_summary()
            case Look() as look:
                if isinstance(self.screen, ActorScreen):
                    self.screen.show(look)

    def _show(self) -> None:
        view = self._view
        self._show_summary()
        tables = self.screen_stack[0]
        self._show_first(tables.query_one("#first", Static))
        waiting = tables.query_one("#waiting", Table)
        queues = [queue_row(noun, queue, view.at) for noun, queue in view.queues()]
        waiting.show(queues)
        waiting.display = bool(queues)
        tables.query_one("#kinds", Table).show(map(kind_row, sorted(view.kinds(), key=is_quiet)))
        tables.query_one("#actors", Table).show(actor_row(*one) for one in view.actors().items())

    def _show_first(self, first: Static) -> None:
        """What to look at first; nothing where the order is another one than trouble."""
        found = list(standing_out(self._view.actors())) if self._choice.sort == "trouble" else []
        lines = [
            Text(f"{printable(name)}: ", style="bold").append(Text(printable(why), style=BAD))
            for name, why in found[:SHOWN_MAX]
        ]
        first.display = bool(lines)
        first.update(Text("\n").join(lines))

    def _show_summary(self) -> None:
        view, seconds = self._view, self._view.seconds()
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append("svc top ", style="bold")
        line.append(_WORDS[self._connection], style="green" if self._connection == "live" else BAD)
        if self._connection != "live" and self._why:
            line.append(f": {printable(self._why)}")
        if view.draining:
            line.append("  shutting down", style=BAD)
        if not view.waiting_readable:
            line.append("  the data cannot be read", style=BAD)
        of_kind = f" of {self._choice.kind}" if self._choice.kind else ""
        found = f" with {printable(self._choice.key)!r}" if self._choice.key else ""
        line.append(f"  {view.total:,} actors{of_kind}{found}, by {self._choice.sort}")
        line.append(f"  {rate(view.last_minute('turns'), seconds)} turns/s")
        line.append(f"  busy {share(view.last_minute('runSeconds'), seconds)}")
        line.append(f"  {count(view.waiting())} waiting")
        line.append(f"  {printable(self._address)}", style=SOFT)
        self.screen_stack[0].query_one("#summary", Static).update(line)

    # What is asked of it.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing of the tables while one actor is looked at."""
        del parameters
        return action not in {"sort", "find", "all"} or len(self.screen_stack) == 1

    def _choose(self, choice: Choice) -> None:
        if choice == self._choice:
            return
        self._choice = choice
        self._view.choose()
        self._show_summary()
        if self.link is not None:
            self.link.choose(choice)

    def action_sort(self, step: int) -> None:
        """The next order, or the one before."""
        sort = SORTS[(SORTS.index(self._choice.sort) + step) % len(SORTS)]
        self._choose(Choice(kind=self._choice.kind, key=self._choice.key, sort=sort))

    def action_all(self) -> None:
        """Actors of all kinds, whatever their key."""
        self.query_one("#find", Input).clear()
        self._choose(Choice(sort=self._choice.sort))

    def action_find(self) -> None:
        """Ask for a part of the keys."""
        find = self.query_one("#find", Input)
        find.add_class("open")
        find.focus()

    def action_close_find(self) -> None:
        """Leave the field; what was typed stays."""
        self.query_one("#find").remove_class("open")
        self.query_one("#actors").focus()

    def on_input_changed(self, changed: Input.Changed) -> None:
        self._choose(Choice(kind=self._choice.kind, key=changed.value[:200], sort=self._choice.sort))

    def on_input_submitted(self) -> None:
        self.action_close_find()

    def on_data_table_row_selected(self, selected: DataTable.RowSelected) -> None:
        """Enter: actors of the kind, or the actor itself."""
        key = selected.row_key.value or ""
        match selected.data_table.id:
            case "kinds":
                kind = None if key == self._choice.kind else key
                self._choose(Choice(kind=kind, key=self._choice.key, sort=self._choice.sort))
                self.query_one("#actors").focus()
            case "waiting":
                self._look_at(key.partition(" ")[2])
            case _:
                self._look_at(key)

    def _look_at(self, name: str) -> None:
        kind, slash, key = name.partition("/")
        if not slash:
            self.notify("A member is to decide this; no actor is.")
            return
        if self.link is not None:
            self.link.look_at((kind, key))
        self.push_screen(ActorScreen(name), self._look_away)

    def _look_away(self, _result: None) -> None:
        if self.link is not None:
            self.link.look_at(None)
