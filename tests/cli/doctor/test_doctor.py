"""`svc doctor`: each check, with an installation that is broken in its way."""

import json
import os
import resource
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from svc.cli.doctor import data as data_checks
from svc.domain.certificates.renewal import Failures
from svc.domain.locale.times import HOUR_MS
from svc.storage.certificates import CertificateFiles
from svc.storage.clock import marks
from svc.storage.private_files import create_private
from tests.backups import INSTALLATION
from tests.browser.places import website_elsewhere
from tests.certificates import certify
from tests.cli.conftest import Svc, filled
from tests.cli.running import Service
from tests.mail_servers import real_server

FREE = ("SVC_SERVER__BIND", "127.0.0.1:0"), ("SVC_OPERATOR__BIND", "127.0.0.1:0")


@pytest.fixture(autouse=True)
def _free_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FREE:
        monkeypatch.setenv(name, value)


def found(svc: Svc, about: str, *args: str) -> list[tuple[str, str]]:
    """What the check says; the exit code fits all of it."""
    result = svc("doctor", "--json", *args)
    findings = json.loads(result.output)
    assert result.exit_code == any(one["state"] == "problem" for one in findings), result.output
    return [(one["state"], one["says"]) for one in findings if one["about"] == about]


def one(svc: Svc, about: str, *args: str) -> tuple[str, str]:
    [finding] = found(svc, about, *args)
    return finding


@pytest.fixture
def whole(data: Path) -> Path:
    """A data directory with nothing wrong in it."""
    return filled(data, marks.mark)


def test_a_sound_installation_has_no_problem(svc: Svc, whole: Path) -> None:
    """In lines for people too."""
    result = svc("doctor")

    assert result.exit_code == 0, result.output
    assert "problem" not in result.output
    for about in (
        "permissions",
        "clock",
        "disk",
        "file limits",
        "proxy headers",
        "mail",
        "certificate",
        "connected apps",
        "backups",
    ):
        assert f"  {about}: " in result.output
    assert not [path for path in whole.iterdir() if "doctor" in path.name]


def test_an_installation_that_is_not_there_yet_is_none_to_mend(svc: Svc, data: Path) -> None:
    assert one(svc, "permissions") == ("ok", f"{data} is not there yet; the first start makes it.")
    assert not data.exists()


@pytest.mark.parametrize("name", [".", "secret.key", "svc.db", "tls/account.json"])
def test_what_others_can_read_is_a_problem(name: str, svc: Svc, whole: Path) -> None:
    path = whole / name
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.touch() if not path.exists() else None
    path.chmod(0o750 if path.is_dir() else 0o644)

    state, says = one(svc, "permissions")

    assert state == "problem"
    assert says == f"{path} is open to other users: run `chmod go= {path}`."


def test_data_without_its_key_is_a_problem(svc: Svc, whole: Path) -> None:
    (whole / "secret.key").unlink()

    assert "secret.key is missing, and there is data" in one(svc, "permissions")[1]


def test_a_file_in_place_of_the_directory_is_a_problem(svc: Svc, data: Path) -> None:
    data.touch()

    assert one(svc, "permissions") == ("problem", f"{data} is not a directory: name another with --data.")


def test_a_clock_behind_what_is_stored_is_a_problem(
    svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    behind = time.time() - 2 * 3_600
    monkeypatch.setattr(data_checks, "time", SimpleNamespace(time=lambda: behind, perf_counter=lambda: 0.0))

    state, says = one(svc, "clock")

    assert state == "problem"
    assert says.startswith("The machine's clock is 1")
    assert "minutes behind what is stored" in says


@pytest.mark.parametrize(("ms", "state"), [(2.0, "ok"), (60.0, "warning"), (400.0, "problem")])
def test_a_slow_disk_is_said(
    ms: float, state: str, svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_checks, "sync_ms", lambda _: ms)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5 << 30))

    assert one(svc, "disk")[0] == state
    assert f"takes {ms} ms to sync" in one(svc, "disk")[1]


@pytest.mark.parametrize(("mib", "state"), [(50, "problem"), (500, "warning")])
def test_a_full_disk_is_said(
    mib: int, state: str, svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=mib << 20))
    monkeypatch.setattr(data_checks, "sync_ms", lambda _: 1.0)

    assert one(svc, "disk") == (state, f"{mib} MiB are left on the disk of {whole}: make room.")


def test_a_disk_that_takes_nothing_is_a_problem(
    svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> float:
        raise OSError(30, os.strerror(30))

    monkeypatch.setattr(data_checks, "sync_ms", fail)

    assert ("problem", f"Nothing can be written in {whole}: Read-only file system.") in found(svc, "disk")


def test_too_few_open_files_are_a_problem(svc: Svc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 1_024))

    state, says = one(svc, "file limits")

    assert state == "problem"
    assert "set LimitNOFILE=1400" in says


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as other:
        yield other.getsockname()[1]


def test_a_port_of_another_program_is_a_problem(
    taken: int, svc: Svc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_SERVER__BIND", f"127.0.0.1:{taken}")

    state, says = one(svc, "ports")

    assert state == "problem"
    assert says.startswith(f"Another program listens on 127.0.0.1:{taken} (server.bind)")


@pytest.mark.parametrize(
    ("bind", "part"),
    [("192.0.2.1:8000", "cannot be listened on"), ("no.such.host.invalid:80", "cannot be listened on")],
)
def test_an_address_of_another_machine_is_a_problem(
    bind: str, part: str, svc: Svc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SVC_SERVER__BIND", bind)

    assert part in one(svc, "ports")[1]


@pytest.mark.parametrize(
    ("variables", "state", "part"),
    [
        ({"TRUSTED_PROXIES": "0.0.0.0/0"}, "problem", "every client can claim any address"),
        ({"TRUSTED_PROXIES": "::/0"}, "problem", "every client can claim any address"),
        ({"PUBLIC_URL": "https://crm.example.com"}, "problem", "set server.trusted_proxies"),
        ({"TRUSTED_PROXIES": "127.0.0.1"}, "warning", "links lead past the proxy"),
        (
            {"TRUSTED_PROXIES": "127.0.0.1", "PUBLIC_URL": "https://crm.example.com"},
            "ok",
            "from the proxies 127.0.0.1",
        ),
    ],
)
def test_what_proxies_say_is_checked(
    variables: dict[str, str], state: str, part: str, svc: Svc, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"SVC_SERVER__{name}", value)

    said = one(svc, "proxy headers")

    assert said[0] == state
    assert part in said[1]


def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_SERVER__TLS_CERTIFICATE", str(tmp_path / "cert.pem"))
    monkeypatch.setenv("SVC_SERVER__TLS_KEY", str(tmp_path / "key.pem"))


def _certified(path: Path, begins: timedelta, life: timedelta, *names: str) -> tuple[bytes, bytes]:
    """A key and a certificate of *names*; both are written to *path* too."""
    key = ec.generate_private_key(ec.SECP256R1())
    begin = datetime.now(UTC) + begins
    chain = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([]))
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begin)
        .not_valid_after(begin + life)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .sign(key, hashes.SHA256())
        .public_bytes(Encoding.PEM)
    )
    key_pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (path / "cert.pem").write_bytes(chain)
    (path / "key.pem").write_bytes(key_pem)
    return key_pem, chain


@pytest.mark.parametrize(
    ("begins", "said"),
    [
        (-1, ("ok", "It is for crm.example.com, until ")),
        (-80, ("warning", "It is for crm.example.com, until ")),
        (-91, ("problem", "It has expired at ")),
        (1, ("problem", "It only holds from ")),
    ],
)
def test_the_time_of_a_certificate_is_checked(
    begins: int, said: tuple[str, str], svc: Svc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _files(tmp_path, monkeypatch)
    _certified(tmp_path, timedelta(days=begins), timedelta(days=90), "crm.example.com")

    state, says = one(svc, "certificate")

    assert state == said[0]
    assert says.startswith(said[1])


def test_a_certificate_without_its_key_is_a_problem(
    svc: Svc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _files(tmp_path, monkeypatch)
    assert "Cannot use the certificate" in one(svc, "certificate")[1]
    certify(tmp_path, "localhost")
    _certified(tmp_path, timedelta(0), timedelta(days=1), "crm.example.com")
    (tmp_path / "cert.pem").write_text("nothing")
    assert one(svc, "certificate")[0] == "problem"


@pytest.fixture
def by_acme(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads nowhere, and a directory that is not there."""
    for name, value in {
        "DOMAIN": "crm.example.invalid",
        "ACME_DIRECTORY": "https://127.0.0.1:1/directory",
        "HTTP_BIND": "127.0.0.1:0",
    }.items():
        monkeypatch.setenv(f"SVC_TLS__{name}", value)


@pytest.mark.usefixtures("by_acme")
def test_what_an_order_would_meet_is_said(svc: Svc, whole: Path) -> None:
    """Before there is any certificate."""
    said = {says: state for state, says in found(svc, "certificate")}

    assert said["There is none yet: the service orders it when it starts."] == "warning"
    assert any("crm.example.invalid" in sentence for sentence in said)
    assert any(sentence.startswith("The ACME directory cannot be reached:") for sentence in said)


@pytest.mark.usefixtures("by_acme")
def test_a_stored_certificate_and_what_failed_are_said(svc: Svc, whole: Path, tmp_path: Path) -> None:
    files = CertificateFiles(whole / "tls" / "certificate.pem")
    files.keep_certificate(*_certified(tmp_path, timedelta(0), timedelta(days=90), "other.example.com"))
    files.keep_failures(
        Failures(("crm.example.invalid",), "d", 3, 1_800_000_000_000 - HOUR_MS, 0, "rate limit")
    )

    said = found(svc, "certificate")

    assert ("problem", "The last 3 orders failed, at 2027-01-15T07:00:00.000Z: rate limit.") in said
    lacking = "The one that is stored is not for crm.example.invalid: the service orders another."
    assert ("warning", lacking) in said


def test_a_service_that_runs_is_found_at_its_ports(
    taken: int, svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its ports are not called taken then; one where nothing answers is a problem."""
    from svc.cli import data_store

    monkeypatch.setattr(data_store, "is_locked", lambda _: True)
    with closing(socket.socket()) as unheard:
        unheard.bind(("127.0.0.1", 0))
        silent = unheard.getsockname()[1]
        monkeypatch.setenv("SVC_SERVER__BIND", f"127.0.0.1:{taken},127.0.0.1:{silent}")
        said: list[tuple[str, Any]] = found(svc, "ports")

    assert said == [
        ("ok", f"127.0.0.1:{taken} (server.bind) is served."),
        ("problem", f"The service runs, and nothing listens on 127.0.0.1:{silent} (server.bind)."),
    ]


def test_a_mail_server_that_can_be_used_is_no_problem(
    svc: Svc, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that answers; one that does not; and none."""
    assert one(svc, "mail") == ("ok", "No mail server is set: links are shown instead of sent.")
    monkeypatch.setenv("SVC_MAIL__SENDER", "crm@example.com")
    monkeypatch.setenv("SVC_MAIL__SERVER", "127.0.0.1")
    monkeypatch.setenv("SVC_MAIL__SECURITY", "none")
    with real_server() as (inbox, settings):
        monkeypatch.setenv("SVC_MAIL__PORT", str(settings.port))
        assert one(svc, "mail") == ("ok", f"The mail server 127.0.0.1:{settings.port} can be used.")
    state, says = one(svc, "mail")

    assert [] == inbox.taken
    assert state == "problem"
    assert says.startswith("The mail server 127.0.0.1 cannot be used: ")


def test_backups_that_are_old_or_open_are_said(
    svc: Svc, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older than two periods is a problem; an incomplete one does not count."""
    from svc.cli import data_store

    assert one(svc, "backups") == ("ok", "None are made by schedule: backup.directory is not set.")
    directory = tmp_path / "backups"
    monkeypatch.setenv("SVC_BACKUP__DIRECTORY", str(directory))
    monkeypatch.setenv("SVC_BACKUP__EVERY_HOURS", "6")
    assert one(svc, "backups")[0] == "warning"
    with monkeypatch.context() as running:
        running.setattr(data_store, "is_locked", lambda _: True)
        assert one(svc, "backups")[0] == "problem"
    directory.mkdir(mode=0o700)

    def made(hours: float, kind: str = "") -> Path:
        moment = datetime.now(UTC) - timedelta(hours=hours)
        path = directory / f"svc-{INSTALLATION}-{moment:%Y%m%dT%H%M%SZ}{kind}.tar"
        path.write_bytes(b"a backup")
        return path

    create_private(whole / "installation", INSTALLATION.encode())
    made(13)
    made(1, ".incomplete")
    state, says = one(svc, "backups")
    assert state == "problem"
    assert "more than 2 periods old" in says
    made(11)
    state, says = one(svc, "backups")
    assert state == "ok"
    assert says.endswith(f"in {directory}, with 8 bytes.")
    directory.chmod(0o755)
    says = f"{directory} is open to other users: run `chmod go= {directory}`."
    assert ("warning", says) in found(svc, "backups")


def test_a_running_service_is_looked_at_where_it_is(svc: Svc, data: Path, tmp_path: Path) -> None:
    """By its own configuration file and at its own ports, without being told of either."""
    place = tmp_path / "etc"
    place.mkdir()
    backups = tmp_path / "backups"
    (place / "svc.toml").write_text(f'[backup]\ndirectory = "{backups}"\n')
    service = Service(data, "--config", str(place / "svc.toml"))
    try:
        ports = {url.rpartition(":")[2] for url in service.ready().values()}
        told = found(svc, "ports")
        backup = one(svc, "backups")
        elsewhere = svc("doctor", "--config", str(tmp_path / "none.toml"))
        assert 0 == service.end()
    finally:
        service.close()

    assert {"ok"} == {state for state, _ in told}
    assert ports == {says.split()[0].rpartition(":")[2] for _, says in told}
    assert str(backups) in backup[1]
    assert 2 == elsewhere.exit_code


def test_what_apps_ask_is_looked_at_from_outside(
    svc: Svc, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the public address: of the service itself, of a proxy that keeps it, and of nobody."""
    assert one(svc, "connected apps")[0] == "ok"
    with website_elsewhere() as proxy:
        config = tmp_path / "svc.toml"
        config.write_text(f'[server]\npublic_url = "{proxy.url("")}/crm"\n')
        service = Service(data, "--config", str(config))
        try:
            url = service.ready()["Public"]
            none = found(svc, "connected apps")
            for path in ("oauth-authorization-server/crm", "oauth-protected-resource/crm/api/v1/mcp"):
                proxy.pages[f"/.well-known/{path}"] = httpx.get(f"{url}/.well-known/{path}").text
            proxy.pages["/.well-known/oauth-protected-resource/crm/api/v1/mcp/full"] = "<h1>Shop</h1>"
            page = found(svc, "connected apps")
            other = httpx.get(f"{url}/.well-known/oauth-protected-resource/crm/api/v1/mcp").text
            proxy.pages["/.well-known/oauth-protected-resource/crm/api/v1/mcp/full"] = other
            wrong = found(svc, "connected apps")
            right = httpx.get(f"{url}/.well-known/oauth-protected-resource/crm/api/v1/mcp/full").text
            proxy.pages["/.well-known/oauth-protected-resource/crm/api/v1/mcp/full"] = right
            all_right = found(svc, "connected apps")
            config.write_text('[server]\npublic_url = "http://127.0.0.1:1"\n')
            unreached = found(svc, "connected apps")
            assert 0 == service.end()
        finally:
            service.close()

    assert [("problem", True)] * 3 == [
        (state, "is answered with 404, not 200" in says) for state, says in none
    ]
    [(state, says)] = page
    assert ("problem", True) == (state, says.endswith("no metadata: another program has it."))
    [(state, says)] = wrong
    assert ("problem", True) == (state, f"apps expect '{proxy.url('')}/crm/api/v1/mcp/full'" in says)
    assert [("ok", f"Apps find the service at {proxy.url('')}/crm/api/v1/mcp.")] == all_right
    [(state, says)] = unreached
    assert ("warning", True) == (state, says.startswith("http://127.0.0.1:1 cannot be reached"))
