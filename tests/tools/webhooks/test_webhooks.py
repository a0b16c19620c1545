"""`webhook.*`: subscriptions, who may set them up, and what was sent to them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Any

import msgspec
import pytest
import trio
from sqlalchemy import delete

from svc.actors.outbound.client import PostResult
from svc.actors.outbound.errors import NotSent
from svc.client import verify
from svc.domain.crypto.signatures import SECRET_PREFIX
from svc.domain.identity.roles import Permission
from svc.storage.identity import roles
from svc.storage.store import Tx
from svc.storage.webhooks import tables, webhooks
from tests.channels import Receiver
from tests.dispatching import dispatch
from tests.mcp.asking import mcp_town
from tests.people import call_of
from tests.tables import audit, events
from tests.tooling import ToolTown, tool_town
from tests.tools.webhooks.test_payloads import faults as faults_of_payload
from tests.webhooks import HOOK, a_webhook

ADA = {"objectType": "contact", "properties": {"name": "Ada"}}
NEW = {"url": HOOK, "events": ["record.created"], "objectTypes": ["contact"], "name": " Orders "}


@asynccontextmanager
async def hook_town(*answers: PostResult | NotSent) -> AsyncIterator[tuple[ToolTown, Receiver]]:
    """A town whose deliveries go to a receiver with these answers, and then 200."""
    async with tool_town() as here:
        here.system.outgoing.http = receiver = Receiver(*answers)
        yield here, receiver


async def role_with(here: ToolTown, *permissions: Permission) -> str:
    """A role with these permissions."""
    made = await here.store.write(roles.create, call_of(here.owner), f"Role {permissions}", [*permissions])
    return made.id


async def a_hook(here: ToolTown, **settings: Any) -> str:
    """A subscription, and its id."""
    return (await here.store.write(a_webhook, here.organization.id, **settings)).id


def faults(answer: Any) -> list[tuple[str, str]]:
    return [(one["pointer"], one["code"]) for one in answer.json()["errors"]]


async def test_a_person_subscribes_an_address(autojump_clock):
    """The secret is in that one answer, and nowhere else: not in lists, the audit trail or the database."""
    async with hook_town() as (here, _):
        csrf = await here.sign_in()
        made = await here.answer_to_person("webhook.create", NEW, csrf=csrf)
        shown = await here.answer("webhook.get", {"id": made["id"]})
        listed = await here.answer("webhook.list")
        [row] = await here.rows(tables.webhooks)
        [line] = await here.rows(audit, action="webhook.create")

        secret = made.pop("secret")
        assert secret.startswith(SECRET_PREFIX)
        assert made == shown
        assert {"webhooks": [shown], "nextCursor": None} == listed
        assert secret not in str([*row, *line])
        assert {
            "name": "Orders",
            "url": HOOK,
            "events": ["record.created"],
            "objectTypes": ["contact"],
            "maxPerSecond": None,
            "contract": "2026-09",
            "active": True,
            "disabledReason": None,
            "failingSince": None,
            "heldUntil": None,
            "previousSecretUntil": None,
            "version": 1,
        } == {name: value for name, value in shown.items() if name not in {"id", "createdAt", "updatedAt"}}
        assert made["id"] == line.target


async def test_an_idempotency_key_is_refused_where_a_secret_is_shown(autojump_clock):
    """The answer would have to be stored."""
    async with hook_town() as (here, _):
        csrf = await here.sign_in()
        hook = await a_hook(here)
        for tool, body in (("webhook.create", NEW), ("webhook.rotate_secret", {"id": hook})):
            answer = await here.call_as_person(tool, body, csrf=csrf, idempotency_key="k-1")

            assert (422, "call it without an idempotency key") == (
                answer.status_code,
                answer.json()["detail"][-34:],
            )


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"url": "https://user:pass@a.example"}, [("/url", "invalid_value")]),
        ({"url": "http://127.0.0.1/hook"}, [("/url", "invalid_value")]),
        ({"url": "http://[::ffff:10.0.0.1]/"}, [("/url", "invalid_value")]),
        ({"url": "http://0x7f000001/"}, [("/url", "invalid_value")]),
        ({"url": "http://169.254.169.254/latest"}, [("/url", "invalid_value")]),
        ({"url": "ftp://a.example/"}, [("/url", "invalid_value")]),
        ({"url": "/hook"}, [("/url", "invalid_value")]),
        ({"events": [], "objectTypes": []}, [("/events", "invalid_value")]),
        (
            {"events": ["record.create", "x"]},
            [("/events/0", "invalid_value"), ("/events/1", "invalid_value")],
        ),
        ({"events": ["record.created"] * 2}, [("/events/1", "invalid_value")]),
        ({"objectTypes": ["contacts"]}, [("/objectTypes/0", "not_found")]),
        ({"events": ["message.received"]}, [("/objectTypes", "invalid_value")]),
        ({"maxPerSecond": 0}, [("/maxPerSecond", "invalid_value")]),
        ({"name": " ", "url": "http://10.1.2.3"}, [("/name", "invalid_value"), ("/url", "invalid_value")]),
        ({"secret": "whsec_mine"}, [("/secret", "unknown_field")]),
    ],
)
async def test_a_bad_subscription_is_refused(changes: Any, expected: Any, autojump_clock):
    """Every fault at its place, and the same at a change."""
    async with hook_town() as (here, _):
        csrf = await here.sign_in()
        hook = await a_hook(here, events=("record.created",), object_types=("contact",))
        made = await here.call_as_person("webhook.create", NEW | changes, csrf=csrf)
        changed = await here.call_as_person("webhook.update", {"id": hook} | changes, csrf=csrf)

        assert (422, expected) == (made.status_code, faults(made))
        assert (422, expected) == (changed.status_code, faults(changed))
        assert 1 == await here.count(tables.webhooks)


async def test_a_key_sets_no_address(autojump_clock):
    """Neither at the beginning nor later, whatever its role; it changes the rest, and may switch it off."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        answers = [
            await here.call("webhook.create", NEW),
            await here.call("webhook.update", {"id": hook, "url": "https://elsewhere.example"}),
            await here.call("webhook.rotate_secret", {"id": hook}),
        ]
        changed = await here.answer(
            "webhook.update", {"id": hook, "active": False, "maxPerSecond": 5, "name": None}
        )
        deleted = await here.call("webhook.delete", {"id": hook})

        assert [(403, "person_only")] * 3 == [(one.status_code, one.json()["code"]) for one in answers]
        assert (HOOK, False, 5, None, 2) == tuple(
            changed[name] for name in ("url", "active", "maxPerSecond", "name", "version")
        )
        assert (403, "approval_required") == (deleted.status_code, deleted.json()["code"])
        refused = await here.rows(audit, outcome="refused", reason="person_only")
        assert {"webhook.create", "webhook.update", "webhook.rotate_secret"} == {
            row.action for row in refused
        }


async def test_a_change_of_the_rest_finds_no_fault_in_the_address(autojump_clock):
    """It was good when it was given; a private one that the configuration allowed may be forbidden by now."""
    async with hook_town() as (here, _):
        private = {"url": "http://127.0.0.1:9/", "allowed": [ip_network("127.0.0.0/8")]}
        hook = await a_hook(here, **private)
        changed = await here.call("webhook.update", {"id": hook, "events": ["record.created"]})

        assert (200, ["record.created"]) == (changed.status_code, changed.json()["events"])


async def test_a_stale_change_is_refused(autojump_clock):
    """Whoever made it from an older version has to look again."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        await here.answer("webhook.update", {"id": hook, "name": "A", "ifVersion": 1})
        stale = await here.call("webhook.update", {"id": hook, "name": "B", "ifVersion": 1})

        assert (409, "conflict") == (stale.status_code, stale.json()["code"])


async def test_nobody_subscribes_to_what_they_may_not_see(autojump_clock):
    """Not at the beginning, not by widening a subscription, and not by sending it elsewhere."""
    async with hook_town() as (here, _):
        role = await role_with(here, "webhooks", "conversations")
        await here.member("ben@example.com", role)
        csrf = await here.sign_in("ben@example.com")
        hook = await a_hook(here, events=("message.received",))
        foreign = await a_hook(here, events=("record.created", "message.received"))
        new = {"url": HOOK, "events": ["message.received"]}
        allowed = [
            await here.call_as_person("webhook.create", new, csrf=csrf),
            await here.call_as_person("webhook.update", {"id": hook, "url": f"{HOOK}/2"}, csrf=csrf),
            await here.call_as_person("webhook.update", {"id": foreign, "active": False}, csrf=csrf),
        ]
        refused = [
            await here.call_as_person(tool, body, csrf=csrf)
            for tool, body in (
                ("webhook.create", NEW),
                ("webhook.create", {"url": HOOK, "events": ["message.received", "submission.filed"]}),
                ("webhook.update", {"id": hook, "events": ["message.received", "record.deleted"]}),
                ("webhook.update", {"id": foreign, "url": "https://ben.example"}),
                ("webhook.update", {"id": foreign, "objectTypes": []}),
            )
        ]
        by_key = await here.call(
            "webhook.update",
            {"id": hook, "events": ["record.created"]},
            key=await here.mint(role_id=role),
        )

        assert [200] * 3 == [one.status_code for one in allowed]
        assert [(403, "forbidden")] * 6 == [
            (one.status_code, one.json()["code"]) for one in (*refused, by_key)
        ]
        assert "events record.created need the permission records.read, too" == refused[0].json()["detail"]


async def test_a_viewer_sees_no_webhook(autojump_clock):
    """Nor its deliveries, nor events; and of another organization not even that it is there."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        viewer = await here.mint(role_id="viewer")
        tools = {
            "webhook.list": {},
            "webhook.get": {"id": hook},
            "webhook.update": {"id": hook, "active": False},
            "webhook.test": {"id": hook},
            "webhook.delivery_list": {"webhookId": hook},
            "webhook.redeliver": {"webhookId": hook, "since": "2026-09-18T00:00:00Z"},
            "event.list": {},
        }
        answers = {tool: await here.call(tool, body, key=viewer) for tool, body in tools.items()}

        assert dict.fromkeys(tools, (403, "forbidden")) == {
            tool: (one.status_code, one.json()["code"]) for tool, one in answers.items()
        }
        assert hook not in "".join(one.text for one in answers.values())


async def test_a_rotated_secret_is_another(autojump_clock):
    """And it is told until when the one before signs too."""
    async with hook_town() as (here, _):
        csrf = await here.sign_in()
        made = await here.answer_to_person("webhook.create", NEW, csrf=csrf)
        rotated = await here.answer_to_person("webhook.rotate_secret", {"id": made["id"]}, csrf=csrf)
        shown = await here.answer("webhook.get", {"id": made["id"]})

        assert made["secret"] != rotated["secret"]
        assert (None, rotated["previousUntil"]) == (
            made["previousSecretUntil"],
            shown["previousSecretUntil"],
        )
        assert "2026-09-19T00:00:00.000Z" <= rotated["previousUntil"] < "2026-09-19T00:01:00.000Z"


async def test_a_deleted_webhook_is_gone(autojump_clock):
    """What waited for it is cancelled."""
    async with hook_town() as (here, _):
        csrf = await here.sign_in()
        hook = await a_hook(here)
        delivery = (await here.answer("webhook.test", {"id": hook}))["deliveryId"]
        await here.answer_to_person("webhook.delete", {"id": hook}, csrf=csrf)
        gone = await here.call("webhook.get", {"id": hook})
        [row] = await here.rows(tables.webhook_deliveries)

        assert (404, []) == (gone.status_code, (await here.answer("webhook.list"))["webhooks"])
        assert (delivery, "cancelled") == (row.id, row.state)


async def test_a_disabled_webhook_says_why(autojump_clock):
    """It is tested no more until it is active again."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        await here.store.write(webhooks.disable, here.organization.id, hook, "gone")
        shown = await here.answer("webhook.get", {"id": hook})
        refused = await here.call("webhook.test", {"id": hook})
        again = await here.answer("webhook.update", {"id": hook, "active": True})

        assert (False, "gone") == (shown["active"], shown["disabledReason"])
        assert (409, "this webhook is disabled: make it active first") == (
            refused.status_code,
            refused.json()["detail"],
        )
        assert (True, None) == (again["active"], again["disabledReason"])


async def test_deliveries_are_listed_with_every_attempt(autojump_clock):
    """State, plan, and what the receiver answered; narrowed by state and type, over pages."""
    answers = (NotSent("no route"), PostResult(200, answer="thanks"), PostResult(503, answer="later"))
    async with hook_town(*answers) as (here, _):
        hook = await a_hook(here)
        ping = (await here.answer("webhook.test", {"id": hook}))["deliveryId"]
        await trio.sleep(10)
        made = await here.answer("record.create", ADA)
        await trio.sleep(1)
        [event] = await here.rows(events)

        first = await here.answer("webhook.delivery_list", {"webhookId": hook, "limit": 1})
        second = await here.answer(
            "webhook.delivery_list", {"webhookId": hook, "limit": 1, "cursor": first["nextCursor"]}
        )
        [waits], [tested] = first["deliveries"], second["deliveries"]
        assert (ping, hook, None, "ping", "delivered", 2, None) == tuple(
            tested[name]
            for name in ("id", "webhookId", "eventId", "event", "state", "attempts", "nextAttemptAt")
        )
        assert [(None, "no route", ""), (200, None, "thanks")] == [
            (one["statusCode"], one["error"], one["answer"]) for one in tested["history"]
        ]
        assert (event.id, "record.created", made["id"], "waiting", 1) == tuple(
            waits[name] for name in ("eventId", "event", "subject", "state", "attempts")
        )
        assert [(503, "later")] == [(one["statusCode"], one["answer"]) for one in waits["history"]]
        assert waits["createdAt"] < waits["nextAttemptAt"]
        for narrowed, found in (
            ({"state": "delivered"}, [ping]),
            ({"state": "dead"}, []),
            ({"event": "record.created"}, [waits["id"]]),
            ({"event": "ping", "state": "waiting"}, []),
        ):
            listed = await here.answer("webhook.delivery_list", {"webhookId": hook} | narrowed)
            assert found == [one["id"] for one in listed["deliveries"]]


async def test_a_real_event_is_sent_as_a_test(autojump_clock):
    """Its data, with an id and a time of the test's own; to a webhook that had it already, too."""
    async with hook_town() as (here, receiver):
        hook = await a_hook(here)
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        [event] = (await here.answer("event.list", {}))["events"]
        test = (await here.answer("webhook.test", {"id": hook, "eventId": event["id"]}))["deliveryId"]
        await trio.sleep(1)
        first, second = receiver.bodies
        listed = await here.answer("webhook.delivery_list", {"webhookId": hook, "id": test})

        assert (event["id"], test) == (first["id"], second["id"])
        assert first["timestamp"] < second["timestamp"]
        assert ("record.created", first["data"]) == (second["type"], second["data"])
        assert ("delivered", None) == tuple(listed["deliveries"][0][name] for name in ("state", "eventId"))


async def test_an_event_is_tested_with_only_where_it_would_be_sent(autojump_clock):
    """Not by who may not see it, not by a webhook of other events, and not beside an example."""
    async with hook_town() as (here, receiver):
        hook = await a_hook(here)
        deals = await a_hook(here, object_types=("deal",))
        blind = await here.mint(role_id=await role_with(here, "webhooks"))
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        [event] = await here.rows(events)
        sent = len(receiver.got)
        test = {"id": hook, "eventId": event.id}
        refused = [
            await here.call("webhook.test", test, key=blind),
            await here.call("webhook.test", test | {"id": deals}),
        ]
        unclear = await here.call("webhook.test", test | {"event": "record.created"})
        unknown = await here.call("webhook.test", test | {"eventId": "evt_01K5D3V7Q2M8Z4X6C9B1N0T5RA"})
        await trio.sleep(1)

        assert ["forbidden", "conflict"] == [answer.json()["code"] for answer in refused]
        assert [("/event", "invalid_value")] == faults(unclear)
        assert [("/eventId", "not_found")] == faults(unknown)
        assert sent == len(receiver.got)


async def test_what_a_test_with_an_event_sent_is_shown_to_who_may_see_that(autojump_clock):
    """An example is shown to all who see webhooks."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        blind = await here.mint(role_id=await role_with(here, "webhooks"))
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        [event] = await here.rows(events)
        real = (await here.answer("webhook.test", {"id": hook, "eventId": event.id}))["deliveryId"]
        example = (await here.answer("webhook.test", {"id": hook, "event": "record.created"}))["deliveryId"]
        shown = [
            (await here.answer("webhook.delivery_list", {"webhookId": hook, "id": test}, key=key))[
                "deliveries"
            ]
            for test in (real, example)
            for key in (blind, None)
        ]

        assert [True, False, False, False] == [found["request"] is None for [found] in shown]


async def test_what_is_sent_is_what_is_listed(autojump_clock):
    """The body of a delivery is the event of `event.list` to the byte, signed with the secret shown."""
    async with hook_town() as (here, receiver):
        csrf = await here.sign_in()
        made = await here.answer_to_person("webhook.create", NEW, csrf=csrf)
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        listed = await here.answer("event.list")

        [(now, url, body, headers)] = receiver.got
        assert listed["events"] == [msgspec.json.decode(body)]
        assert body in msgspec.json.encode(listed["events"])
        assert headers["X-Service-Delivery"] == verify(made["secret"], headers, body, now=now / 1_000)
        assert (HOOK, "record.created", "2026-09") == (
            url,
            headers["X-Service-Event"],
            headers["X-Service-Contract"],
        )


async def test_one_delivery_is_shown_with_its_request(autojump_clock):
    """The very bytes that were sent, and the headers that are the same at each attempt; not in lists."""
    async with hook_town(PostResult(503)) as (here, receiver):
        hook = await a_hook(here)
        other = await a_hook(here, events=("message.received",))
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        [listed] = (await here.answer("webhook.delivery_list", {"webhookId": hook}))["deliveries"]
        one = {"id": listed["id"]}
        [shown] = (await here.answer("webhook.delivery_list", one | {"webhookId": hook}))["deliveries"]
        elsewhere = await here.answer("webhook.delivery_list", one | {"webhookId": other})
        await here.store.write(_forget_events)
        [forgotten] = (await here.answer("webhook.delivery_list", one | {"webhookId": hook}))["deliveries"]

    [(_, _, body, headers)] = receiver.got
    assert None is listed["request"] is forgotten["request"]
    assert [] == elsewhere["deliveries"]
    assert body.decode() == shown["request"]["body"]
    told = {header["name"]: header["value"] for header in shown["request"]["headers"]}
    assert told.items() <= headers.items()
    assert {"X-Service-Signature", "X-Service-Timestamp", "webhook-signature", "webhook-timestamp"} == {
        *headers
    } - told.keys()


def _forget_events(tx: Tx) -> None:
    tx.conn.execute(delete(events))


async def test_who_may_not_see_an_event_sees_no_request(autojump_clock):
    """What was sent is the record; the delivery itself is shown."""
    async with hook_town() as (here, _):
        hook = await a_hook(here)
        await here.answer("record.create", ADA)
        await trio.sleep(1)
        member = await here.member("hooks@example.com", await role_with(here, "webhooks", "forms"))
        csrf = await here.sign_in(member.email)
        [row] = await here.rows(tables.webhook_deliveries)
        asked = {"webhookId": hook, "id": row.id}
        [shown] = (await here.answer_to_person("webhook.delivery_list", asked, csrf=csrf))["deliveries"]

    assert (None, "delivered") == (shown["request"], shown["state"])


@pytest.mark.parametrize("kind", ["ping", "record.created", "workflow.run_failed"])
async def test_a_test_sends_an_example(kind: str, autojump_clock):
    """Of any type, whether the webhook is subscribed to it or not."""
    async with hook_town() as (here, receiver):
        hook = await a_hook(here, events=("message.received",))
        await here.answer("webhook.test", {"id": hook, "event": kind})
        await trio.sleep(1)

        [sent] = receiver.bodies
        assert faults_of_payload(sent) is None
        assert (kind, here.organization.id) == (sent["type"], sent["organizationId"])
        assert ({"webhookId": hook} == sent["data"]) is (kind == "ping")


async def test_what_was_missed_is_sent_after_all(autojump_clock):
    """An event that happened before the webhook was there, by a range of time; then one delivery alone."""
    async with hook_town() as (here, receiver):
        await here.answer("record.create", ADA)
        await dispatch(here)
        hook = await a_hook(here)
        body = {"webhookId": hook, "since": "2026-09-18T00:00:00Z"}
        dead = await here.answer("webhook.redeliver", body)
        missed = await here.answer("webhook.redeliver", body | {"which": "missed"})
        again = await here.call("webhook.redeliver", body | {"which": "missed"})
        await trio.sleep(1)
        [delivery] = (await here.answer("webhook.delivery_list", {"webhookId": hook}))["deliveries"]
        single = await here.answer("webhook.redeliver", {"deliveryId": delivery["id"]})
        await trio.sleep(1)
        backwards = await here.call("webhook.redeliver", body | {"until": "2026-09-17T00:00:00Z"})

        assert [{"queued": number, "lookedUntil": None} for number in (0, 1, 1)] == [dead, missed, single]
        assert "delivered" == delivery["state"]
        first, second = receiver.got
        assert (first[2], first[3]["webhook-id"]) == (second[2], second[3]["webhook-id"])
        assert (409, 422) == (again.status_code, backwards.status_code)
        assert [("/until", "invalid_value")] == faults(backwards)


async def test_a_model_works_with_webhooks(autojump_clock):
    """Over MCP the same tools: it tests one, reads what came of it, and is told what only a person may."""
    async with mcp_town() as here:
        here.system.outgoing.http = Receiver()
        hook = await a_hook(here)
        tested = await here.use("webhook_test", {"id": hook}, full=True)
        listed = await here.use("webhook_delivery_list", {"webhookId": hook}, full=True)
        refused = await here.use("webhook_update", {"id": hook, "url": "https://a.example"}, full=True)
        names = {
            tool["name"]
            for tool in (await here.result("tools/list", full=True))["tools"]
            if tool["name"].startswith("webhook_")
        }

        [delivery] = listed["structuredContent"]["deliveries"]
        assert tested["structuredContent"]["deliveryId"] == delivery["id"]
        assert refused["isError"]
        assert refused["content"][0]["text"].startswith("person_only: only a person may give webhook.update")
        assert {
            "webhook_" + verb for verb in ("delivery_list", "get", "list", "redeliver", "test", "update")
        } == (names)
