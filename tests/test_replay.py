"""A run is replayed from its seed: ids, keys, tokens and times come from the store and the system alone."""

import os
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import httpx
import trio
from sqlalchemy import Connection

from svc.domain.randomness import Randomness
from svc.storage.sqlite.engine import raw
from tests.replay import run_seeded
from tests.tooling import PASSWORD, ToolTown, tool_town

SEED = 20_260_918
PEOPLE = 4
"""That submit a form and write a message, all at once."""


class Outcome(NamedTuple):
    """What a run has answered and stored."""

    answers: list[str]
    """Status, headers and body of each answer, in the order in which they were given."""
    rows: list[str]
    """Every row of the database, as the statement that inserts it."""

    @property
    def digest(self) -> str:
        return sha256("\n".join(self.answers + self.rows).encode()).hexdigest()


async def scenario(randomness: Randomness) -> Outcome:
    """A day of a shop: a sign-in, keys of all kinds, submissions and their filing, messages and replies."""
    answers: list[str] = []

    async def note(response: httpx.Response) -> None:
        await response.aread()
        answers.append(f"{response.status_code} {sorted(response.headers.multi_items())} {response.text}")

    async with tool_town(randomness) as here:
        here.client.event_hooks["response"].append(note)
        csrf = await here.sign_in()
        for tool, body in (
            ("apikey.mint", {"name": "Importer"}),
            ("serverkey.mint", {"name": "Shop server"}),
            ("member.invite", {"email": "grace@example.com", "role": "viewer"}),
            ("connection.create", _connection("push", url="https://bridge.example/hook")),
        ):
            await here.answer_to_person(tool, body, csrf=csrf)
        form = await here.answer("form.create", {"name": "Contact", "dealTitle": "For {{name}}"})
        connection = await here.answer_to_person("connection.create", _connection("pull"), csrf=csrf)
        bridge = {"authorization": f"Bearer {connection['channelKey']}"}

        async with trio.open_nursery() as nursery:
            for number in range(PEOPLE):
                nursery.start_soon(_submit, here, form["formKey"], number)
                nursery.start_soon(_write, here, bridge, number)
        await trio.sleep(10)

        replies = await _ask(here, "channel.outbox.pull", {}, bridge)
        assert PEOPLE == len(replies["replies"])
        for reply in replies["replies"]:
            report = {"replyId": reply["replyId"], "status": "sent"}
            await _ask(here, "channel.message.status", report, bridge)
        assert {"filed": PEOPLE} == await here.states()
        await here.answer("record.list", {"objectType": "contact"})
        nobody = {"email": "ada@example.com", "password": PASSWORD}
        refused = await here.client.post("/app/api/sign-in", json=nobody)
        assert 401 == refused.status_code
        return Outcome(answers, await here.store.read(_rows))


def _connection(delivery: str, **more: str) -> dict[str, str]:
    return {"name": "Shop", "messenger": "telegram", "delivery": delivery, **more}


async def _submit(here: ToolTown, form_key: str, number: int) -> None:
    values = {"name": f"Person {number}", "email": f"p{number}@example.com", "message": "Hello"}
    answer = await here.client.post("/api/f/s", json={"f": form_key, "v": values})
    assert 200 == answer.status_code, answer.text


async def _write(here: ToolTown, bridge: Mapping[str, str], number: int) -> None:
    """A customer's message, and a reply to it."""
    message = {
        "conversationId": f"chat-{number}",
        "messageId": "m-1",
        "direction": "in",
        "text": "Do you repair lamps?",
        "sender": {"name": f"Person {number}", "email": f"p{number}@example.com"},
    }
    received = await _ask(here, "channel.message.receive", message, bridge)
    await here.answer("message.reply", {"conversationId": received["conversation"], "text": "We do."})


async def _ask(here: ToolTown, door: str, body: Mapping[str, Any], bridge: Mapping[str, str]) -> Any:
    answer = await here.client.post(f"/api/channels/v1/{door}", json=body, headers=bridge)
    assert 200 == answer.status_code, answer.text
    return answer.json()


def _rows(conn: Connection) -> list[str]:
    return [statement for statement in raw(conn).iterdump() if statement.startswith("INSERT INTO")]


def test_a_seed_makes_the_same_answers_and_the_same_database() -> None:
    """Byte for byte: request ids, cookies, keys shown once, and every row, with tasks running at once."""
    first, again = run_seeded(SEED, scenario), run_seeded(SEED, scenario)

    assert first.answers == again.answers
    assert first.rows == again.rows


def test_another_seed_makes_others() -> None:
    """What the seed decides is not fixed by anything else."""
    first, other = run_seeded(SEED, scenario), run_seeded(SEED + 1, scenario)

    assert first.answers[0] != other.answers[0]
    assert first.rows != other.rows


def test_another_process_replays_it() -> None:
    """Also with another order of sets, which Python seeds for each process."""
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    told = subprocess.run(
        [sys.executable, "-m", "tests.test_replay", str(SEED)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert run_seeded(SEED, scenario).digest == told.stdout.strip()


if __name__ == "__main__":
    sys.stdout.write(run_seeded(int(sys.argv[1]), scenario).digest)
