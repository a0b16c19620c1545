"""The limits that gateway keys alone may have: a monthly budget, and the models that they may name."""

from collections.abc import Iterable
from typing import Final

from svc.domain.errors import Fault, InvalidInput

_POINTERS: Final = {"monthly_budget_micro_credits": "/monthlyBudgetMicroCredits", "models": "/models"}


def refuse(given: Iterable[str]) -> None:
    """Raises `InvalidInput` if a limit is among the *given* fields of a key that calls tools."""
    faults = [
        Fault(_POINTERS[name], "invalid_value", "only a gateway key has it")
        for name in given
        if name in _POINTERS
    ]
    if faults:
        raise InvalidInput(faults)


def once(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The *names*, each once."""
    return None if names is None else tuple(dict.fromkeys(names))
