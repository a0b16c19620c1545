"""Connecting an app over HTTP: it registers, a person allows it, it calls, refreshes and is ended."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from svc.domain.grants.limits import (
    ACCESS_TOKEN_LIFE_MS,
    AUTHORIZATION_LIFE_MS,
    CODE_LIFE_MS,
    GRANTS_OF_PERSON_MAX,
    REFRESH_REPEAT_MS,
    REFRESH_TOKEN_IDLE_MS,
    REGISTRATIONS_OF_ADDRESS_MAX,
    REQUESTS_OF_ADDRESS_MAX,
)
from svc.domain.identity.limits import CONFIRMATION_MS
from svc.domain.locale.times import DAY_MS
from tests.connecting import BASE, CALLBACK, MCP, App, call, register, result, told
from tests.tooling import ToolTown, tool_town


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[ToolTown, App, str]]:
    """A town, an app that has registered, and the CSRF token of its Owner."""
    async with tool_town(public_url=BASE) as here:
        yield here, await register(here), await here.sign_in()


async def grants(here: ToolTown, csrf: str) -> list[dict[str, Any]]:
    return list((await here.answer_to_person("grant.list", csrf=csrf))["grants"])


async def refused(here: ToolTown, token: str) -> bool:
    return (await call(here, token, path=MCP)).status_code == 401


async def test_an_app_is_connected_from_the_address_alone(autojump_clock):
    """The 401 names the door's metadata, that names the server, and so on to the first call."""
    async with connected() as (here, app, csrf):
        challenge = (await here.client.post(MCP)).headers["www-authenticate"]
        address = challenge.removeprefix('Bearer resource_metadata="').removesuffix('"')
        resource = (await here.client.get(address.removeprefix(BASE))).json()
        [server] = resource["authorization_servers"]
        metadata = (await here.client.get("/.well-known/oauth-authorization-server")).json()
        answer = await app.ask(resource=resource["resource"])
        token = answer.headers["location"].partition("?request=")[2]
        asked = await here.client.post(
            "/app/api/authorization", json={"request": token}, headers={"x-csrf-token": csrf}
        )
        redirect = (await app.allow(csrf, token, tools="read", expiresIn="30d")).json()["redirect"]
        given = await app.exchange(told(redirect)["code"], resource=resource["resource"])
        tokens = given.json()
        caller = (await result(here, tokens["access_token"]))["structuredContent"]
        [grant] = await grants(here, csrf)

    assert (f"{BASE}{MCP}", BASE, BASE) == (resource["resource"], server, metadata["issuer"])
    assert {
        "app": {"id": app.client_id, "name": "Reports", "host": "app.example"},
        "redirectTo": CALLBACK,
        "scope": "tools",
        "resource": f"{BASE}{MCP}",
        "organizations": [
            {"id": here.organization.id, "name": here.organization.name, "role": "owner", "refusal": None}
        ],
        "home": here.organization.id,
        "confirmed": True,
    } == asked.json()
    assert redirect.startswith(f"{CALLBACK}?code=svcx_")
    assert ("s1", BASE) == (told(redirect)["state"], told(redirect)["iss"])
    assert "no-store" == given.headers["cache-control"]
    assert ("Bearer", 3600, "tools.read") == (tokens["token_type"], tokens["expires_in"], tokens["scope"])
    assert ("grant", "Reports", grant["id"]) == (caller["kind"], caller["name"], caller["id"])
    assert ("owner", here.owner.id) == (caller["role"]["id"], caller["person"]["id"])
    assert ("live", "read", f"{BASE}{MCP}") == (grant["state"], grant["tools"], BASE + grant["resource"])
    assert caller["expiresAt"] == grant["expiresAt"] == "2026-10-18T00:00:00.000Z"


async def test_a_token_opens_its_door_alone(autojump_clock):
    """The other MCP door, the Tool API, files and the gateway answer as for an unknown key."""
    async with connected() as (here, app, csrf):
        token = (await app.connect(csrf))["access_token"]
        headers = {"authorization": f"Bearer {token}"}
        elsewhere = [
            await call(here, token),
            await here.call("caller.get", key=token),
            await here.client.get("/api/v1/files/fil_1", headers=headers),
            await here.client.get("/api/ai/v1/models", headers=headers),
        ]
        unknown = await call(here, "svca_" + "x" * 38)
        no_key = await here.client.post(f"{MCP}/full")

    assert [401] * 4 == [answer.status_code for answer in elsewhere]
    for field in ("www-authenticate", "content-type", "cache-control"):
        assert elsewhere[0].headers[field] == unknown.headers[field] == no_key.headers[field]
    assert elsewhere[0].content == unknown.content == no_key.content


async def test_a_grant_narrows_what_its_person_may(autojump_clock):
    """To reading, or to a list; what it may not is refused as an error of the tool, and audited."""
    async with connected() as (here, app, csrf):
        reads = (await app.connect(csrf, tools="read"))["access_token"]
        written = await result(here, reads, "record.create", {"objectType": "contact", "properties": {}})
        listed = await result(here, reads, "record.list", {"objectType": "contact"})
        few = (await app.connect(csrf, tools=["record.list"]))["access_token"]
        other = await result(here, few, "object.list")
        me = (await result(here, few))["structuredContent"]
        trail = await here.answer("audit.list", {"outcome": "refused"})
        minted = await result(here, few, "apikey.mint", {"name": "x"})

    assert (True, False, True, True) == tuple(one["isError"] for one in (written, listed, other, minted))
    assert "only reads" in written["content"][0]["text"]
    assert ["record.list"] == me["tools"]
    assert {("grant", "record.create"), ("grant", "object.list")} == {
        (entry["callerKind"], entry["action"]) for entry in trail["entries"]
    }
    assert {here.owner.id} == {entry["personId"] for entry in trail["entries"]}


async def test_a_code_is_used_once(autojump_clock):
    """The second use ends what the first has given."""
    async with connected() as (here, app, csrf):
        code = await app.code(csrf)
        token = (await app.exchange(code)).json()["access_token"]
        assert not await refused(here, token)
        again = await app.exchange(code)
        [grant] = await grants(here, csrf)

        assert (400, "invalid_grant") == (again.status_code, again.json()["error"])
        assert await refused(here, token)
    assert ("ended", "reused") == (grant["state"], grant["endedBecause"])


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_verifier": "w" * 43}, "invalid_grant"),
        ({"code_verifier": None}, "invalid_request"),
        ({"redirect_uri": "https://app.example/other"}, "invalid_grant"),
        ({"code": "svcx_other"}, "invalid_grant"),
        ({"code": None}, "invalid_request"),
        ({"resource": f"{BASE}{MCP}/full"}, "invalid_target"),
        ({"resource": "https://evil.example/api/v1/mcp"}, "invalid_target"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": None}, "invalid_request"),
        ({"client_id": "app_01K5D3V7Q2M8Z4X6C9B1N0T5RA"}, "invalid_client"),
        ({"client_secret": "svco_x"}, "invalid_client"),
    ],
)
async def test_an_exchange_is_refused(changes: dict[str, Any], error: str, autojump_clock):
    """Of another's code, verifier, client, redirect or resource. The code stays good for its client."""
    async with connected() as (_, app, csrf):
        code = await app.code(csrf)
        answer = await app.exchange(code, **changes)
        right = await app.exchange(code)

    assert (401 if error == "invalid_client" else 400, error) == (answer.status_code, answer.json()["error"])
    assert 200 == right.status_code


async def test_a_code_of_another_client_is_refused(autojump_clock):
    """One that is registered as well."""
    async with connected() as (here, app, csrf):
        thief = await register(here)
        answer = await thief.exchange(await app.code(csrf))

    assert (400, "invalid_grant") == (answer.status_code, answer.json()["error"])


async def test_a_code_lives_for_a_minute_and_an_access_token_for_an_hour(autojump_clock):
    """Refresh tokens for sixty days without use."""
    async with connected() as (here, app, csrf):
        code = await app.code(csrf)
        here.clock.jump(CODE_LIFE_MS)
        late = await app.exchange(code)
        tokens = await app.connect(csrf)
        here.clock.jump(ACCESS_TOKEN_LIFE_MS - 1)
        before = await refused(here, tokens["access_token"])
        here.clock.jump(1)
        after = await refused(here, tokens["access_token"])
        fresh = (await app.refresh(tokens["refresh_token"])).json()
        here.clock.jump(REFRESH_TOKEN_IDLE_MS)
        idle = await app.refresh(fresh["refresh_token"])

    assert ("invalid_grant", "invalid_grant") == (late.json()["error"], idle.json()["error"])
    assert (False, True) == (before, after)


async def test_a_refresh_token_may_come_again_while_its_successor_is_unused(autojump_clock):
    """With the same successor: answers get lost, and two processes refresh at once."""
    async with connected() as (here, app, csrf):
        first = await app.connect(csrf)
        one, other = [(await app.refresh(first["refresh_token"])).json() for _ in range(2)]
        assert one["refresh_token"] == other["refresh_token"] != first["refresh_token"]
        assert one["access_token"] != other["access_token"]
        assert not await refused(here, one["access_token"])
        assert not await refused(here, other["access_token"])
        here.clock.jump(REFRESH_REPEAT_MS - 1)
        assert 200 == (await app.refresh(first["refresh_token"])).status_code
        second = (await app.refresh(one["refresh_token"])).json()
        stolen = await app.refresh(first["refresh_token"])
        [grant] = await grants(here, csrf)

        assert "invalid_grant" == stolen.json()["error"]
        assert await refused(here, second["access_token"])
        assert "invalid_grant" == (await app.refresh(second["refresh_token"])).json()["error"]
    assert ("ended", "reused") == (grant["state"], grant["endedBecause"])


async def test_an_old_refresh_token_ends_the_grant_after_a_minute(autojump_clock):
    """Also where its successor was never used."""
    async with connected() as (here, app, csrf):
        first = await app.connect(csrf)
        second = (await app.refresh(first["refresh_token"])).json()
        here.clock.jump(REFRESH_REPEAT_MS)
        again = await app.refresh(first["refresh_token"])

        assert "invalid_grant" == again.json()["error"]
        assert await refused(here, second["access_token"])


async def test_an_app_gives_its_tokens_back(autojump_clock):
    """An access token alone; with a refresh token all. What is not its own is passed over."""
    async with connected() as (here, app, csrf):
        tokens = await app.connect(csrf)
        other = await register(here)
        foreign = await other.revoke(tokens["refresh_token"])
        kept = await refused(here, tokens["access_token"])
        unknown = await app.revoke("svcr_unknown")
        await app.revoke(tokens["access_token"])
        gone = await refused(here, tokens["access_token"])
        fresh = (await app.refresh(tokens["refresh_token"])).json()
        ended = await app.revoke(fresh["refresh_token"])
        [grant] = await grants(here, csrf)

        assert await refused(here, fresh["access_token"])
    assert [200] * 3 == [one.status_code for one in (foreign, unknown, ended)]
    assert (False, True) == (kept, gone)
    assert ("ended", "revoked") == (grant["state"], grant["endedBecause"])


async def test_what_stops_a_key_stops_a_grant(autojump_clock):
    """Its person deactivated, the organization closed, the grant over; and allowed again it goes on."""
    async with connected() as (here, app, csrf):
        bob = await here.member("bob@example.com", "admin")
        mine = await app.connect(csrf, expiresIn="1y")
        bobs_csrf = await here.sign_in("bob@example.com")
        bobs = await app.connect(bobs_csrf, expiresIn="30d")
        csrf = await here.sign_in()
        await here.answer_to_person("member.update", {"id": bob.id, "role": "viewer"}, csrf=csrf)
        weaker = (await result(here, bobs["access_token"]))["structuredContent"]["permissions"]
        await here.answer_to_person("member.deactivate", {"id": bob.id}, csrf=csrf)
        stopped = await refused(here, bobs["access_token"])
        no_refresh = await app.refresh(bobs["refresh_token"])
        states = {one["personId"]: one["state"] for one in await grants(here, csrf)}
        await here.answer_to_person("member.update", {"id": bob.id, "status": "active"}, csrf=csrf)
        again = await refused(here, bobs["access_token"])
        here.clock.jump(30 * DAY_MS)
        over = await app.refresh(bobs["refresh_token"])
        going_on = await app.refresh(mine["refresh_token"])

    assert ["records.read"] == weaker
    assert (True, False) == (stopped, again)
    assert {here.owner.id: "live", bob.id: "stopped"} == states
    assert [400, 400, 200] == [one.status_code for one in (no_refresh, over, going_on)]


async def test_members_connect_apps_while_they_may(autojump_clock):
    """Switched off, theirs end, and those of people with `security` stay."""
    async with connected() as (here, app, csrf):
        mine = await app.connect(csrf)
        await here.member("viewer@example.com", "viewer")
        theirs = await here.sign_in("viewer@example.com")
        early = await app.allow(theirs, await app.request())
        csrf = await here.sign_in()
        await here.answer_to_person("organization.update", {"membersMayConnectApps": True}, csrf=csrf)
        theirs = await here.sign_in("viewer@example.com")
        token = (await app.connect(theirs))["access_token"]
        own = [one["personId"] for one in await grants(here, theirs)]
        csrf = await here.sign_in()
        await here.answer_to_person("organization.update", {"membersMayConnectApps": False}, csrf=csrf)

        assert await refused(here, token)
        assert not await refused(here, mine["access_token"])
    assert (403, "forbidden") == (early.status_code, early.json()["code"])
    assert 1 == len(own)


async def test_allowing_needs_fresh_identity_and_is_never_skipped(autojump_clock):
    """Each request is decided once; the same app again replaces its grant."""
    async with connected() as (here, app, csrf):
        first = await app.connect(csrf)
        request = await app.request()
        here.clock.jump(CONFIRMATION_MS)
        late = await app.request()
        stale = await app.allow(csrf, late)
        gone = await app.allow(csrf, request)
        await here.client.post(
            "/app/api/confirm", json={"password": "correct horse battery"}, headers={"x-csrf-token": csrf}
        )
        right = await app.allow(csrf, late)
        twice = await app.allow(csrf, late)
        await app.exchange(told(right.json()["redirect"])["code"])
        replaced = await refused(here, first["access_token"])
        reasons = [one["endedBecause"] for one in await grants(here, csrf)]

    assert (403, "confirmation_required") == (stale.status_code, stale.json()["code"])
    assert [404, 200, 404] == [one.status_code for one in (gone, right, twice)]
    assert AUTHORIZATION_LIFE_MS < CONFIRMATION_MS
    assert (True, [None, "replaced"]) == (replaced, reasons)


async def test_a_person_says_no(autojump_clock):
    """The app is told, and the request is over."""
    async with connected() as (here, app, csrf):
        token = await app.request()
        denied = await here.client.post(
            "/app/api/authorization/deny", json={"request": token}, headers={"x-csrf-token": csrf}
        )
        after = await app.allow(csrf, token)

    answer = told(denied.json()["redirect"])
    assert ("access_denied", "s1", BASE) == (answer["error"], answer["state"], answer["iss"])
    assert 404 == after.status_code


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"resource": "https://evil.example/api/v1/mcp"}, "invalid_target"),
        ({"scope": ["tools", "tools.read"]}, "invalid_request"),
        ({"request_uri": "https://app.example/request"}, "invalid_request"),
        ({"state": "x" * 2_001}, "invalid_request"),
    ],
)
async def test_faults_of_a_request_are_told_to_the_app(changes: dict[str, Any], error: str, autojump_clock):
    """At its redirect, with its state and the issuer."""
    async with connected() as (_, app, _csrf):
        answer = await app.ask(**changes)

    address = answer.headers["location"]
    assert (303, True) == (answer.status_code, address.startswith(f"{CALLBACK}?"))
    assert (error, BASE) == (told(address)["error"], told(address)["iss"])
    assert ("state" in told(address)) == ("state" not in changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": None},
        {"client_id": "app_01K5D3V7Q2M8Z4X6C9B1N0T5RA"},
        {"client_id": "x" * 501},
        {"redirect_uri": "https://app.example/callback/"},
        {"redirect_uri": "https://app.example.evil.example/callback"},
        {"redirect_uri": "https://user@app.example/callback"},
        {"redirect_uri": "https://app.example/callback#x"},
        {"redirect_uri": [CALLBACK, CALLBACK]},
        {"redirect_uri": "javascript:alert(1)"},
        {"client_id": "https://127.0.0.1/client.json"},
    ],
)
async def test_faults_of_client_and_redirect_are_a_page_of_ours(changes: dict[str, Any], autojump_clock):
    """Nothing is sent to an address that is not known to be the client's."""
    async with connected() as (_, app, _csrf):
        answer = await app.ask(**changes)

    assert (400, False) == (answer.status_code, "location" in answer.headers)


async def test_floods_are_bounded(autojump_clock):
    """Of registrations, and of requests that wait, from one address."""
    async with tool_town(public_url=BASE) as here:
        registered = [await register(here) for _ in range(REGISTRATIONS_OF_ADDRESS_MAX)]
        body = {"redirect_uris": [CALLBACK]}
        full = await here.client.post("/oauth/register", json=body)
        for _ in range(REQUESTS_OF_ADDRESS_MAX):
            await registered[0].request()
        busy = await registered[0].ask()

    assert (429, 429) == (full.status_code, busy.status_code)
    assert 0 < int(full.headers["retry-after"]) <= 3_600


async def test_a_person_has_twenty(autojump_clock):
    """The next is refused, and said before *Allow*; one that replaces another is not the next."""
    async with connected() as (here, _, csrf):
        apps = []
        for n in range(GRANTS_OF_PERSON_MAX + 1):
            body = {"name": f"App {n}", "redirectUris": [CALLBACK]}
            made = await here.answer_to_person("app.create", body, csrf=csrf)
            apps.append(App(here=here, client_id=made["clientId"]))
        for app in apps[:-1]:
            await app.code(csrf)
        request = await apps[-1].request()
        shown = await here.client.post(
            "/app/api/authorization", json={"request": request}, headers={"x-csrf-token": csrf}
        )
        full = await apps[-1].allow(csrf, request)
        replaced = await apps[0].allow(csrf, await apps[0].request())

    assert (409, "grant_limit", 200) == (full.status_code, full.json()["code"], replaced.status_code)
    assert "limit" in shown.json()["organizations"][0]["refusal"]


async def test_an_app_by_hand_has_a_secret_and_its_organization(autojump_clock):
    """By the header or in the body, not both; removed, its grants end."""
    async with connected() as (here, _, csrf):
        body = {"name": "Stock", "redirectUris": [CALLBACK], "secret": True}
        made = await here.answer_to_person("app.create", body, csrf=csrf)
        app = App(here=here, client_id=made["clientId"], secret=made["clientSecret"])
        tokens = await app.connect(csrf)
        basic = await here.client.post(
            "/oauth/token",
            data={"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
            auth=(made["clientId"], made["clientSecret"]),
        )
        wrong = await here.client.post(
            "/oauth/token",
            data={"grant_type": "refresh_token", "refresh_token": basic.json()["refresh_token"]},
            auth=(made["clientId"], "svco_wrong"),
        )
        missing = await App(here=here, client_id=made["clientId"]).refresh(basic.json()["refresh_token"])
        removed = await here.answer_to_person("app.remove", {"id": made["id"]}, csrf=csrf)

        assert await refused(here, tokens["access_token"])
        assert 400 == (await app.ask()).status_code
    assert made["clientSecret"].startswith("svco_")
    assert [200, 401, 401] == [one.status_code for one in (basic, wrong, missing)]
    assert "Basic" in wrong.headers["www-authenticate"]
    assert 1 == removed["grantsEnded"]


async def test_ending_a_grant_refuses_its_tokens_at_once(autojump_clock):
    """One's own, and with `security` anyone's; a key and the app itself may not."""
    async with connected() as (here, app, csrf):
        tokens = await app.connect(csrf)
        [grant] = await grants(here, csrf)
        by_app = await result(here, tokens["access_token"], "grant.end", {"id": grant["id"]})
        by_key = await here.call("grant.end", {"id": grant["id"]})
        await here.member("viewer@example.com", "viewer")
        theirs = await here.sign_in("viewer@example.com")
        by_other = await here.call_as_person("grant.end", {"id": grant["id"]}, csrf=theirs)
        seen = await grants(here, theirs)
        csrf = await here.sign_in()
        await here.answer_to_person("grant.end", {"id": grant["id"]}, csrf=csrf)

        assert await refused(here, tokens["access_token"])
        assert "invalid_grant" == (await app.refresh(tokens["refresh_token"])).json()["error"]
    assert (True, 403, 404, []) == (by_app["isError"], by_key.status_code, by_other.status_code, seen)


async def test_pages_of_any_origin_may_ask(autojump_clock):
    """Metadata, tokens, registration and revocation; never with cookies."""
    async with connected() as (here, _, _csrf):
        origin = {"origin": "https://inspector.example", "access-control-request-headers": "content-type"}
        answers = [
            await here.client.options(path, headers=origin)
            for path in (
                "/.well-known/oauth-authorization-server",
                f"/.well-known/oauth-protected-resource{MCP}/full",
                "/oauth/token",
                "/oauth/register",
                "/oauth/revoke",
            )
        ]
        nothing = [
            await here.client.get(f"/.well-known/{path}", headers={"accept": "text/html"})
            for path in ("openid-configuration", "oauth-protected-resource", "oauth-protected-resource/x")
        ]
        token = await here.client.post("/oauth/token", headers={"origin": "https://inspector.example"})

    assert [(204, "*")] * 5 == [
        (one.status_code, one.headers["access-control-allow-origin"]) for one in answers
    ]
    assert [404] * 3 == [one.status_code for one in nothing]
    assert {"application/problem+json"} == {one.headers["content-type"] for one in nothing}
    assert (400, "*") == (token.status_code, token.headers["access-control-allow-origin"])
    assert all("access-control-allow-credentials" not in one.headers for one in [*answers, token])


async def test_without_a_public_address_it_is_that_of_this_machine(autojump_clock):
    """As it is asked for; by another name there is none, and the challenge names none."""
    async with tool_town() as here:
        path = "/.well-known/oauth-authorization-server"
        local = await here.client.get(path, headers={"host": "127.0.0.1:8080"})
        other = await here.client.get(path, headers={"host": "evil.example"})
        challenged = await here.client.post(MCP, headers={"host": "localhost:8080"})
        plain = await here.client.post(MCP)

    assert ("http://127.0.0.1:8080", 404) == (local.json()["issuer"], other.status_code)
    assert (
        'Bearer resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource/api/v1/mcp"'
        == challenged.headers["www-authenticate"]
    )
    assert "Bearer" == plain.headers["www-authenticate"]


async def test_a_public_address_with_a_path_is_found_where_clients_look(autojump_clock):
    """At its host, with the path behind the well-known part (RFC 8414 §3.1, RFC 9728 §3.1), and below it."""
    async with tool_town(public_url=f"{BASE}/crm") as here:
        server = [
            (await here.client.get(f"/.well-known/oauth-authorization-server{path}")).json()["issuer"]
            for path in ("", "/crm")
        ]
        resource = [
            (await here.client.get(f"/.well-known/oauth-protected-resource{path}{MCP}/full")).json()[
                "resource"
            ]
            for path in ("", "/crm")
        ]
        other = await here.client.get("/.well-known/oauth-authorization-server/shop")

    assert [f"{BASE}/crm"] * 2 == server
    assert [f"{BASE}/crm{MCP}/full"] * 2 == resource
    assert 404 == other.status_code
