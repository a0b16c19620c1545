"""The log: a record a line, and nothing in it that people sent or that is secret."""

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from sqlalchemy import Text, TypeDecorator, create_engine, literal, select, text
from sqlalchemy.exc import DBAPIError, OperationalError, StatementError

from svc.config.settings import LogSettings
from svc.domain.errors import NotFound
from svc.logging.setup import configure, describe, faults_logged, report_lost

PERSONAL = "ada@example.com"


class Stream(io.StringIO):
    """A stream that takes nothing while it is full."""

    full = False

    def write(self, text: str) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return super().write(text)


@pytest.fixture
def lines() -> Iterator[Stream]:
    """What is logged as JSON, at level info."""
    stream = Stream()
    configure(LogSettings(format="json"), stream)
    yield stream
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    logging.basicConfig(handlers=[], force=True)


def records(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def look_up(person: str) -> None:
    secret = f"the secret of {person}"
    raise KeyError(secret)


def test_a_record_is_one_line_of_json(lines: io.StringIO) -> None:
    """Whatever a value holds, a record stays one line that a program can read."""
    structlog.get_logger("test").info("filed", form="Ask\nabout – a lamp", count=2)

    [record] = records(lines)
    assert {"event": "filed", "level": "info", "form": "Ask\nabout – a lamp", "count": 2} == {
        name: record[name] for name in ("event", "level", "form", "count")
    }
    assert record["timestamp"].endswith("Z")


def test_below_the_level_nothing_is_written(lines: io.StringIO) -> None:
    """The level holds for the program and for libraries."""
    structlog.get_logger("test").debug("noise")
    logging.getLogger("library").info("noise")

    assert "" == lines.getvalue()


def test_a_traceback_has_places_and_types_and_no_values(lines: io.StringIO) -> None:
    """Neither local variables nor the text of an exception that may hold a value reach the log."""
    try:
        look_up(PERSONAL)
    except KeyError:
        structlog.get_logger("test").exception("a turn crashed")

    [record] = records(lines)
    assert PERSONAL not in lines.getvalue()
    assert record["exception"].splitlines()[-1] == "KeyError"
    assert "in look_up" in record["exception"]


def test_causes_and_groups_are_logged_in_order(lines: io.StringIO) -> None:
    """What led to an exception stands before it, and each error of a group under it."""
    try:
        try:
            look_up(PERSONAL)
        except KeyError as error:
            raise ExceptionGroup("tasks", [ValueError(PERSONAL), NotFound("no such form")]) from error
    except ExceptionGroup:
        structlog.get_logger("test").exception("failed")

    [record] = records(lines)
    told = [line.strip() for line in record["exception"].splitlines() if ".py:" not in line]
    assert ["KeyError", "which caused:", "ExceptionGroup", "| ValueError"] == told[:4]
    assert "| svc.domain.errors.NotFound: no such form" == told[4]
    assert PERSONAL not in lines.getvalue()


def test_a_cycle_of_causes_ends(lines: io.StringIO) -> None:
    """Exceptions can be each other's causes; each is logged once."""
    first, second = ValueError(), TypeError()
    first.__cause__, second.__cause__ = second, first

    structlog.get_logger("test").error("failed", exc_info=first)

    assert "TypeError\nwhich caused:\nValueError" == records(lines)[0]["exception"]


def test_the_database_says_what_is_wrong_without_the_values() -> None:
    """A failing statement is named, its parameters are not."""
    statement = text("SELECT * FROM nowhere WHERE email = :email")
    with (
        create_engine("sqlite://", hide_parameters=True).connect() as conn,
        pytest.raises(OperationalError) as failed,
    ):
        conn.execute(statement, {"email": PERSONAL})

    told = describe(failed.value)
    assert "no such table: nowhere" in told
    assert PERSONAL not in told


def test_the_system_says_which_file() -> None:
    """Errors of the operating system keep their text."""
    assert "FileNotFoundError: [Errno 2] No such file or directory: '/nowhere'" == describe(
        FileNotFoundError(2, "No such file or directory", "/nowhere")
    )


def test_libraries_are_heard_from_warnings_on(lines: io.StringIO) -> None:
    """Their records have the same shape, and their tracebacks no values either."""
    try:
        look_up(PERSONAL)
    except KeyError:
        logging.getLogger("library").exception("it broke")

    [record] = records(lines)
    assert ("it broke", "library", "error") == (record["event"], record["logger"], record["level"])
    assert record["exception"].endswith("KeyError")
    assert PERSONAL not in lines.getvalue()


def test_the_text_of_an_exception_is_not_there_at_level_debug_either() -> None:
    """More lines, and the same of each."""
    stream = io.StringIO()
    configure(LogSettings(format="json", level="debug"), stream)
    try:
        try:
            look_up(PERSONAL)
        except KeyError:
            structlog.get_logger("test").exception("a turn crashed")
    finally:
        structlog.reset_defaults()
        logging.captureWarnings(capture=False)
        logging.basicConfig(handlers=[], force=True)

    assert records(stream)[0]["exception"].endswith("KeyError")
    assert PERSONAL not in stream.getvalue()


class Unbindable:
    """A value that no column takes."""

    def __repr__(self) -> str:
        return PERSONAL


@pytest.mark.parametrize(
    ("statement", "given", "said"),
    [
        ("SELECT CAST(x'ff' || :given AS TEXT)", PERSONAL, "Could not decode to UTF-8 column"),
        ("SELECT * FROM words WHERE words MATCH :given", f'"{PERSONAL}', "unterminated string"),
        ("SELECT json_extract('{}', :given)", PERSONAL, "JSON path"),
        ("SELECT :given", Unbindable(), "Error binding parameter 1"),
        ("SELECT no_column, :given", PERSONAL, "no such column: no_column"),
    ],
    ids=["no UTF-8", "query", "path", "parameter", "a fault of ours"],
)
def test_messages_of_the_database_have_no_values(statement: str, given: object, said: str) -> None:
    """What SQLite quotes is cut off; the rest, and the statement, is there."""
    with create_engine("sqlite://", hide_parameters=True).connect() as conn:
        conn.execute(text("CREATE VIRTUAL TABLE words USING fts5 (word)"))
        with pytest.raises(DBAPIError) as raised:
            conn.execute(text(statement), {"given": given}).all()

    described = describe(raised.value)
    assert PERSONAL not in described
    assert said in described


def test_the_value_that_a_type_refuses_is_not_in_the_message() -> None:
    """SQLAlchemy repeats what the type's own code has raised."""

    class Refusing(TypeDecorator[str]):
        impl = Text
        cache_ok = True

        def process_bind_param(self, value: Any, _dialect: Any) -> str:
            raise ValueError(value)

    with (
        create_engine("sqlite://", hide_parameters=True).connect() as conn,
        pytest.raises(StatementError) as raised,
    ):
        conn.execute(select(literal(PERSONAL, Refusing())))

    assert PERSONAL in str(raised.value)
    assert PERSONAL not in describe(raised.value)


def test_an_exception_that_is_the_reason_is_described(lines: Stream) -> None:
    """Its message is there only if it has no values, as in a traceback."""
    log = structlog.get_logger("svc")
    log.warning("not stored yet", why=KeyError(PERSONAL))
    log.warning("not stored yet", why=ExceptionGroup(PERSONAL, [ValueError(PERSONAL)]))
    log.warning("not stored yet", why=NotFound("there is no form with this id"))

    assert ["KeyError", "ExceptionGroup", "svc.domain.errors.NotFound: there is no form with this id"] == [
        record["why"] for record in records(lines)
    ]


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/api/v1/tools/record.create_many", "/api/v1/tools/record.create_many"),
        ("/app/api/sign-in", "/app/api/sign-in"),
        ("/api/v1/files/fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA", "/api/v1/files/fil_01K5D3V7Q2M8Z4X6C9B1N0T5RA"),
        (f"/api/v1/files/{PERSONAL}", "/api/v1/files/…"),
        ("/api/e/svce_s7JBQVEK32kIXRA6BBeYfw3pWE98dcI32LA2o2", "/api/e/…"),
        ("/reset/Tr0ub4dor", "/reset/…"),
    ],
)
def test_of_a_path_there_is_what_doors_and_tools_are_called(lines: Stream, path: str, logged: str) -> None:
    """And ids. Whatever else somebody has typed there is left out."""
    structlog.get_logger("svc").error("a call failed", path=path)

    assert [logged] == [record["path"] for record in records(lines)]


def test_people_read_it_as_text() -> None:
    """On the console a record is a line of text, with the traceback under it."""
    stream = io.StringIO()
    configure(LogSettings(format="console"), stream)
    try:
        try:
            look_up(PERSONAL)
        except KeyError:
            structlog.get_logger("test").exception("a turn crashed", form="frm_1")
    finally:
        structlog.reset_defaults()
        logging.captureWarnings(capture=False)
        logging.basicConfig(handlers=[], force=True)

    first, *traceback = stream.getvalue().splitlines()
    assert "a turn crashed" in first
    assert "form=frm_1" in first
    assert "KeyError" == traceback[-1]
    assert PERSONAL not in stream.getvalue()


class Mute:
    """Cannot say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError(PERSONAL)


def test_a_log_that_takes_nothing_blocks_no_caller(lines: Stream, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither the program's records nor those of libraries nor warnings raise anything, or print anything."""
    lines.full = True

    structlog.get_logger("test").error("failed", exc_info=ValueError())
    logging.getLogger("library").error("failed")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("used wrongly", stacklevel=1)

    assert ("", "") == capsys.readouterr()


def test_lines_that_were_lost_are_counted_and_reported(lines: Stream) -> None:
    """The first line after them says how many they were; it is said once."""
    log = structlog.get_logger("test")
    log.info("first")
    lines.full = True
    for _ in range(3):
        log.info("lost")
    logging.getLogger("library").warning("lost")
    lines.full = False
    log.info("second")
    log.info("third")

    told = records(lines)
    assert ["first", "log lines were lost", "second", "third"] == [one["event"] for one in told]
    assert (4, "warning") == (told[1]["lines"], told[1]["level"])


def test_lost_lines_are_reported_without_another_line(lines: Stream) -> None:
    """A regular check logs it as soon as the log takes lines, and nothing if none was lost."""
    report_lost()
    lines.full = True
    structlog.get_logger("test").info("lost")
    report_lost()
    lines.full = False
    report_lost()
    report_lost()

    assert [("log lines were lost", 1)] == [(one["event"], one["lines"]) for one in records(lines)]


def test_nothing_is_reported_where_the_log_is_not_set_up() -> None:
    """A program that uses a part of this one has a log of its own."""
    structlog.reset_defaults()

    report_lost()


def test_a_value_that_cannot_be_rendered_costs_its_record(lines: Stream) -> None:
    """The line says so, by the type of what went wrong; what that says may be private."""
    structlog.get_logger("test").error("failed", value=Mute())

    [record] = records(lines)
    assert ("a record cannot be rendered", "error", "RuntimeError") == (
        record["event"],
        record["level"],
        record["why"],
    )
    assert PERSONAL not in lines.getvalue()


def test_a_librarys_message_that_does_not_fit_its_arguments_costs_its_record(
    lines: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    """The standard library would print it with its arguments."""
    [ours] = [one for one in logging.getLogger().handlers if type(one).__module__ == "svc.logging.setup"]
    ours.handle(logging.makeLogRecord({"msg": "%d of them", "args": (PERSONAL,), "levelname": "WARNING"}))

    [record] = records(lines)
    assert ("a record cannot be rendered", "TypeError") == (record["event"], record["why"])
    assert PERSONAL not in lines.getvalue()
    assert ("", "") == capsys.readouterr()


def test_what_a_thread_raises_is_logged(lines: Stream, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault that ends a thread is a record without what it says; Python would print all of it."""
    thread = threading.Thread(target=look_up, args=(PERSONAL,), name="helper")
    with faults_logged():
        thread.start()
        thread.join()

    [record] = records(lines)
    assert ("a thread ended by a fault", "helper") == (record["event"], record["thread"])
    assert record["exception"].endswith("KeyError")
    assert PERSONAL not in lines.getvalue()
    assert ("", "") == capsys.readouterr()


def test_what_cannot_be_raised_is_logged(lines: Stream, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault in `__del__` is a record as well, and the hooks are as before afterwards."""

    class Leaving:
        def __del__(self) -> None:
            look_up(PERSONAL)

    before = sys.unraisablehook, threading.excepthook
    with faults_logged():
        Leaving()

    assert before == (sys.unraisablehook, threading.excepthook)
    [record] = records(lines)
    assert "a fault could not be raised" == record["event"]
    assert PERSONAL not in lines.getvalue()
    assert ("", "") == capsys.readouterr()
