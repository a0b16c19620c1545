"""`conversation.*` and `message.*`: whom a conversation is with, who answers, and in which order."""

from typing import Any

import pytest

from svc.domain.channels.limits import ATTACHMENTS_MAX, CHANNEL_BODY_BYTES_MAX, MESSAGE_CHARS_MAX
from svc.storage.channels import tables as channel_tables
from svc.storage.identity import members, teams
from svc.storage.identity.members import MemberChanges
from tests import tables
from tests.people import call_of
from tests.tooling import tool_town
from tests.tools.channels.connecting import SHOP, clerk, run
from tests.tools.inbox.desks import Desk, desk

ADA: dict[str, Any] = {
    "objectType": "contact",
    "properties": {"name": "Ada Lovelace", "email": "ada@example.com"},
}


async def test_a_new_person_becomes_a_contact(autojump_clock):
    """With what the messenger knows; two conversations of one person are one contact."""
    async with tool_town() as here:
        shop = await desk(here)
        sender = {"name": "Ada", "phone": "+44 20 7946 0123", "username": "ada"}
        await shop.say("chat-1", sender=sender)
        await shop.say("chat-2", sender={"phone": "+44 (20) 7946-0123", "name": "A."})
        shown = (await here.answer("conversation.list"))["conversations"]

        [contact] = await here.rows(tables.records)
        assert '{"phone":"+442079460123","name":"Ada"}' == contact.properties
        assert [contact.id] * 2 == [one["contactId"] for one in shown]
        first = next(one for one in shown if one["externalId"] == "chat-1")
        assert sender | {"email": None} == first["known"]


async def test_a_contact_is_found_as_by_a_form(autojump_clock):
    """By e-mail or phone; what it has none of is filled in, and a different value is suggested."""
    async with tool_town() as here:
        ada = await here.answer("record.create", ADA)
        shop = await desk(here)
        await shop.say(sender={"email": "ADA@example.com", "phone": "+442079460123", "name": "Countess"})
        shown = await shop.conversation()
        found = await here.answer("record.get", {"objectType": "contact", "id": ada["id"]})
        await shop.identify(phone="+442079460999")

        assert ada["id"] == shown["contactId"]
        assert ADA["properties"] | {"phone": "+442079460123"} == found["properties"]
        [suggestion] = await here.rows(tables.suggestions)
        assert ("phone", '"+442079460999"', ada["id"]) == (
            suggestion.property,
            suggestion.value,
            suggestion.record_id,
        )
        [change] = await here.rows(tables.record_changes)
        assert '"kind":"channel"' in change.source


async def test_an_unclear_match_is_held_until_a_person_decides(autojump_clock):
    """With the reason and the candidates; the chosen contact learns what is known."""
    async with tool_town() as here:
        ada = await here.answer("record.create", ADA)
        bob = await here.answer(
            "record.create", {"objectType": "contact", "properties": {"phone": "+442079460123"}}
        )
        shop = await desk(here)
        await shop.say(sender={"email": "ada@example.com", "phone": "+442079460123"})
        [held] = (await here.answer("conversation.list", {"held": True}))["conversations"]
        decided = await here.answer("conversation.assign", {"id": held["id"], "contactId": bob["id"]})
        none_held = await here.answer("conversation.list", {"held": True})
        unknown = await here.call("conversation.assign", {"id": held["id"], "contactId": "rec_1"})

        assert (None, "conflict", [ada["id"], bob["id"]]) == (
            held["contactId"],
            held["heldReason"],
            held["candidates"],
        )
        assert (bob["id"], None, []) == tuple(
            decided[name] for name in ("contactId", "heldReason", "candidates")
        )
        assert [] == none_held["conversations"]
        assert (422, "/contactId") == (unknown.status_code, unknown.json()["errors"][0]["pointer"])
        [suggestion] = await here.rows(tables.suggestions)
        assert ("email", bob["id"]) == (suggestion.property, suggestion.record_id)


async def test_a_held_conversation_may_be_with_somebody_new(autojump_clock):
    """A contact is made of what the messenger tells, beside those who have the same address."""
    async with tool_town() as here:
        ada = await here.answer("record.create", ADA)
        bob = await here.answer(
            "record.create", {"objectType": "contact", "properties": {"phone": "+442079460123"}}
        )
        shop = await desk(here)
        await shop.say(sender={"name": "Eve", "email": "ada@example.com", "phone": "+442079460123"})
        held = await shop.conversation()
        decided = await here.answer("conversation.assign", {"id": held["id"], "contactId": None})
        made = await here.answer("record.get", {"objectType": "contact", "id": decided["contactId"]})
        await shop.say("chat-2", "m-2")
        [unknown, _] = (await here.answer("conversation.list"))["conversations"]
        refused = await here.call("conversation.assign", {"id": unknown["id"], "contactId": None})

        assert decided["contactId"] not in {ada["id"], bob["id"], None}
        assert {"name": "Eve", "email": "ada@example.com", "phone": "+442079460123"} == made["properties"]
        assert (None, []) == (decided["heldReason"], decided["candidates"])
        assert (422, "/contactId") == (refused.status_code, refused.json()["errors"][0]["pointer"])


async def test_evidence_may_come_later(autojump_clock):
    """A conversation with an unknown person gets its contact as soon as there is evidence."""
    async with tool_town() as here:
        shop = await desk(here)
        await shop.say(sender={"name": "Ada", "phone": "call me"})
        before = await shop.conversation()
        await shop.identify(email="ada@example.com")
        after = await shop.conversation()

        assert (None, "Ada") == (before["contactId"], before["known"]["name"])
        [contact] = await here.rows(tables.records)
        assert contact.id == after["contactId"]


async def test_a_group_has_no_contact(autojump_clock):
    """The author of a message in a group is not its contact; and a message of the shop is no evidence."""
    async with tool_town() as here:
        shop = await desk(here)
        sender = {"email": "ada@example.com"}
        await shop.say(sender=sender, conversation={"kind": "group", "title": "Neighbours"})
        await shop.say("chat-2", direction="out", sender=sender)

        assert 0 == await here.count(tables.records)
        shown = (await here.answer("conversation.list"))["conversations"]
        assert {("group", "Neighbours"), ("direct", None)} == {(one["kind"], one["title"]) for one in shown}


async def test_a_conversation_goes_along_when_its_contact_is_merged(autojump_clock):
    """It is with the survivor."""
    async with tool_town() as here:
        shop = await desk(here)
        await shop.say(sender={"phone": "+442079460123"})
        ada = await here.answer("record.create", ADA)
        gone = (await shop.conversation())["contactId"]
        asked = {"objectType": "contact", "id": ada["id"], "mergedId": gone}
        status, answer = await run(here, "record.merge", asked)

        assert 200 == status, answer
        assert ada["id"] == (await shop.conversation())["contactId"]


async def test_a_reply_goes_out_and_is_listed(autojump_clock):
    """In the name of its author or of the key's owner; with what it answers, by the messenger's id."""
    async with tool_town() as here:
        shop = await desk(here)
        said = await shop.say()
        photo = {"kind": "image", "url": "https://lamps.example/1.jpg", "name": "lamp.jpg"}
        asked = {
            "conversationId": said["conversation"],
            "text": "It is ready.",
            "attachments": [photo],
            "replyTo": said["message"],
        }
        written = await here.answer("message.reply", asked)
        [pulled] = await shop.pull()
        listed = await here.answer("message.list", {"conversationId": said["conversation"]})

        assert ("out", "waiting", "m-1") == (written["direction"], written["status"], written["replyTo"])
        assert {"kind": "member", "name": "Owner"} == pulled["author"]
        assert pulled["author"] | {"id": here.owner.id} == written["author"]
        assert ("chat-1", "It is ready.", [photo], "m-1") == tuple(
            pulled[name] for name in ("conversationId", "text", "attachments", "replyTo")
        )
        assert [written["id"], said["message"]] == [one["id"] for one in listed["messages"]]
        assert ["taken", None] == [one["status"] for one in listed["messages"]]


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 422),
        ({"text": ""}, 422),
        ({"text": "x" * (MESSAGE_CHARS_MAX + 1)}, 422),
        ({"attachments": [{"kind": "image"}] * (ATTACHMENTS_MAX + 1)}, 422),
        ({"attachments": [{"kind": "image", "colour": "red"}]}, 422),
        ({"attachments": [{"kind": "file", "data": "x" * CHANNEL_BODY_BYTES_MAX}]}, 422),
        ({"text": "x", "replyTo": "msg_1"}, 404),
        ({"text": "x", "conversationId": "cnv_1"}, 404),
    ],
)
async def test_a_reply_that_is_none_is_refused(autojump_clock, asked: dict[str, object], status: int):
    """Nothing of it is kept."""
    async with tool_town() as here:
        said = await (await desk(here)).say()
        answer = await here.call("message.reply", {"conversationId": said["conversation"]} | asked)

        assert status == answer.status_code
        assert 0 == await here.count(channel_tables.replies)


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ('"text": "a\\u0000b"', "/text"),
        ('"text": "a\\ud800b"', "/text"),
        ('"attachments": [{"kind": "file", "name": "\\u0000"}]', "/attachments/0/name"),
        ('"attachments": [{"kind": "contact", "data": {"card": ["\\udc00"]}}]', "/attachments/0/data/card/0"),
        ('"attachments": [{"kind": "file", "data": {"a": ' + "[" * 20 + "]" * 20 + "}}]", "/attachments/0"),
    ],
)
async def test_a_reply_that_cannot_be_kept_is_refused(autojump_clock, asked: str, pointer: str):
    """NUL, half of a surrogate pair, and what is nested too deeply, by where it is."""
    async with tool_town() as here:
        said = await (await desk(here)).say()
        body = f'{{"conversationId": "{said["conversation"]}", {asked}}}'
        headers = {"authorization": f"Bearer {here.key}", "content-type": "application/json"}
        answer = await here.client.post("/api/v1/tools/message.reply", content=body, headers=headers)

        assert (422, [pointer]) == (answer.status_code, [one["pointer"] for one in answer.json()["errors"]])
        assert 0 == await here.count(channel_tables.replies)


async def test_only_whose_account_it_is_answers_from_it(autojump_clock):
    """A member's: that member; a team's: its members; the organization's: all that may answer."""
    async with tool_town() as here:
        ann = await clerk(here, "ann@example.com")
        await clerk(here, "bob@example.com")
        team = await here.store.write(teams.create, call_of(here.owner), "Repairs")
        await here.store.write(
            members.update, call_of(here.owner), ann.id, MemberChanges(team_ids=(team.id,))
        )
        own = SHOP | {"account": {"kind": "member", "id": ann.id}}
        _, anns = await run(here, "connection.create", own, "ann@example.com")
        desks = {
            "member": Desk(here, anns),
            "team": await desk(here, account={"kind": "team", "id": team.id}),
            "organization": await desk(here),
        }
        answered: dict[str, list[int]] = {}
        for kind, one in desks.items():
            said = await one.say()
            asked = {"conversationId": said["conversation"], "text": "Hello"}
            answered[kind] = [
                (await run(here, "message.reply", asked, email))[0]
                for email in ("ann@example.com", "bob@example.com", "owner@example.com")
            ]

        assert {
            "member": [200, 403, 403],
            "team": [200, 403, 403],
            "organization": [200, 200, 200],
        } == answered


async def test_a_waiting_reply_is_taken_back(autojump_clock):
    """And a taken one is not; a message that is no reply cannot be."""
    async with tool_town() as here:
        shop = await desk(here)
        said = await shop.say()
        asked = {"conversationId": said["conversation"], "text": "Hello"}
        first = await here.answer("message.reply", asked)
        cancelled = await here.answer("message.cancel", {"id": first["id"]})
        second = await here.answer("message.reply", asked)
        [pulled] = await shop.pull()
        taken = await here.call("message.cancel", {"id": second["id"]})
        inbound = await here.call("message.cancel", {"id": said["message"]})

        assert "cancelled" == cancelled["status"]
        assert (409, 404) == (taken.status_code, inbound.status_code)
        assert "Hello" == pulled["text"]


async def test_conversations_are_closed_assigned_and_listed(autojump_clock):
    """A message opens a closed one; the latest stands first; pages go on where they ended."""
    async with tool_town() as here:
        shop = await desk(here)
        ids = []
        for number in range(5):
            ids.append((await shop.say(f"chat-{number}", f"m-{number}"))["conversation"])
            here.clock.jump(1_000)
        closed = await here.answer("conversation.close", {"id": ids[0]})
        assigned = await here.answer("conversation.assign", {"id": ids[1], "memberId": here.owner.id})
        await shop.say("chat-2", "again")
        only_closed = await here.answer("conversation.list", {"status": "closed"})
        mine = await here.answer("conversation.list", {"memberId": here.owner.id})
        listed: list[str] = []
        cursor = None
        while True:
            page = await here.answer("conversation.list", {"limit": 2, "cursor": cursor})
            listed += [one["id"] for one in page["conversations"]]
            if (cursor := page["nextCursor"]) is None:
                break
        await shop.say("chat-0", "once more")
        reopened = await here.answer("conversation.get", {"id": ids[0]})

        assert ("closed", here.owner.id, "open") == (
            closed["status"],
            assigned["memberId"],
            reopened["status"],
        )
        assert ([ids[0]], [ids[1]]) == tuple(
            [one["id"] for one in answer["conversations"]] for answer in (only_closed, mine)
        )
        assert [ids[2], ids[4], ids[3], ids[1], ids[0]] == listed
        teamless = await here.call("conversation.assign", {"id": ids[1], "teamId": "tea_1"})
        assert (422, "/teamId") == (teamless.status_code, teamless.json()["errors"][0]["pointer"])
        taken_away = await here.answer("conversation.assign", {"id": ids[1], "memberId": None})
        assert taken_away["memberId"] is None


async def test_what_a_reply_is_answered_with_is_what_is_stored(autojump_clock):
    """It is not read back, and a list shows the same all the same."""
    async with tool_town() as here:
        shop = await desk(here)
        await shop.say(message="m-1")
        conversation = (await shop.conversation())["id"]
        [first] = (await here.answer("message.list", {"conversationId": conversation}))["messages"]
        asked = {
            "conversationId": conversation,
            "text": "It is ready.",
            "attachments": [
                {"kind": "location", "name": "Shop", "data": {"latitude": 52.5, "near": [1, None]}}
            ],
            "replyTo": first["id"],
        }
        written = await here.answer("message.reply", asked)
        listed = (await here.answer("message.list", {"conversationId": conversation}))["messages"]

        assert ("m-1", "waiting") == (written["replyTo"], written["status"])
        assert [written, first] == listed
