"""The Importer: each line once, wherever it ends; and beside others, a few lines at a time."""

from typing import Any

import trio

from svc.actors.imports import importer
from svc.actors.imports.importer import Importer, Pace
from svc.actors.request_pace import WATCHED_MAX, RequestPace
from svc.domain.identity.callers import operator_call
from svc.domain.imports.imports import ReadingSettings
from svc.domain.imports.limits import IMPORT_BATCH_LINES, IMPORT_BATCH_LINES_SHARED
from svc.storage.imports import jobs, steps, tables, uploads
from svc.storage.imports.jobs import NewImport, Start
from svc.storage.imports.steps import StepDone
from svc.storage.store import Tx
from tests.tables import records
from tests.town import Town, town
from tests.webhooks import a_webhook, hook_town

LINES = 60


def started(tx: Tx, organization_id: str, data: bytes, /, **asked: Any) -> None:
    """An import of *data*, uploaded and started."""
    new = NewImport(object_type="contact", name="x.csv", format="csv", bytes=len(data))
    import_ = jobs.open_upload(tx, organization_id, new)
    uploads.put_part(tx, organization_id, import_.id, 0, data=data)
    jobs.start(tx, operator_call(organization_id), import_.id, Start(settings=ReadingSettings(), **asked))


async def an_import(here: Town, **asked: Any) -> None:
    lines = "".join(f"P{number},p{number}@example.com\n" for number in range(LINES))
    await here.store.write(started, here.organization.id, f"name,email\n{lines}".encode(), **asked)


async def test_each_line_is_written_once_wherever_it_ends(autojump_clock, monkeypatch):
    """The system burns down after some units, some of which fail before their commit; the next goes on."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 1)
    monkeypatch.setattr(importer, "BURST_UNITS", 1)
    step = steps.step
    async with town() as here:
        await an_import(here)
        state, lives = "running", 0
        while state == "running":
            lives += 1
            left, over = [lives % 4 + 1], trio.Event()

            def dies(tx: Any, organization_id: str, lines_max: int) -> Any:
                done = step(tx, organization_id, lines_max)
                left[0] -= 1  # noqa: B023
                if left[0] <= 0:  # noqa: B023
                    over.set()  # noqa: B023
                    if lives % 2:  # noqa: B023
                        raise RuntimeError("before the commit")
                return done

            monkeypatch.setattr(steps, "step", dies)
            async with here.live_system():
                with trio.move_on_after(30):
                    await over.wait()
            [row] = await here.rows(tables.imports)
            state = row.state
        made = await here.rows(records)

        assert lives > 5
        assert "done" == state
        assert [f"p{number}@example.com" for number in range(LINES)] == [
            row.properties.partition('"email":"')[2].removesuffix('"}') for row in made
        ]


async def test_alone_it_is_quick_and_beside_others_it_rests(autojump_clock):
    """What a watcher asks is no reason to rest; what others ask is, for a second."""
    taken: list[int] = []

    async def step(lines_max: int) -> StepDone:
        taken.append(lines_max)
        await trio.sleep(0.01)
        return StepDone(more=True)

    async with town() as here:
        pace = Pace(RequestPace(here.store))
        await pace.run(step)
        await here.store.read(lambda _conn: None)
        await pace.run(step)
        for _ in range(20):
            await here.store.read(lambda _conn: None)
        began = trio.current_time()
        await pace.run(step)
        took = trio.current_time() - began
        await trio.sleep(3)
        await pace.run(step)
        for _ in range(20):
            await here.store.read(lambda _conn: None)
            await trio.sleep(1)
        await pace.run(step)

        assert [
            IMPORT_BATCH_LINES,
            IMPORT_BATCH_LINES,
            IMPORT_BATCH_LINES_SHARED,
            IMPORT_BATCH_LINES,
            IMPORT_BATCH_LINES,
        ] == taken
        assert round(took, 3) == 0.05


async def test_what_follows_from_its_own_events_is_no_reason_to_rest(autojump_clock, monkeypatch):
    """Beside webhooks that take each event at once, every unit has as many lines as alone."""
    monkeypatch.setattr(importer, "IMPORT_BATCH_LINES", 4)
    monkeypatch.setattr(importer, "BURST_UNITS", 2)
    taken: list[int] = []
    step = Importer._step

    async def slow(self: Importer, lines_max: int) -> StepDone:
        taken.append(lines_max)
        done = await step(self, lines_max)
        await trio.sleep(0.2)
        return done

    monkeypatch.setattr(Importer, "_step", slow)
    async with hook_town() as (here, _, receiver):
        for _ in range(3):
            await here.store.write(a_webhook, here.organization.id)
        await an_import(here)
        foreground = here.store.statistics().foreground
        await trio.sleep(60)
        [row] = await here.rows(tables.imports)

        assert "done" == row.state
        assert LINES * 4 == sum("record.created" == sent[3]["X-Service-Event"] for sent in receiver.got)
        assert here.store.statistics().foreground - foreground > 2 * WATCHED_MAX
        assert {4} == set(taken)
