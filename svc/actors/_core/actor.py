"""Actors and turns: the interface for their authors and callers."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from svc.actors._core.errors import OutsideTurn
from svc.actors._core.membership import in_turn_of
from svc.actors._core.policy import Policy
from svc.actors._core.private import snapshot

if TYPE_CHECKING:
    from svc.actors._core.activation import Activation
    from svc.actors._core.incarnation import Incarnation
    from svc.actors._core.system import ActorSystem

Sys = TypeVar("Sys", bound="ActorSystem")
S = TypeVar("S")
A = TypeVar("A", bound="Actor[Any, Any]")
P = ParamSpec("P")
R = TypeVar("R")
Ts = ParamSpec("Ts")


class Turn(Generic[A, P, R]):
    """A turn method: a kind of message of an actor, made by `@turn` from an `async` method."""

    __slots__ = ("fn", "name")

    def __init__(self, fn: Callable[Concatenate[A, P], Coroutine[Any, Any, R]]) -> None:
        self.fn = fn
        self.name = fn.__name__

    @overload
    def __get__(self, actor: None, kind: type[A]) -> Self: ...

    @overload
    def __get__(self, actor: A, kind: type[A]) -> "BoundTurn[P, R]": ...

    def __get__(self, actor: A | None, kind: type[A]) -> "Self | BoundTurn[P, R]":
        return self if actor is None else BoundTurn(actor, self)


turn = Turn
"""Makes an `async` method of an actor a turn, which runs alone, in the order of the mailbox."""


class BoundTurn(Generic[P, R]):
    """A turn of one actor, to be asked (by a call), told, or armed as a timer."""

    __slots__ = ("_actor", "_turn")

    def __init__(self, actor: A, asked: Turn[A, P, R]) -> None:
        self._actor = actor
        self._turn = asked

    def __repr__(self) -> str:
        return f"{self._actor!r}.{self._turn.name}"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]:
        """Ask: send the message and wait for its answer.

        If the asker is cancelled, the accepted turn still runs to its end.
        Nothing is sent before the call is awaited.

        Raises:
            DomainError: the turn refuses.
            MailboxFull, Quarantined, Overcrowded, Draining: nothing was accepted.
            AskCycle: the asked actor is waiting for the asking one.
            ActorCrashed: the turn crashed.
        """
        asked = self._actor.system._ask(self._actor, self._turn, args, kwargs)
        return cast("Coroutine[Any, Any, R]", asked)

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Send the message without waiting. Errors of its turn are only logged.

        Raises:
            MailboxFull, Quarantined, Overcrowded, Draining: nothing was accepted.
        """
        self._actor.system._tell(self._actor, self._turn, args, kwargs)

    def tell_if_active(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Tell the actor if it is active, and return whether it is.

        For changes of what it has loaded. The message is accepted even if the mailbox is full,
        since an actor that missed it would continue with outdated state. So use it sparingly.
        """
        system: ActorSystem = self._actor.system
        return system._tell_if_active(self._actor, self._turn, args, kwargs)

    def after(self, seconds: float, *args: P.args, **kwargs: P.kwargs) -> None:
        """Arm the actor's own timer: the turn runs after *seconds*. Call it inside a turn.

        There is one timer for each turn method; arming it again moves it. A crash drops timers. Once
        the system is quiesced, none is armed.
        """
        self._actor._inside().arm(self._turn, seconds, args, kwargs)

    def disarm(self) -> None:
        """Disarm the timer of this turn, if it is armed."""
        self._actor._inside().timers.pop(self._turn, None)


class Actor(Generic[Sys, S]):
    """The address of an actor, and its turns.

    An instance is only an address, so create it wherever it is needed: `FormWindow(system, form_key)`.
    `Sys` is the system, with what turns may use. `S` is the state, a `msgspec.Struct` that `load`
    returns, and that is accessible only inside turns.
    """

    policy: ClassVar[Policy] = Policy()

    __slots__ = ("_activation", "key", "system")

    def __init__(self, system: Sys, key: str) -> None:
        self.system = system
        self.key = key
        self._activation: Activation | None = None

    async def load(self) -> S:
        """Return the initial state. It may already arm timers and start tasks.

        A refusal raised here is the answer to every waiting message, and ends the activation.
        """
        raise NotImplementedError

    async def flush(self) -> None:
        """Runs before passivation. A message that arrives meanwhile keeps the actor active.

        Store what must survive earlier, since a crash runs no `flush`.
        """

    @property
    def state(self) -> S:
        """The state. Raises `OutsideTurn` outside of this actor's own turns."""
        return cast("S", self._inside().state)

    def start_soon(self, fn: Callable[Ts, Awaitable[object]], *args: Ts.args, **kwargs: Ts.kwargs) -> bool:
        """Start *fn* as a task of this actor, concurrent with its turns, for slow I/O.

        The task tells its result to the actor with a turn. An error in it crashes the actor, even a
        refusal. A running task prevents passivation; a crash of the actor cancels it.

        Returns whether it was started: once the system is quiesced, nothing new is.
        """
        return self._inside().start_task(fn, args, kwargs)

    @turn
    async def snapshot(self) -> Any:
        """The state as JSON-ready builtins for operators, with private values masked."""
        return snapshot(self.state)

    def _inside(self) -> "Incarnation":
        activation = self._activation
        if activation is None or activation is not in_turn_of():
            raise OutsideTurn(f"{self!r} is only an address here; use its turns")
        return activation.incarnation

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r})"
