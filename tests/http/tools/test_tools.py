"""The doors of tools: authentication, the order of the checks, and what every answer has."""

from svc.domain.limits import CALLS_MAX, TOOL_BODY_BYTES_MAX
from svc.http.problems.problems import UNAUTHORIZED
from tests import tables
from tests.tooling import tool_town

ADA = {"objectType": "contact", "properties": {"name": "Ada", "email": "ada@example.com"}}


async def test_a_key_calls_a_tool(autojump_clock):
    """What is made with one call is shown by the next."""
    async with tool_town() as here:
        made = await here.answer("record.create", ADA)
        shown = await here.answer("record.get", {"objectType": "contact", "id": made["id"]})

        assert ADA["properties"] == shown["properties"]
        assert made == shown


async def test_every_answer_to_a_good_key_has_its_budget(autojump_clock):
    """Problems included."""
    async with tool_town() as here:
        answers = [
            await here.call("record.get", {"objectType": "contact", "id": "rec_1"}),
            await here.call("no.such_tool"),
            await here.call("record.get", {"objectType": 1}),
        ]

        assert [(404, "not_found"), (404, "unknown_tool"), (422, "validation_failed")] == [
            (one.status_code, one.json()["code"]) for one in answers
        ]
        assert [(str(CALLS_MAX), str(CALLS_MAX - 1 - place), "60") for place in range(3)] == [
            tuple(one.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset"))
            for one in answers
        ]
        assert ['"default";q=600;w=60'] * 3 == [one.headers["ratelimit-policy"] for one in answers]
        assert '"default";r=597;t=60' == answers[2].headers["ratelimit"]


async def test_a_guessed_name_leads_to_the_tool(autojump_clock):
    """Contacts have no tools of their own: the problem names the one for records."""
    async with tool_town() as here:
        answer = await here.call("contact.create", ADA)

        assert (404, "there is no tool `contact.create`; did you mean `record.create`?") == (
            answer.status_code,
            answer.json()["detail"],
        )


async def test_a_spent_budget_comes_back(autojump_clock):
    """The call after the last one waits for as long as `Retry-After` says."""
    async with tool_town() as here:
        organization_budget = here.system.calls.per_minute
        for _ in range(organization_budget):
            await here.call("no.such_tool")
        refused = await here.call("no.such_tool")
        here.clock.jump(int(refused.headers["retry-after"]) * 1_000)
        again = await here.call("no.such_tool")

        assert (429, "rate_limited", "60") == (
            refused.status_code,
            refused.json()["code"],
            refused.headers["retry-after"],
        )
        assert 404 == again.status_code


async def test_every_invalid_key_gets_one_answer(autojump_clock):
    """Whatever is wrong with it, to the byte."""
    async with tool_town() as here:
        answers = [
            await here.client.post("/api/v1/tools/record.get", json={}, headers=headers)
            for headers in (
                [],
                [(b"authorization", b"Bearer svck_unknown")],
                [(b"authorization", b"Basic " + here.key.encode())],
                [(b"authorization", b"Bearer " + b"k" * 10_000)],
                [(b"authorization", b"Bearer \xff\xfe")],
                [(b"authorization", b"Bearer " + here.key.encode() + b"\xa0")],
                [(b"authorization", b"Bearer " + here.key.encode())] * 2,
            )
        ]

        assert {(401, UNAUTHORIZED.body, "Bearer")} == {
            (one.status_code, one.content, one.headers["www-authenticate"]) for one in answers
        }


async def test_several_lengths_of_a_body_are_rejected(autojump_clock):
    """HTTP/2 lets them pass, even where they agree."""
    async with tool_town() as here:
        headers = [
            (b"authorization", b"Bearer " + here.key.encode()),
            (b"content-type", b"application/json"),
            *[(b"content-length", b"2")] * 2,
        ]
        answer = await here.client.post("/api/v1/tools/object.list", content=b"{}", headers=headers)

        assert (400, "malformed_request") == (answer.status_code, answer.json()["code"])


async def test_a_cookie_of_any_bytes_authenticates_nothing(autojump_clock):
    """Cookies need not be UTF-8."""
    async with tool_town() as here:
        headers = [(b"cookie", b"svc_session=\xff\xfe"), (b"x-csrf-token", b"\xff")]
        answer = await here.client.post("/app/api/tools/object.list", json={}, headers=headers)

        assert 403 == answer.status_code


async def test_what_is_wrong_as_a_whole_is_said_plainly(autojump_clock):
    """The detail names a place only where there is one."""
    async with tool_town() as here:
        answers = [await here.call("record.get", body) for body in ([1], {"objectType": 1, "id": "rec_1"})]

        assert [
            "must be an object, not an array",
            "/objectType: must be a string, not an integer",
        ] == [one.json()["detail"] for one in answers]


async def test_a_repeated_write_is_done_once(autojump_clock):
    """Under the same idempotency key it is answered as the first time, and says so."""
    async with tool_town() as here:
        first, second = [await here.call("record.create", ADA, idempotency_key="k-1") for _ in range(2)]
        other = await here.call("record.create", ADA | {"properties": {"name": "Bob"}}, idempotency_key="k-1")

        assert (200, first.content, "true") == (
            second.status_code,
            second.content,
            second.headers["idempotent-replayed"],
        )
        assert (422, "idempotency_mismatch") == (other.status_code, other.json()["code"])
        assert 1 == await here.count(tables.records)


async def test_a_name_twice_in_one_object_is_rejected(autojump_clock):
    """At both doors: 422 with a pointer to it, however it is written, and nothing is made."""
    async with tool_town() as here:
        body = rb'{"objectType": "contact", "properties": {"name": "Ada", "n\u0061me": "Eve"}}'
        json = {"content-type": "application/json"}
        answers = [
            await here.client.post(f"{path}record.create", content=body, headers=json | headers)
            for path, headers in (
                ("/api/v1/tools/", {"authorization": f"bearer {here.key}"}),
                ("/app/api/tools/", {"x-csrf-token": await here.sign_in()}),
            )
        ]

        for answer in answers:
            assert (422, "validation_failed") == (answer.status_code, answer.json()["code"])
            assert [("/properties/name", "duplicate_name")] == [
                (fault["pointer"], fault["code"]) for fault in answer.json()["errors"]
            ]
        assert 0 == await here.count(tables.records)


async def test_a_body_over_the_limit_is_rejected(autojump_clock):
    """With 413, and what is left of the budget."""
    async with tool_town() as here:
        answer = await here.client.post(
            "/api/v1/tools/record.create",
            content=b" " * (TOOL_BODY_BYTES_MAX + 1),
            headers={"authorization": f"bearer {here.key}", "content-type": "application/json"},
        )

        assert (413, "body_too_large", "it is over 1,000,000 bytes", "599") == (
            answer.status_code,
            answer.json()["code"],
            answer.json()["detail"],
            answer.headers["ratelimit-remaining"],
        )


async def test_a_signed_in_person_calls_a_tool(autojump_clock):
    """With the session's CSRF token, and not without."""
    async with tool_town() as here:
        csrf = await here.sign_in()
        good = await here.call_as_person("record.create", ADA, csrf=csrf)
        bad = await here.call_as_person("record.create", ADA, csrf="x")

        assert (200, 403) == (good.status_code, bad.status_code)


async def test_a_missing_permission_is_in_the_trail(autojump_clock):
    """By whom, through which door, of what, why."""
    async with tool_town() as here:
        answer = await here.call("record.create", ADA, key=await here.mint(role_id="viewer"))
        [refused] = await here.rows(tables.audit, outcome="refused")

        assert (403, "forbidden") == (answer.status_code, answer.json()["code"])
        assert ("record.create", "forbidden", "api", here.owner.id, answer.headers["x-request-id"]) == (
            refused.action,
            refused.reason,
            refused.door,
            refused.person_id,
            refused.request_id,
        )


async def test_a_gateway_key_may_call_no_tool(autojump_clock):
    """Not even one that there is not: it is a live key with another reach."""
    async with tool_town() as here:
        key = await here.mint(limited_to="ai.gateway")
        answers = [await here.call(name, key=key) for name in ("record.list", "no.such_tool")]

        assert [(403, "forbidden")] * 2 == [(one.status_code, one.json()["code"]) for one in answers]
        assert 2 == await here.count(tables.audit, outcome="refused")
