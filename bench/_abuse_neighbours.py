"""One API key hammered by 512 connections: what other organizations feel of it.

Three honest clients of other organizations post forms, create records and list records, one request at a
time with a pause between; first in the calm, then while one key of another organization is flooded with
writes, and with reads. Once under the usual budget, where most of the flood is answered 429, and once with a
budget so high that every call of the flood is done.
"""

import time
from collections.abc import Mapping
from typing import Final

import msgspec

from bench._load import Load, finish_load, require_wrk, start_calls
from bench._machine import Server, stand_aside
from bench._neighbours import CREATE, LIST, Felt, World, make, probe, serving
from bench._report import print_table
from bench._world import workspace
from svc.domain.limits import CALLS_MAX

BUDGETS: Final = (CALLS_MAX, 100_000)
CONNECTIONS: Final = 512
SECONDS: Final = 8
RAMP_SECONDS: Final = 2
REST_SECONDS: Final = 2
WARM_UP_SECONDS: Final = 2


FLOODS: Final = {"record.create": CREATE, "record.list": LIST}


class Phase(msgspec.Struct, frozen=True):
    """What the honest clients felt, and the flood meanwhile, if there was one."""

    felt: list[Felt]
    flood: Load | None = None


def run() -> None:
    """Print calm and flooded figures under each budget."""
    require_wrk()
    stand_aside()
    for budget in BUDGETS:
        with workspace() as space:
            world = make(space / "world")
            with serving(world, budget) as server:
                probe(server, world, seconds=WARM_UP_SECONDS)
                phases = {"calm": Phase(probe(server, world, seconds=SECONDS))}
                for tool, key in zip(FLOODS, world.flooding_keys, strict=False):
                    phases[tool] = _flooded(server, world, tool, key)
        _show(budget, phases)


def _flooded(server: Server, world: World, tool: str, key: str) -> Phase:
    bodies = world.data.with_name(f"{tool}.bodies")
    bodies.write_bytes(FLOODS[tool] + b"\n")
    url = f"http://127.0.0.1:{server.port}/api/v1/tools/{tool}"
    flood = start_calls(url, bodies, [key], seconds=RAMP_SECONDS + SECONDS + 1, connections=CONNECTIONS)
    time.sleep(RAMP_SECONDS)
    felt = probe(server, world, seconds=SECONDS)
    load = finish_load(flood)
    time.sleep(REST_SECONDS)
    return Phase(felt, load)


def _show(budget: int, phases: Mapping[str, Phase]) -> None:
    calm = {one.what: one for one in phases["calm"].felt}
    print_table(
        f"Other organizations, with a budget of {budget:,} calls a minute",
        ["", "flooded with", "p50 ms", "p99 ms", "p99, times", "refused", "of"],
        [
            [
                one.what,
                name,
                one.p50_ms,
                one.p99_ms,
                one.p99_ms / calm[one.what].p99_ms,
                str(one.refused),
                str(len(one.took_ms)),
            ]
            for name, phase in phases.items()
            for one in phase.felt
        ],
    )
    print_table(
        f"The flood itself: {CONNECTIONS} connections with one key",
        ["", "answers/s", "200", "429", "other", "broken"],
        [
            [name, flood.rate, str(flood.ok), str(flood.limited), str(flood.other), str(flood.broken)]
            for name, phase in phases.items()
            if (flood := phase.flood) is not None
        ],
    )


if __name__ == "__main__":
    run()
