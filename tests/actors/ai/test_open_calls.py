"""AI calls under way: ended when their keys expire or are revoked, and bounded in their memory."""

import msgspec
import pytest
import trio
import trio.testing

from svc.actors.ai.body_bytes import BodyBytes
from svc.actors.ai.open_calls import OpenCalls
from svc.actors.revisions import Revisions
from svc.domain.errors import Unavailable
from svc.domain.identity.access import admit_key
from svc.domain.identity.callers import GATEWAY, Caller
from svc.storage.identity import access
from tests.people import a_member, a_stored_key
from tests.town import Town, town


async def admitted(here: Town, life_ms: int = 60_000) -> Caller:
    """A caller with a key of a member."""
    person = await here.store.write(a_member, here.organization.id, "owner@example.com", "owner")
    now = here.clock.now()
    await here.store.write(a_stored_key, person, "d1", expires_at=now + life_ms, limited_to=GATEWAY)
    loaded = await here.store.read(access.load, here.organization.id, now)
    return msgspec.structs.replace(admit_key(loaded, "d1", now), access_revision=0)


async def test_a_call_ends_with_its_key(autojump_clock: trio.testing.MockClock) -> None:
    """Within a second of its expiry; the block is left, and says why."""
    async with town() as here:
        open_calls = OpenCalls(here.store, here.clock, Revisions())
        caller = await admitted(here, life_ms=5_000)
        began = trio.current_time()
        async with open_calls.live():
            with open_calls.hold(caller) as call:
                await trio.sleep(60)

        assert "revoked" == call.interruption
        assert 5 <= trio.current_time() - began <= 6
        assert 0 == len(open_calls)


async def test_a_change_that_spares_the_key_ends_nothing(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """The access is read again once for each change."""
    async with town() as here:
        revisions = Revisions()
        open_calls = OpenCalls(here.store, here.clock, revisions)
        caller = await admitted(here)
        async with open_calls.live():
            with open_calls.hold(caller) as call:
                revisions.note(here.organization.id)
                await trio.sleep(2)

                assert revisions.last == call.access_revision
            assert call.interruption is None


async def test_a_stop_lets_calls_end_for_a_while(autojump_clock: trio.testing.MockClock) -> None:
    """Then it ends them; no new one begins."""
    async with town() as here:
        open_calls = OpenCalls(here.store, here.clock, Revisions(), stop_seconds=5)
        caller = await admitted(here)
        began = trio.current_time()
        async with open_calls.live():
            with open_calls.hold(caller) as call:
                open_calls.stop()
                with pytest.raises(Unavailable), open_calls.hold(caller):
                    pass
                await trio.sleep(60)

        assert ("stopped", 5) == (call.interruption, trio.current_time() - began)


def test_one_organization_has_half_of_the_memory() -> None:
    """And gives it back."""
    bodies = BodyBytes(100)
    with bodies.hold("a", 50):
        with pytest.raises(Unavailable), bodies.hold("a", 1):
            pass
        with bodies.hold("b", 50), pytest.raises(Unavailable), bodies.hold("c", 1):
            pass

    assert 0 == bodies.taken
    with bodies.hold("c", 50):
        assert 50 == bodies.taken
