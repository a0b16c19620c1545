"""The log: one record a line, for people on a terminal and as JSON everywhere else.

What a submission says must not end up in the log, and neither must a secret. So a traceback has no local
variables, and the text of an exception is written only where it comes from a source that never puts values
into it; of all others the log has the type and the places, which is what finds the fault. At level `debug`,
which nobody sets while real data is about, it has the text of all.

Logging never raises and never waits, whatever the stream does: lines that it does not take are counted, and
their number is logged once it takes lines again.
"""

import logging
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from svc.output import Output
from svc.settings import LogSettings

_PLAIN_SPOKEN: Final = frozenset({"svc", "sqlalchemy", "sqlite3", "alembic", "trio", "ssl"})
"""Packages whose exceptions name things, rules and statements, not the values that people sent."""

_CAUSED: Final = "which caused:"
_DURING: Final = "while handling that:"


def configure(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Log to *stream*, the standard error stream if there is none, whatever the program or a library says."""
    output = Output(stream or sys.stderr)
    people = settings.format == "console" or (settings.format == "auto" and output.is_terminal)
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        partial(_render_exception, unguarded=settings.level == "debug"),
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(
            colors=output.is_terminal, exception_formatter=structlog.dev.plain_traceback, sort_keys=False
        )
        if people
        else structlog.processors.JSONRenderer(ensure_ascii=not output.is_unicode)
    )
    rendering = _Rendering([*common, renderer])
    lines = _Lines(output, rendering)
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    structlog.configure(
        processors=[rendering],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: lines,
    )
    handler = _Handler(lines, rendering)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(), *common],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    # Libraries are heard from warnings on: below that they speak of what they handle.
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.captureWarnings(capture=True)


def report_lost() -> None:
    """Log how many lines were lost, if any were and the stream takes lines again."""
    lines = structlog.get_config()["logger_factory"]()
    if isinstance(lines, _Lines):
        lines.report_lost()


@contextmanager
def faults_logged() -> Iterator[None]:
    """Meanwhile, log the faults that nobody can catch: those of threads, and of what is being collected.

    Python would print them, with all that they say.
    """
    log = structlog.get_logger("svc")
    unraisable, threads = sys.unraisablehook, threading.excepthook

    def note_unraisable(fault: "sys.UnraisableHookArgs") -> None:
        log.error("a fault could not be raised", where=type(fault.object).__name__, exc_info=fault.exc_value)

    def note_threads(fault: threading.ExceptHookArgs) -> None:
        if not issubclass(fault.exc_type, SystemExit):
            name = fault.thread.name if fault.thread else None
            log.error("a thread ended by a fault", thread=name, exc_info=fault.exc_value)

    sys.unraisablehook, threading.excepthook = note_unraisable, note_threads
    try:
        yield
    finally:
        sys.unraisablehook, threading.excepthook = unraisable, threads


class _Rendering:
    """The processors as one that makes a line of every record, if need be one that says that it cannot."""

    def __init__(self, processors: Sequence[Processor]) -> None:
        self._processors = processors

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        try:
            return self._render(logger, name, event)
        except Exception as error:  # noqa: BLE001  # a value may fail to say what it is in any way
            return self.without(name, error)

    def without(self, name: str, error: Exception) -> str:
        """The line in the place of a record that could not be rendered for *error*."""
        return self._render(None, name, {"event": "a record cannot be rendered", "why": type(error).__name__})

    def _render(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        record: Any = event
        for processor in self._processors:
            record = processor(logger, name, record)
        return str(record)


class _Lines:
    """What structlog writes to, under the names of the levels. Counts what *output* did not take."""

    def __init__(self, output: Output, rendering: _Rendering) -> None:
        self._output = output
        self._rendering = rendering
        self._lock = threading.RLock()
        self._lost = 0

    def write(self, line: str) -> None:
        with self._lock:
            self.report_lost()
            if not self._output.write(f"{line}\n"):
                self._lost += 1

    debug = info = warning = error = critical = write

    def report_lost(self) -> None:
        with self._lock:
            if self._lost:
                line = self._rendering(None, "warning", {"event": "log lines were lost", "lines": self._lost})
                if self._output.write(f"{line}\n"):
                    self._lost = 0


class _Handler(logging.Handler):
    """Writes what libraries log. The standard library's own would print a traceback where it fails."""

    def __init__(self, lines: _Lines, rendering: _Rendering) -> None:
        super().__init__()
        self._lines = lines
        self._rendering = rendering

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception as error:  # noqa: BLE001  # arguments that do not fit the message, or fail themselves
            line = self._rendering.without(record.levelname.lower(), error)
        self._lines.write(line)


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
