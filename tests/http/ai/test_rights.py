"""A gateway key is a key: it may what its role and the person who made it may both, at each of its calls."""

import json

import pytest
import trio

from svc.domain.crypto.keys import digest
from svc.domain.identity.callers import GATEWAY, operator_call
from svc.storage import tables
from svc.storage.identity import api_keys, members, roles
from svc.storage.identity.api_keys import NewKey
from svc.storage.identity.members import MemberChanges
from tests.http.ai.gateway import GRANTED, STREAMED, Gateway, Upstream, gateway, responds, whole
from tests.http.ai.test_admission import get
from tests.http.ai.test_exits import code_of
from tests.http.ai.test_leaving import SAID, begin, waiting
from tests.people import a_member, a_stored_key, call_of


async def give_role(here: Gateway, person_id: str, role_id: str) -> None:
    call = operator_call(here.organization.id)
    await here.store.write(members.update, call, person_id, MemberChanges(role_id=role_id))


async def admins_key(here: Gateway) -> tuple[str, str]:
    """A gateway key of an Admin, and the Admin's id."""
    admin = await here.store.write(a_member, here.organization.id, "admin@example.com", "admin")
    call = call_of(admin, here.organization.id, confirmed_at=here.clock.now())
    minted = await here.store.write(api_keys.mint, call, NewKey(name="Theirs", limited_to=GATEWAY))
    return minted.key, admin.id


async def statuses(here: Gateway, key: str) -> set[tuple[int, str]]:
    """What the gateway answers at each of its addresses."""
    replies = [await get(here, "models", key), await get(here, "key", key), await here.ask(key=key)]
    return {(reply.status, "" if reply.status == 200 else code_of(reply.body)) for reply in replies}


async def test_a_key_does_not_outlast_the_right_of_who_made_it() -> None:
    """Made by an Admin who is a Viewer now: 403 at each address, nothing is sent, reserved or charged."""
    upstream = Upstream(responds(whole()))
    async with gateway(upstream) as here:
        key, admin_id = await admins_key(here)
        before = await statuses(here, key)
        sent = len(upstream.seen)
        await give_role(here, admin_id, "viewer")
        after = await statuses(here, key)
        await give_role(here, admin_id, "admin")
        again = await statuses(here, key)

        assert [{(200, "")}, {(403, "forbidden")}, {(200, "")}] == [before, after, again]
        assert sent + 1 == len(upstream.seen)


async def test_a_key_of_a_role_without_the_right_does_not_call() -> None:
    """One that was minted for a Viewer before that was refused; the audit trail has it."""
    async with gateway(Upstream(STREAMED)) as here:
        stored = {"limited_to": GATEWAY, "role_id": "viewer", "expires_at": here.clock.now() + 60_000}
        await here.store.write(a_stored_key, here.owner, digest("svcg_viewers"), **stored)
        reply = await get(here, "models", "svcg_viewers")

        assert (403, "forbidden") == (reply.status, code_of(reply.body))
        assert "permission ai" in json.loads(reply.body)["error"]["message"]
        assert "ratelimit-remaining" in reply.headers
        assert {(403, "forbidden")} == await statuses(here, "svcg_viewers")
        assert GRANTED == await here.balance()
        assert 4 == await here.count(tables.audit, action="gateway", outcome="refused")


async def test_a_role_with_the_right_alone_is_enough() -> None:
    """Whoever made the key needs no more for its calls than `ai`."""
    async with gateway(Upstream(responds(whole()))) as here:
        key, admin_id = await admins_key(here)
        role = await here.store.write(roles.create, operator_call(here.organization.id), "Models", ["ai"])
        await give_role(here, admin_id, role.id)

        assert {(200, "")} == await statuses(here, key)


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "not answered"])
async def test_a_call_under_way_ends_with_the_right(*, streamed: bool) -> None:
    """Within a second, as with a key that is revoked; the client is told that it is forbidden."""
    said = SAID["streamed" if streamed else "not answered"]
    upstream = waiting(said)
    async with gateway(upstream) as here:
        here.key, admin_id = await admins_key(here)
        client = await begin(here, upstream, said)
        await give_role(here, admin_id, "viewer")
        with trio.fail_after(1):
            await upstream.closed.wait()
        [call] = await here.settled()

        assert "revoked" == call.ended
        if streamed:
            rest = b""
            while not rest.endswith(b"0\r\n\r\n"):
                rest += bytes(await client.stream.receive_some(65_536))
            assert b'"forbidden"' in rest
        else:
            assert 403 == (await client.reply()).status
