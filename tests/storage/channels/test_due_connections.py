"""Which connections have something due: what a start wakes after a crash."""

from svc.domain.channels.limits import LEASE_MS
from svc.storage.channels import connections, outboxes, reply_batches
from tests.channels import PERSON, a_connection, a_reply
from tests.town import town


async def test_a_lease_ends_while_its_connection_is_paused(autojump_clock):
    """Its connection is due when the lease ends; one where replies only wait is not, while it is paused."""
    async with town() as here:
        home = here.organization.id
        leased, waiting = [await here.store.write(a_connection, home) for _ in range(2)]
        for connection in (leased, waiting):
            await here.store.write(a_reply, connection)
        await here.store.write(outboxes.pull, leased.id, 1)
        for connection in (leased, waiting):
            await here.store.write(connections.pause, home, connection.id, source=PERSON)
        ends_at = here.clock.now() + LEASE_MS

        assert [] == await here.store.read(reply_batches.connections_due, ends_at - 1)
        assert [leased.id] == await here.store.read(reply_batches.connections_due, ends_at)
