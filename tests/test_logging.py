"""The log: a record a line, and nothing in it that people sent or that is secret."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from svc.config import LogSettings
from svc.domain.errors import NotFound
from svc.logging import configure, describe

PERSONAL = "ada@example.com"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged as JSON, at level info."""
    stream = io.StringIO()
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


def test_causes_and_groups_are_told_in_order(lines: io.StringIO) -> None:
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
    """Exceptions can be each other's causes; each is told once."""
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


def test_at_level_debug_the_text_of_every_exception_is_there() -> None:
    """Whoever looks for a fault with made-up data may see the values."""
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

    assert PERSONAL in records(stream)[0]["exception"]


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
