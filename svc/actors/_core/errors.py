"""The errors of the runtime, and which exceptions of a turn count as refusals.

An `ActorError` that an inner ask raises in a turn propagates to the turn's own asker as a
refusal; it is no crash.
"""

from typing import Final, TypeVar

import trio

from svc.domain.errors import DomainError, Unavailable

E = TypeVar("E", bound=Exception)


class ActorError(Exception):
    """Raised by the runtime when a message could not be answered by its turn."""


class MailboxFull(ActorError, Unavailable):
    """Raised at once when the mailbox is full. Nothing was accepted; try again later."""

    outward = "too many requests for this wait already"


class Overcrowded(ActorError, Unavailable):
    """Raised at once when a kind has its maximum of active actors. Try again later."""

    outward = "too much is in use at once"


class Quarantined(ActorError, Unavailable):
    """Raised at once while an actor that crashed repeatedly is quarantined. Try again later."""

    outward = "this part of the service kept failing and is left alone for a while"


class Draining(ActorError, Unavailable):
    """Raised at once when the system is shutting down and accepts no messages from outside."""

    outward = "the service is shutting down"


class AskCycle(ActorError):
    """Raised before sending if the asked actor is waiting for the asker. A design error."""


class ActorCrashed(ActorError):
    """Raised to the asker of a turn that crashed. The turn may or may not have had its effects."""


class CutOff(Exception):
    """Raised inside an actor when what it runs is cancelled, which crashes the actor."""

    def __init__(self, what: str, stood: list[str] | None = None) -> None:
        super().__init__(what)
        self.stood = stood or []
        """Where the turn stood when it was cancelled, as `stacks` has it."""


class TurnTimedOut(CutOff):
    """Raised when a turn exceeds its time limit."""


class RestartByOperator(CutOff):
    """Raised when an operator restarts the actor."""


class OutsideTurn(RuntimeError):
    """Raised when state, timers or tasks of an actor are accessed outside of its turns."""


REFUSALS: Final = (DomainError, ActorError)
"""What counts as a refusal when a turn raises it. Anything else crashes the actor."""


def refusal_in(error: Exception) -> Exception | None:
    """The refusal in *error*: itself, or the first of a group of refusals. None for other errors."""
    while isinstance(error, ExceptionGroup):
        if error.split(REFUSALS)[1] is not None:
            return None
        error = error.exceptions[0]
    return error if isinstance(error, REFUSALS) else None


def fault_in(error: BaseException) -> Exception | None:
    """The fault in *error*, without the cancellations in its group; None if it is no fault.

    A nursery that is cancelled while one of its tasks fails raises both in one group. A cancellation alone
    is no fault, and neither is a group with an exception that ends the program.
    """
    faults: BaseException | None = error
    if isinstance(error, BaseExceptionGroup):
        faults = error.split(trio.Cancelled)[1]
    return faults if isinstance(faults, Exception) else None


def copy_of(error: E) -> E:
    """A copy of *error* for another asker, since raising an exception modifies its traceback."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    return copy
