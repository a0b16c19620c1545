"""Errors of commands: one line on standard error, and an exit code.

Exit codes: 0 success, 1 failure, 2 a mistake in the command line or the configuration. A process that a
second signal killed has the code that shells give it, 130 or 143.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import click

from svc.domain.errors import Fault, InvalidInput


class Failure(click.ClickException):
    """Raised when a command cannot be completed. The message says what to do about it."""


class BadConfiguration(click.ClickException):
    """Raised for an invalid configuration. The message names the key, its source and the reason."""

    exit_code = 2


def leaves(error: BaseException) -> list[BaseException]:
    """The single errors in *error*, which may be a group, as nurseries raise them."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for member in error.exceptions for leaf in leaves(member)]
    return [error]


def in_a_line(errors: Iterable[BaseException]) -> str:
    """The messages of *errors* in one line, without repetitions."""
    return "; ".join(dict.fromkeys(map(_message, errors)))


def _message(error: BaseException) -> str:
    if isinstance(error, InvalidInput):
        return faults_in_a_line(error.faults)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def faults_in_a_line(faults: Iterable[Fault]) -> str:
    """The faults of an input in one line, each after the member that it is in."""
    return "; ".join(str(fault).removeprefix("/") for fault in faults)


@contextmanager
def as_failure(*kinds: type[Exception]) -> Iterator[None]:
    """Raise errors of *kinds*, and groups of them, as one `Failure` with their messages."""
    try:
        yield
    except Failure:
        raise
    except Exception as error:
        errors = leaves(error)
        if not all(isinstance(leaf, (*kinds, Failure)) for leaf in errors):
            raise
        raise Failure(in_a_line(errors)) from error
