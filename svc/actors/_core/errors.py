"""What the runtime itself answers, in one tree.

An `ActorError` that a turn gets from an inner ask passes upward to the turn's own asker:
it is a refusal there, not a crash.
"""

from svc.domain.errors import Unavailable


class ActorError(Exception):
    """Raised by the runtime when a message could not be answered by its turn."""


class MailboxFull(ActorError, Unavailable):
    """Raised at once when the mailbox holds all it may. Nothing was accepted; try again later."""


class Overcrowded(ActorError, Unavailable):
    """Raised at once when a kind has as many live actors as it may. Try again later."""


class Quarantined(ActorError, Unavailable):
    """Raised at once while an actor that kept crashing is left alone. Try again later."""


class Draining(ActorError, Unavailable):
    """Raised at once when the system is shutting down and takes nothing from outside."""


class AskCycle(ActorError):
    """Raised before posting when the asked actor already waits for the asker. A fault of design."""


class ActorCrashed(ActorError):
    """Raised to the asker whose turn crashed. The turn may or may not have had its effects."""


class TurnTimedOut(Exception):
    """Raised inside an actor whose turn took longer than its policy allows: it crashes."""


class OutsideTurn(RuntimeError):
    """Raised when an actor's state or timers are touched outside of its turns. A programming error."""
