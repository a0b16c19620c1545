"""What a client must not send, parameter by parameter, and tokens and issuers that are another's."""

from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from svc.domain.grants.limits import (
    ACCESS_TOKENS_OF_GRANT_MAX,
    CLIENT_ID_CHARS_MAX,
    DOCUMENT_FETCHES_OF_ADDRESS_MAX,
    REDIRECT_URI_CHARS_MAX,
    REDIRECT_URIS_MAX,
    REFRESH_REPEAT_MS,
    REGISTRATION_BODY_BYTES_MAX,
    STATE_CHARS_MAX,
    TOKEN_BODY_BYTES_MAX,
)
from svc.domain.grants.oauth import challenge_of
from tests.connecting import BASE, CALLBACK, MCP, VERIFIER, App, call, register, told
from tests.http.grants.test_connecting import connected
from tests.tooling import tool_town

FORM = {"content-type": "application/x-www-form-urlencoded"}


async def post_pairs(app: App, path: str, pairs: list[tuple[str, str]]) -> httpx.Response:
    """A form in which a name may come twice."""
    return await app.here.client.post(path, content=urlencode(pairs), headers=FORM)


def on_a_page_of_ours(answer: httpx.Response) -> bool:
    """Whether nothing was sent to any redirect."""
    return answer.status_code == 400 and "location" not in answer.headers


@pytest.mark.parametrize("name", ["client_id", "redirect_uri"])
async def test_client_or_redirect_twice_is_a_page_of_ours(name: str, autojump_clock):
    """Also where both are the same: which of them somebody else reads is not known."""
    async with connected() as (_, app, _csrf):
        values = {"client_id": app.client_id, "redirect_uri": CALLBACK}
        answer = await app.ask(**{name: [values[name]] * 2})

    assert on_a_page_of_ours(answer)


@pytest.mark.parametrize(
    "name",
    ["response_type", "scope", "state", "code_challenge", "code_challenge_method", "resource", "request"],
)
async def test_another_parameter_twice_is_told_to_the_app(name: str, autojump_clock):
    """With the state where that came once."""
    values = {
        "response_type": "code",
        "scope": "tools",
        "state": "s1",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        "resource": BASE + MCP,
        "request": "x",
    }
    async with connected() as (_, app, _csrf):
        answer = await app.ask(**{name: [values[name]] * 2})

    told_app = told(answer.headers["location"])
    assert ("invalid_request", BASE) == (told_app["error"], told_app["iss"])
    assert (None if name == "state" else "s1") == told_app.get("state")


@pytest.mark.parametrize(
    "name", ["grant_type", "code", "redirect_uri", "code_verifier", "resource", "client_id", "scope"]
)
async def test_a_parameter_of_an_exchange_twice(name: str, autojump_clock):
    """It is refused, and the code stays good."""
    async with connected() as (_, app, csrf):
        code = await app.code(csrf)
        pairs = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
            "resource": BASE + MCP,
            "client_id": app.client_id,
            "scope": "tools",
        }
        answer = await post_pairs(app, "/oauth/token", [*pairs.items(), (name, pairs[name])])
        right = await app.exchange(code)

    assert (400, "invalid_request") == (answer.status_code, answer.json()["error"])
    assert 200 == right.status_code


async def test_a_client_that_is_named_twice(autojump_clock):
    """In the header and in the body, differently or with two secrets; and a header twice."""
    async with connected() as (here, app, _csrf):
        body = {"grant_type": "refresh_token", "refresh_token": "svcr_x"}
        both = [
            await here.client.post("/oauth/token", data=body | more, auth=(app.client_id, "svco_x"))
            for more in ({"client_id": "app_other"}, {"client_secret": "svco_x"})
        ]
        basic = ("authorization", "Basic YTpi")
        headers = [basic, basic, *FORM.items()]
        twice = await here.client.post("/oauth/token", content=urlencode(body), headers=headers)
        token_twice = await post_pairs(
            app, "/oauth/revoke", [("token", "a"), ("token", "b"), ("client_id", app.client_id)]
        )

    assert [(400, "invalid_request")] * 2 == [(one.status_code, one.json()["error"]) for one in both]
    assert (401, "invalid_client") == (twice.status_code, twice.json()["error"])
    assert (400, "invalid_request") == (token_twice.status_code, token_twice.json()["error"])


@pytest.mark.parametrize(
    ("path", "form", "error"),
    [
        ("/oauth/token", {"foo": "x"}, "invalid_client"),
        ("/oauth/token", {"client_id": ""}, "invalid_client"),
        (
            "/oauth/token",
            {"client_id": "a\0b", "grant_type": "refresh_token", "refresh_token": "x"},
            "invalid_client",
        ),
        ("/oauth/token", {"client_id": "x", "grant_type": "refresh_token"}, "invalid_request"),
        ("/oauth/token", {"client_id": "x", "grant_type": "client_credentials"}, "unsupported_grant_type"),
        ("/oauth/token", {"client_id": "x", "grant_type": "implicit"}, "unsupported_grant_type"),
        ("/oauth/revoke", {"client_id": "x"}, "invalid_request"),
        ("/oauth/revoke", {"token": "svcr_x"}, "invalid_client"),
        ("/oauth/revoke", {"token": "svcr_x", "client_id": "app_x"}, "invalid_client"),
    ],
)
async def test_what_is_missing_or_unknown_at_the_doors_of_tokens(
    path: str, form: dict[str, str], error: str, autojump_clock
):
    """Each has its own error (RFC 6749 §5.2), which no cache keeps."""
    async with tool_town(public_url=BASE) as here:
        answer = await here.client.post(path, data=form)

    assert (401 if error == "invalid_client" else 400, error) == (answer.status_code, answer.json()["error"])
    assert "no-store" == answer.headers["cache-control"]


async def test_parameters_that_nobody_knows_are_passed_over(autojump_clock):
    """Of requests, exchanges and registrations, as RFC 6749 §3.1 has it; the person is asked all the same."""
    async with tool_town(public_url=BASE) as here:
        more = {"logo_uri": "https://app.example/x.png", "client_id": "app_mine", "contacts": ["a@b.example"]}
        app = await register(here, **more)
        csrf = await here.sign_in()
        foreign = {
            "prompt": "none",
            "nonce": "n",
            "response_mode": "form_post",
            "audience": "x",
            "foo": ["a", "b"],
        }
        code = await app.code(csrf, request=foreign)
        answer = await app.exchange(code, audience="x", foo="y")

    assert "app_mine" != app.client_id
    assert 200 == answer.status_code


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "x" * (CLIENT_ID_CHARS_MAX + 1)},
        {"client_id": "https://app.example/" + "x" * CLIENT_ID_CHARS_MAX},
        {"client_id": "app_\0"},
        {"redirect_uri": f"{CALLBACK}/" + "x" * REDIRECT_URI_CHARS_MAX},
        {"foo": "x" * 16_000},
    ],
)
async def test_what_is_too_long_before_the_redirect_is_known(changes: dict[str, Any], autojump_clock):
    """A page of ours."""
    async with connected() as (_, app, _csrf):
        answer = await app.ask(**changes)

    assert on_a_page_of_ours(answer)


@pytest.mark.parametrize(
    "state",
    ["x" * (STATE_CHARS_MAX + 1), "a\0b", "a\r\nSet-Cookie: x", "\x7f"],
    ids=["long", "nul", "lines", "del"],
)
async def test_a_state_that_cannot_come_back_as_it_was(state: str, autojump_clock):
    """It is refused, and not sent back; one in another script is, as it was."""
    async with connected() as (_, app, csrf):
        answer = await app.ask(state=state)
        request = await app.request(state="état 状態 &=?#%00")
        redirect = (await app.allow(csrf, request)).json()["redirect"]
        broken = await app.here.client.get(
            "/oauth/authorize?response_type=code&state=%FF&code_challenge_method=S256"
            f"&client_id={app.client_id}&code_challenge={challenge_of(VERIFIER)}"
        )

    told_app = told(answer.headers["location"])
    assert ("invalid_request", None) == (told_app["error"], told_app.get("state"))
    assert "état 状態 &=?#%00" == told(redirect)["state"]
    assert "invalid_request" == told(broken.headers["location"])["error"]


@pytest.mark.parametrize(
    ("path", "size"),
    [
        ("/oauth/token", TOKEN_BODY_BYTES_MAX + 1),
        ("/oauth/revoke", TOKEN_BODY_BYTES_MAX + 1),
        ("/oauth/register", REGISTRATION_BODY_BYTES_MAX + 1),
    ],
)
async def test_bodies_that_are_too_long_or_of_another_type(path: str, size: int, autojump_clock):
    """413 and a refusal, which pages of any origin can read."""
    right = "application/json" if path == "/oauth/register" else FORM["content-type"]
    wrong = FORM["content-type"] if path == "/oauth/register" else "application/json"
    async with tool_town(public_url=BASE) as here:
        big = await here.client.post(path, content=b"x" * size, headers={"content-type": right})
        other = await here.client.post(path, content=b"{}", headers={"content-type": wrong})
        broken = await here.client.post(path, content=b"\xff\xfe", headers={"content-type": right})
        got = await here.client.get(path)

    assert [413, 415 if path == "/oauth/register" else 400, 400, 405] == [
        one.status_code for one in (big, other, broken, got)
    ]
    assert {"*"} == {one.headers["access-control-allow-origin"] for one in (big, other, broken, got)}


@pytest.mark.parametrize(
    "asked",
    [
        "https://app.example:443/callback",
        "https://app.example./callback",
        "https://APP.example/callback",
        "https://app.example.evil.example/callback",
        "https://app.example@evil.example/callback",
        "https://user@app.example/callback",
        "https://app.example%2Fcallback",
        "https://app.example/callback%2F",
        "https://app.example/callback/../evil",
        "https://app.example/callback?x=1",
        "https://app.example/callback#x",
        "https://app.example\\@evil.example/callback",
        "http://app.example/callback",
        "https:app.example/callback",
        "//app.example/callback",
        "https://xn--pp-yka.example/callback",
        "https://аpp.example/callback",  # a Cyrillic letter
        "http://localhost.evil.example/local",
        "http://127.0.0.1/local",
        "http://localhost@evil.example/local",
        "http://localhost:1@evil.example/local",
        "http://localhost/local/",
        "https://localhost/local",
        "http://localhost%2F@evil.example/local",
        "planner://callbacks",
        "PLANNER://callback",
        "planner:callback",
        "javascript:alert(1)",
    ],
)
async def test_a_redirect_that_only_looks_registered_is_a_page_of_ours(asked: str, autojump_clock):
    """Hosts that look alike, users, fragments, encoded slashes, other ports and names of this device."""
    async with tool_town(public_url=BASE) as here:
        app = await register(here, redirect_uris=[CALLBACK, "http://localhost/local", "planner://callback"])
        answer = await app.ask(redirect_uri=asked)

    assert on_a_page_of_ours(answer)


async def test_one_refused_redirect_does_not_refuse_the_others(autojump_clock):
    """What is left is said; where nothing is, or too much, that is refused."""
    async with tool_town(public_url=BASE) as here:
        uris = ["javascript:alert(1)", CALLBACK, "http://app.example/", "ms-officecmd:x", "http://[::1]/x"]

        async def ask(redirect_uris: Any) -> httpx.Response:
            return await here.client.post("/oauth/register", json={"redirect_uris": redirect_uris})

        mixed = await ask(uris)
        refused = [
            await ask(these)
            for these in (
                uris[:1],
                [],
                None,
                [f"{CALLBACK}/{n}" for n in range(REDIRECT_URIS_MAX + 1)],
                [1],
            )
        ]

    assert (201, [CALLBACK, "http://[::1]/x"]) == (mixed.status_code, mixed.json()["redirect_uris"])
    assert [400] * 5 == [one.status_code for one in refused]
    assert ["invalid_redirect_uri"] * 2 == [one.json()["error"] for one in refused[:2]]
    assert ["invalid_client_metadata", "invalid_redirect_uri", "invalid_client_metadata"] == [
        one.json()["error"] for one in refused[2:]
    ]


@pytest.mark.parametrize(
    "metadata",
    [
        {"grant_types": ["client_credentials"]},
        {"response_types": ["token"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"application_type": "service"},
        {"client_name": 5},
    ],
)
async def test_metadata_that_promises_what_there_is_not(metadata: dict[str, Any], autojump_clock):
    """Refused as RFC 7591 §3.2.2 has it."""
    async with tool_town(public_url=BASE) as here:
        answer = await here.client.post("/oauth/register", json={"redirect_uris": [CALLBACK]} | metadata)

    assert (400, "invalid_client_metadata") == (answer.status_code, answer.json()["error"])


@pytest.mark.parametrize(
    "resource",
    [
        "https://crm.example.evil.example/api/v1/mcp",
        "http://crm.example/api/v1/mcp",
        "https://crm.example/api/v1/mcp?x=1",
        "https://crm.example/api/v1/mcp#x",
        "https://crm.example/api/v1/mcp//",
        "https://crm.example/api/v1/tools",
        "https://crm.example",
        "/api/v1/mcp",
    ],
)
async def test_a_resource_of_another_is_refused_at_both_doors(resource: str, autojump_clock):
    """Asked for, and exchanged: a token is for this service's own addresses alone."""
    async with connected() as (_, app, csrf):
        asked = await app.ask(resource=resource)
        code = await app.code(csrf)
        exchanged = await app.exchange(code, resource=resource)
        tokens = (await app.exchange(code)).json()
        refreshed = await app.refresh(tokens["refresh_token"], resource=resource)

    assert "invalid_target" == told(asked.headers["location"])["error"]
    assert ["invalid_target"] * 2 == [one.json()["error"] for one in (exchanged, refreshed)]


async def test_the_issuer_is_its_own_whatever_host_is_asked(autojump_clock):
    """So a client that compares it is not led to another, and a wrong `Host` changes nothing (RFC 9207)."""
    async with connected() as (here, app, _csrf):
        evil = {"host": "evil.example", "x-forwarded-host": "evil.example", "forwarded": "host=evil.example"}
        metadata = await here.client.get("/.well-known/oauth-authorization-server", headers=evil)
        query = urlencode({"client_id": app.client_id, "redirect_uri": CALLBACK, "state": "s1"})
        refused = await here.client.get(f"/oauth/authorize?{query}", headers=evil)
        challenge = (await here.client.post(MCP, headers=evil)).headers["www-authenticate"]

    assert BASE == metadata.json()["issuer"] == told(refused.headers["location"])["iss"]
    assert f'Bearer resource_metadata="{BASE}/' in challenge


async def test_what_another_installation_gave_is_worth_nothing(autojump_clock):
    """Codes, tokens and clients of another issuer: the very answer of what nobody ever gave."""
    async with connected() as (_, there, csrf):
        tokens = await there.connect(csrf)
        code = await there.code(csrf)
    async with connected() as (here, app, _csrf):
        access = await call(here, tokens["access_token"], path=MCP)
        unknown = await call(here, "svca_" + "x" * 38, path=MCP)
        signed = await call(here, "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2NybS5leGFtcGxlIn0.", path=MCP)
        exchanged = await app.exchange(code)
        refreshed = await app.refresh(tokens["refresh_token"])
        revoked = await app.revoke(tokens["refresh_token"])
        client = await App(here=here, client_id=there.client_id).ask()

    assert 401 == access.status_code
    for other in (unknown, signed):
        assert (access.status_code, access.content) == (other.status_code, other.content)
        assert access.headers["www-authenticate"] == other.headers["www-authenticate"]
    assert ["invalid_grant"] * 2 == [one.json()["error"] for one in (exchanged, refreshed)]
    assert 200 == revoked.status_code
    assert on_a_page_of_ours(client)


async def test_a_refresh_token_of_another_client_is_refused_and_stays_good(autojump_clock):
    """A thief without the client's name gets nothing, and ends nothing."""
    async with connected() as (here, app, csrf):
        thief = await register(here)
        tokens = await app.connect(csrf)
        stolen = await thief.refresh(tokens["refresh_token"])
        right = await app.refresh(tokens["refresh_token"])

    assert (400, "invalid_grant") == (stolen.status_code, stolen.json()["error"])
    assert 200 == right.status_code


async def test_nobody_learns_whether_an_address_has_an_account(autojump_clock):
    """What names a person is passed over, by whomever it is asked."""
    async with connected() as (here, app, _csrf):
        answers = [
            await app.ask(login_hint=email, username=email)
            for email in (here.owner.email, "nobody@nowhere.example")
        ]
        places = [one.headers["location"].partition("=")[0] for one in answers]
        given = [
            await app.post(
                "/oauth/token",
                {"grant_type": "password", "username": email, "password": "correct horse battery"},
            )
            for email in (here.owner.email, "nobody@nowhere.example")
        ]

    assert places[0] == places[1] == "/app/allow?request"
    assert given[0].content == given[1].content


@pytest.mark.parametrize("dest", ["image", "iframe", "script", "empty", "object"])
async def test_what_is_no_visit_of_a_person_begins_nothing(dest: str, autojump_clock):
    """A picture on any page could use up what may wait of its reader's address."""
    async with connected() as (here, app, _csrf):
        address = "/oauth/authorize?" + urlencode(
            {
                "response_type": "code",
                "client_id": app.client_id,
                "code_challenge": challenge_of(VERIFIER),
                "code_challenge_method": "S256",
            }
        )
        hidden = await here.client.get(address, headers={"sec-fetch-dest": dest})
        visit = await here.client.get(address, headers={"sec-fetch-dest": "document"})

    assert on_a_page_of_ours(hidden)
    assert 303 == visit.status_code


async def test_documents_that_one_address_has_fetched_are_bounded(autojump_clock):
    """Each names another private address; after so many, 429 with a time."""
    async with tool_town(public_url=BASE) as here:
        answers = [
            await here.client.get(
                f"/oauth/authorize?client_id={quote(f'https://127.0.0.1/{n}.json', safe='')}"
            )
            for n in range(DOCUMENT_FETCHES_OF_ADDRESS_MAX + 1)
        ]

    assert [400] * DOCUMENT_FETCHES_OF_ADDRESS_MAX == [one.status_code for one in answers[:-1]]
    assert 429 == answers[-1].status_code
    assert 0 < int(answers[-1].headers["retry-after"]) <= 60


async def test_a_client_that_refreshes_in_a_loop_is_told_so(autojump_clock):
    """429 with a time; what it has works on, and so does the token that it asked with."""
    async with connected() as (here, app, csrf):
        tokens = await app.connect(csrf)
        for _ in range(ACCESS_TOKENS_OF_GRANT_MAX - 1):
            tokens = (await app.refresh(tokens["refresh_token"])).json()
        full = await app.refresh(tokens["refresh_token"])
        works = await call(here, tokens["access_token"], path=MCP)
        here.clock.jump(int(full.headers["retry-after"]) * 1_000 + REFRESH_REPEAT_MS)
        later = await app.refresh(tokens["refresh_token"])

    assert (429, "temporarily_unavailable") == (full.status_code, full.json()["error"])
    assert [200, 200] == [works.status_code, later.status_code]
