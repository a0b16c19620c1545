"""`svc move`: the data of an installation to PostgreSQL and back, as somebody does it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from svc.cli import main
from svc.storage.sqlite.engine import sole_use
from tests.postgresql_server import NoServer, Server, running_server

pytestmark = pytest.mark.postgres

SETUP = ("setup", "--name", "Harbour Lamps", "--email", "maren@example.com", "--person", "Maren Holt")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    try:
        with running_server() as running:
            yield running
    except NoServer as error:
        pytest.skip(str(error))


def svc(data: Path, *arguments: str, database: str = "") -> Result:
    environment = {"SVC_DATA__DATABASE": database} if database else {}
    return CliRunner().invoke(main, [*arguments, "--data", str(data)], env=environment)


def done(data: Path, *arguments: str, database: str = "") -> Result:
    result = svc(data, *arguments, database=database)
    assert 0 == result.exit_code, result.output
    return result


def made(tmp_path: Path) -> Path:
    """A data directory with an organization."""
    data = tmp_path / "data"
    done(data, *SETUP)
    return data


def test_an_installation_moves_to_postgresql_and_back(server: Server, tmp_path: Path) -> None:
    """What is there is found at each place; what was there before stays, under another name."""
    url, data = server.create_database("moved"), made(tmp_path)
    before = done(data, "org", "list").output

    moved = done(data, "move", "--to", url)
    assert "are the same in both" in moved.output
    assert before == done(data, "org", "list", database=url).output
    done(data, "check", database=url)
    done(data, "org", "create", "Second", database=url)

    back = done(data, "move", "--from", url)
    [kept] = data.glob("svc.db.before-*")
    assert str(kept) in back.output
    assert "Second" in done(data, "org", "list").output
    done(data, "check")


def test_a_running_service_is_not_moved(server: Server, tmp_path: Path) -> None:
    """What it writes meanwhile would be lost."""
    url, data = server.create_database("running"), made(tmp_path)
    with sole_use(data / "svc.db"):
        result = svc(data, "move", "--to", url)

    assert 1 == result.exit_code
    assert "is in use" in result.output


@pytest.mark.parametrize("given", [(), ("--to", "a", "--from", "b")], ids=["neither", "both"])
def test_a_move_has_one_direction(tmp_path: Path, given: tuple[str, ...]) -> None:
    """It is said, and nothing is guessed."""
    result = svc(tmp_path, "move", *given)

    assert 2 == result.exit_code
    assert "either --to URL or --from URL" in result.output


def test_an_empty_directory_has_nothing_to_move(server: Server, tmp_path: Path) -> None:
    """And the database is not touched."""
    url = server.create_database("nothing")
    result = svc(tmp_path / "data", "move", "--to", url)

    assert 1 == result.exit_code
    assert "there is no data" in result.output


def test_a_password_is_not_shown(tmp_path: Path, server: Server) -> None:
    """Where a server cannot be reached, its address is said without it."""
    data = made(tmp_path)
    result = svc(data, "move", "--to", "postgresql://svc:correct-horse@127.0.0.1:9/svc")

    assert 1 == result.exit_code
    assert "127.0.0.1" in result.output
    assert "correct-horse" not in result.output
