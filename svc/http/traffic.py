"""How requests were answered since the start: by door and status, how soon, and what is still being sent.

A door is named by the folder of its noun (`tools`, `forms`, …), and what Quart answers is `pages`: so the
names are few, whatever is asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

import trio

from svc.actors._core.statistics import Latencies
from svc.http.asgi import Message, Send

PAGES: Final = "pages"


class Traffic:
    """The counts of one listener."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[str, int]] = Counter()
        self._latencies: defaultdict[str, Latencies] = defaultdict(Latencies)
        self._names: dict[type, str] = {}
        self.streams: Counter[str] = Counter()
        """Answers that are being sent in parts, by door."""

    def note(self, door: str, status: int, seconds: float) -> None:
        """Count an answer with *status*, whose head went out *seconds* after the request's had come."""
        self._answers[door, status] += 1
        self._latencies[door].add(seconds)

    def name_of(self, door: object) -> str:
        """The noun in whose folder the class of *door* is."""
        kind = type(door)
        name = self._names.get(kind)
        if name is None:
            name = self._names[kind] = kind.__module__.removeprefix("svc.http.").partition(".")[0]
        return name

    @property
    def answers(self) -> Mapping[tuple[str, int], int]:
        """How many answers each door has given with each status."""
        return self._answers

    @property
    def latencies(self) -> Mapping[str, Latencies]:
        """How long each door took until the head of its answer."""
        return self._latencies


class CountedSend:
    """ASGI's `send` of one request, whose answer is counted as its head is sent."""

    __slots__ = ("_began_at", "_door", "_send", "_traffic")

    def __init__(self, send: Send, traffic: Traffic, door: str, began_at: float) -> None:
        self._send = send
        self._traffic = traffic
        self._door = door
        self._began_at = began_at

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._traffic.note(self._door, message["status"], trio.current_time() - self._began_at)
        await self._send(message)
