"""`svc top`: what the running service does, in a terminal."""

from importlib.util import find_spec

import click

from svc.cli.failures import Failure
from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator


@click.command("top")
@click.option(
    "--server",
    metavar="URL",
    help="The operator's listener of the service, such as http://127.0.0.1:8001; by default, that of the data"
    " directory. The token is that of the configuration, or of the data directory.",
)
@as_operator
def command(operator: Operator, *, server: str | None) -> None:
    """Show what the running service does, each second: what waits, kinds of actors, and actors in trouble.

    Enter looks at one actor: where it stands, its last turns, what waits for it, and its last crash.
    """
    if find_spec("textual") is None or find_spec("trio_websocket") is None:
        raise Failure("`svc top` needs what it draws with: pip install 'svc-platform[server,top]'")
    # Here, since every command imports nothing of Textual, and most installations have no terminal.
    from svc.cli.top.app import TopApp  # noqa: PLC0415
    from svc.cli.top.link import ServiceLink  # noqa: PLC0415

    url, token = operator.listener(server)
    app = TopApp(url)
    link = ServiceLink(url, token, app.tell)
    app.link = link
    try:
        why = app.run()
    finally:
        link.stop()
    if why is not None:
        raise Failure(why)
