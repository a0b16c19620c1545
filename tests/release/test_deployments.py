"""The deployments of the guides, as they are printed there, from the first owner's link to a mailed one.

Only ports, names and places are replaced. There is no engine for containers: the program runs with the very
environment and arguments of the image.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from click.testing import CliRunner

from svc.cli import main
from tests.certificates import certify
from tests.cli.running import TRIES, Service
from tests.mail_servers import PASSWORD as MAIL_PASSWORD
from tests.mail_servers import USER as MAIL_USER
from tests.mail_servers import Inbox, real_server, text_of
from tests.release.fronts import NAME, PROXIES, client_by_name, proxied
from tests.release.printed import DEPLOY, blocks, replaced

BASE: Final = f"https://{NAME}"
EMAIL: Final = "ada@example.com"
PASSWORD: Final = "correct horse battery"
BEHIND_A_PROXY: Final = blocks("install", "## Behind a reverse proxy")[0]
PROXY_HEADERS: Final = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


class Deployment(NamedTuple):
    """A service that was just installed, and has nobody yet."""

    service: Service
    config: list[str]
    """The options of commands on its machine."""
    environment: dict[str, str]
    inbox: Inbox
    port: int
    """Where visitors connect."""
    certificate: Path | None
    """What they verify; None where a proxy of theirs speaks plain HTTP to the service."""

    def client(self) -> AbstractContextManager[httpx.Client]:
        if self.certificate is not None:
            return client_by_name(self.port, self.certificate)
        base = f"http://127.0.0.1:{self.port}"
        return httpx.Client(base_url=base, headers={"Host": NAME, **PROXY_HEADERS}, timeout=20)


def mailing(mail: Any) -> str:
    """The guide's settings for mail, with the server of the test."""
    own = f'server = "127.0.0.1"\nport = {mail.port}\nca_file = "{mail.ca_file}"'
    return replaced(
        blocks("mail", "# Mail")[0],
        ('server = "smtp.example.com"', own),
        ('user = "crm@example.com"', f'user = "{MAIL_USER}"'),
    )


@pytest.fixture(params=[*sorted(PROXIES), "own certificate", "container"])
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    """Each deployment of the guide, with a mail server."""
    kind: str = request.param
    with ExitStack() as stack:
        (tmp_path / "mail").mkdir()
        inbox, mail = stack.enter_context(real_server(tmp_path / "mail", "starttls", sign_in=True))
        environment = {"SMTP_PASSWORD": MAIL_PASSWORD}
        binds = ["--bind", "127.0.0.1:0", "--operator-bind", "127.0.0.1:0"]
        args, names_data, certificate = [], True, None
        if kind == "container":
            environment |= image(tmp_path) | variables(mailing(mail))
            binds, names_data = ["--operator-bind", "127.0.0.1:0"], False
        else:
            text = BEHIND_A_PROXY if kind in PROXIES else own_certificate(tmp_path)
            (tmp_path / "svc.toml").write_text(f"{text}\n{mailing(mail)}")
            args, certificate = ["--config", str(tmp_path / "svc.toml")], tmp_path / "cert.pem"
        data = tmp_path / "data"
        service = Service(data, *args, binds=binds, names_data=names_data, environment=environment)
        stack.callback(service.close)
        port = urlsplit(service.ready()["Public"]).port or 0
        if kind in PROXIES:
            port = stack.enter_context(proxied(kind, tmp_path, f"127.0.0.1:{port}"))
        config = [*args, "--data", str(data)]
        yield Deployment(service, config, environment, inbox, port, certificate)


def own_certificate(place: Path) -> str:
    """The guide's settings for a certificate that is there, with one of the test."""
    certify(place, NAME)
    return replaced(
        blocks("install", "## With a certificate of your own")[0],
        (f"/etc/ssl/certs/{NAME}.pem", str(place / "cert.pem")),
        (f"/etc/ssl/private/{NAME}.key", str(place / "key.pem")),
    )


def image(place: Path) -> dict[str, str]:
    """The environment of the image and of the guide, with the volume and the proxy on this machine."""
    text = (DEPLOY / "Dockerfile").read_text()
    assert 'ENTRYPOINT ["/usr/bin/svc"]\nCMD ["run"]\n' in text
    [stated] = re.findall(r"^ENV (.+)$", text, re.MULTILINE)
    printed = replaced(blocks("install", "## Container")[1], ("172.16.0.0/12", "127.0.0.0/8"))
    places = (("=/data", f"={place / 'data'}"), ("=:8000", "=127.0.0.1:0"))
    return dict(one.split("=", 1) for one in shlex.split(replaced(stated, *places))) | dict(
        re.findall(r"^ +(SVC_\w+): (.+)$", printed, re.MULTILINE)
    )


def variables(text: str) -> dict[str, str]:
    """The settings in *text* as variables."""
    return {
        f"SVC_{section}__{key}".upper(): str(value)
        for section, values in tomllib.loads(text).items()
        for key, value in values.items()
    }


def test_a_fresh_installation_serves_its_first_owner(deployment: Deployment) -> None:
    """The printed link, a sign-in, a key's call, an embed, the contract and a mailed link hold outside."""
    token = first_owner_token(deployment.service)
    with deployment.client() as client:
        page = client.get("/app/welcome")
        first = {"token": token, "organization": "Lamps", "name": "Ada", "email": EMAIL, "password": PASSWORD}
        made = client.post("/app/api/first-owner", json=first, headers={"Origin": BASE})
    assert [200, 200] == [page.status_code, made.status_code], made.text
    sign_in(deployment, PASSWORD)
    key = mint(deployment)
    with deployment.client() as client:
        use(client, key)
        asked = client.post("/app/api/password-reset", json={"email": EMAIL}, headers={"Origin": BASE})
        assert 204 == asked.status_code, asked.text
        reset_token = mailed(deployment, client, "/app/reset")
        page = client.get("/app/reset")
        changed = client.post(
            "/app/api/reset",
            json={"token": reset_token, "password": "another good password"},
            headers={"Origin": BASE},
        )
    assert [200, 204] == [page.status_code, changed.status_code], changed.text
    sign_in(deployment, "another good password")
    assert 0 == deployment.service.end(), deployment.service.errors()


def first_owner_token(service: Service) -> str:
    """What follows the outside's address in the printed link."""
    for line in iter(service.stdout.readline, ""):
        if found := re.fullmatch(rf" *{re.escape(BASE)}/app/welcome#(\S+)\n", line):
            return found[1]
    pytest.fail(f"no link was printed: {service.errors()}")


def sign_in(deployment: Deployment, password: str) -> None:
    """Sign in as a browser does, by cookies that go by TLS alone and to this very host."""
    with deployment.client() as client:
        answer = client.post(
            "/app/api/sign-in", json={"email": EMAIL, "password": password}, headers={"Origin": BASE}
        )
        assert 200 == answer.status_code, answer.text
        cookies = answer.headers.get_list("set-cookie")
        session = client.get(
            "/app/api/session", headers={"Cookie": "; ".join(one.partition(";")[0] for one in cookies)}
        )
    assert all(one.startswith("__Host-") and "; Secure" in one for one in cookies), cookies
    assert EMAIL == session.json()["person"]["email"]
    assert answer.headers["strict-transport-security"].startswith("max-age=31536000")


def mint(deployment: Deployment) -> str:
    """A key that the command makes, through the running service."""
    minted = CliRunner(env=deployment.environment).invoke(
        main, ["apikey", "mint", "First", "--as", EMAIL, *deployment.config]
    )
    assert 0 == minted.exit_code, minted.output
    return minted.stdout.strip()


def use(client: httpx.Client, key: str) -> None:
    """Calls with *key*, a form in an embed as servers fetch it, and where the contract says that calls go."""
    authorized = {"Authorization": f"Bearer {key}"}

    def call(tool: str, **arguments: Any) -> Any:
        answer = client.post(f"/api/v1/tools/{tool}", headers=authorized, json=arguments)
        assert 200 == answer.status_code, answer.text
        return answer.json()

    call("record.create", objectType="contact", properties={"name": "Grace Hopper"})
    form = call("form.create", name="Ask us")
    embed = call("embed.create", name="Form", blocks=[{"type": "form", "formId": form["id"]}])
    fragment = client.get(f"/api/e/{embed['embedKey']}", params={"format": "html"})
    assert f'action="{BASE}/api/f/s' in fragment.text
    contract = client.get("/api/v1/openapi.json").json()
    served = [urljoin(f"{BASE}/api/v1/openapi.json", one["url"]).rstrip("/") for one in contract["servers"]]
    assert [BASE] == served


def mailed(deployment: Deployment, client: httpx.Client, path: str) -> str:
    """The token in the link of the one mail; asking gives the service time to send it."""
    for _ in range(TRIES):
        if deployment.inbox.taken:
            break
        client.get("/t.js")
    [message] = deployment.inbox.taken
    [token] = re.findall(rf"{re.escape(BASE + path)}#(\S+)", text_of(message))
    return str(token)


@pytest.mark.parametrize("deployment", ["container"], indirect=True)
def test_the_check_of_the_image_asks_the_running_service(deployment: Deployment) -> None:
    """It succeeds while the service is ready, and fails once it has ended."""
    [code] = re.findall(r"-I -c '(.+)'", (DEPLOY / "Dockerfile").read_text())
    addresses = deployment.service.data.service_addresses()
    assert addresses is not None
    operator = addresses.operator_url.removeprefix("http://")
    check = [sys.executable, "-I", "-c", replaced(code, ("127.0.0.1:8001", operator))]

    healthy = subprocess.run(check, check=False, capture_output=True)
    deployment.service.end()
    ended = subprocess.run(check, check=False, capture_output=True)

    assert (0, 1) == (healthy.returncode, ended.returncode)


@pytest.mark.parametrize("example", ["Caddyfile", "nginx.conf"])
def test_the_settings_beside_an_example_are_the_guides(example: str) -> None:
    """Each says at its top what `svc.toml` has to have."""
    lines = re.findall(r"^#   (.+\n)", (DEPLOY / example).read_text(), re.MULTILINE)

    assert BEHIND_A_PROXY == "".join(lines)
