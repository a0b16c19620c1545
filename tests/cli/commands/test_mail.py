"""What commands do about mail: a backup that failed is told, and a bad configuration is refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Tx
from tests.cli.conftest import Svc, filled
from tests.mailing import a_reader


def _organization(tx: Tx) -> None:
    asked = NewOrganization(name="Lamps", country="DE", currency="EUR", locale="de_DE")
    a_reader(tx, provisioning.create(tx, asked).id, kinds=["backup.failed"])


def _queued(data: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(data / "svc.db")) as database:
        return database.execute("SELECT kind, data FROM mails").fetchall()


@pytest.mark.parametrize("server", ["smtp.example.com", ""])
def test_a_backup_that_failed_is_told_where_there_is_mail(
    svc: Svc, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    """With its reason, to be sent once the service runs. The command fails as ever."""
    filled(data, _organization)
    monkeypatch.setenv("SVC_MAIL__SERVER", server)
    monkeypatch.setenv("SVC_MAIL__SENDER", "crm@harbour.example" if server else "")
    (tmp_path / "backup.tar").write_text("yesterday's")

    result = svc("backup", str(tmp_path / "backup.tar"))

    assert 1 == result.exit_code
    assert "is there already" in result.stderr
    assert (["backup.failed"] if server else []) == [kind for kind, _ in _queued(data)]
    assert all("is there already" in content for _, content in _queued(data))
    assert 0 == svc("check").exit_code


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"SERVER": "smtp.example.com"}, "mail.sender"),
        ({"SERVER": "smtp.example.com", "SENDER": "nobody"}, "is no sender"),
        ({"SERVER": "smtp.example.com", "SENDER": "a@x.example\r\nBcc: b@y.example"}, "is no sender"),
        ({"SERVER": "smtp.example.com", "SENDER": "a@x.example", "USER": "a"}, "mail.password"),
        (
            {
                "SERVER": "s.example",
                "SENDER": "a@x.example",
                "USER": "a",
                "PASSWORD": "b",
                "SECURITY": "none",
            },
            "in the clear",
        ),
        (
            {"SERVER": "s.example", "SENDER": "a@x.example", "USER": "a", "PASSWORD_VARIABLE": "NOT_SET"},
            "NOT_SET is not set",
        ),
        (
            {"SERVER": "s.example", "SENDER": "a@x.example", "CA_FILE": "/nowhere/ca.pem"},
            "mail.ca_file: /nowhere/ca.pem",
        ),
    ],
)
def test_a_configuration_that_cannot_send_is_refused(
    svc: Svc, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], named: str
) -> None:
    """The service does not start, and says which key is wrong; no password is in what it says."""
    for name, value in settings.items():
        monkeypatch.setenv(f"SVC_MAIL__{name}", value)

    result = svc("run")

    assert 2 == result.exit_code
    assert named in result.stderr
