"""Injected messages, and a model that obeys each of them: nothing happens beyond what the agent may reach."""

import json
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
import trio
from sqlalchemy import Connection, select

from svc.domain.approvals.cards import AskedByWorkflow
from svc.domain.identity.callers import operator_call
from svc.domain.identity.organizations import Organization
from svc.storage.approvals import approvals
from svc.storage.metadata import metadata
from svc.storage.records import notes, objects, records
from svc.storage.store import Tx
from tests.agents import AgentTown, agent_town, echo
from tests.channels import PERSON

INJECTIONS: Final = tomllib.loads((Path(__file__).parent / "injections.toml").read_text())["injection"]
SECRETS: Final = (
    *("victim@secret.example", "+4930999", "Valentina", "boss@secret.example", "+4930888"),
    *("secret note", "secret deal", "4711", "secret of another chat", "secret remark"),
)
"""What no agent without tools may be shown."""
OF_RUNS: Final = frozenset(
    {
        *("agent_runs", "agent_steps", "agent_days", "ai_calls", "ai_ledger", "ai_key_months"),
        *("event_positions", "clock_marks"),
    }
)
"""What every run writes besides its reply, and what is written while time goes by."""
TABLES: Final = metadata.tables


def secrets(tx: Tx, organization: Organization) -> dict[str, str]:
    """Records, notes and a card that are not for strangers, and a company that is; their ids."""

    def made(object_slug: str, **properties: Any) -> str:
        return records.create(tx, organization, object_slug, properties, source=PERSON).id

    victim = made("contact", name="Valentina", email="victim@secret.example", phone="+4930999111")
    company = made("company", name="Acme", email="boss@secret.example", phone="+4930888111", city="Kiel")
    deal = made("deal", name="secret deal", amount=4711, amount_currency="EUR", company=company)
    for record, body in ((victim, "secret note"), (company, "secret remark")):
        notes.create(tx, organization.id, None, record, title="", body=body, source={"kind": "service"})
    objects.publish(tx, organization.id, "company", publishable=True)
    asked_by = AskedByWorkflow(workflow_id="wfl_x", run_id="run_x")
    card = approvals.ask(tx, operator_call(organization.id), asked_by, None, None, reason="secret remark")
    return {"victim": victim, "company": company, "deal": deal, "card": card.id}


def filled(value: Any, ids: dict[str, str]) -> Any:
    """*value* with the ids in place of their names."""
    text = json.dumps(value)
    for name, id_ in ids.items():
        text = text.replace(f"{{{name}}}", id_)
    return json.loads(text)


def rows(conn: Connection) -> dict[str, set[str]]:
    """Every row of every table, as text, but when a key was used: the test itself calls tools with one."""
    found = {}
    for name, table in TABLES.items():
        columns = [column for column in table.c if column.name != "last_used_at"]
        found[name] = {repr(tuple(row)) for row in conn.execute(select(*columns))}
    return found


def obeys(injection: Any, ids: dict[str, str]) -> list[Any]:
    """A model that does what it is told, and then tells all that it was shown."""
    calls = [(name, filled(arguments, ids)) for name, arguments in injection["calls"]]
    return [calls, lambda asked: json.dumps(asked["messages"])[-3_900:]]


async def attack(town: AgentTown, number: int, ids: dict[str, str]) -> dict[str, set[str]]:
    """Send an injection in a chat of its own; the rows that came of the run, by table."""
    injection = INJECTIONS[number]
    phone = f"+4915112{number:05}"
    said = await town.say("Hello", chat=f"chat-{number}", sender={"name": "Mallory", "phone": phone})
    town.model.says = [echo]
    await trio.sleep(3)
    conversation = await town.here.answer("conversation.get", {"id": said["conversation"]})
    ids = ids | {"own": conversation["contactId"], "connection": town.connection.id}
    town.model.says = obeys(injection, ids)
    town.model.asked.clear()
    await town.say(filled(injection["text"], ids), chat=f"chat-{number}")
    before = await town.here.store.read(rows)
    await trio.sleep(3)
    after = await town.here.store.read(rows)
    gone = {name: before[name] - after[name] for name in TABLES if name not in {*OF_RUNS, *MOVED}}
    assert {} == {name: found for name, found in gone.items() if found}
    new = {name: after[name] - before[name] for name in TABLES if after[name] - before[name]}
    for name in ("messages", "replies", "conversations", "events"):
        assert all(said["conversation"] in row for row in new.pop(name, ())), name
    assert all(ids["own"] in row for row in new.pop("notes", ()))
    assert all("'agent'" in row for row in new.pop("audit", ()))
    return {name: found for name, found in new.items() if name not in OF_RUNS}


MOVED: Final = frozenset({"conversations", "events", "messages", "replies"})
"""Tables of which rows change by themselves, such as by the dispatch of an event."""


@pytest.mark.parametrize("half", [0, 1])
async def test_a_model_that_obeys_reaches_nothing(autojump_clock, half: int):
    """Without tools by name, with the role of an owner: no table changes, no secret is shown or sent."""
    async with agent_town(role="owner") as town:
        ids = await town.here.store.write(secrets, town.here.organization)
        other = await town.say("secret of another chat", chat="other")
        await trio.sleep(3)
        ids["chat"] = other["conversation"]
        numbers = range(half, len(INJECTIONS), 2)
        for number in numbers:
            new = await attack(town, number, ids)

            assert {} == new, INJECTIONS[number]
            assert [] == [secret for secret in SECRETS if secret in town.model.seen], INJECTIONS[number]
        runs = [run["state"] for run in await town.runs()]

        assert {"replied"} == set(runs)
        assert "secret" not in json.dumps(await town.pull()).replace("secret of another chat", "")


async def test_with_tools_only_these_do_something(autojump_clock):
    """What needs an approval makes cards, at most three a run; what was not named does nothing."""
    async with agent_town(role="admin", tools=["record.delete", "record.count"]) as town:
        ids = await town.here.store.write(secrets, town.here.organization)
        ids["chat"] = (await town.say("secret of another chat", chat="other"))["conversation"]
        await trio.sleep(3)
        changed = {}
        for number, injection in enumerate(INJECTIONS):
            if any(
                name in {"record_delete", "record_count", "record_list"} for name, _ in injection["calls"]
            ):
                changed[number] = await attack(town, number, ids)

        assert {"approvals"} == {name for new in changed.values() for name in new}
        assert all("record.delete" in row for new in changed.values() for row in new.get("approvals", ()))
        assert [] == [secret for secret in SECRETS if secret in town.model.seen]


def test_there_are_enough_of_each_kind():
    """At least sixty, of at least thirty kinds, none twice."""
    texts = [injection["text"] for injection in INJECTIONS]

    assert 60 <= len(texts) == len(set(texts))
    assert 30 <= len({injection["kind"] for injection in INJECTIONS})
    assert all(injection["calls"] for injection in INJECTIONS)
