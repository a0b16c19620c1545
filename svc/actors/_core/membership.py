"""The actor that the current task belongs to, in a context variable, which child tasks inherit."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

from svc.wait_guard import set_wait_guard

if TYPE_CHECKING:
    from svc.actors._core.activation import Activation

_in_turn_of: ContextVar["Activation | None"] = ContextVar("in_turn_of", default=None)
_member_of: ContextVar["Activation | None"] = ContextVar("member_of", default=None)


def in_turn_of() -> "Activation | None":
    """The actor whose turn the current task runs: the actor's own task, or a child task of the turn."""
    return _in_turn_of.get()


def member_of() -> "Activation | None":
    """The actor that the current task belongs to, in a turn or in a task of the actor."""
    return _member_of.get()


def become(activation: "Activation") -> None:
    """Mark the current task as the one that runs the turns of *activation*."""
    _in_turn_of.set(activation)
    _member_of.set(activation)
    set_wait_guard(activation)


def beside_turns_of(activation: "Activation") -> None:
    """Mark the current task as a task of *activation*, outside of its turns."""
    _member_of.set(activation)
    set_wait_guard(activation)
