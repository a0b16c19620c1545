"""`ai.*` over HTTP: models, own providers, usage and the statement; who may, and what each refuses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from svc.domain.ai.exits import Ended, Exit
from svc.domain.ai.limits import AI_PROVIDERS_MAX
from svc.domain.ai.models import Bound, ModelCatalogue, Payer, ServiceModel, ServiceProvider
from svc.domain.ai.money import Prices
from svc.domain.ai.usage import Usage
from svc.domain.locale.times import DAY_MS, SECOND_MS, rfc3339
from svc.storage.ai import calls, ledger, lost_calls, providers
from svc.storage.ai.calls import NewCall, Settlement
from svc.storage.ai.tables import providers as provider_rows
from tests.tooling import ToolTown, tool_town
from tests.town import START

KEY = "sk-example-5Yt2x7Qa"
PRICES = Prices(150_000, 75_000, 600_000)
CATALOGUE = ModelCatalogue(
    [
        ServiceModel(
            id="small",
            providers=("p",),
            upstream="small-1",
            prices=PRICES,
            context_tokens=1_000,
            output_tokens_max=100,
        )
    ],
    [ServiceProvider(name="p", base_url="https://p.example/v1", key="k")],
)
OWN = {
    "name": " Our own ",
    "baseUrl": "https://llm.example.com/v1/",
    "key": KEY,
    "models": [{"id": "small", "input": "1", "output": "2.5"}, {"id": "mine", "upstream": "mine-2"}],
}


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[ToolTown, str]]:
    """A town whose service has one model, and the CSRF token of its signed-in owner."""
    async with tool_town() as here:
        here.system.ai.models = CATALOGUE
        yield here, await here.sign_in()


async def note(
    here: ToolTown,
    *,
    at: int = START,
    key_id: str = "key_1",
    model: str = "small",
    payer: Payer = "organization",
    ended: Ended = "answered",
    usage: Usage | None = Usage(1_000, 400, 500),  # noqa: B008  # frozen
) -> None:
    new = NewCall(
        organization_id=here.organization.id,
        key_id=key_id,
        model=model,
        streamed=False,
        process="prc_1",
        started_at=at,
    )
    exit_ = Exit(ended=ended, usage=usage, estimate=Usage(10, 0, 10))
    ended_call = Settlement(new=new, call_id=None, exit=exit_, payer=payer, provider="p", prices=PRICES)
    await here.store.write(calls.settle, ended_call)


async def test_models_are_listed_with_who_pays(autojump_clock):
    """An own provider comes before the service's, with its own price; a restricted model says so."""
    async with opened() as (here, csrf):
        before = await here.answer("ai.model_list")
        await here.answer_to_person("ai.provider_set", OWN, csrf=csrf)
        restricted = await here.answer_to_person("ai.model_restrict", {"models": ["mine", "none"]}, csrf=csrf)
        listed = await here.answer("ai.model_list")
        lifted = await here.answer_to_person("ai.model_restrict", {"models": None}, csrf=csrf)

        small = {"id": "small", "restricted": False}
        listing = {"paidBy": "credits", "input": "0.15", "cachedInput": "0.075", "output": "0.6"}
        mine = {"id": "mine", "paidBy": "organization", "input": "0", "cachedInput": "0", "output": "0"}
        own = {"paidBy": "organization", "input": "1", "cachedInput": "1", "output": "2.5"}
        assert {"models": [small | listing]} == before
        assert {"models": [mine | {"restricted": False}, small | own | {"restricted": True}]} == listed
        assert listed == restricted
        assert [False, False] == [model["restricted"] for model in lifted["models"]]


async def test_the_key_of_a_provider_is_sealed(autojump_clock):
    """It is shown nowhere but for its end, and opens for its own row alone."""
    async with opened() as (here, csrf):
        made = await here.answer_to_person("ai.provider_set", OWN, csrf=csrf)
        listed = await here.answer("ai.provider_list")
        [row] = await here.rows(provider_rows)
        removed = await here.answer_to_person("ai.provider_remove", {"id": made["id"]}, csrf=csrf)
        again = await here.call_as_person("ai.provider_remove", {"id": made["id"]}, csrf=csrf)

        assert {
            "id": made["id"],
            "name": "Our own",
            "baseUrl": "https://llm.example.com/v1",
            "keyVisibleEnd": "x7Qa",
            "models": [
                {"id": "small", "upstream": "small", "input": "1", "cachedInput": "1", "output": "2.5"},
                {"id": "mine", "upstream": "mine-2", "input": None, "cachedInput": None, "output": None},
            ],
        } == made
        assert {"providers": [made]} == listed
        assert KEY not in str(listed) + str(row)
        assert KEY == here.system.sealer.open(row.sealed_key, made["id"])
        assert {"id": made["id"]} == removed
        assert 404 == again.status_code
        assert [] == await here.rows(provider_rows)


async def test_a_provider_is_replaced_by_name(autojump_clock):
    """Its key stays unless the address leads elsewhere; the last set comes first."""
    async with opened() as (here, csrf):
        first = await here.answer_to_person("ai.provider_set", OWN, csrf=csrf)
        await trio.sleep(1)
        other = await here.answer_to_person("ai.provider_set", OWN | {"name": "Other"}, csrf=csrf)
        await trio.sleep(1)
        moved = {key: value for key, value in OWN.items() if key != "key"}
        same_host = moved | {"baseUrl": "https://llm.example.com:443/v2", "models": [{"id": "x"}]}
        kept = await here.answer_to_person("ai.provider_set", same_host, csrf=csrf)
        refused = [
            await here.call_as_person("ai.provider_set", moved | {"baseUrl": url}, csrf=csrf)
            for url in ("http://llm.example.com/v1", "https://llm.example.com:444/v1", "https://evil.example")
        ]
        listed = (await here.answer("ai.provider_list"))["providers"]

        assert [first["id"], other["id"]] == [one["id"] for one in listed]
        assert ("x7Qa", "https://llm.example.com:443/v2") == (kept["keyVisibleEnd"], kept["baseUrl"])
        assert [["/key"]] * 3 == [[fault["pointer"] for fault in one.json()["errors"]] for one in refused]
        assert kept == listed[0]


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"key": None}, ["/key"]),
        ({"key": ""}, ["/key"]),
        ({"key": "with space"}, ["/key"]),
        ({"key": "ключ"}, ["/key"]),
        ({"key": "k" * 1_001}, ["/key"]),
        ({"name": " "}, ["/name"]),
        ({"baseUrl": "llm.example.com"}, ["/baseUrl"]),
        ({"baseUrl": "ftp://llm.example.com"}, ["/baseUrl"]),
        ({"baseUrl": "https://127.0.0.1/v1"}, ["/baseUrl"]),
        ({"baseUrl": "https://169.254.169.254/latest"}, ["/baseUrl"]),
        ({"baseUrl": "https://user@llm.example.com"}, ["/baseUrl"]),
        ({"baseUrl": "https://llm.example.com/v1?x=1"}, ["/baseUrl"]),
        ({"models": []}, ["/models"]),
        ({"models": [{"id": "a"}, {"id": "a"}]}, ["/models/1/id"]),
        ({"models": [{"id": "a", "input": "1"}]}, ["/models/0/output"]),
        ({"models": [{"id": "a", "output": "1"}]}, ["/models/0/input"]),
        ({"models": [{"id": "a", "cachedInput": "1"}]}, ["/models/0/input"]),
        ({"models": [{"id": "a", "input": 0.15, "output": "1"}]}, ["/models/0/input"]),
        ({"models": [{"id": "a", "input": "0.0000001", "output": "1"}]}, ["/models/0/input"]),
        ({"models": [{"id": "a", "input": "10001", "output": "1"}]}, ["/models/0/input"]),
        ({"models": [{"id": "", "input": "1", "output": "1"}]}, ["/models/0/id"]),
    ],
)
async def test_a_provider_that_makes_no_sense_is_refused(
    changes: dict[str, Any], pointers: list[str], autojump_clock
):
    """With a pointer to each thing that is wrong; nothing is stored."""
    async with opened() as (here, csrf):
        refused = await here.call_as_person("ai.provider_set", OWN | changes, csrf=csrf)

        assert (422, pointers) == (
            refused.status_code,
            [fault["pointer"] for fault in refused.json()["errors"]],
        )
        assert [] == await here.rows(provider_rows)


async def test_there_is_a_limit_of_providers(autojump_clock):
    """A conflict says so; one that is there can still be replaced."""
    async with opened() as (here, csrf):
        for number in range(AI_PROVIDERS_MAX):
            await here.answer_to_person("ai.provider_set", OWN | {"name": f"P{number}"}, csrf=csrf)
        one_more = await here.call_as_person("ai.provider_set", OWN, csrf=csrf)
        replaced = await here.call_as_person("ai.provider_set", OWN | {"name": "P0"}, csrf=csrf)

        assert [(409, "conflict"), 200] == [
            (one_more.status_code, one_more.json()["code"]),
            replaced.status_code,
        ]


async def test_usage_is_summed_up(autojump_clock):
    """By what is asked for, with what was free of charge, estimated and lost."""
    async with opened() as (here, _):
        await here.store.write(ledger.grant, here.organization.id, 7)
        await note(here)
        await note(here, at=START - DAY_MS, key_id="key_2", usage=None)
        await note(here, at=START - DAY_MS, model="large", ended="unanswered")
        await note(here, at=START - 40 * DAY_MS)
        await trio.sleep(1)
        by_day = await here.answer("ai.usage", {"by": ["day"]})
        by_all = await here.answer("ai.usage", {"by": ["payer", "key", "model", "day"], "model": "small"})
        total = await here.answer("ai.usage", {"from": rfc3339(START - 50 * DAY_MS), "keyId": "key_1"})
        until = await here.answer("ai.usage", {"to": rfc3339(START)})

        cost = -(-(600 * 150_000 + 400 * 75_000 + 500 * 600_000) // 1_000_000)
        estimated = -(-(10 * 150_000 + 10 * 600_000) // 1_000_000)
        first = {
            "calls": 1,
            "failedCalls": 0,
            "estimatedCalls": 0,
            "lostCalls": 0,
            "promptTokens": 1_000,
            "cachedTokens": 400,
            "completionTokens": 500,
            "costMicroCredits": cost,
            "chargedMicroCredits": 0,
        }
        day, before = (rfc3339(at)[:10] for at in (START, START - DAY_MS))
        assert [(before, 2, 1, 1), (day, 1, 0, 0)] == [
            (row["day"], row["calls"], row["failedCalls"], row["estimatedCalls"]) for row in by_day["rows"]
        ]
        assert by_day["total"]["costMicroCredits"] == cost + estimated
        assert {"day": day, "model": "small", "keyId": "key_1", "payer": "organization"} | first == by_all[
            "rows"
        ][-1]
        assert 2 == len(by_all["rows"])
        assert ([], 3, 7) == (total["rows"], total["total"]["calls"], total["balanceMicroCredits"])
        assert 2 == until["total"]["calls"]


async def test_a_call_under_way_is_in_no_report(autojump_clock):
    """Lost ones are, once the next start has settled them."""
    async with opened() as (here, _):
        await here.store.write(ledger.grant, here.organization.id, 1_000)
        new = NewCall(
            organization_id=here.organization.id,
            key_id="agent",
            model="small",
            streamed=True,
            process="prc_1",
            started_at=here.clock.now(),
        )
        choice = (await here.store.read(providers.load, here.organization.id)).choose(CATALOGUE, "small")
        assert choice is not None
        bound = Bound(100, 1, 10, PRICES)
        await here.store.write(calls.reserve, new, bound, bound)
        await trio.sleep(1)
        before = (await here.answer("ai.usage"))["total"]
        await here.store.write(lost_calls.settle_lost, here.organization.id, "prc_2")
        after = (await here.answer("ai.usage"))["total"]

        assert 0 == before["calls"]
        assert (1, 1, 1, 0) == tuple(
            after[name] for name in ("calls", "failedCalls", "lostCalls", "chargedMicroCredits")
        )


async def test_the_statement_is_the_ledger(autojump_clock):
    """The newest first, by pages."""
    async with opened() as (here, _):
        for amount in (1, 2, 3):
            await here.store.write(ledger.grant, here.organization.id, amount, f"No. {amount}")
            await trio.sleep(1)
        first = await here.answer("ai.statement", {"limit": 2})
        second = await here.answer("ai.statement", {"limit": 2, "cursor": first["nextCursor"]})

        assert {
            "id": first["entries"][0]["id"],
            "at": rfc3339(START + 2 * SECOND_MS),
            "kind": "grant",
            "amountMicroCredits": 3,
            "balanceAfterMicroCredits": 6,
            "callId": None,
            "note": "No. 3",
        } == first["entries"][0]
        assert [3, 2, 1] == [one["amountMicroCredits"] for one in first["entries"] + second["entries"]]
        assert second["nextCursor"] is None


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        ("ai.provider_set", OWN),
        ("ai.provider_remove", {"id": "prv_1"}),
        ("ai.model_restrict", {"models": []}),
    ],
)
async def test_only_a_person_changes_where_calls_go(tool: str, body: dict[str, Any], autojump_clock):
    """A key may look, whoever made it, if its role has `ai`."""
    async with opened() as (here, csrf):
        by_key = await here.call(tool, body)
        role = await here.answer_to_person(
            "role.create", {"name": "Records", "permissions": ["records.read"]}, csrf=csrf
        )
        narrow = await here.mint(role_id=role["id"])
        looked = [
            (await here.call(name, key=key)).status_code
            for key in (here.key, narrow)
            for name in ("ai.model_list", "ai.provider_list", "ai.usage", "ai.statement")
        ]

        assert (403, "person_only") == (by_key.status_code, by_key.json()["code"])
        assert [200] * 4 + [403] * 4 == looked
