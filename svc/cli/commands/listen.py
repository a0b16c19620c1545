"""`svc listen`: bring the events of a running service to a program on the developer's own machine."""

import os
import re
import signal
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

import click
import httpx
import msgspec
import trio

from svc.cli import forwarding
from svc.cli.cursor_file import CursorFile
from svc.cli.failures import Failure, as_failure
from svc.cli.forwarding import Forwarder, forward_events
from svc.client import ServiceError, Tools
from svc.clock import WallClock
from svc.domain.crypto.signatures import SECRET_PREFIX, new_secret
from svc.domain.events import EVENT_TYPES
from svc.domain.ids import Ids
from svc.domain.input.near_names import hint
from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, moment_ms, rfc3339
from svc.domain.randomness import SYSTEM
from svc.tools.webhooks.payloads import EXAMPLES

_URL: Final = "http://127.0.0.1:8000"
_AGO: Final = re.compile(r"(\d{1,6})([smhd])")
_UNITS: Final = {"s": SECOND_MS, "m": MINUTE_MS, "h": HOUR_MS, "d": DAY_MS}


def _types(_ctx: click.Context, _param: click.Parameter, value: str | None) -> list[str] | None:
    names = [name.strip() for name in value.split(",")] if value is not None else None
    for name in names or ():
        if name not in EVENT_TYPES:
            raise click.BadParameter(f"there is no event {name!r}{hint(name, EVENT_TYPES)}")
    return names


def _since(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """A time before now as a negative number of ms; another time as ms since the epoch."""
    if value is None:
        return 0
    if ago := _AGO.fullmatch(value):
        return -int(ago[1]) * _UNITS[ago[2]]
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise click.BadParameter("neither a time such as 2026-09-18T12:00:00Z nor one ago, such as 10m or 2d")
    return moment_ms(moment)


def _address(_ctx: click.Context, _param: click.Parameter, value: str) -> str:
    try:
        url = httpx.URL(value if "://" in value else f"http://{value}")
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in {"http", "https"} or not url.host:
        raise click.BadParameter("not an address such as http://localhost:3000/events")
    return str(url)


def _secret(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str:
    secret = value or new_secret(SYSTEM)
    if not re.fullmatch(f"{SECRET_PREFIX}[A-Za-z0-9+/]{{32,}}={{0,2}}", secret):
        raise click.BadParameter(f"a signing secret is {SECRET_PREFIX} and base64")
    return secret


@click.command("listen")
@click.option(
    "--forward-to", "target", required=True, callback=_address, metavar="URL", help="Send events here."
)
@click.option("--types", callback=_types, metavar="TYPES", help="Only these types, separated by commas.")
@click.option(
    "--since", callback=_since, metavar="TIME", help="From this time on: RFC 3339, or ago: 10m, 2h, 1d."
)
@click.option(
    "--cursor",
    "cursor_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep in this file how far it has come, and go on there the next time.",
)
@click.option(
    "--trigger",
    type=click.Choice([*EXAMPLES]),
    metavar="TYPE",
    help="Send one example of this type, and end. It needs no service.",
)
@click.option("--secret", callback=_secret, metavar="SECRET", help="Sign with this secret, not a new one.")
@click.option(
    "--url", envvar="SVC_URL", default=_URL, show_default=True, show_envvar=True, help="The service."
)
def command(
    *,
    target: str,
    types: list[str] | None,
    since: int,
    cursor_file: Path | None,
    trigger: str | None,
    secret: str,
    url: str,
) -> None:
    """Forward the events of the service to a program on this machine, signed as webhooks are.

    The API key is taken from the environment variable SVC_KEY; its role needs the permission `webhooks`.
    Events come in order, one at a time, from now on. What the program answers is shown, and not retried.
    """
    click.echo(f"Signing secret: {secret}")
    if trigger is not None:
        trio.run(_send_example, target, secret, trigger)
    else:
        with as_failure(ServiceError):
            trio.run(
                partial(
                    _listen,
                    url,
                    _key(),
                    target=target,
                    secret=secret,
                    types=types,
                    since=since,
                    kept=None if cursor_file is None else CursorFile(cursor_file),
                )
            )


def _key() -> str:
    key = os.environ.get("SVC_KEY", "").strip()
    if not key:
        raise Failure("there is no API key: set SVC_KEY to one whose role has the permission `webhooks`")
    return key


async def _send_example(target: str, secret: str, type_: str) -> None:
    """Send an example as if it happened now. Raises `Failure` if it was not taken."""
    clock = WallClock()
    now = clock.now()
    example = msgspec.structs.replace(EXAMPLES[type_], id=Ids(SYSTEM).new("evt", now), timestamp=rfc3339(now))
    async with forwarding.client() as client:
        forwarder = Forwarder(client, target, secret, clock)
        click.echo(await forwarder.forward(msgspec.json.encode(example)))
    if not forwarder.reached:
        raise Failure(f"{target} did not take it")


async def _listen(
    url: str,
    key: str,
    *,
    target: str,
    secret: str,
    types: list[str] | None,
    since: int,
    kept: CursorFile | None,
) -> None:
    """Forward events until a signal to stop. *since* counts from now unless it is after the epoch."""
    clock = WallClock()
    start = rfc3339(since if since > 0 else clock.now() + since)
    async with (
        Tools(url, key, attempts=1) as tools,
        forwarding.client() as client,
        trio.open_nursery() as nursery,
    ):
        click.echo(f"Events of {url} go to {target}; Ctrl-C ends it.")
        forwarder = Forwarder(client, target, secret, clock)
        nursery.start_soon(
            partial(forward_events, tools, forwarder, types=types, since=start, tell=click.echo, kept=kept)
        )
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                break
        nursery.cancel_scope.cancel()
