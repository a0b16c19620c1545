"""What people send, seen from outside: what must be nowhere on the disk, and what must not be in the log."""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import httpx
import msgspec
import pytest
import trio

from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.forms.forms import NewForm
from svc.domain.forms.limits import FORM_BODY_BYTES_MAX, SENDER_SUBMISSIONS_MAX
from svc.domain.identity.callers import operator_call
from svc.storage import provisioning
from svc.storage.forms import forms, server_keys
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sites import sites
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx
from tests.cli.running import END_SECONDS, Service

SENSITIVE: dict[str, str | int] = {
    "password": "Tr0ub4dor-english",
    "Passwort bestätigen": "Tr0ub4dor-deutsch",
    "contraseña": "Tr0ub4dor-español",
    "user[password]": "Tr0ub4dor-nested",
    "card_number": "4111 1111 1111 1111",
    "cardholder": "Mrs-Card-Holder",
    "cvc": "cvc-913-here",
    "one_time_code": "otp-482913-here",
    "otp": 48291373940211,
    "note": "5500-0055-5555-5559",
    "reference": 4012888888881881,
    "ssn": "078-05-1120",
    "numero_dni": "12345678Z-here",
    "api_key": "key-of-adelaides-shop",
    "webhookSecret": "secret-of-adelaides-shop",
    "wishes": "Please charge 5555 5555 5555 4444, it expires 12/27",
}
"""Fields that are dropped, by their names or by their values; of the last one only the card number is."""
INSIDE = "5555 5555 5555 4444"
PERSONAL = {
    "email": "ada.quill@example.com",
    "phone": "+44 7700 900123",
    "name": "Adelaide Quill",
    "street": "17 Lantern Row",
    "message": "Please call about the brass lamp",
}
ELSEWHERE = {
    "origin": "https://adelaides-page.example",
    "user-agent": "Quillbrowser/7.3",
    "x-visitor-ua": "Visitorbrowser/9.1",
    "referer": "https://adelaides-page.example/from-here",
    "cookie": "session=cookie-of-adelaide",
    "x-request-id": "request-of-adelaide",
}
"""Headers of every request. None of them is stored as it is."""
BAD_TOKEN = "not-the-operators-token"
SITE = "quill-lamps.example"


class Place(msgspec.Struct):
    """Where to send."""

    form_key: str
    bound_form_key: str
    server_key: str


def _open(tx: Tx) -> Place:
    asked = NewOrganization(name="Quill Lamps", country="GB")
    organization = provisioning.create(tx, asked)
    site = sites.create(tx, organization.id, SITE)
    mapped = NewForm(
        name="Contact", honeypot="fax", field_map={"town": "city"}, deal_title="Lamp: {{message}}"
    )
    return Place(
        forms.create(tx, organization, mapped).form_key,
        forms.create(tx, organization, NewForm(name="Bound", site_id=site.id)).form_key,
        server_keys.mint(tx, operator_call(organization.id), "web-1").key,
    )


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDirectory:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SVC_LOG__LEVEL", "debug")
    made = DataDirectory(tmp_path / "data")
    made.make()
    made.open_key()
    return made


@pytest.fixture
def place(directory: DataDirectory) -> Place:
    async def write() -> Place:
        async with open_store(directory.database, WallClock()) as store:
            return await store.write(_open)

    return trio.run(write)


@pytest.fixture
def service(directory: DataDirectory, place: Place) -> Iterator[Service]:
    with closing(Service(directory.path)) as running:
        yield running


class Visitor:
    """A visitor at an address of their own, whose every request says all that it can."""

    def __init__(self, client: httpx.Client, place: Place, number: int) -> None:
        self.address = f"198.51.100.{number}"
        self._client = client
        self._place = place

    def send(
        self, content: str | bytes, media_type: str = "application/json", query: str = ""
    ) -> httpx.Response:
        headers = {
            "authorization": f"Bearer {self._place.server_key}",
            "content-type": media_type,
            "x-visitor-ip": self.address,
        }
        return self._client.post(f"/api/f/s{query}", content=content, headers=headers)

    def submit(self, **values: str | int) -> httpx.Response:
        return self.send(json.dumps({"f": self._place.form_key, "v": values}))


def _taken(visitors: Iterator[Visitor], place: Place) -> int:
    """Everything that is stored, in every guise; how many sensitive fields were in it."""
    everything: dict[str, str | int] = {**PERSONAL, **SENSITIVE}
    guises = [
        (json.dumps({"f": place.form_key, "v": everything}), "application/json", ""),
        (json.dumps({"f": place.form_key, "v": everything}, ensure_ascii=False), "text/plain", ""),
        (urlencode(everything), "application/x-www-form-urlencoded", f"?f={place.form_key}"),
        (_multipart(everything), "multipart/form-data; boundary=b", f"?f={place.form_key}"),
        # For a person: a spam's honeypot, a contact with another name, and somebody else's number.
        (json.dumps({"f": place.form_key, "v": {**everything, "fax": "1"}}), "application/json", ""),
        (json.dumps({"f": place.form_key, "v": {**everything, "name": "A. Quill"}}), "application/json", ""),
        (
            json.dumps({"f": place.form_key, "v": {**everything, "email": "other.quill@example.com"}}),
            "application/json",
            "",
        ),
    ]
    for content, media_type, query in guises:
        assert {"ok": True} == next(visitors).send(content, media_type, query).json()
    return len(SENSITIVE) * len(guises)


def _multipart(values: dict[str, str | int]) -> str:
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in values.items()
    ]
    return "".join(parts) + "--b--\r\n"


def _refused(visitors: Iterator[Visitor], place: Place) -> None:
    """Everything that is not stored, for every reason there is."""
    everything: dict[str, str | int] = {**PERSONAL, **SENSITIVE}
    whole = json.dumps({"f": place.form_key, "v": everything})
    refused = [
        (400, "shape", whole[:-3]),
        (400, "shape", json.dumps({"f": place.form_key, "v": [everything]})),
        (400, "shape", json.dumps({"f": place.form_key, "v": {**everything, "message": "x" * 2_001}})),
        (400, "text", json.dumps({"f": place.form_key, "v": {**everything, "message": "\0"}})),
        (400, "unknown_form", json.dumps({"f": place.form_key[:-1], "v": everything})),
        (400, "origin", json.dumps({"f": place.bound_form_key, "v": everything})),
        (400, "no_contact", json.dumps({"f": place.form_key, "v": SENSITIVE})),
        (413, "shape", whole + " " * FORM_BODY_BYTES_MAX),
    ]
    for status, reason, content in refused:
        reply = next(visitors).send(content)
        assert (status, reason) == (reply.status_code, reply.json()["reason"])
    busy = next(visitors)
    for _ in range(SENDER_SUBMISSIONS_MAX):
        busy.submit(email="busy.quill@example.com")
    assert 429 == busy.submit(**everything).status_code


def _odd(client: httpx.Client, place: Place, operator: str) -> None:
    """Requests that no form sends."""
    email, secret = PERSONAL["email"], SENSITIVE["password"]
    client.options(f"/api/f/s?f={place.bound_form_key}")
    client.put(f"/api/f/s?email={email}&password={secret}", content=json.dumps(PERSONAL))
    client.post(f"/nothing/{email}/{secret}", content=json.dumps(SENSITIVE))
    page = f"https://{SITE}/lamps?email={email}&password={secret}"
    client.post("/api/t", json={"url": page, "title": "Lamps"}, headers={"origin": f"https://{SITE}"})
    client.post("/api/t", json={"url": f"not a page {secret}", "title": email})
    for token in (BAD_TOKEN, place.server_key):
        httpx.get(f"{operator}/debug/actors/Form/{email}", headers={"authorization": f"Bearer {token}"})
    url = client.base_url
    head = f"POST /api/f/s HTTP/1.1\r\nHost: {email}\r\nX-Visitor-Ip: 198.51.100.1\r\n"
    for request in (
        f"{head}Transfer-Encoding: chunked\r\n\r\nzz{secret}\r\n",
        f"{head}Content-Length: 1000\r\n\r\n{json.dumps(SENSITIVE)}",
        f"{head}{secret}\r\n\r\n",
        f"{secret} {email}\r\n\r\n",
    ):
        with closing(socket.create_connection((url.host, url.port or 0), END_SECONDS)) as connection:
            connection.sendall(request.encode())
            connection.shutdown(socket.SHUT_WR)
            connection.makefile("rb").read()


def _on_disk(directory: DataDirectory) -> dict[str, bytes]:
    """What is in the data directory, the database's log and all."""
    return {path.name: path.read_bytes() for path in directory.path.iterdir()}


def _found(needles: list[str], haystack: bytes) -> list[str]:
    """Which of *needles* are in *haystack*, written as they are or as JSON or an address would."""
    return [
        needle
        for needle in needles
        if any(
            form.encode() in haystack for form in (needle, json.dumps(needle)[1:-1], needle.replace(" ", "+"))
        )
    ]


def test_nothing_sensitive_reaches_the_disk_and_nothing_personal_the_log(
    service: Service, directory: DataDirectory, place: Place
) -> None:
    """Whatever is sent, dropped fields and addresses are in no file, and the log has no word of it at all."""
    urls = service.ready()
    with httpx.Client(base_url=urls["Public"], headers=ELSEWHERE) as client:
        everybody = [Visitor(client, place, number) for number in range(100, 200)]
        visitors = iter(everybody)
        dropped = _taken(visitors, place)
        _refused(visitors, place)
        _odd(client, place, urls["Operator"])
    service.wait_filed(urls["Public"])
    running = _on_disk(directory)
    counted = service.rows("SELECT sum(dropped) FROM submissions")
    states = service.rows("SELECT DISTINCT state, held_reason FROM submissions")
    assert 0 == service.end(signal.SIGTERM)
    ended = _on_disk(directory)
    log = service.errors().encode()

    assert [(dropped,)] == counted
    assert {("filed", None), ("held", "spam")} < set(states)
    sensitive = [INSIDE, *(str(value) for value in SENSITIVE.values())]
    unstored = [*sensitive, *ELSEWHERE.values(), place.server_key, BAD_TOKEN]
    unstored += [visitor.address for visitor in everybody]
    assert len(running["svc.db-wal"]) > 0
    for files in (running, ended):
        disk = b"".join(files.values())
        assert [PERSONAL["email"]] == _found([PERSONAL["email"]], disk)
        assert [] == _found(unstored, disk)
    assert [] == _found([*unstored, *PERSONAL.values(), place.form_key, place.bound_form_key], log)
    assert ["stopping", "stopped"] == service.events()
