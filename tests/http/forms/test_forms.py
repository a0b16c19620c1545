"""The form door, from bytes to bytes: every answer of its contract, and nothing that is not in it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from svc.actors.system import System
from svc.domain.crypto.keys import FORM_KEY, digest, new_key
from svc.domain.forms.forms import SUBMIT_PATH, Form
from svc.domain.forms.limits import FORM_BODY_BYTES_MAX, SENDER_SUBMISSIONS_MAX
from svc.domain.identity.callers import operator_call
from svc.domain.net.client_addresses import parse_networks
from svc.domain.randomness import SYSTEM
from svc.http.app import in_front
from svc.http.asgi import Message
from svc.http.fast_path import Routes
from svc.http.forms.door import FormDoor
from svc.http.quart_app import QuartApp
from svc.storage.forms import forms, server_keys
from svc.storage.sites import sites
from tests import tables
from tests.town import Town, town

JSON = {"content-type": "application/json"}
DOCUMENTED = {
    (200, None),
    (400, "shape"),
    (400, "text"),
    (400, "unknown_form"),
    (400, "origin"),
    (400, "no_contact"),
    (413, "shape"),
    (429, "rate"),
}


class Reply(msgspec.Struct):
    """What the sender got."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> dict[str, Any]:
        assert "application/json" == self.headers["content-type"]
        told: dict[str, Any] = json.loads(self.body)
        return told

    @property
    def row(self) -> tuple[int, object]:
        """Its row in the contract's table: status and reason."""
        assert (200 == self.status) == (True is self.told["ok"])
        return self.status, self.told.get("reason")


class Sender:
    """Sends requests to the door, as a server hands them over."""

    def __init__(self, system: System, trusted_proxies: tuple[str, ...] = ()) -> None:
        door = FormDoor(system, parse_networks(trusted_proxies))
        self._app = in_front(QuartApp("svc"), Routes({SUBMIT_PATH: door}))

    async def send(
        self,
        body: bytes,
        headers: dict[str, str] | None = None,
        *,
        method: str = "POST",
        query: str = "",
        client: str = "192.0.2.7",
    ) -> Reply:
        sent: list[Message] = []
        pairs = JSON | (headers or {})

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(
            {
                "type": "http",
                "http_version": "1.1",
                "scheme": "http",
                "method": method,
                "root_path": "",
                "path": SUBMIT_PATH,
                "query_string": query.encode(),
                "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs.items()],
                "client": (client, 1),
            },
            receive,
            send,
        )
        start, *parts = sent
        headers_sent = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        return Reply(start["status"], headers_sent, b"".join(part["body"] for part in parts))

    async def submit(self, form: Form, headers: dict[str, str] | None = None, **values: Any) -> Reply:
        return await self.send(json.dumps({"f": form.form_key, "v": values}).encode(), headers)


@asynccontextmanager
async def shop(**asked: object) -> AsyncIterator[tuple[Town, Form, Sender]]:
    """A town with a form, and a client of it."""
    async with town() as here, here.live_system() as system:
        yield here, await here.form(**asked), Sender(system)


async def test_a_submission_is_taken(autojump_clock):
    """A good submission is answered `{"ok":true}` with the headers that let a page read it."""
    async with shop() as (here, form, sender):
        reply = await sender.submit(form, {"origin": "https://lamps.example"}, email="ada@example.com")

        assert (200, b'{"ok":true}') == (reply.status, reply.body)
        assert "https://lamps.example" == reply.headers["access-control-allow-origin"]
        assert "origin" == reply.headers["vary"]
        assert 1 == await here.count(tables.submissions)


def bodies_of_the_wrong_shape(form_key: str) -> list[bytes]:
    def body(values: str) -> bytes:
        return f'{{"f":"{form_key}","v":{{"email":"a@example.com",{values}}}}}'.encode()

    return [
        b"",
        b"not json",
        b"[]",
        b"null",
        b'"text"',
        f'{{"f":"{form_key}"}}'.encode(),
        f'{{"f":"{form_key}","v":[]}}'.encode(),
        b'{"f":1,"v":{"email":"a@example.com"}}',
        b'{"v":{"email":"a@example.com"}}',
        body('"x":[1]'),
        body('"x":{}'),
        body('"x":1e999'),
        body('"x":-1e999'),
        body('"x":NaN'),
        body('"x":Infinity'),
        body('"x":123456789012345678901234567890'),
        body('"email":"b@example.com"'),
        body('"x":"' + "y" * 2_001 + '"'),
        body('"' + "n" * 65 + '":"y"'),
        body('"":"y"'),
        body(",".join(f'"n{number}":1' for number in range(201))),
        body(",".join(f'"n{number}":1' for number in range(5_000))),
        body('"x":' + "[" * 5_000 + "]" * 5_000),
        b"[" * 60_000,
        b'{"f":' * 10_000,
        b'\xff\xfe{"f":1}',
        body('"x":"\xff"').decode().encode("latin-1"),
    ]


async def test_a_malformed_submission_is_rejected_as_shape(autojump_clock):
    """Whatever is not an object of the right shape gets 400 `shape`, and nothing is stored."""
    async with shop() as (here, form, sender):
        for body in bodies_of_the_wrong_shape(form.form_key):
            reply = await sender.send(body, {"origin": "https://lamps.example"})

            assert (400, "shape") == reply.row, body[:100]
            assert "https://lamps.example" == reply.headers["access-control-allow-origin"]
        assert 0 == await here.count(tables.submissions)


@pytest.mark.parametrize("text", ["\\u0000", "\\ud800", "\\udfff", "a\\ud83dz"])
@pytest.mark.parametrize("place", ["name", "value", "form"])
async def test_text_that_cannot_be_stored_is_rejected(autojump_clock, text, place):
    """NUL and half surrogate pairs get 400 `text` in a name, in a value and in the form's key."""
    async with shop() as (here, form, sender):
        member = {
            "name": f'"x{text}":1',
            "value": f'"x":"{text}"',
            "form": '"x":1',
        }[place]
        key = form.form_key + (text if place == "form" else "")
        body = f'{{"f":"{key}","v":{{"email":"a@example.com",{member}}}}}'.encode()

        reply = await sender.send(body)

        assert (400, "text") == reply.row
        assert 0 == await here.count(tables.submissions)


async def test_the_limits_of_a_field_are_exact(autojump_clock):
    """64 characters of a name and 2,000 of a value are taken; fields at fault are named."""
    async with shop() as (_, form, sender):
        fitting: dict[str, Any] = {"n" * 64: "y" * 2_000}
        taken = await sender.submit(form, email="a@example.com", **fitting)
        refused = await sender.submit(form, email="a@example.com", x="🪔" * 2_001)

        assert (200, None) == taken.row
        assert {"ok": False, "reason": "shape", "fields": {"x": "too_long"}} == refused.told


async def test_a_body_over_the_limit_is_rejected(autojump_clock):
    """64,000 bytes are read, and one more is 413."""
    async with shop() as (_, form, sender):
        start = f'{{"f":"{form.form_key}","v":{{"email":"a@example.com"}},"x":"'.encode()
        fitting = start + b"x" * (FORM_BODY_BYTES_MAX - len(start) - 2) + b'"}'

        taken = await sender.send(fitting)
        refused = await sender.send(fitting + b" ", {"origin": "null"})
        told = await sender.send(b"", {"content-length": "64001"})

        assert (200, None) == taken.row
        assert (413, "shape") == refused.row == told.row
        assert "null" == refused.headers["access-control-allow-origin"]


async def test_unknown_and_paused_forms_are_alike(autojump_clock):
    """A made-up key, a key of no form, and a paused form get the same answer."""
    async with shop() as (here, form, sender):
        paused = await here.form()
        await here.store.write(forms.pause, here.organization.id, paused.id)

        replies = [
            await sender.send(json.dumps({"f": key, "v": {"email": "a@example.com"}}).encode())
            for key in ("x", new_key(FORM_KEY, SYSTEM), form.form_key[:-1] + "_", paused.form_key)
        ]

        assert [(400, "unknown_form")] * 4 == [reply.row for reply in replies]


async def test_a_bound_form_rejects_another_site(autojump_clock):
    """A page on another site gets `origin`, and can read that."""
    async with shop() as (here, _, sender):
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        form = await here.form(site_id=site.id)

        foreign = await sender.submit(form, {"origin": "https://evil.example"}, email="a@example.com")
        own = await sender.submit(form, {"origin": "https://www.lamps.example"}, email="a@example.com")

        assert (400, "origin") == foreign.row
        assert "https://evil.example" == foreign.headers["access-control-allow-origin"]
        assert (200, None) == own.row


async def test_without_contact_nothing_is_stored(autojump_clock):
    """Neither e-mail nor phone is 400 `no_contact`, with the field that was meant to be one."""
    async with shop() as (here, form, sender):
        without = await sender.submit(form, name="Ada", message="Hello")
        wrong = await sender.submit(form, email="ada at example")

        assert (400, "no_contact") == without.row
        assert {"ok": False, "reason": "no_contact", "fields": {"email": "invalid"}} == wrong.told
        assert 0 == await here.count(tables.submissions)


async def test_the_twenty_first_within_a_minute_has_to_wait(autojump_clock):
    """429 `rate` says after how many seconds the next one is taken."""
    async with shop() as (_, form, sender):
        for _number in range(SENDER_SUBMISSIONS_MAX):
            await sender.submit(form, email="a@example.com")

        reply = await sender.submit(form, email="a@example.com")

        assert (429, "rate") == reply.row
        assert "60" == reply.headers["retry-after"]


async def test_a_failure_before_storing_asks_to_send_again(autojump_clock):
    """A full disk is 500 `error` with CORS headers, and says nothing of what failed."""
    async with shop() as (here, form, sender):
        async with here.full_disk(tables.submissions):
            reply = await sender.submit(form, {"origin": "https://lamps.example"}, email="a@example.com")

        assert (500, "error") == reply.row
        assert b'{"ok":false,"reason":"error"}' == reply.body
        assert {"retry-after", "access-control-allow-origin"} <= reply.headers.keys()


async def test_a_preflight_finds_its_form_by_the_address(autojump_clock):
    """A page that may post is let through for a day; any other is not."""
    async with shop() as (here, form, sender):
        site = await here.store.write(sites.create, here.organization.id, "lamps.example")
        bound = await here.form(site_id=site.id)

        async def preflight(query: str, origin: str) -> Reply:
            return await sender.send(b"", {"origin": origin}, method="OPTIONS", query=query)

        open_to_all = await preflight(f"f={form.form_key}", "https://any.example")
        own = await preflight(f"f={bound.form_key}", "https://shop.lamps.example")
        foreign = await preflight(f"f={bound.form_key}", "https://evil.example")
        unnamed = await preflight("", "https://any.example")
        unknown = await preflight(f"f={new_key(FORM_KEY, SYSTEM)}", "https://any.example")

        assert (204, 204) == (open_to_all.status, own.status)
        assert {
            "access-control-allow-origin": "https://shop.lamps.example",
            "access-control-allow-methods": "POST",
            "access-control-allow-headers": "content-type",
            "access-control-max-age": "86400",
        }.items() <= own.headers.items()
        for refused in (foreign, unnamed, unknown):
            assert 403 == refused.status
            assert "access-control-allow-methods" not in refused.headers


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        ("content-type", "content-type"),
        ("hx-current-url,hx-request,hx-target", "hx-current-url, hx-request, hx-target"),
        ("x-requested-with", "x-requested-with"),
        ("Content-Type, traceparent, SENTRY-Trace", "Content-Type, traceparent, SENTRY-Trace"),
        ("a b, x-good, é, <script>, x:y,,", "x-good"),
        ("*", "*"),
        ("", "content-type"),
        (None, "content-type"),
    ],
)
async def test_a_preflight_allows_the_headers_that_libraries_add(
    asked: str | None, allowed: str, autojump_clock
):
    """Whatever names of headers are asked for; never with credentials, and nothing that is no name."""
    async with shop() as (_, form, sender):
        headers = {"origin": "https://any.example"}
        if asked is not None:
            headers["access-control-request-headers"] = asked
        reply = await sender.send(b"", headers, method="OPTIONS", query=f"f={form.form_key}")

        assert (204, allowed, "POST", "86400") == (
            reply.status,
            reply.headers["access-control-allow-headers"],
            reply.headers["access-control-allow-methods"],
            reply.headers["access-control-max-age"],
        )
        assert "access-control-allow-credentials" not in reply.headers


async def test_a_file_is_told_with_its_field(autojump_clock):
    """Every one of them, since a form takes none; an empty input for a file is none."""
    async with shop() as (here, form, sender):
        parts = (
            b'--b\r\nContent-Disposition: form-data; name="email"\r\n\r\na@example.com\r\n'
            b'--b\r\nContent-Disposition: form-data; name="cv"; filename="cv.pdf"\r\n\r\n%PDF\r\n'
            b'--b\r\nContent-Disposition: form-data; name="none"; filename=""\r\n\r\n\r\n'
            b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\nPNG\r\n--b--\r\n'
        )
        reply = await sender.send(
            parts, {"content-type": "multipart/form-data; boundary=b"}, query=f"f={form.form_key}"
        )

        assert (400, {"ok": False, "reason": "shape", "fields": {"cv": "file", "photo": "file"}}) == (
            reply.status,
            json.loads(reply.body),
        )
        assert 0 == await here.count(tables.submissions)


async def test_plain_text_and_html_forms_are_read(autojump_clock):
    """A body as plain text, url-encoded or multipart is the same submission."""
    async with shop() as (here, form, sender):
        as_json = json.dumps({"f": form.form_key, "v": {"email": "a@example.com"}}).encode()
        multipart = b'--b\r\nContent-Disposition: form-data; name="email"\r\n\r\na@example.com\r\n--b--\r\n'
        query = f"f={form.form_key}"

        replies = [
            await sender.send(as_json, {"content-type": "text/plain;charset=UTF-8"}),
            await sender.send(
                b"email=a%40example.com", {"content-type": "application/x-www-form-urlencoded"}, query=query
            ),
            await sender.send(multipart, {"content-type": "multipart/form-data; boundary=b"}, query=query),
            await sender.send(as_json, {"content-type": "application/xml"}),
            await sender.send(as_json, query=f"f={new_key(FORM_KEY, SYSTEM)}"),
        ]

        assert [(200, None)] * 3 + [(400, "shape")] * 2 == [reply.row for reply in replies]
        assert 3 == await here.count(tables.submissions, email="a@example.com")


async def test_the_server_key_is_answered_for(autojump_clock):
    """`x-service-relay-key` says what became of a key, on errors too; without a key it is not there."""
    async with shop() as (here, form, sender):
        minted = await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-1")
        good = {"authorization": f"bearer {minted.key}", "x-visitor-ip": "198.51.100.1"}

        replies = [
            await sender.submit(form, good, email="a@example.com"),
            await sender.submit(form, good, message="no contact"),
            await sender.submit(form, {"authorization": "Bearer nonsense"}, email="a@example.com"),
            await sender.submit(form, {"authorization": f"Basic {minted.key}"}, email="a@example.com"),
            await sender.submit(form, email="a@example.com"),
        ]

        assert ["accepted", "accepted", "refused", "refused", None] == [
            reply.headers.get("x-service-relay-key") for reply in replies
        ]
        assert [200, 400, 200, 200, 200] == [reply.status for reply in replies]


async def test_the_senders_address_is_that_of_the_trusted_proxy(autojump_clock):
    """Behind a trusted proxy senders are distinguished; other clients cannot choose their address."""
    async with town() as here, here.live_system() as system:
        form = await here.form()
        sender = Sender(system, ("10.0.0.0/8",))

        async def send(client: str, forwarded: str) -> int:
            body = json.dumps({"f": form.form_key, "v": {"email": "a@example.com"}}).encode()
            return (await sender.send(body, {"x-forwarded-for": forwarded}, client=client)).status

        proxied = [await send("10.0.0.1", f"1.2.3.4, 198.51.100.{number}") for number in range(25)]
        direct = [await send("192.0.2.1", f"198.51.100.{number}") for number in range(21)]

        assert {200} == set(proxied)
        assert [200] * 20 + [429] == direct


async def test_sensitive_fields_never_reach_the_disk(autojump_clock):
    """Passwords, codes and cards are dropped and counted; their values are nowhere in the database."""
    async with shop() as (here, form, sender):
        await sender.submit(
            form,
            email="a@example.com",
            password="hunter2-secret",
            card_number="4111 1111 1111 1111",
            note="5500005555555559",
        )

        [row] = await here.rows(tables.submissions)
        assert 3 == row.dropped
        stored = " ".join(str(value) for value in row)
        for secret in ("hunter2", "4111", "5500005555555559"):
            assert secret not in stored


async def test_the_address_of_a_sender_is_not_kept(autojump_clock):
    """What is stored of a sender is a keyed hash, and not the address."""
    async with shop() as (here, form, sender):
        await sender.submit(
            form, {"x-visitor-ip": "198.51.100.77", "x-visitor-ua": "Moz"}, email="a@b.example"
        )

        [row] = await here.rows(tables.submissions)
        stored = " ".join(str(value) for value in row)
        assert "198.51.100.77" not in stored
        assert "192.0.2.7" not in stored
        assert 32 == len(row.sender)


async def test_other_methods_are_not_allowed(autojump_clock):
    """The door takes POST and the preflight."""
    async with shop() as (_, _form, sender):
        reply = await sender.send(b"", method="GET")

        assert (405, "POST, OPTIONS") == (reply.status, reply.headers["allow"])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
field_values = json_values | st.sampled_from(["ada@example.com", "+49 30 123456", "4111111111111111"])
field_names = st.text() | st.sampled_from(["email", "phone", "name", "password", "message"])


@pytest.mark.fuzz
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.none() | st.text(max_size=60) | st.just("real"),
    values=st.dictionaries(field_names, field_values, max_size=6) | json_values,
    content_type=st.sampled_from(
        ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
    ),
    origin=st.none() | st.sampled_from(["null", "https://lamps.example", "http://[", "x"]),
)
async def test_any_json_gets_a_documented_answer(autojump_clock, key, values, content_type, origin):
    """Whatever JSON is sent, in whatever guise, the answer is a row of the contract; 200 means stored."""
    async with shop() as (here, form, sender):
        body = json.dumps({"f": form.form_key if key == "real" else key, "v": values}).encode()
        headers = {"content-type": content_type} | ({"origin": origin} if origin else {})

        reply = await sender.send(body, headers)

        assert reply.row in DOCUMENTED
        assert origin == reply.headers.get("access-control-allow-origin")
        assert int(reply.status == 200) == await here.count(tables.submissions)


@pytest.mark.fuzz
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(max_size=300),
    content_type=st.sampled_from(
        [
            "application/json",
            "text/plain; charset=latin-1",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=b",
        ]
    )
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40),
    query=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40),
    method=st.sampled_from(["POST", "OPTIONS"]),
)
async def test_any_bytes_get_a_documented_answer(autojump_clock, body, content_type, query, method):
    """Whatever bytes are sent, the answer is a row of the contract or a preflight's, and never a 500."""
    async with shop() as (_, _form, sender):
        reply = await sender.send(body, {"content-type": content_type}, method=method, query=query)

        if method == "POST":
            assert reply.row in DOCUMENTED
        else:
            assert reply.status in {204, 403}


async def test_a_key_is_known_by_its_digest_alone(autojump_clock):
    """The server key itself is nowhere in the database."""
    async with shop() as (here, _form, _sender):
        minted = await here.store.write(server_keys.mint, operator_call(here.organization.id), "web-1")

        [row] = await here.rows(tables.server_keys)
        assert minted.key not in " ".join(str(value) for value in row)
        assert digest(minted.key) == row.digest
