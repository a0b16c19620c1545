"""Which actor the running task works for, carried by the context that Trio hands to child tasks."""

from contextvars import ContextVar
from typing import TYPE_CHECKING

from svc.wait_guard import set_wait_guard

if TYPE_CHECKING:
    from svc.actors._core.activation import Activation

_in_turn_of: ContextVar["Activation | None"] = ContextVar("in_turn_of", default=None)
_member_of: ContextVar["Activation | None"] = ContextVar("member_of", default=None)


def in_turn_of() -> "Activation | None":
    """The actor whose turn the running task works for: its own task, or one that a turn opened."""
    return _in_turn_of.get()


def member_of() -> "Activation | None":
    """The actor that the running task belongs to, in a turn or in a task beside its turns."""
    return _member_of.get()


def become(activation: "Activation") -> None:
    """Make the running task that of *activation*, which takes its turns."""
    _in_turn_of.set(activation)
    _member_of.set(activation)
    set_wait_guard(activation)


def beside_turns_of(activation: "Activation") -> None:
    """Make the running task one of *activation*, beside its turns."""
    _member_of.set(activation)
    set_wait_guard(activation)
