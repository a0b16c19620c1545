"""How the program ends when it cannot do what it was asked: one line, and an exit code.

Exit codes: 0 done, 1 failed, 2 asked wrongly (the command line or the configuration). A process that a
second signal ended has the code that shells give it, 130 or 143.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from svc.domain.errors import Fault, InvalidInput


class Failure(click.ClickException):
    """Raised when something outside of the program is in the way. The message says what to do about it."""


class BadConfiguration(click.ClickException):
    """Raised for a configuration that cannot be used. The message says which key, where, and why."""

    exit_code = 2


def leaves(error: BaseException) -> list[BaseException]:
    """The errors that *error* is made of: a nursery puts those of its tasks in groups."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for one in error.exceptions for leaf in leaves(one)]
    return [error]


def in_a_line(errors: Iterable[BaseException]) -> str:
    """What *errors* say to a person, each thing once."""
    return "; ".join(dict.fromkeys(map(_says, errors)))


def _says(error: BaseException) -> str:
    if isinstance(error, InvalidInput):
        return faults_in_a_line(error.faults)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def faults_in_a_line(faults: Iterable[Fault]) -> str:
    """What is wrong with an input, each fault after the member that it is in."""
    return "; ".join(str(fault).removeprefix("/") for fault in faults)


@contextmanager
def as_failure(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors of *kinds*, and grouped failures, into one `Failure` that says what they say."""
    try:
        yield
    except Failure:
        raise
    except Exception as error:
        found = leaves(error)
        if not all(isinstance(one, (*kinds, Failure)) for one in found):
            raise
        raise Failure(in_a_line(found)) from error
