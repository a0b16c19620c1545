"""Finding the records of one request, in whatever shape a collector has left them."""

import io
import json
from pathlib import Path

import pytest
import structlog

from svc.config.settings import LogSettings
from svc.logging import setup
from svc.logging.reading import LINE_BYTES_MAX, RECORDS_MAX, records_of
from svc.request_id import working_for

TIME = "2026-11-23T08:00:00.000001Z"


def line(request_id: str | None, event: str = "actor crashed", **about: object) -> str:
    asked = {} if request_id is None else {"request_id": request_id}
    return json.dumps({**about, "event": event, **asked, "level": "error", "timestamp": TIME})


def events(text: str | bytes, request_id: str = "one") -> list[str]:
    """What is shown of each record, without time and level."""
    file = io.BytesIO(text if isinstance(text, bytes) else text.encode())
    return [record.shown.partition("] ")[2] for record in records_of(request_id, file)]


@pytest.mark.parametrize(
    "collected",
    [
        pytest.param("{}", id="as it is"),
        pytest.param("Nov 23 08:00:00 host svc[812]: {}", id="journalctl and syslog"),
        pytest.param("svc-1  | {}", id="docker compose"),
        pytest.param("<{{id}}> {{ {}", id="braces of its own"),
    ],
)
def test_a_record_is_found_behind_what_a_collector_puts_before_it(collected: str) -> None:
    """Of another request, of none, and other text: none of it."""
    lines = [
        line("two"),
        line("one", actor="Filer/org_1", crashes=2),
        line(None),
        "one",
        '{"request_id": "one"}',
    ]

    assert ["actor crashed  actor=Filer/org_1  crashes=2"] == events(
        "\n".join(collected.replace("{}", one) for one in lines)
    )


def test_a_record_is_found_inside_the_json_of_a_collector() -> None:
    """`journalctl -o json`, and Docker's json-file."""
    lines = [
        json.dumps({"MESSAGE": line("one", "first"), "PRIORITY": "6"}),
        json.dumps({"log": line("one", "second") + "\n", "stream": "stderr"}),
        json.dumps({"MESSAGE": line("two")}),
        json.dumps({"MESSAGE": [1, 2]}),
    ]

    assert ["first", "second"] == events("\n".join(lines))


def test_an_exception_is_shown_below_its_record() -> None:
    """As a traceback is read."""
    said = line("one", exception="  a.py:1 in f\nKeyError")

    assert ["actor crashed\n      a.py:1 in f\n    KeyError"] == events(said)


@pytest.mark.parametrize("request_id", ["one", "a=b", "it's"])
def test_records_for_people_are_found_with_their_tracebacks(request_id: str) -> None:
    """What the program itself writes at a terminal, with whatever id the caller has chosen."""
    written = io.StringIO()
    setup.configure(LogSettings(format="console"), written)
    log = structlog.get_logger("svc")
    try:
        for one in (f"{request_id}2", request_id, None):
            with working_for(one.encode() if one else None):
                log.error("a call failed", path="/here", exc_info=KeyError(one))
    finally:
        structlog.reset_defaults()

    [found] = events(written.getvalue(), request_id)

    assert found.startswith("a call failed")
    assert "KeyError" == found.splitlines()[-1]
    assert 1 == found.count("KeyError")


def test_what_is_read_has_bounds() -> None:
    """The rest of a line without an end is passed over, and of very many records the first are shown."""
    endless = b"x" * (LINE_BYTES_MAX * 2) + b"\n" + line("one").encode() + b"\n\xff\xfe\n"

    assert ["actor crashed"] == events(endless)
    assert RECORDS_MAX == len(events(f"{line('one')}\n" * (RECORDS_MAX + 1)))


def test_what_the_program_writes_for_programs_is_found(tmp_path: Path) -> None:
    """The same fields that `svc.logging.setup` writes."""
    written = io.StringIO()
    setup.configure(LogSettings(format="json"), written)
    try:
        with working_for(b"one"):
            structlog.get_logger("svc").warning("not stored yet", why="full", many=3)
    finally:
        structlog.reset_defaults()

    assert ["not stored yet  why=full  many=3"] == events(written.getvalue())
