"""Which provider serves a call, who pays for it, and what is kept of it."""

import json
import logging
import sqlite3

import pytest
import structlog
import trio

from svc.actors.outbound import names
from svc.domain.ai.models import OwnModel
from svc.domain.ai.money import Prices
from svc.domain.identity.callers import operator_call
from svc.storage.ai import providers
from svc.storage.ai.providers import NewProvider
from svc.storage.identity import organizations
from svc.storage.identity.organizations import OrganizationChanges
from svc.storage.sqlite.engine import raw
from tests.http.ai.gateway import (
    ANSWER,
    COST,
    GRANTED,
    HEAD,
    PROMPT,
    PROVIDER_KEY,
    STREAMED,
    Gateway,
    Upstream,
    chunk,
    event,
    gateway,
    responds,
    whole,
)
from tests.receivers import receiver

OWN_KEY = "sk-the-organizations-own-key-0123456789"


async def set_own(here: Gateway, url: str, prices: Prices | None = None) -> None:
    """Let the organization have a provider of its own at *url*."""
    new = NewProvider(
        name="Ours",
        base_url=url.removesuffix("/hook"),
        key=OWN_KEY,
        models=(OwnModel(id="small", upstream="ours", prices=prices),),
    )
    await here.store.write(providers.set_one, here.organization.id, new)


async def test_a_call_goes_on_to_the_next_provider() -> None:
    """On 5xx, 429 and no completion; the one that failed is asked last for a while."""
    first, second = Upstream(responds(b"", 503)), Upstream(responds(whole()))
    async with gateway(first, second) as here:
        replies = [await here.ask(), await here.ask()]
        calls = await here.settled()

        assert [200, 200] == [reply.status for reply in replies]
        assert (1, 2) == (len(first.seen), len(second.seen))
        assert ["p1", "p1"] == [call.provider for call in calls]
        assert [COST, COST] == [call.charged_micro_credits for call in calls]


async def test_no_other_provider_is_asked_about_a_bad_request() -> None:
    """A 4xx is about the request, and passes."""
    refusal = json.dumps({"error": {"message": "no such option"}}).encode()
    first, second = Upstream(responds(refusal, 400)), Upstream(responds(whole()))
    async with gateway(first, second) as here:
        reply = await here.ask()

        assert (400, refusal, []) == (reply.status, reply.body, second.seen)


async def test_all_busy_is_told_with_the_soonest_wait() -> None:
    """429 of all: the least `Retry-After` of them."""
    busy = [Upstream(responds(b"", 429, f"Retry-After: {seconds}")) for seconds in (40, 20)]
    async with gateway(*busy) as here:
        reply = await here.ask()

        assert (429, "20") == (reply.status, reply.headers["retry-after"])


async def test_an_own_provider_takes_no_credits() -> None:
    """It is asked with its own key, for its own name of the model, and the service's is not."""
    own, service = Upstream(responds(whole())), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        await set_own(here, url)
        reply = await here.ask()
        [call] = await here.settled()

        assert (200, []) == (reply.status, service.seen)
        assert f"Bearer {OWN_KEY}".encode() in own.seen[0]
        assert b'"ours"' in own.seen[0]
        assert ("organization", 0, COST) == (call.payer, call.charged_micro_credits, call.cost_micro_credits)
        assert GRANTED == await here.balance()


@pytest.mark.parametrize("falls_back", [False, True])
async def test_an_own_provider_leads_to_credits_only_where_that_is_on(*, falls_back: bool) -> None:
    """Off, its failure is the answer; on, credits are reserved then, and charged."""
    own, service = Upstream(responds(b"", 500)), Upstream(responds(whole()))
    async with gateway(service) as here, receiver(own.connections) as url:
        await set_own(here, url)
        changes = OrganizationChanges(own_provider_falls_back_to_credits=falls_back)
        await here.store.write(organizations.update, operator_call(here.organization.id), changes)
        reply = await here.ask()
        [call] = await here.settled()

        if falls_back:
            assert (200, "credits", COST) == (reply.status, call.payer, call.charged_micro_credits)
        else:
            assert (502, "organization", 0) == (reply.status, call.payer, call.charged_micro_credits)
            assert [] == service.seen


async def test_an_own_provider_that_was_never_asked_has_not_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where look-ups of names are all taken, the call may come again: it neither rests nor costs credits."""
    monkeypatch.setattr(names, "OUTGOING_LOOKUPS_AT_ONCE", 0)
    monkeypatch.setattr(names, "OUTGOING_LOOKUP_SECONDS", 0)
    service = Upstream(responds(whole()))
    async with gateway(service) as here:
        await set_own(here, "http://ai.example/hook")
        changes = OrganizationChanges(own_provider_falls_back_to_credits=True)
        await here.store.write(organizations.update, operator_call(here.organization.id), changes)
        reply = await here.ask()

        assert (503, "overloaded") == (reply.status, json.loads(reply.body)["error"]["code"])
        assert int(reply.headers["retry-after"]) >= 1
        assert ([], {}) == (service.seen, here.system.ai.rests._until)


async def test_an_own_provider_counts_in_a_keys_budget() -> None:
    """At list price, whoever pays."""
    own = Upstream(responds(whole()))
    async with gateway(Upstream(STREAMED)) as here, receiver(own.connections) as url:
        await set_own(here, url)
        minted = await here.mint(monthly_budget_micro_credits=50_000)
        await here.ask(key=minted.key)
        [call] = await here.settled()

        assert (COST, 0, GRANTED) == (
            call.cost_micro_credits,
            call.charged_micro_credits,
            await here.balance(),
        )


async def test_many_calls_at_once_leave_exact_credits() -> None:
    """Fifty: answered, refused, failing, left and revoked, mixed."""
    upstream = Upstream(
        responds(whole()), STREAMED, responds(b"", 500), HEAD + chunk(event()), b"nonsense\r\n\r\n"
    )
    async with gateway(upstream) as here:
        statuses: list[int] = []

        async def call(number: int) -> None:
            if number % 5 == 4:
                client = await here.begin(stream=True)
                await client.stream.aclose()
                return
            statuses.append((await here.ask(stream=number % 2 == 0)).status)

        async with trio.open_nursery() as nursery:
            for number in range(50):
                nursery.start_soon(call, number)
        await here.settled()

        assert 40 == len(statuses)
        assert 0 == here.system.stream_places.statistics().open
        assert 0 == here.system.ai.bodies.taken


async def test_nothing_of_a_call_is_stored_or_logged(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompts, answers, a provider's words and keys are in no table and no log, faults included."""
    caplog.set_level(logging.DEBUG)
    words = "the-providers-own-words"
    secrets = [PROMPT, ANSWER, words, PROVIDER_KEY, OWN_KEY]
    own = Upstream(responds(whole()))
    said = [
        responds(whole()),
        STREAMED,
        responds(words.encode(), 500),
        HEAD + chunk(event()) + chunk(words.encode()),
    ]
    with structlog.testing.capture_logs() as logged:
        for one in said:
            async with gateway(Upstream(one)) as here:
                for stream in (False, True):
                    await here.ask(stream=stream)
                async with receiver(own.connections) as url:
                    await set_own(here, url)
                    await here.ask()

                def fail(*_args: object, **_options: object) -> None:
                    raise RuntimeError(PROMPT)

                with monkeypatch.context() as broken:
                    broken.setattr("svc.actors.ai.completion_calls.Route", fail)
                    assert 500 == (await here.ask()).status
                await here.settled()
                stored = await here.store.read(lambda conn: _dump(raw(conn)))
                found = [secret for secret in (*secrets, here.key) if secret in stored]
                assert [] == found
    printed = capsys.readouterr()
    log = str(logged) + caplog.text + printed.out + printed.err

    assert "a call at the gateway failed" in log
    assert [] == [secret for secret in secrets if secret in log]


def _dump(connection: sqlite3.Connection) -> str:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return "".join(str(connection.execute(f"SELECT * FROM {name}").fetchall()) for (name,) in tables)  # noqa: S608
