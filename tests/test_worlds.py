"""Worlds of stateful tests: what happens in one follows from its seed and its test, and from nothing else."""

from random import Random

import trio
from sqlalchemy import Connection

from svc.actors.outbound.client import PostResult
from svc.storage.sqlite.engine import raw
from tests.channels import Receiver
from tests.webhooks import a_webhook, happen
from tests.worlds import World

SEED = 20_260_918
MINUTE, DAY = 60_000, 86_400_000


def _rows(conn: Connection) -> list[str]:
    return [statement for statement in raw(conn).iterdump() if statement.startswith("INSERT INTO")]


def life(seed: int) -> list[str]:
    """The rows after some days of deliveries that fail, with retries at random times, and two restarts."""
    world = World(seed, Receiver(*[PostResult(500)] * 1_000))
    organization_id = world.here.organization.id
    world.write(a_webhook, organization_id)
    for _ in range(3):
        world.write(happen, organization_id, "rec_a", "rec_b", "rec_c", "rec_a")
        world.sleep(MINUTE)
        world.restart()
        world.sleep(DAY)
    rows: list[str] = world.do(world.here.store.read, _rows)
    world.close()
    return rows


def test_a_seed_makes_the_same_world():
    """Ids, secrets and random times are the same, and so is the order of tasks."""
    assert life(SEED) == life(SEED)


def test_another_seed_makes_another():
    """What the seed decides is not fixed by anything else."""
    assert life(SEED) != life(SEED + 1)


def test_a_timer_is_due_at_its_millisecond_however_time_got_there():
    """A sum of floats is not the time that a timer was armed for, and may be less."""
    random = Random(SEED)
    world = World(SEED)
    for _ in range(40):
        steps = [random.randrange(2, MINUTE) for _ in range(3)]
        woken = trio.Event()

        async def sleep(ms: int = sum(steps), woken: trio.Event = woken) -> None:
            await trio.sleep(ms / 1_000)
            woken.set()

        async def start(sleep=sleep) -> None:
            trio.lowlevel.spawn_system_task(sleep)

        world.do(start)
        for ms in [*steps[:-1], steps[-1] - 1]:
            world.sleep(ms)
        assert not woken.is_set()
        world.sleep(1)
        assert woken.is_set()
    world.close()
