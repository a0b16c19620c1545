"""The report that SIGUSR1 writes: kinds, then the actors that are in trouble."""

import trio
from structlog.testing import capture_logs

from svc.actors._core import ActorCrashed
from svc.cli.supervision.actor_report import ACTORS_MAX, report
from tests.actors.core.lab import Probe, living


async def test_what_hangs_comes_first_and_what_rests_is_left_out(autojump_clock):
    """With its stack, what waits for it by name, and the last turns of what crashed."""
    async with living() as lab:

        async def hang(me: Probe) -> None:
            await trio.sleep_forever()

        await Probe(lab, "rests").add(1)
        Probe(lab, "hangs").do.tell(hang)
        Probe(lab, "hangs").add.tell(1)
        Probe(lab, "crashed").fail.tell(KeyError("private"))
        await trio.sleep(1)
        await Probe(lab, "crashed").add(1)
        with capture_logs() as lines:
            await report(lab)

        kinds = [line["kind"] for line in lines if line["event"] == "kind of actor"]
        hanging, crashed = [line for line in lines if line["event"] == "actor"]
        assert ["Probe", "Other"] == kinds
        assert ("hangs", "do", {"add": 1}) == (hanging["key"], hanging["turn"], hanging["waiting"])
        assert any("in test_what_hangs" in line and "hang" in line for line in hanging["stack"])
        assert ("crashed", "waiting") == (crashed["key"], crashed["phase"])
        assert "KeyError at lab.py:" in crashed["crash"]
        assert "private" not in repr(lines)


async def test_a_report_has_a_bound(autojump_clock):
    """Of many actors in trouble the worst are told."""
    async with living() as lab:
        for number in range(ACTORS_MAX + 5):
            try:
                await Probe(lab, str(number)).fail(KeyError())
            except ActorCrashed:
                continue
        await trio.sleep(5)
        with capture_logs() as lines:
            await report(lab)

        assert ACTORS_MAX == len([line for line in lines if line["event"] == "actor"])
        assert "end of the report of actors" == lines[-1]["event"]
