"""`connection.*`: who may connect whose account, and see and change it."""

from typing import Any

from sqlalchemy import update

from svc.storage import provisioning
from svc.storage.channels import tables as channel_tables
from svc.storage.identity import roles, teams
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Tx
from tests.people import call_of
from tests.tables import audit
from tests.tooling import tool_town
from tests.tools.channels.connecting import PUSHED, SHOP, clerk, connect, run


async def test_only_people_connect_and_make_keys(autojump_clock):
    """A key gets `person_only`; to remove a connection it needs a person's approval."""
    async with tool_town() as here:
        made = await connect(here, PUSHED)
        request = {"id": made["id"]}
        codes = [
            (await here.call(tool, body)).json()["code"]
            for tool, body in (
                ("connection.create", SHOP),
                ("connection.mint_key", request),
                ("connection.revoke_key", request | {"keyId": "key_1"}),
                ("connection.rotate_secret", request),
                ("connection.remove", request),
            )
        ]

        assert ["person_only"] * 4 + ["approval_required"] == codes


async def test_a_key_sends_no_replies_elsewhere(autojump_clock):
    """Where replies are pushed, with addresses of their files in them, a person says; a key may rename."""
    async with tool_town() as here:
        made = await connect(here, PUSHED)
        elsewhere = {"id": made["id"], "name": "Desk", "url": "https://elsewhere.example/"}
        refused = await here.call("connection.update", elsewhere)
        unknown = await here.call("connection.update", elsewhere | {"id": "con_none"})
        renamed = await here.answer("connection.update", {"id": made["id"], "name": "Counter"})

        assert [(403, "person_only")] * 2 == [
            (one.status_code, one.json()["code"]) for one in (refused, unknown)
        ]
        assert ("Counter", PUSHED["url"]) == (renamed["name"], renamed["url"])
        [audited, _] = await here.rows(audit, outcome="refused", reason="person_only")
        assert "connection.update" == audited.action


async def test_a_member_connects_their_own_account_and_no_other(autojump_clock):
    """Not even an Owner connects another member's."""
    async with tool_town() as here:
        person = await clerk(here)
        own = SHOP | {"account": {"kind": "member", "id": person.id}}
        others = SHOP | {"account": {"kind": "member", "id": here.owner.id}}
        status, made = await run(here, "connection.create", own, "clerk@example.com")
        refused = [
            (await run(here, "connection.create", body, email))[0]
            for body, email in ((others, "clerk@example.com"), (own, "owner@example.com"))
        ]

        assert (200, {"kind": "member", "id": person.id}) == (status, made["account"])
        assert [403, 403] == refused


async def test_a_member_with_conversations_manages_their_own_account(autojump_clock):
    """Without `channels` they connect, see and change it, and no others."""
    async with tool_town() as here:
        call = call_of(here.owner)
        role = await here.store.write(roles.create, call, "Answers", ["conversations"])
        person = await here.member("answers@example.com", role.id)
        team = await here.store.write(teams.create, call, "Desk")
        shops = await connect(here, PUSHED)

        async def ask(tool: str, body: object) -> tuple[int, Any]:
            return await run(here, f"connection.{tool}", body, "answers@example.com")

        refused = [
            (await ask("create", PUSHED | {"account": account}))[0]
            for account in (
                {"kind": "organization"},
                {"kind": "team", "id": team.id},
                {"kind": "member", "id": here.owner.id},
            )
        ]
        _, own = await ask("create", PUSHED | {"account": {"kind": "member", "id": person.id}})
        _, listed = await ask("list", {})
        statuses = {
            tool: [(await ask(tool, {"id": one} | more))[0] for one in (shops["id"], own["id"])]
            for tool, more in (
                ("get", {}),
                ("update", {"name": "Desk"}),
                ("pause", {}),
                ("resume", {}),
                ("test", {}),
                ("mint_key", {}),
                ("rotate_secret", {}),
                ("revoke_key", {"keyId": "key_none"}),
                ("remove", {}),
            )
        }

        assert [403, 403, 403] == refused
        assert [own["id"]] == [one["id"] for one in listed["connections"]]
        assert [403, 404] == statuses.pop("revoke_key")
        assert [[403, 200]] * 8 == list(statuses.values())


async def test_a_viewer_has_nothing_to_do_with_it(autojump_clock):
    """Nor sees any of it."""
    async with tool_town() as here:
        made = await connect(here)
        await here.member("viewer@example.com", "viewer")
        for tool, body in (("connection.list", {}), ("connection.get", {"id": made["id"]})):
            assert 403 == (await run(here, tool, body, "viewer@example.com"))[0]


async def test_a_connection_of_another_organization_is_not_found(autojump_clock):
    """It is not found, whatever is asked of it."""
    async with tool_town() as here:
        made = await connect(here)
        other = await here.store.write(_elsewhere)
        row = {"id": made["id"]}
        await here.store.write(lambda tx: _give(tx, made["id"], other))

        for what in ("get", "update", "pause", "resume", "test"):
            assert 404 == (await here.call(f"connection.{what}", row)).status_code


def _elsewhere(tx: Tx) -> str:
    return provisioning.create(tx, NewOrganization(name="Other", country="DE")).id


def _give(tx: Tx, connection_id: str, organization_id: str) -> None:
    """Let the connection be of another organization."""
    table = channel_tables.connections
    tx.conn.execute(update(table).where(table.c.id == connection_id).values(organization_id=organization_id))
