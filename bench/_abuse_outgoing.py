"""One organization whose receivers are dead or slow: what another feels that sends to its own.

`python -m bench._abuse_outgoing`. Three times, each in the calm and then beside a hostile organization: with
100 webhooks at names whose resolver hangs; with 250 calls at once of an own provider with such a name; and
with 100 webhooks at a slow receiver, at which the honest one has a webhook, too.
"""

import time
from collections.abc import Sequence
from typing import Final

from bench._client import Client
from bench._machine import stand_aside
from bench._outgoing_world import (
    CHAT,
    CREATE,
    LATE_SECONDS,
    PERIOD_SECONDS,
    Doing,
    Servers,
    World,
    abusing,
    make,
    probe,
    serving,
    show,
)
from bench._report import Target, print_targets
from bench._world import workspace

HOOKS: Final = 100
CALLS_AT_ONCE: Final = 250
FILL_EVENTS: Final = 10
"""At the beginning of the abuse: each subscription may have eight attempts under way at once. These keep it
busy for a minute, so that no more are needed, whose recording others would feel."""
RAMP_SECONDS: Final = 6
WARM_UP_SECONDS: Final = 3
CALL_PAUSE_SECONDS: Final = 5.0
"""Of each of the callers, so that it is not their number that others feel."""


def run() -> None:
    """Print what the honest organization feels, and whether the bounds hold."""
    stand_aside()
    targets: list[Target] = []
    for title, hooks, provider in (
        ("100 webhooks at dead names", "http://n{}.dead.test/hook", None),
        ("250 calls at once of a provider with a dead name", None, "http://ai.dead.test/v1"),
        ("100 webhooks at one slow origin", "http://own.here.test:{port}/slow", None),
    ):
        targets += _measure(title, hooks, provider)
    print_targets(targets)


def _measure(title: str, hooks: str | None, provider: str | None) -> Sequence[Target]:
    servers = Servers()
    with workspace() as space, servers.live():
        urls = [hooks.format(number, port=servers.port) for number in range(HOOKS)] if hooks else []
        world = make(space / "world", servers.port, hooks=urls, provider=provider)
        with serving(world, servers) as server:
            time.sleep(WARM_UP_SECONDS)
            waited = [server.waited_seconds()]
            calm = probe(server, world, servers, phase=0)
            waited.append(server.waited_seconds())
            before = server.rss_mib()
            seconds = RAMP_SECONDS + PERIOD_SECONDS + LATE_SECONDS
            doing, pause = _abuse(world, hooks=bool(hooks))
            with abusing(server.port, [doing], seconds=seconds, pause=pause):
                time.sleep(RAMP_SECONDS)
                waited.append(server.waited_seconds())
                busy = probe(server, world, servers, phase=1)
                waited.append(server.waited_seconds())
                grown = server.rss_mib() - before
    targets = show(title, calm, busy, grown)
    print(
        f"ready to run while others had its core: {waited[1] - waited[0]:.1f} s in the calm,"
        f" {waited[3] - waited[2]:.1f} s meanwhile"
    )
    return targets


def _abuse(world: World, *, hooks: bool) -> tuple[Doing, float]:
    """What the hostile organization does, and how often."""
    events = iter(range(FILL_EVENTS))

    def create(client: Client) -> None:
        for _ in events:
            client.post("/api/v1/tools/record.create", CREATE)

    def call(client: Client) -> None:
        client.post("/api/ai/v1/chat/completions", CHAT)

    if hooks:
        return (create, [world.hostile_key]), CALL_PAUSE_SECONDS
    keys = world.hostile_gateway_keys
    return (call, [keys[number % len(keys)] for number in range(CALLS_AT_ONCE)]), CALL_PAUSE_SECONDS


if __name__ == "__main__":
    run()
