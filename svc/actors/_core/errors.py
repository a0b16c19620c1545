"""What the runtime itself answers, in one tree, and what it counts as an answer.

An `ActorError` that a turn gets from an inner ask passes upward to the turn's own asker:
it is a refusal there, not a crash.
"""

from typing import Final, TypeVar

import trio

from svc.domain.errors import DomainError, Unavailable

E = TypeVar("E", bound=Exception)


class ActorError(Exception):
    """Raised by the runtime when a message could not be answered by its turn."""


class MailboxFull(ActorError, Unavailable):
    """Raised at once when the mailbox holds all it may. Nothing was accepted; try again later."""

    outward = "too many requests for this wait already"


class Overcrowded(ActorError, Unavailable):
    """Raised at once when a kind has as many live actors as it may. Try again later."""

    outward = "too much is in use at once"


class Quarantined(ActorError, Unavailable):
    """Raised at once while an actor that kept crashing is left alone. Try again later."""

    outward = "this part of the service kept failing and is left alone for a while"


class Draining(ActorError, Unavailable):
    """Raised at once when the system is shutting down and takes nothing from outside."""

    outward = "the service is shutting down"


class AskCycle(ActorError):
    """Raised before posting when the asked actor already waits for the asker. A fault of design."""


class ActorCrashed(ActorError):
    """Raised to the asker whose turn crashed. The turn may or may not have had its effects."""


class TurnTimedOut(Exception):
    """Raised inside an actor whose turn took longer than its policy allows: it crashes."""


class OutsideTurn(RuntimeError):
    """Raised when an actor's state or timers are touched outside of its turns. A programming error."""


REFUSALS: Final = (DomainError, ActorError)
"""What a turn may raise as its answer; anything else crashes its actor."""


def refusal_in(error: Exception) -> Exception | None:
    """The refusal that *error* is, or the first of a group of nothing else: turns may open nurseries."""
    while isinstance(error, ExceptionGroup):
        if error.split(REFUSALS)[1] is not None:
            return None
        error = error.exceptions[0]
    return error if isinstance(error, REFUSALS) else None


def fault_in(error: BaseException) -> Exception | None:
    """The fault that *error* is, without the cancellations in its group; None for what is no fault.

    A nursery that is cut off while one of its tasks fails raises both in one group. A lone cancellation is no
    fault, and neither is anything together with what means to end the program.
    """
    faults: BaseException | None = error
    if isinstance(error, BaseExceptionGroup):
        faults = error.split(trio.Cancelled)[1]
    return faults if isinstance(faults, Exception) else None


def copy_of(error: E) -> E:
    """*error* for one more asker: raising an exception writes into it, so no two may raise the same."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    return copy
