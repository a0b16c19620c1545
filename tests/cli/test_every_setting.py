"""Every key of the documented file at another value: the program as it is run starts, works and stops."""

import json
import os
import shutil
import ssl
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner

from svc.cli import main
from svc.config.loading import KEYS, documented, load
from tests.certificates import certify
from tests.cli.running import Service

NAME: Final = "svc.example.com"
EMAIL: Final = "ada@example.com"
PASSWORD: Final = "correct horse battery"
SECRET_VARIABLE: Final = "A_SECRET_OF_THE_TEST"
HEADERS_VARIABLE: Final = "HEADERS_OF_THE_TEST"
REASON_CHARS: Final = 800
"""The end of a traceback says most."""

OTHERS: Final[dict[str, Any]] = {
    "server.bind": ["127.0.0.1:0", "127.0.0.2:0"],
    "server.trusted_proxies": ["127.0.0.0/8", "::1"],
    "server.public_url": f"https://{NAME}/",
    "server.hsts_seconds": 86_400,
    "server.connections_max": 200,
    "server.waiting_per_address_max": 20,
    "server.head_seconds": 9,
    "server.body_seconds": 29,
    "server.keep_alive_seconds": 14.5,
    "server.write_seconds": 29,
    "server.graceful_seconds": 9,
    "operator.bind": ["127.0.0.1:0"],
    "operator.token": "a-token-of-the-operators-own",
    "actors.drain_seconds": 9,
    "outgoing.allowed_networks": ["10.1.2.0/24"],
    "tools.calls_per_minute": 500,
    "ai.starting_credits": 2.5,
    "ai.connect_seconds": 4,
    "ai.first_byte_seconds": 200,
    "ai.idle_seconds": 50,
    "ai.total_seconds": 800,
    "ai.providers": [
        {"name": "own", "base_url": "http://127.0.0.1:9/v1/", "key": "k1", "usage_in_stream": False},
        {"name": "other", "base_url": "https://ai.example.com/v1", "key_variable": SECRET_VARIABLE},
    ],
    "ai.models": [
        {
            "id": "small",
            "providers": ["own", "other"],
            "upstream": "small-2026",
            "input": 0.15,
            "cached_input": 0.075,
            "output": "0.6",
            "context_tokens": 128_000,
            "output_tokens_max": 16_384,
        }
    ],
    "mail.server": "localhost",
    "mail.port": 2_525,
    "mail.security": "tls",
    "mail.ca_file": "cert.pem",
    "mail.user": "crm",
    "mail.sender": "Harbour Lamps <crm@harbourlamps.example>",
    "data.directory": "elsewhere",
    "data.history_days": 20,
    "backup.directory": "backups",
    "backup.at": "04:30",
    "backup.every_hours": 6,
    "backup.keep": 3,
    "tracing.endpoint": "http://127.0.0.1:9",
    "tracing.sampled": 0.5,
    "tracing.service": "crm",
    "log.level": "debug",
    "log.format": "json",
}
"""Another valid value for each key that goes with all others. Paths are below the place of the test."""

OWN_CERTIFICATE: Final[dict[str, Any]] = {
    "server.tls_certificate": "cert.pem",
    "server.tls_key": "key.pem",
    "mail.password": "a password",
    "tracing.headers": "authorization=Bearer%20abc",
}
BY_ACME: Final[dict[str, Any]] = {
    "tls.domain": [NAME],
    "tls.acme_directory": "https://127.0.0.1:9/directory",
    "tls.acme_email": "ops@example.com",
    "tls.acme_roots": "cert.pem",
    "tls.http_bind": ["127.0.0.1:0"],
    "mail.password_variable": SECRET_VARIABLE,
    "tracing.headers_variable": HEADERS_VARIABLE,
}
"""Each of these goes with what neither of the other has."""

ELSEWHERE: Final = "data.database"
"""A server of PostgreSQL: what is asked of one starts the program with it."""


def test_every_documented_key_has_another_value_here() -> None:
    """A key that is added to the program or to the file needs a value in this list."""
    text = documented().replace("\n# [[", "\n[[")
    stated = {f"{section}.{key}" for section, values in tomllib.loads(text).items() for key in values}

    assert set(KEYS) == {*OTHERS, *OWN_CERTIFICATE, *BY_ACME, ELSEWHERE}
    assert set(KEYS) == stated


@pytest.mark.parametrize("kind", [OWN_CERTIFICATE, BY_ACME], ids=["own_certificate", "by_acme"])
def test_no_value_here_is_the_default(kind: dict[str, Any]) -> None:
    """Otherwise a key would be set to what it is anyway."""
    configuration = load(None, variables(OTHERS | kind), {})

    assert [] == [key for key in OTHERS | kind if configuration.is_default(key)]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data directory with an organization, and an API key of it."""
    data = tmp_path_factory.mktemp("every") / "data"
    asked = ["setup", "--data", str(data), "--name", "Lamps", "--email", EMAIL, "--password-stdin", "--json"]
    made = CliRunner().invoke(main, asked, input=f"{PASSWORD}\n")
    assert 0 == made.exit_code, made.output
    certify(data.parent, NAME, "127.0.0.1")
    (data / "tls").mkdir(mode=0o700)
    with (data / "tls" / "certificate.pem").open("xb") as whole:
        os.fchmod(whole.fileno(), 0o600)
        whole.write((data.parent / "cert.pem").read_bytes() + (data.parent / "key.pem").read_bytes())
    return data.parent, json.loads(made.stdout)["key"]


@pytest.mark.parametrize("kind", [OWN_CERTIFICATE, BY_ACME], ids=["own_certificate", "by_acme"])
@pytest.mark.parametrize("source", ["file", "environment"])
def test_a_service_works_with_every_key_at_another_value(
    source: str,
    kind: dict[str, Any],
    template: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It starts, answers a key's call and a sign-in, and stops with 0; else the key to blame is named."""
    values = OTHERS | kind

    def why_not(chosen: Mapping[str, Any]) -> str | None:
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(template[0], place)
        (place / "data").rename(place / chosen.get("data.directory", "data"))
        monkeypatch.chdir(place)
        try:
            work(place, chosen, source, template[1])
        except (AssertionError, httpx.HTTPError) as error:
            return (str(error) or repr(error))[-REASON_CHARS:]
        return None

    why = why_not(values)
    if why is not None:
        blamed = [
            key for key in values if why_not({one: values[one] for one in values if one != key}) is None
        ]
        pytest.fail(f"it works without {' or '.join(blamed) or 'none of the keys alone'}: {why}")


def work(place: Path, values: Mapping[str, Any], source: str, key: str) -> None:
    """Start the program, use it by a key and by a session, and stop it."""
    if source == "file":
        Path("svc.toml").write_text(toml(values))
        chosen, args = {}, ["--config", "svc.toml"]
    else:
        chosen, args = variables(values), []
    service = Service(
        place / values.get("data.directory", "data"),
        *args,
        binds=(),
        names_data=False,
        environment={**chosen, SECRET_VARIABLE: "its value", HEADERS_VARIABLE: "x-tenant=own"},
    )
    try:
        port = int(service.ready()["Public"].rpartition(":")[2])
        by_tls = "server.tls_certificate" in values or "tls.domain" in values
        base = f"{'https' if by_tls else 'http'}://127.0.0.1:{port}"
        with httpx.Client(
            base_url=base, verify=ssl.create_default_context(cafile=place / "cert.pem")
        ) as client:
            call = client.post(
                "/api/v1/tools/record.create",
                headers={"Authorization": f"Bearer {key}"},
                json={"objectType": "contact", "properties": {"name": "Grace Hopper"}},
            )
            signed_in = client.post("/app/api/sign-in", json={"email": EMAIL, "password": PASSWORD})
            session = client.get("/app/api/session")
        assert [200] * 3 == [call.status_code, signed_in.status_code, session.status_code], call.text
        assert 0 == service.end(), service.errors()
        assert "fault of the program" not in service.errors(), service.errors()
    finally:
        service.close()


def variables(values: Mapping[str, Any]) -> dict[str, str]:
    """*values* as the environment has them."""
    return {
        f"SVC_{key.replace('.', '__')}".upper(): value if isinstance(value, str) else json.dumps(value)
        for key, value in values.items()
    }


def toml(values: Mapping[str, Any]) -> str:
    """*values* as a file has them."""
    return "".join(f"{key} = {inline(value)}\n" for key, value in values.items())


def inline(value: Any) -> str:
    """*value* as TOML, which is JSON but for tables."""
    match value:
        case list():
            return f"[{', '.join(map(inline, value))}]"
        case dict():
            return f"{{{', '.join(f'{key} = {inline(one)}' for key, one in value.items())}}}"
        case _:
            return json.dumps(value)
