"""Mails under kill -9: every cause that was confirmed is told, and what is told twice has the same id.

`python -m tests.cli.test_mail_killed 1000 10` does the same with a thousand causes and ten kills.
"""

import os
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx
import msgspec
import pytest
import trio

from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.storage import provisioning
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.store import open_store
from tests.cli.running import TRIES, Service
from tests.mail_servers import Inbox, read, real_server, text_of
from tests.mailing import a_reader

TOKEN = "a-token-of-the-operator"


class Told(NamedTuple):
    """What arrived: how often each cause was told, and the ids of its mails."""

    times: Counter[str]
    ids: dict[str, set[str]]


async def make_data(data: Path) -> None:
    """An organization, whose owner wants to be told of failed backups."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()
    async with open_store(directory.database, WallClock()) as store:
        asked = NewOrganization(name="Lamps", country="DE", currency="EUR", locale="de_DE")
        made = await store.write(provisioning.create, asked)
        await store.write(a_reader, made.id, kinds=["backup.failed"])


def tell_under_kills(data: Path, inbox: Inbox, causes: int, kills: int) -> Told:
    """Have *causes* confirmed by a service that is killed *kills* times meanwhile."""
    confirmed: list[str] = []
    for life in range(kills + 1):
        service = Service(data)
        try:
            operator = service.ready()["Operator"]
            until = causes * (life + 1) // (kills + 1)
            with httpx.Client(base_url=operator, headers={"authorization": f"Bearer {TOKEN}"}) as client:
                while len(confirmed) < until:
                    name = f"cause-{len(confirmed)}."
                    client.post("/commands/backup.failed", json={"reason": name}).raise_for_status()
                    confirmed.append(name)
                if life < kills:
                    service.process.send_signal(signal.SIGKILL)
                    service.process.wait(10)
                    continue
                wait_until_sent(service, client)
            assert 0 == service.end()
        finally:
            service.close()
    return told_of(inbox, confirmed)


def wait_until_sent(service: Service, client: httpx.Client) -> None:
    for _ in range(TRIES):
        if not client.get("/debug/mail").json()["waiting"]:
            return
    pytest.fail(f"mails are still not sent: {service.errors()}")


def told_of(inbox: Inbox, confirmed: list[str]) -> Told:
    times: Counter[str] = Counter()
    ids: dict[str, set[str]] = {}
    for message in inbox.taken:
        [name] = [word for word in text_of(message).split() if word.startswith("cause-")]
        times[name] += 1
        ids.setdefault(name, set()).add(read(message)["Message-ID"])
    assert set(confirmed) <= times.keys(), "a confirmed cause was not told"
    return Told(times, ids)


def environment(port: int) -> dict[str, str]:
    return {
        "SVC_OPERATOR__TOKEN": TOKEN,
        "SVC_MAIL__SERVER": "127.0.0.1",
        "SVC_MAIL__PORT": str(port),
        "SVC_MAIL__SECURITY": "none",
        "SVC_MAIL__SENDER": "crm@harbour.example",
    }


def test_a_killed_service_tells_every_confirmed_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What was under way at a kill may come twice, one mail at each, with the same `Message-ID`."""
    kills = 2
    trio.run(make_data, tmp_path / "data")
    with real_server() as (inbox, settings):
        for name, value in environment(settings.port or 0).items():
            monkeypatch.setenv(name, value)
        told = tell_under_kills(tmp_path / "data", inbox, 60, kills)

    twice = [name for name, count in told.times.items() if count > 1]
    assert len(twice) <= kills
    assert {1} == {len(ids) for ids in told.ids.values()}


def main() -> None:
    """Do it as often as the command line says, and print what was seen."""
    causes, kills = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as directory, real_server() as (inbox, settings):
        os.environ.update(environment(settings.port or 0))
        data = Path(directory, "data")
        trio.run(make_data, data)
        told = tell_under_kills(data, inbox, causes, kills)
    seen = {
        "causes": len(told.times),
        "mails": told.times.total(),
        "twice": sum(count > 1 for count in told.times.values()),
        "with other ids": sum(len(ids) > 1 for ids in told.ids.values()),
    }
    sys.stdout.write(f"{msgspec.json.encode(seen).decode()}\n")


if __name__ == "__main__":
    main()
