"""Redaction: members of answers that are null for callers who may not see what those were made of.

A workflow's templates, and receivers that answer with what they were sent, bring records, submissions and
messages into answers that other permissions open.
"""

from collections.abc import Set as AbstractSet
from typing import TypeVar

import msgspec

from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission

A = TypeVar("A", bound=msgspec.Struct)


def shown_to(caller: Caller, answer: A, *members: str, needs: AbstractSet[Permission]) -> A:
    """*answer*, whose *members* are null unless *caller* has every permission that they *need*."""
    if needs <= caller.permissions:
        return answer
    return msgspec.structs.replace(answer, **dict.fromkeys(members))
