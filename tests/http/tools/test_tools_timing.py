"""The time of a 401 reveals nothing about the key.

The calls of all kinds are made in one random order, so whatever else the machine does meets them all alike:
if the kinds are the same, their labels are as good as drawn by lot, and how often one kind's call is slower
than another's is a half, give or take a known little. That holds on a busy machine as on an idle one.
"""

import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import combinations, groupby
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import pytest

from svc.actors.credential_cache import CredentialCache
from svc.actors.system import System
from svc.clock import VirtualClock
from svc.domain.crypto.keys import API_KEY, digest, new_key
from svc.domain.locale.times import DAY_MS
from svc.domain.randomness import SYSTEM
from svc.http.app import public_app
from svc.http.asgi import ASGIApp, Scope
from svc.storage import provisioning
from svc.storage.identity.api_keys import Route
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import create_tables
from svc.storage.sqlite.store import open_store
from svc.storage.store import Tx
from tests.people import a_member, a_stored_key
from tests.town import START, Town

CALLS = 2_000
"""Of each kind."""
KEYS_EACH = 50
DEVIATIONS_MAX = 8
"""Standard deviations from a half: chance alone never gets there. A real difference does that is a fifth of
how much the calls of one kind differ among themselves."""
KINDS = ("unknown", "revoked", "expired")


def slower(ones: Sequence[int], others: Sequence[int]) -> float:
    """How often one of *ones* is more than one of *others*, in standard deviations from a half.

    It is the statistic of Mann and Whitney: by ranks, so that no outlier weighs more than another.
    """
    ranked = sorted([(value, 1) for value in ones] + [(value, 0) for value in others])
    rank_sum, before = 0.0, 0
    for _, group in groupby(ranked, key=lambda one: one[0]):
        tied = [own for _, own in group]
        rank_sum += sum(tied) * (before + (len(tied) + 1) / 2)
        before += len(tied)
    n, m = len(ones), len(others)
    wins = rank_sum - n * (n + 1) / 2
    return float((wins - n * m / 2) / (n * m * (n + m + 1) / 12) ** 0.5)


class Keys:
    """Keys of each kind, and the door that they are tried at."""

    def __init__(self, app: ASGIApp, system: System, keys: dict[str, list[str]]) -> None:
        self.app = app
        self.system = system
        self.keys = keys

    async def times(self) -> dict[str, list[int]]:
        """How many nanoseconds each call took, by the kind of its key."""
        order = [kind for kind in KINDS for _ in range(CALLS)]
        chance = random.Random(7)
        chance.shuffle(order)
        taken: dict[str, list[int]] = {kind: [] for kind in KINDS}
        for kind in order:
            scope = asked_with(chance.choice(self.keys[kind]))
            begun = perf_counter_ns()
            status = await ask(self.app, scope)
            taken[kind].append(perf_counter_ns() - begun)
            assert 401 == status
        return taken


def asked_with(key: str) -> Scope:
    headers = [
        (b"host", b"a"),
        (b"authorization", f"Bearer {key}".encode()),
        (b"content-type", b"application/json"),
        (b"content-length", b"2"),
    ]
    return {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/tools/record.create",
        "raw_path": b"/api/v1/tools/record.create",
        "query_string": b"",
        "headers": headers,
        "client": ("192.0.2.7", 1),
    }


async def ask(app: ASGIApp, scope: Scope) -> int:
    statuses: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    await app(scope, receive, send)
    return statuses[0]


@asynccontextmanager
async def stopped_keys(path: Path) -> AsyncIterator[Keys]:
    """Keys that were good and in use once, or never were, over a database on the disk."""
    clock = VirtualClock(START)
    keys = {kind: [new_key(API_KEY, SYSTEM) for _ in range(KEYS_EACH)] for kind in KINDS}
    async with open_store(path, clock, prepare=create_tables) as store:
        here = Town(store, clock, await store.write(provisioning.create, NewOrganization(name="Lamps")))
        owner = await store.write(a_member, here.organization.id, "owner@example.com")

        def mint(tx: Tx) -> None:
            for key in keys["revoked"]:
                a_stored_key(tx, owner, digest(key), expires_at=tx.now + 10 * DAY_MS, revoked_at=tx.now)
            for key in keys["expired"]:
                a_stored_key(tx, owner, digest(key), expires_at=tx.now + DAY_MS)
            for number in range(1_000):
                a_stored_key(tx, owner, f"other-{number}", expires_at=tx.now + 10 * DAY_MS)

        await store.write(mint)
        async with here.live_system() as system:
            app = public_app(system)
            for key in keys["expired"]:  # in use until they expired: they are kept at hand
                assert 401 != await ask(app, asked_with(key))
            clock.jump(2 * DAY_MS)
            yield Keys(app, system, keys)


async def test_stopped_keys_cannot_be_distinguished_by_time(tmp_path: Path) -> None:
    """An unknown, a revoked and an expired key are rejected after the same time, call for call."""
    async with stopped_keys(tmp_path / "svc.db") as asked:
        taken = await asked.times()

    found = {pair: slower(taken[pair[0]], taken[pair[1]]) for pair in combinations(KINDS, 2)}
    assert {} == {pair: by for pair, by in found.items() if abs(by) > DEVIATIONS_MAX}


class Hasty(CredentialCache[Route]):
    """Remembers which keys were stopped, and looks for them no more."""

    def __init__(self, system: System, stopped: set[str]) -> None:
        super().__init__(system.store, system.clock, system.identity.keys._search)
        self._stopped = stopped

    async def find(self, digest: str) -> Route | None:
        return None if digest in self._stopped else await super().find(digest)


@pytest.mark.parametrize("kind", ["revoked", "expired"])
async def test_an_early_answer_would_be_seen(kind: str, tmp_path: Path) -> None:
    """The test above is worth something: a directory that spares itself one search is far beyond it."""
    async with stopped_keys(tmp_path / "svc.db") as asked:
        asked.system.identity.keys = Hasty(asked.system, {digest(key) for key in asked.keys[kind]})
        taken = await asked.times()

    assert slower(taken["unknown"], taken[kind]) > 4 * DEVIATIONS_MAX


def test_the_statistic_is_the_known_one() -> None:
    """Of two samples of which each value of one is above all of the other, and of the same twice."""
    assert 0 == slower([1, 2, 3, 4], [1, 2, 3, 4])
    assert pytest.approx(2.309, abs=0.001) == slower([5, 6, 7, 8], [1, 2, 3, 4])
    assert slower([1, 2, 2], [2, 3, 3]) == -slower([2, 3, 3], [1, 2, 2])
