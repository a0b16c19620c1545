"""Actors and turns as their authors and callers see them."""

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
    """One kind of message that an actor takes, made by `@turn` from an `async` method."""

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
"""Marks an `async` method of an actor as a turn: it runs alone, in the order of the mailbox."""


class BoundTurn(Generic[P, R]):
    """A turn of one actor: call it to ask, or tell it, or arm it as a timer."""

    __slots__ = ("_actor", "_turn")

    def __init__(self, actor: A, asked: Turn[A, P, R]) -> None:
        self._actor = actor
        self._turn = asked

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R]:
        """Ask: post the message and wait for its answer.

        A cancelled asker leaves, and the accepted turn still runs to its end.
        The call posts nothing before it is awaited.

        Raises:
            DomainError: the turn's own refusal.
            MailboxFull, Quarantined, Overcrowded, Draining: nothing was accepted.
            AskCycle: the asked actor already waits for the asking one.
            ActorCrashed: the turn crashed.
        """
        asked = self._actor.system._ask(self._actor, self._turn, args, kwargs)
        return cast("Coroutine[Any, Any, R]", asked)

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Post the message and do not wait; nobody learns how it ended.

        Raises `MailboxFull`, `Quarantined`, `Overcrowded` or `Draining` when it is not accepted.
        """
        self._actor.system._tell(self._actor, self._turn, args, kwargs)

    def tell_if_active(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Tell the actor if it is live; False, and nothing is posted, when it is not.

        For news of what it has loaded, such as a committed change. It is never refused: an actor
        that missed it would go on with what is no longer so. Few things may be news.
        """
        system: ActorSystem = self._actor.system
        return system._tell_if_active(self._actor, self._turn, args, kwargs)

    def after(self, seconds: float, *args: P.args, **kwargs: P.kwargs) -> None:
        """Arm a timer of the actor that runs this, from inside its turns: the turn runs in *seconds*.

        An actor has one timer a turn; arming it again moves it. Timers end with a crash. Once the
        system is quiesced there are none.
        """
        self._actor._inside().arm(self._turn, seconds, args, kwargs)

    def disarm(self) -> None:
        """Take back the timer of this turn, if it is armed."""
        self._actor._inside().timers.pop(self._turn, None)


class Actor(Generic[Sys, S]):
    """An address, and the turns that can be asked of whoever lives there.

    Make one wherever it is needed; it is only a name: `FormWindow(system, form_key)`.
    `Sys` is the system that it lives in, with what its turns may use. `S` is its state, a
    `msgspec.Struct` that `load` makes, and that exists only inside turns.
    """

    policy: ClassVar[Policy] = Policy()

    __slots__ = ("_activation", "key", "system")

    def __init__(self, system: Sys, key: str) -> None:
        self.system = system
        self.key = key
        self._activation: Activation | None = None

    async def load(self) -> S:
        """The state to start with, from what is stored. It may arm timers and start tasks already.

        A refusal raised here is the answer to every message that waits, and the actor ends.
        """
        raise NotImplementedError

    async def flush(self) -> None:
        """Runs as a last turn before passivation; what arrives meanwhile keeps the actor.

        What must survive is stored long before this: a crash has no flush.
        """

    @property
    def state(self) -> S:
        """The state; raises `OutsideTurn` anywhere but inside this actor's own turns."""
        return cast("S", self._inside().state)

    def start_soon(self, fn: Callable[Ts, Awaitable[object]], *args: Ts.args, **kwargs: Ts.kwargs) -> bool:
        """Start *fn* as a task of this actor, beside its turns: the place for slow I/O.

        It tells its result back with a turn. Whatever it raises crashes the actor, a refusal
        too. A live task keeps the actor from being passivated; a crash of the actor cancels it.

        False, and nothing is started, once the system is quiesced: what has begun is finished then, and
        nothing else begins.
        """
        return self._inside().start_task(fn, args, kwargs)

    @turn
    async def snapshot(self) -> Any:
        """The state as JSON-ready builtins, private values masked: for an operator."""
        return snapshot(self.state)

    def _inside(self) -> "Incarnation":
        activation = self._activation
        if activation is None or activation is not in_turn_of():
            raise OutsideTurn(f"{self!r} is only an address here; use its turns")
        return activation.incarnation

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.key!r})"
