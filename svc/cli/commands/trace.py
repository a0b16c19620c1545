"""`svc trace`: the turns of one actor, as they end."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import click
import msgspec

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator


@click.command("trace")
@click.argument("actor", metavar="KIND/KEY")
@click.option(
    "--turns", type=click.IntRange(1, 1_000), default=50, show_default=True, help="Stop after so many."
)
@click.option(
    "--seconds", type=click.FloatRange(0.1, 60), default=30, show_default=True, help="Or after so long."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print what the service answers, a line of JSON a turn."
)
@as_operator
def command(operator: Operator, *, actor: str, turns: int, seconds: float, as_json: bool) -> None:
    """Print the turns of an actor of the running service as they end, such as FormWindow/svcf_….

    Of arguments only the types are shown. At the end it says where the actor stands: what runs, what waits in
    its mailbox, and its last crash.
    """
    kind, slash, key = actor.partition("/")
    if not (kind and slash and key):
        raise Failure(f"{actor!r} is no KIND/KEY, such as Organization/org_…")
    path = f"/debug/trace/{quote(kind, safe='')}/{quote(key, safe='')}"
    for line in operator.lines(path, {"turns": turns, "seconds": seconds}):
        if as_json:
            click.echo(line)
            continue
        said = msgspec.json.decode(line)
        if "turn" in said:
            click.echo(_turn(said["turn"]))
        else:
            click.echo("\n".join(_actor(actor, said["actor"])))


def _turn(turn: dict[str, Any]) -> str:
    at = datetime.fromtimestamp(turn["at"] / 1000, UTC)
    arguments = f"({', '.join(turn['arguments'])})" if "arguments" in turn else ""
    request = f"  request {turn['requestId']}" if turn["requestId"] else ""
    return (
        f"{at:%H:%M:%S}.{turn['at'] % 1000:03}  {turn['turn'] + arguments:<32}  "
        f"waited {turn['waitMs']:9.3f} ms  ran {turn['runMs']:9.3f} ms  {turn['outcome']}{request}"
    )


def _actor(name: str, seen: dict[str, Any] | None) -> list[str]:
    """What is known of the actor at the end, in lines."""
    if seen is None:
        return [f"{name} is not in memory."]
    statistics = seen["statistics"]
    phase, turns, crashes = (statistics[member] for member in ("phase", "turns", "crashes"))
    lines = [f"{name} is {phase}, after {turns} turns and {crashes} crashes."]
    if statistics["turn"]:
        lines.append(f"Running for {statistics['turnAgeSeconds']:.1f} s: {statistics['turn']}")
    lines += [f"  {frame}" for frame in seen["stack"]]
    lines += [f"  waits for {other}" for other in seen["waitsFor"]]
    for task in seen["tasks"]:
        lines += [
            f"Task for {task['ageSeconds']:.1f} s: {task['name']}",
            *(f"  {frame}" for frame in task["stack"]),
        ]
    if seen["waiting"]:
        waiting = ", ".join(f"{number} {turn}" for turn, number in seen["waiting"].items())
        lines.append(f"Waiting for up to {statistics['mailboxOldestSeconds']:.1f} s: {waiting}")
    if seen["crash"]:
        crash = seen["crash"]
        lines += [f"Last crash: {crash['error']}, in {crash['turn'] or 'load, flush or a task'}"]
        lines += [f"  {frame}" for frame in crash["stack"]]
        lines += ["The turns before it, the newest first:", *(f"  {_turn(turn)}" for turn in crash["turns"])]
    return lines
