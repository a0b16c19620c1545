"""The ledger over a file: calls at once, and a process that is killed in the middle of them."""

import os
import random
import signal
import sys
from pathlib import Path

import pytest
import trio
import trio.lowlevel

from svc.actors.ai.settlements import Settlements
from svc.clock import WallClock
from svc.domain.ai.errors import GatewayError
from svc.domain.ai.exits import Exit
from svc.domain.ai.models import Bound
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.usage import Usage
from svc.storage import integrity, provisioning
from svc.storage.ai import calls, ledger
from svc.storage.ai.calls import AGENT, NewCall, Settlement
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.store import open_store
from svc.storage.store import Store

pytestmark = pytest.mark.sqlite

PRICES = Prices(MICRO, MICRO, MICRO)
GRANTED = 1_000
CALLS = 50


async def settle_lost(store: Store) -> int:
    """As a start does; how many calls were lost."""
    return await Settlements(store).begin()


async def one_call(store: Store, organization_id: str, process: str, seed: int, charged: list[int]) -> None:
    """A call that reserves up to 100, and charges up to that; or leaves its reservation open."""
    chance = random.Random(seed)  # which call does what, the same each time
    units = store.of(organization_id)
    new = NewCall(
        organization_id=organization_id,
        key_id=AGENT,
        model="m",
        streamed=False,
        process=process,
        started_at=1,
    )
    bound = Bound(chance.randrange(100), 1, 0, PRICES)
    try:
        call = await units.write(calls.reserve, new, bound, bound)
    except GatewayError as error:
        assert error.kind == "insufficient_credits"  # noqa: PT017  # either way is right
        return
    await trio.lowlevel.checkpoint()
    if seed % 5 == 0:
        return
    usage = Usage(chance.randrange(bound.prompt_tokens + 1), 0, 0)
    ended = Settlement(
        new=new,
        call_id=call.id,
        exit=Exit(ended="answered", usage=usage),
        payer="credits",
        provider="p",
        prices=PRICES,
    )
    charged.append((await units.write(calls.settle, ended)).charged)


async def begin(store: Store) -> tuple[str, str]:
    organization = await store.write(
        provisioning.create, NewOrganization(name="A"), starting_micro_credits=GRANTED
    )
    return organization.id, await store.write(calls.new_process)


async def broken_promises(store: Store) -> list[str]:
    return await store.read(lambda conn: [one.promise for one in integrity.check(conn) if one.broken])


async def test_calls_at_once_never_take_more_than_there_is(tmp_path: Path) -> None:
    """Fifty of them; what is left open the next start gives back."""
    charged: list[int] = []
    async with open_store(tmp_path / "svc.db", WallClock()) as store:
        organization_id, process = await begin(store)
        async with trio.open_nursery() as nursery:
            for seed in range(CALLS):
                nursery.start_soon(one_call, store, organization_id, process, seed, charged)
        open_still = await store.read(calls.reserved, organization_id)
        free = await store.read(ledger.balance, organization_id)
        broken = await broken_promises(store)
    async with open_store(tmp_path / "svc.db", WallClock()) as store:
        await settle_lost(store)
        afterwards = await store.read(ledger.balance, organization_id)

        assert GRANTED == free + open_still + sum(charged)
        assert open_still > 0
        assert len(charged) > 10
        assert GRANTED - sum(charged) == afterwards
        assert [] == broken + await broken_promises(store)


async def until_killed(path: Path) -> None:
    """Fifty calls, and a kill as soon as one of them has reserved something: in a process of its own."""
    async with open_store(path, WallClock()) as store:
        organization_id, process = await begin(store)
        async with trio.open_nursery() as nursery:
            for seed in range(CALLS):
                nursery.start_soon(one_call, store, organization_id, process, seed, [])
            while not await store.read(calls.reserved, organization_id):
                await trio.lowlevel.checkpoint()
            os.kill(os.getpid(), signal.SIGKILL)


KILLED = """
import sys, trio
from pathlib import Path
from tests.storage.ai.test_ledger_stored import until_killed

trio.run(until_killed, Path(sys.argv[1]))
"""


async def test_a_process_that_is_killed_leaves_no_reservation(tmp_path: Path) -> None:
    """With `kill -9` in the middle of fifty calls: what was on disk counts, and the rest is given back."""
    path = tmp_path / "svc.db"
    killed = await trio.run_process([sys.executable, "-c", KILLED, str(path)], check=False)

    async with open_store(path, WallClock()) as store:
        before = await broken_promises(store)
        lost = await settle_lost(store)
        organization_id, charged = await store.read(
            lambda conn: conn.exec_driver_sql(
                "SELECT organization_id, sum(charged_micro_credits) FROM ai_calls GROUP BY organization_id"
            ).one()
        )

        assert killed.returncode == -signal.SIGKILL
        assert lost > 0
        assert GRANTED - charged == await store.read(ledger.balance, organization_id)
        assert 0 == await store.read(calls.reserved, organization_id)
        assert [] == before + await broken_promises(store)
