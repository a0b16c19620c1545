"""A burst of chats in several organizations: whose is answered when."""

import json
from collections.abc import Mapping
from typing import Any, cast

import msgspec
import trio

from svc.actors.fair_places import FairPlaces
from svc.domain.ai.money import MICRO
from svc.domain.identity.callers import Installation
from svc.storage import provisioning
from svc.storage.agent import due, tables
from svc.storage.ai import ledger
from svc.storage.identity.organizations import NewOrganization
from svc.storage.store import Owner, Store, Tx
from svc.tools.agent.agents import SetAgent
from svc.tools.agent.agents import set_ as set_agent
from svc.tools.catalogue import REGISTRY
from tests.agents import BEGINS, CATALOGUE, MODEL, Model
from tests.channels import a_connection, a_message
from tests.owners import Recorder
from tests.people import a_member, call_of
from tests.town import town

AT_ONCE = 4
"""Runs of all agents, in these tests."""
THINKS_SECONDS = 3


class BusyModel(Model):
    """A model that thinks for a while. It notes whose chats it is shown, in order, and how many at once."""

    def __init__(self) -> None:
        super().__init__()
        self.thinks = self._think
        self.at_once = self.at_once_max = 0

    async def _think(self) -> None:
        self.at_once += 1
        self.at_once_max = max(self.at_once, self.at_once_max)
        await trio.sleep(THINKS_SECONDS)
        self.at_once -= 1

    @property
    def order(self) -> str:
        return "".join(json.dumps(asked).partition("chat of ")[2][0] for asked in self.asked)


def burst(tx: Tx, /, chats: Mapping[str, int]) -> None:
    """So many chats with a message each, in the organizations of these names."""
    for name, count in chats.items():
        organization = provisioning.create(tx, NewOrganization(name=name))
        owner = a_member(tx, organization.id, f"{name}@example.com")
        ledger.grant(tx, organization.id, 100 * MICRO, "for tests")
        connection = a_connection(tx, organization.id)
        call = msgspec.structs.replace(
            call_of(owner, organization.id), installation=Installation(registry=REGISTRY, models=CATALOGUE)
        )
        set_agent(
            tx, call, SetAgent(connection_id=connection.id, enabled=True, model=MODEL, role="admin", tools=())
        )
        for number in range(count):
            chat, text = f"chat-{number}", f"chat of {name}"
            message: Any = a_message(tx, connection, conversation_id=chat, message_id=chat, text=text)
            due.note_message(tx, connection.id, message.conversation)


async def test_a_chat_is_answered_before_the_rest_of_anothers_burst(autojump_clock):
    """Each organization that waits gets its turn, and all of them together have so many runs at once."""
    model = BusyModel()
    async with town() as here:
        here.models, here.upstreams = CATALOGUE, model
        async with here.live_system() as system:
            system.agent.runs = FairPlaces(AT_ONCE, FairPlaces(1_000), of_each_max=32)
            await here.store.write(burst, {"a": 20, "b": 20, "c": 1, "d": 1})
            await trio.sleep(BEGINS + 60)

        assert AT_ONCE == model.at_once_max
        assert {"replied"} == {run.state for run in await here.rows(tables.agent_runs)}
        assert {"a": 20, "b": 20, "c": 1, "d": 1} == {one: model.order.count(one) for one in "abcd"}
        assert 8 > max(model.order.index(one) for one in "cd")
        assert abs(model.order[:20].count("a") - model.order[:20].count("b")) <= 2


async def test_a_chat_waits_behind_its_own_organizations_alone(autojump_clock):
    """Whose it is stands in the key of its actor: from the first unit on, all are its organization's."""
    async with town() as here:
        here.models, here.upstreams = CATALOGUE, Model()
        recorder = Recorder(here.store)
        here.store = cast("Store", recorder)
        async with here.live_system():
            await here.store.write(burst, {"a": 3})
            await trio.sleep(BEGINS + 1)
            runs = await here.rows(tables.agent_runs)

    owners = {owner for owner, what in recorder.ran if "agent" in what}
    assert ["replied"] * 3 == [run.state for run in runs]
    assert {Owner.SYSTEM, runs[0].organization_id} == owners
