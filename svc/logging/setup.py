"""The log: one record per line, readable on a terminal and JSON otherwise.

Neither personal data nor secrets may get into the log. So tracebacks have no local variables, and the message
of an exception is logged only if its package never puts values into messages; otherwise the log has the type
and the stack, which is enough to find the fault. That holds at every level.

Logging never raises and never blocks, whatever the stream does: lines that it does not accept are counted,
and their number is logged once it accepts lines again.
"""

import logging
import re
import sqlite3
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from svc.config.settings import LogSettings
from svc.logging.output import Output
from svc.request_id import request_id

_SAFE_PACKAGES: Final = frozenset({"svc", "alembic", "trio", "ssl"})
"""Packages whose exceptions name things, rules and statements, but no values of users."""
_PLAIN_STEP: Final = re.compile(r"|v\d|[a-z]+(-[a-z]+)*|[a-z]+\.[a-z_]+|[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}")
"""Names of doors and of tools, and ids."""
_QUOTE: Final = re.compile(r"['\"\[]")

_CAUSED: Final = "which caused:"
_DURING: Final = "while handling that:"


def configure(settings: LogSettings, stream: TextIO | None = None) -> None:
    """Send the records of this program and of its libraries to *stream*; by default, to standard error."""
    output = Output(stream or sys.stderr)
    for_people = settings.format == "console" or (settings.format == "auto" and output.is_terminal)
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        _add_request_id,
        _mask_path,
        _describe_exceptions,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _render_exception,
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(
            colors=output.is_terminal, exception_formatter=structlog.dev.plain_traceback, sort_keys=False
        )
        if for_people
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
    # Of libraries only warnings and above: records below may contain the data that they handle.
    logging.basicConfig(handlers=[handler], level=max(level, logging.WARNING), force=True)
    logging.captureWarnings(capture=True)


def report_lost() -> None:
    """Log how many lines were lost, if any, once the stream accepts lines again."""
    lines = structlog.get_config()["logger_factory"]()
    if isinstance(lines, _Lines):
        lines.report_lost()


@contextmanager
def faults_logged() -> Iterator[None]:
    """Within the block, log the exceptions that cannot be caught: those of threads and of finalizers.

    Python would print them, with their messages.
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
    """The chain of processors. If one of them fails, the record becomes a line that says so."""

    def __init__(self, processors: Sequence[Processor]) -> None:
        self._processors = processors

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        try:
            return self._render(logger, name, event)
        except Exception as error:  # noqa: BLE001  # the `repr` of a value may raise anything
            return self.without(name, error)

    def without(self, name: str, error: Exception) -> str:
        """The line in place of a record that could not be rendered because of *error*."""
        return self._render(None, name, {"event": "a record cannot be rendered", "why": type(error).__name__})

    def _render(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        record: Any = event
        for processor in self._processors:
            record = processor(logger, name, record)
        return str(record)


class _Lines:
    """The logger that structlog wraps, with a method for each level. Counts lines that *output* lost."""

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
    """The handler for the records of libraries. The standard one would print a traceback when it fails."""

    def __init__(self, lines: _Lines, rendering: _Rendering) -> None:
        super().__init__()
        self._lines = lines
        self._rendering = rendering

    def emit(self, record: logging.LogRecord) -> None:
        try:
            line = self.format(record)
        except Exception as error:  # noqa: BLE001  # arguments may not fit the message, or fail to format
            line = self._rendering.without(record.levelname.lower(), error)
        self._lines.write(line)


def _add_request_id(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Say for which request the line is, through whatever actors it has come."""
    current = request_id()
    if current is not None:
        event.setdefault("request_id", current.decode("ascii"))
    return event


def _mask_path(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Leave of a request's path what its door has named it, and ids: the rest was typed by somebody."""
    path = event.get("path")
    if isinstance(path, str):
        event["path"] = "/".join(one if _PLAIN_STEP.fullmatch(one) else "…" for one in path.split("/"))
    return event


def _describe_exceptions(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Show exceptions that are values of the record, such as why something waits, by their `describe`."""
    for name, value in event.items():
        if isinstance(value, BaseException) and name != "exc_info":
            event[name] = describe(value)
    return event


def describe(error: BaseException) -> str:
    """*error* in one line: its type, and its message if that has no values."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    text = " ".join(_message_without_values(error).split())
    return f"{name}: {text}" if text else name


def _message_without_values(error: BaseException) -> str:
    package = type(error).__module__.partition(".")[0]
    if isinstance(error, sqlite3.Error):
        return _unquoted(str(error))
    if package == "sqlalchemy":
        cause = getattr(error, "orig", None)
        if cause is None:
            return str(error)
        # It repeats the message of the driver, or of whatever has refused a parameter.
        return str(error).replace(str(cause), _message_without_values(cause))
    return str(error) if package in _SAFE_PACKAGES or isinstance(error, OSError) else ""


def _unquoted(message: str) -> str:
    """A message of SQLite up to what it quotes: text that is no UTF-8, or a part of a query."""
    found = _QUOTE.search(message)
    return message if found is None else f"{message[: found.start()].rstrip()} …"


def _render_exception(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    exc_info: Any = event.pop("exc_info", None)
    if exc_info is True or (isinstance(exc_info, tuple) and exc_info[0] is None):
        exc_info = sys.exc_info()
    error = exc_info[1] if isinstance(exc_info, tuple) else exc_info
    if isinstance(error, BaseException):
        event["exception"] = "\n".join(_lines(error, set()))
    return event


def _lines(error: BaseException, seen: set[int]) -> Iterator[str]:
    """The traceback of *error*, after that of its cause."""
    seen.add(id(error))
    earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if earlier is not None and id(earlier) not in seen:
        yield from _lines(earlier, seen)
        yield _CAUSED if error.__cause__ else _DURING
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    yield describe(error)
    if isinstance(error, BaseExceptionGroup):
        for member in error.exceptions:
            yield from (f"  | {line}" for line in _lines(member, seen))
