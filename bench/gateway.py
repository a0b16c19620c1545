"""The AI gateway beside LiteLLM's proxy, Portkey's gateway and a bare relay, over one fake provider.

All run at once, each server on one core, and are asked in turns; so whatever else the machine does meets all
of them alike. `make bench-peers` installs those of others; without them they are left out, and so are the
targets that are about them.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Final, Literal

import msgspec

from bench._gateway_calls import Calls, Took
from bench._gateway_contenders import (
    CREDITS,
    DIRECT,
    LITELLM,
    OWN,
    RELAY,
    Contender,
    contenders,
    missing,
    provider,
)
from bench._load import Load, finish_load, require_wrk, start_calls
from bench._machine import stand_aside
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace

Mode = Literal["whole", "3 parts", "20 parts"]
PACES: Final[dict[Mode, str | None]] = {"whole": None, "3 parts": "3x0", "20 parts": "20x5"}
"""How the answer comes: whole, or in so many parts, with so many ms between them."""
SATURATING: Final[tuple[Mode, ...]] = ("whole", "3 parts")
"""The modes without a pause, in which a server answers as many as it can."""
WARM_UP_CALLS: Final = 50
CALLS: Final = 60
"""Of one contender in one round, one at a time."""
CALL_ROUNDS: Final = 4
CONNECTIONS: Final = (16, 64)
ROUNDS: Final = 3
SECONDS: Final = 4

LATENCY_SHARE_MAX: Final = 1 / 6
RATE_TIMES_MIN: Final = 6
MEMORY_SHARE_MAX: Final = 1 / 3
FLOOR_TIMES_MAX: Final = 3
OURS: Final = (CREDITS, OWN)


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """What single calls took, in ms."""

    contender: str
    mode: Mode
    first_p50: float
    first_p99: float
    whole_p50: float
    whole_p99: float


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """One run of wrk."""

    contender: str
    mode: Mode
    connections: int
    load: Load
    cpu_us: float
    """User and system time of the server for each call."""


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """What a server takes, in MiB."""

    contender: str
    rss_before: float
    rss: float
    pss: float


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What was found."""

    latencies: list[Latency]
    rates: list[Rate]
    memory: list[Memory]

    def latency(self, name: str, mode: Mode) -> Latency:
        return next(one for one in self.latencies if (one.contender, one.mode) == (name, mode))

    def rate(self, name: str, mode: Mode, connections: int) -> Rate:
        """The run of the median rate."""
        wanted = (name, mode, connections)
        runs = [one for one in self.rates if (one.contender, one.mode, one.connections) == wanted]
        return sorted(runs, key=lambda one: one.load.rate)[len(runs) // 2]

    def calls_a_second(self, name: str, mode: Mode, connections: int) -> float:
        return self.rate(name, mode, connections).load.rate

    def added_ms(self, name: str) -> float:
        """What a whole answer takes longer than from the provider itself, p50."""
        return self.latency(name, "whole").whole_p50 - self.latency(DIRECT, "whole").whole_p50

    def memory_of(self, name: str) -> Memory:
        return next(one for one in self.memory if one.contender == name)

    def cpu_us(self, name: str, mode: Mode, connections: int) -> float:
        wanted = (name, mode, connections)
        return median(
            one.cpu_us for one in self.rates if (one.contender, one.mode, one.connections) == wanted
        )


def main() -> None:
    """Measure, print, and say which targets hold."""
    require_wrk()
    for name in missing():
        print(f"{name} is not installed and left out: make bench-peers")
    stand_aside()
    with workspace() as space, provider(space) as upstream, contenders(space, upstream) as all_of_them:
        served = [one for one in all_of_them if one.server is not upstream]
        for one in all_of_them:
            _warm(one)
        before = {one.name: one.server.rss_mib() for one in served}
        latencies = [one for mode in PACES for one in _latencies(all_of_them, mode)]
        rates = _rates(served, space)
        memory = [
            Memory(
                contender=one.name,
                rss_before=before[one.name],
                rss=one.server.rss_mib(),
                pss=one.server.pss_mib(),
            )
            for one in served
        ]
    found = Found(latencies=latencies, rates=rates, memory=memory)
    _show(found, [one.name for one in all_of_them])
    targets = [target for name in OURS for target in _targets(found, name)]
    print_targets(targets)
    save("gateway", found, targets)


def _body(mode: Mode) -> bytes:
    pace = PACES[mode]
    question = f"Which lamp suits a harbour where it rains all year? At a pace {pace or '1x0'}, please."
    asked = {
        "model": "small",
        "messages": [
            {"role": "system", "content": "You know all about lamps, and nothing else."},
            {"role": "user", "content": question},
        ],
        "max_tokens": 500,
    }
    return msgspec.json.encode(asked if pace is None else asked | {"stream": True})


def _warm(contender: Contender) -> None:
    with Calls(contender) as calls:
        for mode in PACES:
            for _ in range(WARM_UP_CALLS if PACES[mode] != "20x5" else 3):
                calls.call(_body(mode))


def _latencies(of: Sequence[Contender], mode: Mode) -> list[Latency]:
    took: dict[str, list[Took]] = {one.name: [] for one in of}
    body = _body(mode)
    calls_each = CALLS // 6 if mode == "20 parts" else CALLS
    for _ in range(CALL_ROUNDS):
        for one in of:
            with Calls(one) as calls:  # anew, since some close a connection after seconds
                calls.call(body)
                took[one.name] += [calls.call(body) for _ in range(calls_each)]
    return [_latency(name, mode, some) for name, some in took.items()]


def _latency(name: str, mode: Mode, took: list[Took]) -> Latency:
    first, whole = [one.first for one in took], [one.whole for one in took]
    return Latency(
        contender=name,
        mode=mode,
        first_p50=median(first),
        first_p99=quantiles(first, n=100)[98],
        whole_p50=median(whole),
        whole_p99=quantiles(whole, n=100)[98],
    )


def _rates(of: Sequence[Contender], space: Path) -> list[Rate]:
    rates = []
    for mode in PACES:
        bodies = space / "bodies"
        bodies.write_bytes(_body(mode) + b"\n")
        for connections in CONNECTIONS:
            for _ in range(ROUNDS):
                rates += [_rate(one, mode, connections, bodies) for one in of]
    return rates


def _rate(contender: Contender, mode: Mode, connections: int, bodies: Path) -> Rate:
    cpu_before = contender.server.cpu_seconds()
    wrk = start_calls(
        contender.url,
        bodies,
        contender.keys,
        seconds=SECONDS,
        connections=connections,
        headers=contender.headers,
    )
    load = finish_load(wrk)
    if load.ok < max(1, load.requests) or load.broken:
        raise SystemExit(f"{contender.name}, {mode}, {connections} connections: {load}")
    cpu_us = (contender.server.cpu_seconds() - cpu_before) / load.requests * 1e6
    return Rate(contender=contender.name, mode=mode, connections=connections, load=load, cpu_us=cpu_us)


def _targets(found: Found, name: str) -> list[Target]:
    targets = [
        Target(
            name=f"{name}: CPU of a call, times the bare relay's, {mode}",
            figure=found.cpu_us(name, mode, 16) / found.cpu_us(RELAY, mode, 16),
            bound=FLOOR_TIMES_MAX,
        )
        for mode in PACES
    ]
    if LITELLM in missing():
        return targets
    return [
        *targets,
        Target(
            name=f"{name}: added latency, p50, share of LiteLLM's",
            figure=found.added_ms(name) / found.added_ms(LITELLM),
            bound=LATENCY_SHARE_MAX,
        ),
        Target(
            name=f"{name}: first token, p50, share of LiteLLM's",
            figure=found.latency(name, "20 parts").first_p50 / found.latency(LITELLM, "20 parts").first_p50,
            bound=LATENCY_SHARE_MAX,
        ),
        *(
            Target(
                name=f"{name}: calls a second, times LiteLLM's, {mode}",
                figure=found.calls_a_second(name, mode, 64) / found.calls_a_second(LITELLM, mode, 64),
                bound=RATE_TIMES_MIN,
                at_least=True,
            )
            for mode in SATURATING
        ),
        Target(
            name=f"{name}: memory after the run, share of LiteLLM's",
            figure=found.memory_of(name).rss / found.memory_of(LITELLM).rss,
            bound=MEMORY_SHARE_MAX,
        ),
    ]


def _show(found: Found, names: Sequence[str]) -> None:
    print_table(
        "Single calls, ms",
        ["", *(f"{mode}: {what}" for mode in PACES for what in ("first p50", "p99", "all p50", "p99"))],
        [
            [
                name,
                *(
                    value
                    for one in (found.latency(name, mode) for mode in PACES)
                    for value in (one.first_p50, one.first_p99, one.whole_p50, one.whole_p99)
                ),
            ]
            for name in names
        ],
    )
    served = [one.contender for one in found.memory]
    for what, figure in (("Calls a second", found.calls_a_second), ("µs of CPU a call", found.cpu_us)):
        print_table(
            f"{what}, by connections",
            ["", *(f"{mode}: {connections}" for mode in PACES for connections in CONNECTIONS)],
            [
                [name, *(figure(name, mode, connections) for mode in PACES for connections in CONNECTIONS)]
                for name in served
            ],
        )
    print_table(
        "Memory, MiB",
        ["", "RSS before", "RSS after", "PSS after"],
        [[one.contender, one.rss_before, one.rss, one.pss] for one in found.memory],
    )


if __name__ == "__main__":
    main()
