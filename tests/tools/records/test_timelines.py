"""`record.timeline`: messages and runs beside what happened to the record itself, and who did what."""

from typing import Any

import trio

from svc.domain.channels.messages import Sender
from svc.domain.records.limits import TIMELINE_TEXT_CHARS_MAX
from svc.storage.identity import roles
from tests.channels import a_connection, a_message
from tests.people import call_of
from tests.tooling import ToolTown, tool_town
from tests.workflows import contact, enabled

LONG = "Do you repair lamps? " * 20
ADA = Sender(id="7", name="Ada L.", email="ada@example.com")


async def entries(here: ToolTown, record_id: str, *, key: str | None = None) -> list[Any]:
    told = await here.answer("record.timeline", {"id": record_id}, key=key)
    listed: list[Any] = told["entries"]
    return listed


async def key_with(here: ToolTown, *permissions: Any) -> str:
    call = call_of(here.owner, here.organization.id)
    role = await here.store.write(roles.create, call, "Some", permissions)
    return await here.mint(role_id=role.id)


async def test_what_was_written_with_a_contact_is_in_its_timeline(autojump_clock):
    """Cut to a line, with its author and the ids that lead to it; for callers who may read conversations."""
    async with tool_town() as here:
        record = await contact(here, email="ada@example.com")
        await trio.sleep(1)
        shop = await here.store.write(a_connection, here.organization.id)
        await here.store.write(a_message, shop, sender=ADA, text=LONG)
        [conversation] = (await here.answer("conversation.list", {}))["conversations"]
        await trio.sleep(1)
        sent = await here.answer("message.reply", {"conversationId": conversation["id"], "text": "We do."})
        reply, message, *rest = await entries(here, record)
        seen = await entries(here, record, key=await key_with(here, "records.read"))

        assert record == conversation["contactId"]
        assert ("message", sent["id"], sent["createdAt"]) == (reply["kind"], reply["id"], reply["at"])
        assert {"kind": "person", "id": here.owner.id, "name": here.owner.name} == reply["who"]
        assert ("out", "We do.") == (reply["data"]["direction"], reply["data"]["text"])
        assert {"kind": "contact", "id": None, "name": "Ada L."} == message["who"]
        assert {
            "conversationId": conversation["id"],
            "connectionId": shop.id,
            "messenger": "telegram",
            "direction": "in",
            "text": LONG[:TIMELINE_TEXT_CHARS_MAX],
            "hasAttachments": False,
        } == message["data"]
        assert rest == seen


async def test_runs_of_workflows_are_in_the_timeline_of_what_they_are_about(autojump_clock):
    """With the workflow's name and the run's state; of a record that was merged, too."""
    async with tool_town() as here:
        stays, goes = await contact(here), await contact(here)
        await trio.sleep(1)
        id_ = await enabled(here, {"key": "town", "type": "update_record", "properties": {"city": "Bonn"}})
        run = (await here.answer("workflow.run", {"id": id_, "recordId": goes}))["id"]
        await trio.sleep(1)
        csrf = await here.sign_in()
        shown, changed, *_ = await entries(here, goes)
        seen = await entries(here, goes, key=await key_with(here, "records.read"))
        await here.answer_to_person("record.merge", {"id": stays, "mergedId": goes}, csrf=csrf)
        moved = await entries(here, stays)
        later = (await here.answer("workflow.run", {"id": id_, "recordId": goes}))["id"]
        again = await entries(here, stays)

        name = shown["data"]["name"]
        assert (run, "run", {"kind": "workflow", "id": id_, "name": name}) == (
            shown["id"],
            shown["kind"],
            shown["who"],
        )
        assert {"workflowId": id_, "name": name, "state": "done"} == {
            member: shown["data"][member] for member in ("workflowId", "name", "state")
        }
        assert ("updated", {"kind": "workflow", "id": id_, "name": name}) == (changed["kind"], changed["who"])
        assert ["updated", "created"] == [one["kind"] for one in seen]
        assert {"kind": "workflow", "id": id_, "name": None} == seen[0]["who"]
        assert run in {one["id"] for one in moved}
        assert later in {one["id"] for one in again}


async def test_changes_name_the_key_and_the_person_who_made_them(autojump_clock):
    async with tool_town() as here:
        record = await contact(here)
        await trio.sleep(1)
        csrf = await here.sign_in()
        change = {"id": record, "properties": {"city": "Bonn"}}
        await here.answer_to_person("record.update", change, csrf=csrf)
        await trio.sleep(1)
        await here.answer("record.update", change | {"properties": {"city": "Ulm"}})
        by_key, by_person, created = await entries(here, record)

        assert ("key", "A key") == (by_key["who"]["kind"], by_key["who"]["name"])
        assert {"kind": "person", "id": here.owner.id, "name": here.owner.name} == by_person["who"]
        assert created["who"] is None
