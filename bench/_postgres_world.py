"""The world of the benches in PostgreSQL databases: made once, copied for each run, and counted there."""

import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any, Final

import psycopg

from bench._world import BACKLOG_SECONDS_MAX, Counts
from tests.postgresql_server import Server

IN_FLIGHT_SECONDS: Final = 2
"""For what was asked and not stored yet when the load ended."""

_WORLD: Final = "world"
_NUMBERS: Final = count(1)


def move_world(server: Server, data: Path) -> None:
    """Move the data of a directory to a database, of which each run gets a copy."""
    url = server.create_database(_WORLD, "TEMPLATE template0")
    subprocess.run([sys.executable, "-m", "svc", "move", f"--to={url}", f"--data={data}"], check=True)


def copy_of_world(server: Server) -> str:
    """The address of a fresh copy."""
    return server.create_database(f"run_{next(_NUMBERS)}", f"TEMPLATE {_WORLD}")


_DOUBLED: Final = (
    """SELECT count(*) FROM
       (SELECT 1 FROM identities GROUP BY organization_id, kind, value HAVING count(*) > 1) AS doubled""",
    "SELECT count(*) FROM (SELECT 1 FROM notes GROUP BY submission_id HAVING count(*) > 1) AS doubled",
    """SELECT count(*) FROM (SELECT 1 FROM events WHERE type LIKE 'submission.%'
       GROUP BY data::json ->> 'submissionId' HAVING count(*) > 1) AS doubled""",
)


def counts(url: str) -> Counts:
    """Count what is in a database."""
    with psycopg.connect(url) as connection:

        def one(sql: str) -> Any:
            row = connection.execute(sql.encode()).fetchone()
            return None if row is None else row[0]

        of_object = "SELECT count(*) FROM records r JOIN objects o ON o.id = r.object_id WHERE o.slug = '{}'"
        states = connection.execute("SELECT state, count(*) FROM submissions GROUP BY state").fetchall()
        return Counts(
            states=dict(states),
            contacts=one(of_object.format("contact")),
            deals=one(of_object.format("deal")),
            notes=one("SELECT count(*) FROM notes"),
            events=one("SELECT count(*) FROM events"),
            doubled=sum(one(sql) for sql in _DOUBLED),
        )


def wait_filed(url: str) -> float:
    """Wait until everything has been filed, and nothing comes any more; when the last was, monotonic."""
    deadline = time.monotonic() + BACKLOG_SECONDS_MAX
    filed_at: float | None = None
    with psycopg.connect(url, autocommit=True) as connection:
        while filed_at is None or time.monotonic() < filed_at + IN_FLIGHT_SECONDS:
            if connection.execute("SELECT 1 FROM submissions WHERE state = 'due' LIMIT 1").fetchone():
                filed_at = None
            elif filed_at is None:
                filed_at = time.monotonic()
            if time.monotonic() > deadline:
                raise SystemExit(f"not everything was filed after {BACKLOG_SECONDS_MAX} s")
            time.sleep(0.01)
    return filed_at
