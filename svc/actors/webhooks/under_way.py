"""The attempts of one subscription that are under way, and those that have ended and are not stored yet."""

import msgspec

from svc.actors._core import Private
from svc.domain.webhooks.limits import WEBHOOK_LAST_ATTEMPTS
from svc.storage.webhooks.attempts import EndedAttempt


def _none() -> Private[list[EndedAttempt]]:
    return Private([])


class UnderWay(msgspec.Struct, kw_only=True):
    """A part of the state of a Webhook that the tasks of its attempts share.

    An attempt notes its own end here, since a message and a turn for each cost as much as a third of sending.
    """

    in_flight: dict[str, str] = {}
    """The subjects of deliveries that are being attempted, by the delivery's id."""
    ended: Private[list[EndedAttempt]] = msgspec.field(default_factory=_none)
    """Attempts that have ended, and that no unit of work has taken yet. They have addresses and answers."""
    storing: Private[list[EndedAttempt]] = msgspec.field(default_factory=_none)
    """Those that a unit of work has taken."""
    reached: tuple[bool, ...] = ()
    """Whether the last attempts reached the receiver, the latest last."""

    def end(self, attempt: EndedAttempt) -> bool:
        """Note that *attempt* has ended. Returns whether the actor must hear of it.

        It must of the first that waits to be stored, and when none is in flight any more.
        """
        del self.in_flight[attempt.delivery_id]
        self.ended.value.append(attempt)
        self.reached = (*self.reached, attempt.outcome.reached)[-WEBHOOK_LAST_ATTEMPTS:]
        return len(self.ended.value) == 1 or not self.in_flight

    def take_ended(self) -> tuple[EndedAttempt, ...]:
        """What has ended, to be stored: then call `note_stored`, or else `give_back`."""
        self.storing.value, self.ended.value = self.ended.value, []
        return tuple(self.storing.value)

    def note_stored(self) -> None:
        """What was taken is stored."""
        self.storing.value = []

    def give_back(self) -> None:
        """What was taken and not stored waits again, before those that have ended since."""
        self.ended.value[:0] = self.storing.value
        self.storing.value = []
