"""The pauses between attempts to connect, and what errors say of the machine."""

import psycopg
import pytest
import sqlalchemy as sa

from svc.storage.postgresql import faults
from svc.storage.postgresql.reconnecting import PAUSE_SECONDS_MAX, Reconnecting

pytestmark = pytest.mark.postgres


class Server:
    """A server that is away, whose timer the test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.is_away = True
        self.attempts: list[float] = []

    def connect(self) -> str:
        self.attempts.append(self.now)
        if self.is_away:
            raise psycopg.OperationalError("it is away")
        return "connected"


def test_pauses_grow_and_end() -> None:
    """They double from a tenth of a second to a few seconds, and begin anew after a success."""
    server = Server()
    reconnecting = Reconnecting(lambda: server.now, lambda size: b"\xff" * size)
    while server.now < 30:
        with pytest.raises(psycopg.OperationalError, match="it is away"):
            reconnecting.attempt(server.connect)
        server.now += 0.01
    pauses = [
        round(later - earlier, 1)
        for earlier, later in zip(server.attempts, server.attempts[1:], strict=False)
    ]
    assert [0.1, 0.2, 0.4, 0.8, 1.6, 3.2] == pauses[:6]
    assert {PAUSE_SECONDS_MAX} == {*pauses[6:]}

    server.is_away = False
    server.now += PAUSE_SECONDS_MAX
    assert "connected" == reconnecting.attempt(server.connect)
    server.is_away = True
    for _ in range(2):
        with pytest.raises(psycopg.OperationalError):
            reconnecting.attempt(server.connect)
        server.now += 0.11
    assert 0.11 == round(server.attempts[-1] - server.attempts[-2], 2)


def test_pauses_differ_by_chance() -> None:
    """Processes do not all come back at the same moment."""
    shortest = Reconnecting(random=bytes).pause_seconds()
    assert (0.05, 0.1) == (shortest, Reconnecting(random=lambda size: b"\xff" * size).pause_seconds())


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("53100", "the disk is full"),
        ("53300", "the database has no connection left"),
        ("25006", "the database is read-only"),
        ("57P01", "the database is being shut down"),
        ("57P03", "the database is being shut down"),
        ("58030", "the disk fails"),
        ("08006", "the database cannot be reached"),
        ("55P03", "another program holds the data"),
        ("XX001", "the database is damaged"),
        ("23505", None),
        ("22P02", None),
    ],
)
def test_faults_of_the_machine_are_told_from_those_of_a_unit(state: str, says: str | None) -> None:
    """By SQLSTATE, of the driver's error and of SQLAlchemy's around it."""
    error = psycopg.errors.lookup(state)("stored data")
    around = sa.exc.DBAPIError.instance("SELECT 1", None, error, psycopg.Error, hide_parameters=True)
    assert [says, says] == [faults.fault(error), faults.fault(around)]


def test_errors_without_a_state_are_those_of_the_connection_or_a_unit() -> None:
    """libpq's own errors say that the connection was lost; the driver's others are of what it was given."""
    assert faults.UNREACHABLE == faults.fault(psycopg.OperationalError("lost"))
    assert faults.UNREACHABLE == faults.fault(psycopg.DatabaseError("lost"))
    assert faults.fault(psycopg.DataError("text with NUL")) is None
    assert faults.fault(ValueError()) is None
