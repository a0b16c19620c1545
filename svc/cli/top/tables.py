"""The tables of `svc top`: rows are drawn anew each second, and the eye does not lose its place."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from svc.cli.top.figures import NONE, age, count, printable, rate, share
from svc.cli.top.view import Json

WELL: Final = frozenset({"waiting", "running", "loading", "passivating"})
"""Phases in which an actor does what it should; the others are marked."""

BAD: Final = "bold red"
SOFT: Final = "dim"

NOUNS: Final[Mapping[str, str]] = {
    "submissions": "submissions",
    "events": "events",
    "deliveries": "webhook deliveries",
    "replies": "replies",
    "mails": "mails",
    "runs": "workflow runs",
    "agentRuns": "agent runs",
    "approvals": "approvals",
    "imports": "imports",
    "exports": "exports",
}


class Table(DataTable[Text]):
    """A table whose rows have keys; its cursor and its place stay when they are drawn anew."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "Look at"),
        Binding("tab", "app.focus_next", "Next table"),
    ]

    def __init__(self, *heads: str, numbers: frozenset[str] = frozenset(), id: str) -> None:  # noqa: A002  # Textual's name
        super().__init__(cursor_type="row", zebra_stripes=False, id=id, cell_padding=1)
        self._heads = heads
        self._numbers = numbers
        self._shown: list[tuple[str, list[Text]]] = []

    def on_mount(self) -> None:
        for head in self._heads:
            self.add_column(Text(head, justify="right" if head in self._numbers else "left"), key=head)

    def show(self, rows: Iterable[tuple[str, Sequence[Text]]]) -> None:
        """Show *rows* by their keys, which are unique."""
        new = [(key, list(cells)) for key, cells in rows]
        if new == self._shown:
            return
        chosen, was, top = self.chosen(), self.cursor_row, self.scroll_y
        self._shown = new
        with self.app.batch_update():
            self.clear()
            for key, cells in new:
                self.add_row(*(self._aligned(cell, place) for place, cell in enumerate(cells)), key=key)
            places = [place for place, (key, _) in enumerate(new) if key == chosen]
            # The first row is where a cursor stands that has not been moved: there it stays.
            if places and was:
                self.move_cursor(row=places[0], scroll=False)
            self.scroll_to(y=top, animate=False)

    def _aligned(self, cell: Text, place: int) -> Text:
        if self._heads[place] in self._numbers:
            cell.justify = "right"
        return cell

    def chosen(self) -> str | None:
        """The key of the row at the cursor."""
        if not 0 <= self.cursor_row < len(self._shown):
            return None
        return self._shown[self.cursor_row][0]


def text(value: object, *, bad: bool = False, soft: bool = False) -> Text:
    """A cell, without markup: values may come from outside."""
    return Text(printable(str(value)), style=BAD if bad else SOFT if soft else "")


def kind_row(kind: Json) -> tuple[str, list[Text]]:
    """A row of the table of kinds."""
    last, quiet = kind["lastMinute"], is_quiet(kind)
    return kind["kind"], [
        text(kind["kind"], soft=quiet),
        text(count(kind["active"]), soft=quiet),
        text(count(kind["mailboxDepth"]), soft=quiet),
        text(age(kind["mailboxOldestSeconds"]) if kind["mailboxDepth"] else NONE, soft=quiet),
        text(rate(last["turns"], last["seconds"]), soft=quiet),
        text(share(last["runSeconds"], last["seconds"]), soft=quiet),
        text(count(last["crashes"]), bad=bool(last["crashes"]), soft=quiet),
        text(count(kind["quarantined"]), bad=bool(kind["quarantined"]), soft=quiet),
    ]


def is_quiet(kind: Json) -> bool:
    """Whether nothing of a kind is active, or was within a minute."""
    last = kind["lastMinute"]
    return not (kind["active"] or kind["quarantined"] or last["turns"] or last["refused"])


def actor_row(name: str, actor: Json) -> tuple[str, list[Text]]:
    """A row of the table of actors."""
    phase = phase_of(actor)
    does = actor["turn"] or (f"{actor['task']} (task)" if actor["task"] else "")
    return name, [
        text(actor["kind"]),
        text(phase, bad=actor["phase"] not in WELL),
        text(age(_age(actor))),
        text(does),
        text(count(actor["mailboxDepth"])),
        text(count(actor["crashes"]), bad=bool(actor["crashes"])),
        text(count(actor["turns"])),
        text(actor["key"]),
    ]


def phase_of(actor: Json) -> str:
    """What an actor does, in a word. One that waits for a message does nothing, but for its tasks."""
    if actor["phase"] == "waiting":
        return "in a task" if actor["task"] else "idle"
    return str(actor["phase"]).replace("_", " ")


def queue_row(noun: str, queue: Json, at: int) -> tuple[str, list[Text]]:
    """A row of the table of what waits, whose key is that of the actor that is to do it."""
    actor = queue["actor"]
    return f"{noun} {actor or queue['organizationId']}", [
        text(NOUNS.get(noun, noun)),
        text(count(queue["count"])),
        text(age(max(0, at - queue["oldestSince"]) / 1000)),
        text(queue["why"]),
        text(actor or "a member decides", soft=actor is None),
    ]


def _age(actor: Mapping[str, Any]) -> float:
    """Of what runs, beside turns too, or of what has waited the longest."""
    return max(actor[name] or 0.0 for name in ("turnAgeSeconds", "taskAgeSeconds", "mailboxOldestSeconds"))
