"""The log: one record a line, for people on a terminal and as JSON everywhere else.

What a submission says must not end up in the log, and neither must a secret. So a traceback has no local
variables, and the text of an exception is written only where it comes from a source that never puts values
into it; of all others the log has the type and the places, which is what finds the fault. At level `debug`,
which nobody sets while real data is about, it has the text of all.
"""

import logging
import sys
import traceback
from collections.abc import Iterator
from functools import partial
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from svc.config import LogSettings

_PLAIN_SPOKEN: Final = frozenset({"svc", "sqlalchemy", "sqlite3", "alembic", "trio", "ssl"})
"""Packages whose exceptions name things, rules and statements, not the values that people sent."""

_CAUSED: Final = "which caused:"
_DURING: Final = "while handling that:"


def configure(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Log to *stream*, the standard error stream if there is none, whatever the program or a library says."""
    out = stream or sys.stderr
    people = settings.format == "console" or (settings.format == "auto" and out.isatty())
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        partial(_render_exception, unguarded=settings.level == "debug"),
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(
            colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback, sort_keys=False
        )
        if people
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    structlog.configure(
        processors=[*common, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(out),
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(), *common],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    # Libraries are heard from warnings on: below that they speak of what they handle.
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.captureWarnings(capture=True)


def describe(error: BaseException, *, unguarded: bool = False) -> str:
    """*error* in a line: its type, and its text if that is wanted *unguarded* or holds nothing private."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    spoken = unguarded or isinstance(error, OSError) or kind.__module__.partition(".")[0] in _PLAIN_SPOKEN
    text = " ".join(str(error).split()) if spoken else ""
    return f"{name}: {text}" if text else name


def _render_exception(_logger: WrappedLogger, _name: str, event: EventDict, *, unguarded: bool) -> EventDict:
    found: Any = event.pop("exc_info", None)
    if found is True or (isinstance(found, tuple) and found[0] is None):
        found = sys.exc_info()
    error = found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_lines(error, set(), unguarded=unguarded))
    return event


def _lines(error: BaseException, seen: set[int], *, unguarded: bool) -> Iterator[str]:
    """The traceback of *error*, what led to it first."""
    seen.add(id(error))
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _lines(earlier, seen, unguarded=unguarded)
        yield _CAUSED if error.__cause__ else _DURING
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    yield describe(error, unguarded=unguarded)
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from (f"  | {line}" for line in _lines(one, seen, unguarded=unguarded))
