"""What is answered while PostgreSQL is stopped (SIGSTOP): fresh embeds, and forms over their rate."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx
import trio

from bench._machine import free_port, program, running
from bench._postgres_world import copy_of_world, move_world
from bench._report import Target, print_table
from bench._world import workspace
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.embeds.blocks import TextBlock
from svc.domain.forms.forms import SUBMIT_PATH, NewForm
from svc.domain.forms.limits import SENDER_SUBMISSIONS_MAX
from svc.http.embeds.door import PATH as EMBEDS_PATH
from svc.storage import provisioning
from svc.storage.embeds import embeds
from svc.storage.forms import forms
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx
from tests.postgresql_server import Server

REQUESTS: Final = 200
"""Of each kind, one after the other."""
MS_MAX: Final = 50
UNANSWERED_SECONDS: Final = 1

Ask = Callable[[], httpx.Response]


def run(server: Server) -> dict[str, list[float]]:
    """The milliseconds of each answer, by what was asked for."""
    with workspace() as space:
        data = space / "stopped"
        form_key, embed_key = _make(data)
        move_world(server, data)
        url, port = copy_of_world(server), free_port()
        command = [*program(data, port, free_port()), f"--database={url}"]
        with (
            running(command, port, log=data.with_suffix(".log")),
            httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
        ):

            def embed() -> httpx.Response:
                return client.get(EMBEDS_PATH + embed_key)

            def form() -> httpx.Response:
                return client.post(SUBMIT_PATH, json={"f": form_key, "v": {"email": "ada@example.com"}})

            for _ in range(SENDER_SUBMISSIONS_MAX):
                form()
            _expect(form(), HTTPStatus.TOO_MANY_REQUESTS)
            _expect(embed(), HTTPStatus.OK)
            with stopped(server):
                _check_stopped(url)
                return {
                    "an embed, fresh": _times(embed, HTTPStatus.OK),
                    "a form, refused by its rate": _times(form, HTTPStatus.TOO_MANY_REQUESTS),
                }


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    """All processes of the server get SIGSTOP, and SIGCONT at the end."""
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    pids = [postmaster, *_children(postmaster)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def _children(of: int) -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == of:
            yield int(stat.parent.name)


def _check_stopped(url: str) -> None:
    """End the bench if the server answers."""

    async def ask() -> bool:
        with trio.move_on_after(UNANSWERED_SECONDS):
            process = await trio.run_process(
                ["psql", url, "-c", "SELECT 1"], check=False, capture_stdout=True, capture_stderr=True
            )
            return process.returncode == 0
        return False

    if trio.run(ask):
        raise SystemExit("PostgreSQL answers, and should be stopped")


def _times(ask: Ask, status: HTTPStatus) -> list[float]:
    found = []
    for _ in range(REQUESTS):
        began = time.perf_counter()
        _expect(ask(), status)
        found.append((time.perf_counter() - began) * 1e3)
    return sorted(found)


def _expect(answer: httpx.Response, status: HTTPStatus) -> None:
    if answer.status_code != status:
        raise SystemExit(f"{answer.request.url}: {answer.status_code}, not {status}: {answer.text}")


def _make(data: Path) -> tuple[str, str]:
    """Make a data directory; the keys of a form and of an embed."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()

    def fill(tx: Tx) -> tuple[str, str]:
        organization = provisioning.create(tx, NewOrganization(name="Lamps", country="DE", plan="pro"))
        form = forms.create(tx, organization, NewForm(name="Ask"))
        blocks = (TextBlock(body="Lamps of glass"),)
        embed = embeds.create(tx, organization.id, name="Lamps", blocks=blocks)
        return form.form_key, embed.embed_key

    async def make() -> tuple[str, str]:
        async with inline_store(WallClock(), directory.database, prepare=migrate_to_head) as store:
            return await store.write(fill)

    return trio.run(make)


def show(found: dict[str, list[float]]) -> list[Target]:
    """Print the table; what must hold."""
    print_table(
        f"Answers while PostgreSQL is stopped, {REQUESTS} of each",
        ["", "p50 ms", "max ms"],
        [[name, times[len(times) // 2], times[-1]] for name, times in found.items()],
    )
    return [
        Target(
            name=f"while PostgreSQL is stopped, {name}: longest", figure=times[-1], bound=MS_MAX, unit="ms"
        )
        for name, times in found.items()
    ]
