"""Who has which conversation open: a plain table in memory, of what open pages said in the last half minute.

It is no actor and is not stored: losing all of it costs each page that is open one more request.
"""

from collections import OrderedDict
from typing import Final, NamedTuple

import trio

from svc.domain.inbox.limits import PRESENCE_SECONDS, PRESENCES_MAX
from svc.domain.inbox.presence import Activity, Presence


class _Place(NamedTuple):
    """A person at a conversation."""

    conversation_id: str
    person_id: str


class _Stay(NamedTuple):
    """What they do there, and until when that holds."""

    activity: Activity
    until: float


class Presences:
    """The people at all conversations, at most `PRESENCES_MAX`: beyond, those heard of longest ago go."""

    def __init__(self) -> None:
        self._stays: OrderedDict[_Place, _Stay] = OrderedDict()
        self._people: dict[str, set[str]] = {}

    def note(self, conversation_id: str, person_id: str, activity: Activity | None) -> bool:
        """Store what a person does at a conversation, None for nothing; whether that is anything new."""
        self._forget_old()
        place = _Place(conversation_id, person_id)
        before = self._stays.get(place)
        if activity is None:
            if before is not None:
                self._forget(place)
            return before is not None
        self._stays[place] = _Stay(activity, trio.current_time() + PRESENCE_SECONDS)
        self._stays.move_to_end(place)
        self._people.setdefault(conversation_id, set()).add(person_id)
        if len(self._stays) > PRESENCES_MAX:
            self._forget(next(iter(self._stays)))
        return before is None or before.activity != activity

    def at(self, conversation_id: str) -> list[Presence]:
        """The people at a conversation, in the order of their ids."""
        self._forget_old()
        people = sorted(self._people.get(conversation_id, ()))
        return [Presence(one, self._stays[_Place(conversation_id, one)].activity) for one in people]

    def statistics(self) -> int:
        """People at conversations; somebody at two counts twice."""
        return len(self._stays)

    def _forget_old(self) -> None:
        """Forget those whose time is over: they come first, since each lasts as long."""
        now = trio.current_time()
        while self._stays:
            place, stay = next(iter(self._stays.items()))
            if stay.until > now:
                return
            self._forget(place)

    def _forget(self, place: _Place) -> None:
        del self._stays[place]
        people = self._people[place.conversation_id]
        people.discard(place.person_id)
        if not people:
            del self._people[place.conversation_id]


HINT: Final = "presence"
"""The noun of hints that somebody came to a conversation, left it, or began or ceased to write."""
