"""`svc demo-messenger`: chat with the demo's shop in a browser, by way of the channel doors."""

import signal
import sys
from functools import partial
from typing import Final

import click
import trio

from svc.cli.data_directory import DataDirectory
from svc.cli.demo_files import DemoFacts, read_facts
from svc.cli.failures import as_failure
from svc.cli.options import on_data
from svc.cli.serving import sockets
from svc.client import Channel, Refused, Tools, run_bridge
from svc.clock import WallClock
from svc.demo.messenger.chats import DemoMessenger
from svc.demo.messenger.pages import messenger_app
from svc.demo.messenger.team import Team
from svc.http.server import ListenError, serve

BIND: Final = "127.0.0.1:8002"


@click.command("demo-messenger")
@click.option("--bind", show_default=BIND, metavar="HOST:PORT", help="Listen here, port 0 is any free one.")
@on_data
def command(directory: DataDirectory, *, bind: str | None) -> None:
    """Run a demo messenger for chats in a browser. It needs a running demo: svc run --demo."""
    facts = read_facts(directory)
    with as_failure(ListenError, Refused):
        trio.run(partial(_run, facts, bind))


async def _run(facts: DemoFacts, bind: str | None) -> None:
    """*bind*: where to listen. By default at `BIND`, or at another port if that is taken."""
    messenger, stop = DemoMessenger(WallClock()), trio.Event()
    async with (
        sockets.opened([bind or BIND], may_move=bind is None) as listeners,
        Channel(facts.base_url, facts.pull_connection.channel_key) as channel,
        Tools(facts.base_url, facts.api_key) as tools,
        trio.open_nursery() as nursery,
    ):
        app = messenger_app(messenger, Team(tools, facts.pull_connection.id))
        [address, *_] = await nursery.start(partial(serve, app, listeners=listeners, stop=stop))
        click.echo(f"A chat with the shop: http://{address}/")
        if bind is None and str(address) != BIND:
            click.echo(f"Another program listens at {BIND}.")
        sys.stdout.flush()
        nursery.start_soon(run_bridge, messenger, channel)
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                break
        nursery.cancel_scope.cancel()
