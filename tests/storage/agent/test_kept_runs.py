"""What is kept of runs, for how long, and what `svc check` says of it."""

from contextlib import suppress

import pytest
import trio
from sqlalchemy import insert, update

from svc.domain.limits import EVENT_LIFE_MS
from svc.domain.workflows.limits import RUNS_PRUNED_MAX
from svc.storage import integrity
from svc.storage.agent import pruning
from svc.storage.agent.integrity import INVARIANTS
from svc.storage.metadata import metadata
from svc.storage.store import Tx
from tests.agents import BEGINS, agent_town

TABLES = metadata.tables
RUNS, STEPS, MESSAGES, CONVERSATIONS = (
    TABLES[name] for name in ("agent_runs", "agent_steps", "messages", "conversations")
)


async def test_runs_are_deleted_little_by_little(autojump_clock):
    """With their steps, thirty days after they ended; one that waits stays, and so do the messages."""
    async with agent_town() as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        [run] = await town.here.rows(RUNS)

        def copies(tx: Tx) -> None:
            for number in range(RUNS_PRUNED_MAX):
                tx.conn.execute(insert(RUNS).values(**(run._asdict() | {"id": f"agr_copy{number}"})))
            waits = {
                "id": "agr_waits",
                "state": "waiting",
                "ended_at": None,
                "wake_at": 2**52,
                "message_id": None,
            }
            tx.conn.execute(insert(RUNS).values(**(run._asdict() | waits)))

        await town.here.store.write(copies)
        delete_runs, *_ = pruning.PRUNERS
        found = []
        for later_ms in (0, EVENT_LIFE_MS, 0, 0):
            town.here.clock.jump(later_ms)
            over = await town.here.store.read(delete_runs.find, town.here.clock.now(), EVENT_LIFE_MS)
            found.append(sum(map(len, over.values())))
            for rows in over.values():
                await town.here.store.write(delete_runs.prune, rows, EVENT_LIFE_MS)

        assert [0, RUNS_PRUNED_MAX, 1, 0] == found
        assert ["agr_waits"] == [row.id for row in await town.here.rows(RUNS)]
        assert 0 == await town.here.count(STEPS)
        assert 2 == await town.here.count(MESSAGES)


@pytest.mark.sqlite  # foreign keys are put off
async def test_check_names_what_does_not_hold(autojump_clock):
    """Each promise of agents is broken once, by hand."""
    async with agent_town() as town:
        await town.say("Hi")
        await trio.sleep(BEGINS)
        whole = await town.here.store.read(lambda conn: [*integrity.check(conn)])
        broken: dict[str, list[str]] = {}
        changes = {
            "due": update(RUNS).values(wake_at=1),
            "reply": update(RUNS).values(message_id=None),
            "one run": update(RUNS).values(state="stopped", message_id=None),
            "connection": update(RUNS).values(connection_id="con_other"),
            "under way": update(STEPS).values(state="running"),
            "silent": update(CONVERSATIONS).values(agent_silenced_at=1),
        }

        def found(tx: Tx) -> None:
            tx.conn.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            for promise, change in changes.items():
                with suppress(Undone), tx.savepoint():
                    tx.conn.execute(change)
                    broken[promise] = [name for name, check in INVARIANTS.items() if [*check(tx.conn)]]
                    undo()

        await town.here.store.write(found)

        assert [] == [one.promise for one in whole if one.broken]
        assert all(broken.values()), broken
        assert {*INVARIANTS} == {name for names in broken.values() for name in names}


class Undone(Exception):
    """Raised to roll back what was broken."""


def undo() -> None:
    raise Undone
