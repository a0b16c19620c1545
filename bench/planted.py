"""`python -m bench.planted [FAULT]`: a busy service in which one thing is wrong, for somebody to find it.

The real program serves two dozen organizations, whose forms, programs, webhooks and bridges are busy. In one
of them a turn never ends, a mailbox fills, or a push hangs. Which of these and where a seed draws; it is told
at the end. `docs/operator.md` has the walk from the operator's page, and from `svc top`.
"""

import argparse
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from bench import _owners as owners
from bench._client import Client
from bench._machine import free_ports, is_ready, program, running
from bench._planted_service import Plant, Wrong
from bench._world import DATABASE, workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.channels.connections import Account
from svc.domain.crypto.sealing import Sealer
from svc.domain.forms.forms import NewForm
from svc.domain.net.client_addresses import parse_networks
from svc.domain.webhooks.subscriptions import SubscriptionSettings
from svc.storage import provisioning
from svc.storage.channels import connections, conversations
from svc.storage.channels.connections import NewConnection
from svc.storage.forms import forms
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from svc.storage.webhooks import webhooks

FAULTS: Final = ("stuck_turn", "full_mailbox", "hanging_push")
ORGANIZATIONS: Final = 24
FORMS_OF_EACH: Final = 5
CALM_SECONDS: Final = 5.0
"""How long everything is well at first."""
PROGRAMS: Final = 6
PAUSE_SECONDS: Final = 0.4
"""After each thing that one of the programs does."""
CROWD: Final = 40
"""Clients of the actor whose mailbox fills, who each wait for their answer."""
JSON: Final = "content-type: application/json"


class Place(msgspec.Struct, frozen=True):
    """An organization, and what leads to its actors."""

    organization_id: str
    api_key: str
    forms: list[str]
    webhook_id: str
    connection_id: str
    conversation_id: str


def main(arguments: list[str] | None = None) -> None:
    """Serve until Ctrl-C, and then tell what was wrong."""
    asked = _parser().parse_args(arguments)
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(1_000_000)
    drawn = random.Random(seed)  # to be drawn again from its seed
    fault = asked.fault or drawn.choice(FAULTS)
    hanging = drawn.randrange(ORGANIZATIONS) if fault == "hanging_push" else None
    through = drawn.choice(("Outbox", "Webhook"))
    with workspace() as space, _receiver() as port:
        places = _make(space / "data", port, hanging, through)
        if hanging is None:
            plant = _drawn(fault, places, drawn)
        else:
            of = places[hanging]
            key = of.connection_id if through == "Outbox" else of.webhook_id
            plant = Plant("nothing", through, key)
        _serve(space / "data", plant, places)
    print(f"\n{_told(fault, plant, places)} Drawn with --seed {seed}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.planted", description="a busy service in which one thing is wrong"
    )
    parser.add_argument("fault", nargs="?", choices=FAULTS, help="what is wrong (default: it is drawn)")
    parser.add_argument("--seed", type=int, help="draw as before (default: another one each time)")
    return parser


def _drawn(fault: str, places: Sequence[Place], drawn: random.Random) -> Plant:
    """Where the *fault* is, and of which kind."""
    of = drawn.choice(places)
    keys = {
        "Organization": of.organization_id,
        "FormWindow": drawn.choice(of.forms),
        "Filer": of.organization_id,
        "Webhook": of.webhook_id,
        "Outbox": of.connection_id,
    }
    if fault == "full_mailbox":
        kind = drawn.choice(("Organization", "FormWindow"))
        return Plant("slow", kind, keys[kind], CALM_SECONDS)
    wrong: Wrong = drawn.choice(("cut_off", "not_cut_off"))
    kind = drawn.choice(tuple(keys))
    return Plant(wrong, kind, keys[kind], CALM_SECONDS)


def _told(fault: str, plant: Plant, places: Sequence[Place]) -> str:
    [of] = [
        place
        for place in places
        if plant.key in {place.organization_id, place.webhook_id, place.connection_id, *place.forms}
    ]
    why = {
        "cut_off": "each of its turns waits for ever, until it is cut off",
        "not_cut_off": "a turn waits for the disk for ever, so that it cannot be cut off",
        "slow": "its turns are slow, and its mailbox fills",
        "nothing": "its receiver takes each request and never answers",
    }[plant.wrong]
    return f"{fault}: {plant.kind}/{plant.key} of {of.organization_id}: {why}."


@contextmanager
def _receiver() -> Iterator[int]:
    """The server of all receivers: it answers at once, but below `/h/`, where it never does."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if self.path.startswith("/h/"):
                over.wait()
                self.close_connection = True
                return
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def _make(data: Path, port: int, hanging: int | None, through: str) -> list[Place]:
    """Make the data directory at *data*; of the organization *hanging*, one receiver never answers."""
    directory = DataDirectory(data)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))

    def fill(tx: Tx) -> list[Place]:
        return [
            _place(tx, number, port, through if number == hanging else None)
            for number in range(ORGANIZATIONS)
        ]

    async def filled() -> list[Place]:
        async with inline_store(
            WallClock(), directory.database, prepare=migrate_to_head, sealer=sealer
        ) as store:
            return await store.write(fill)

    assert directory.database.name == DATABASE
    return trio.run(filled)


def _place(tx: Tx, number: int, port: int, hangs: str | None) -> Place:
    organization = provisioning.create(
        tx, NewOrganization(name=f"Organization {number}", country="DE", plan="pro")
    )
    urls = {
        kind: f"http://127.0.0.1:{port}/{'h' if kind == hangs else 't'}/{number}"
        for kind in ("Outbox", "Webhook")
    }
    settings = SubscriptionSettings(url=urls["Webhook"], events=("record.created",))
    webhook, _ = webhooks.create(tx, organization.id, settings, allowed=parse_networks(["127.0.0.0/8"]))
    bridge = NewConnection(
        name="Bridge",
        account=Account("organization"),
        messenger="telegram",
        delivery="push",
        url=urls["Outbox"],
    )
    connection, _ = connections.create(tx, organization.id, bridge)
    return Place(
        organization.id,
        owners.mint(tx, owners.add(tx, organization.id), 1)[0],
        [
            forms.create(tx, organization, NewForm(name=f"Form {one}")).form_key
            for one in range(FORMS_OF_EACH)
        ],
        webhook.id,
        connection.id,
        conversations.get_or_create(tx, organization.id, connection.id, "chat-1").id,
    )


def _serve(data: Path, plant: Plant, places: Sequence[Place]) -> None:
    """Serve, and be busy, until Ctrl-C."""
    port, operator_port = free_ports(2)
    _, *options = program(data, port, operator_port)
    config = data.with_suffix(".toml")
    config.write_text(
        "[server]\nwaiting_per_address_max = 1000\n[tools]\ncalls_per_minute = 100000\n"
        '[outgoing]\nallowed_networks = ["127.0.0.0/8"]\n'
    )
    planted = [sys.executable, "-m", "bench._planted_service", msgspec.json.encode(plant).decode()]
    over = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        over.set()

    signal.signal(signal.SIGINT, stop)
    with running(
        [*planted, *options, f"--config={config}"],
        port,
        log=data.with_suffix(".log"),
        ready=lambda: is_ready(operator_port, data),
    ) as server:
        token = (data / "operator.token").read_text().strip()
        print(
            f"The page    http://127.0.0.1:{operator_port}/debug    token {token}\n"
            f"A terminal  SVC_OPERATOR__TOKEN={token} svc top --server http://127.0.0.1:{operator_port}\n"
            "Something is wrong from now on. Ctrl-C says what it was.",
            flush=True,
        )
        clients = [
            threading.Thread(target=_repeat, args=(port, act, over), daemon=True)
            for act in _acts(plant, places)
        ]
        for client in clients:
            client.start()
        over.wait()
        # Not asked to end: a turn that never does would keep it.
        server.kill()


Act = Callable[[Client], None]


def _acts(plant: Plant, places: Sequence[Place]) -> Iterator[Act]:
    """What all clients do, each again and again."""
    numbers = count()

    def be_busy(drawn: random.Random, client: Client) -> None:
        _be_busy(client, drawn.choice(places), next(numbers), drawn)

    for number in range(PROGRAMS):
        yield partial(be_busy, random.Random(number))  # only to be busy everywhere
    if plant.wrong == "slow":
        [key] = [place.api_key for place in places if plant.key in {place.organization_id, *place.forms}]

        def crowd(client: Client) -> None:
            if plant.kind == "FormWindow":
                _post_form(client, plant.key, next(numbers))
            else:
                _call(client, key, "record.list", {"objectType": "contact"})

        yield from [crowd] * CROWD


def _be_busy(client: Client, place: Place, number: int, drawn: random.Random) -> None:
    """One thing that people and programs do, in one organization."""
    match number % 4:
        case 0:
            _post_form(client, drawn.choice(place.forms), number)
        case 1:
            about = {"objectType": "contact", "properties": {"name": "Anna Petrova", "city": "Kiel"}}
            _call(client, place.api_key, "record.create", about)
        case 2:
            reply = {"conversationId": place.conversation_id, "text": f"Hello {number}"}
            _call(client, place.api_key, "message.reply", reply)
        case _:
            _call(client, place.api_key, "record.list", {"objectType": "contact"})


def _post_form(client: Client, form: str, number: int) -> None:
    email = f"{number}.{time.time_ns()}@mail.example"
    values = {"name": "Anna Petrova", "email": email, "message": "Hello, please call back."}
    client.post("/api/f/s", msgspec.json.encode({"f": form, "v": values}))


def _call(client: Client, key: str, tool: str, body: dict[str, Any]) -> None:
    client.post(f"/api/v1/tools/{tool}", msgspec.json.encode(body), f"authorization: Bearer {key}")


def _repeat(port: int, act: Act, over: threading.Event) -> None:
    """Do it until it is over; a connection on which nothing comes for a minute is opened anew."""
    while not over.is_set():
        with suppress(OSError, ConnectionError), Client(port, JSON) as client:
            while not over.wait(PAUSE_SECONDS):
                act(client)


if __name__ == "__main__":
    main()
