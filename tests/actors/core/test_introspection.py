"""What operators see, without entering a mailbox, and what they never see."""

import weakref

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from svc.actors._core import Actor, ActorCrashed, Policy, Private, turn
from svc.actors._core.statistics import LATENCY_BOUNDS_MS, Latencies
from tests.actors.core.lab import Lab, Other, Probe, Small, living


class Secretive(msgspec.Struct):
    name: str
    token: Private[str]
    holders: dict[str, Private[int]]
    opaque: object = None
    numbers: dict[int, tuple[int, ...]] = {}


class Held:
    """Something that an actor holds."""

    def __init__(self, seen: "list[weakref.ref[Held]]") -> None:
        seen.append(weakref.ref(self))


class Keeper(Actor[Lab, Secretive]):
    async def load(self) -> Secretive:
        return Secretive(
            "name", Private("s3cret"), {"x": Private(42)}, opaque=memoryview(b"abc"), numbers={1: (2, 3)}
        )

    @turn
    async def token(self) -> str:
        return self.state.token.value


class Short(Probe):
    policy = Policy(idle_seconds=10)


async def test_a_stuck_actor_stays_visible(autojump_clock):
    """The statistics show the current turn, its age and the waiting messages while the turn hangs."""
    async with living() as lab:
        Probe(lab, "a").do.tell(_hang)
        await trio.sleep(2)
        Probe(lab, "a").add.tell(1)
        Probe(lab, "a").add.tell(1)
        await trio.sleep(3)
        [seen] = lab.actors()

        assert ("Probe", "a", "running", "do", 5) == (
            seen.kind,
            seen.key,
            seen.phase,
            seen.turn,
            seen.turn_age_seconds,
        )
        assert (2, 3) == (seen.mailbox_depth, seen.mailbox_oldest_seconds)


async def test_a_waiting_actor_shows_its_timers_and_tasks(autojump_clock):
    """Armed timers are shown with their remaining seconds, tasks as a number."""
    async with living() as lab:

        async def arm(me: Probe) -> None:
            me.add.after(60, 1)
            me.start_soon(trio.sleep, 60)
            me.start_soon(trio.sleep, 60)

        await Probe(lab, "a").do(arm)
        await trio.sleep(20)
        [seen] = lab.actors()

        assert ("waiting", None, None, 0, None) == (
            seen.phase,
            seen.turn,
            seen.turn_age_seconds,
            seen.mailbox_depth,
            seen.mailbox_oldest_seconds,
        )
        assert ({"add": 40}, 2) == (seen.timers, seen.tasks)


async def test_every_phase_of_a_life_is_shown(autojump_clock):
    """Loading, running, waiting, backing off, passivating and quarantined."""
    async with living(Short) as lab:
        phases: list[str] = []

        async def look(me: Probe) -> None:
            phases.append(lab.actors()[0].phase)

        lab.on_load, lab.on_flush = look, look
        probe = Short(lab, "a")
        await probe.do(look)
        await wait_all_tasks_blocked()
        await look(probe)
        await trio.sleep(11)
        for _ in range(4):
            with pytest.raises(ActorCrashed):
                await probe.fail(KeyError("x"))
            await wait_all_tasks_blocked()
            await look(probe)

        assert ["loading", "running", "waiting", "passivating"] == phases[:4]
        assert ["loading", "backing_off"] * 3 + ["loading", "quarantined"] == phases[4:]


async def test_the_last_error_is_shown_without_its_message(autojump_clock):
    """Type and place of a crash help an operator; its message may hold what is personal."""
    async with living() as lab:
        with pytest.raises(ActorCrashed):
            await Probe(lab, "a").fail(ExceptionGroup("private", [KeyError("private")]))
        [seen] = lab.actors()

        assert (1, "KeyError") == (seen.crashes, seen.last_error)
        with pytest.raises(ActorCrashed):
            await Probe(lab, "b").fail(KeyError("private"))
        assert "KeyError at lab.py:" in str(lab.actors()[1].last_error)


async def test_a_quarantined_key_is_shown_as_an_actor(autojump_clock):
    """A key that is left alone is listed with what it crashed with, until its time is over."""
    async with living() as lab:
        for _ in range(4):
            with pytest.raises(ActorCrashed):
                await Probe(lab, "a").fail(KeyError("x"))
        [seen] = lab.actors()
        kind = lab.statistics().kinds[0]
        await trio.sleep(Probe.policy.quarantine_seconds)

        assert ("Probe", "a", "quarantined", 4) == (seen.kind, seen.key, seen.phase, seen.crashes)
        assert "KeyError at lab.py:" in str(seen.last_error)
        assert (1, 0, 4) == (kind.quarantined, kind.active, kind.crashes)
        assert [] == lab.actors()


async def test_latencies_are_shown_as_a_histogram(autojump_clock):
    """A turn counts in the bucket of the time from its posting to its answer, its waiting included."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(0.02)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(Probe(lab, "a").do, slow)
            nursery.start_soon(Probe(lab, "a").do, slow)
        [seen] = lab.actors()
        counted = {bucket.upto_ms: bucket.turns for bucket in seen.latency if bucket.turns}

        assert {25: 1, 50: 1} == counted
        assert [*LATENCY_BOUNDS_MS, None] == [bucket.upto_ms for bucket in seen.latency]
        assert (2, seen.latency) == (seen.turns, lab.statistics().kinds[0].latency)


async def test_an_actor_that_backs_off_has_nothing(autojump_clock):
    """After a crash no turn, timer or task is shown, and nothing is kept of the state."""
    async with living() as lab:
        held: list[weakref.ref[Held]] = []

        async def hold_and_crash(me: Probe) -> None:
            me.note.after(60, Held(held))
            me.start_soon(trio.sleep_forever)
            raise KeyError

        Probe(lab, "a").do.tell(hold_and_crash)
        await wait_all_tasks_blocked()
        [seen] = lab.actors()

        assert ("backing_off", None, {}, 0) == (seen.phase, seen.turn, seen.timers, seen.tasks)
        assert [None] == [one() for one in held]


def test_a_latency_counts_up_to_its_bound_inclusive():
    """A bucket holds what took as long as its bound says."""
    latencies = Latencies()
    for took_ms in (0.0, 0.1, 0.11, 25.0, 10_000.0, 10_000.1):
        latencies.add(took_ms / 1000)

    assert [(0.1, 2), (0.25, 1), (25.0, 1), (10_000.0, 1), (None, 1)] == [
        (bucket.upto_ms, bucket.turns) for bucket in latencies.buckets() if bucket.turns
    ]


async def test_what_takes_longer_than_any_bound_is_counted(autojump_clock):
    """The last bucket has no bound."""
    async with living() as lab:

        async def slow(me: Probe) -> None:
            await trio.sleep(9)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(Probe(lab, "a").do, slow)
            nursery.start_soon(Probe(lab, "a").do, slow)

        assert [1, 1] == [bucket.turns for bucket in lab.actors()[0].latency[-2:]]


async def test_a_kind_has_sums_over_its_actors():
    """Active actors, activations, turns, refusals and waiting messages of a kind."""
    async with living(Small, Other) as lab:
        await Small(lab, "b").add(1)
        Small(lab, "a").do.tell(_hang)
        await wait_all_tasks_blocked()
        Small(lab, "a").add.tell(1)
        Small(lab, "a").add.tell(1)
        with pytest.raises(Exception, match="full"):
            Small(lab, "a").add.tell(1)
        told = lab.statistics()
        small, other = told.kinds

        assert ("Small", 2, 2, 1, 2, 1) == (
            small.kind,
            small.active,
            small.activations,
            small.turns,
            small.mailbox_depth,
            small.refused,
        )
        assert ("Other", 0, 0, False) == (other.kind, other.active, other.turns, told.draining)


async def test_actors_are_found_by_the_name_of_their_kind():
    """Operators name an actor by kind and key; an inactive actor is not found."""
    async with living() as lab:
        await Probe(lab, "a").add(5)
        await Other(lab, "b").add(6)
        found = lab.actor("Probe", "a")

        assert isinstance(found, Probe)
        assert 5 == await found.add(0)
        assert (None, None) == (lab.actor("Probe", "b"), lab.actor("Unknown", "a"))
        assert ["b"] == [one.key for one in lab.actors("Other")]
        assert [] == lab.actors("Unknown")


async def test_statistics_are_records_that_encode_as_json():
    """All statistics are plain data."""
    async with living() as lab:
        await Probe(lab, "a").add(1)
        encoded = msgspec.json.decode(msgspec.json.encode([lab.statistics(), *lab.actors()]))

        assert ("Probe", "a") == (encoded[0]["kinds"][0]["kind"], encoded[1]["key"])


async def test_a_snapshot_masks_what_is_private():
    """Private values are dots, unknown types are named, all else is as it is, ready for JSON."""
    async with living(Keeper) as lab:
        seen = await Keeper(lab, "a").snapshot()

        assert {
            "name": "name",
            "token": "•••",
            "holders": {"x": "•••"},
            "opaque": "YWJj",
            "numbers": {"1": (2, 3)},
        } == seen
        assert "s3cret" not in str(seen)
        assert "s3cret" == await Keeper(lab, "a").token()


async def test_a_snapshot_names_what_it_cannot_show():
    """A value that is not plain data is shown as the name of its type, and its length, if it has one."""
    assert {"a": "range of 3", "b": "object", "c": "•••"} == _snapshot(
        {"a": range(3), "b": object(), "c": Private(1)}
    )


def test_a_private_value_shows_itself_nowhere():
    """Neither in a representation, nor in text, nor in a message or a log line."""
    private = Private("s3cret")

    assert {"•••"} == {repr(private), str(private), f"{private}", f"{private!r}"}
    assert "s3cret" not in repr(Secretive("name", private, {"x": Private(42)}))
    with pytest.raises(TypeError):
        msgspec.json.encode(private)


async def _hang(_me: Probe) -> None:
    await trio.sleep_forever()


def _snapshot(state: object) -> object:
    from svc.actors._core.private import snapshot

    return snapshot(state)


async def test_one_actor_is_seen_by_its_name(autojump_clock):
    """An active and a quarantined actor are found by kind and key, and no other."""
    async with living(Other) as lab:
        await Other(lab, "live").add(1)
        for _ in range(Other.policy.crashes_max + 1):
            with pytest.raises(ActorCrashed):
                await Other(lab, "poisoned").fail(KeyError())

        live, poisoned = lab.seen("Other", "live"), lab.seen("Other", "poisoned")

        assert live is not None
        assert poisoned is not None
        assert [("live", "waiting"), ("poisoned", "quarantined")] == [
            (one.key, one.phase) for one in (live, poisoned)
        ]
        assert (None, None) == (lab.seen("Other", "nobody"), lab.seen("Nothing", "live"))
