"""The gateway's addresses: models one by one, and what there is where there is nothing."""

import json

import msgspec
import pytest

from svc.domain.ai.models import ModelCatalogue
from tests.http.ai.gateway import Gateway, Upstream, gateway, responds, whole
from tests.http.ai.test_admission import get
from tests.http.ai.test_exits import code_of
from tests.http.ai.test_routing import set_own
from tests.receivers import receiver


def name_model(here: Gateway, name: str, created: int) -> None:
    """Let the gateway's one model have the id *name*."""
    models = here.system.ai.models
    [model] = models.models.values()
    changed = msgspec.structs.replace(model, id=name, created=created)
    here.system.ai.models = ModelCatalogue([changed], models.providers.values())


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("responses", "POST"),
        ("completions", "POST"),
        ("embeddings", "POST"),
        ("chat/completions/", "POST"),
        ("chat", "GET"),
        ("", "GET"),
        ("threads/1/messages", "GET"),
    ],
)
async def test_an_unknown_address_says_what_there_is(path: str, method: str) -> None:
    """404 in the shape that clients show, with a key or without."""
    async with gateway() as here:
        for key in (here.key, "", "svcg_unknown"):
            reply = await get(here, path, key, method)

            assert (404, "unknown_url") == (reply.status, code_of(reply.body))
            assert "application/json" == reply.headers["content-type"]
            message = json.loads(reply.body)["error"]["message"]
            assert "POST /api/ai/v1/chat/completions" in message


@pytest.mark.parametrize("path", ["lamps/small", "lamps%2Fsmall"])
async def test_a_model_is_shown_by_its_id(path: str) -> None:
    """As in the list; a slash may be in it, however it is written."""
    async with gateway(Upstream(responds(whole()))) as here:
        name_model(here, "lamps/small", 1_790_000_000)
        reply = await get(here, f"models/{path}")
        listed = await get(here, "models")

        shown = json.loads(reply.body)
        assert 200 == reply.status
        assert {
            "id": "lamps/small",
            "object": "model",
            "created": 1_790_000_000,
            "owned_by": "service",
        } == shown
        assert [shown] == json.loads(listed.body)["data"]
        assert "599" == reply.headers["ratelimit-remaining"]


async def test_a_model_that_there_is_not() -> None:
    """404 as for a call that names it; so for one that is not the key's."""
    async with gateway(Upstream(responds(whole()))) as here:
        narrowed = await here.mint(models=("other",))
        unknown = await get(here, "models/none")
        not_its = await get(here, "models/small", narrowed.key)
        unauthorized = await get(here, "models/small", "")
        wrong = await get(here, "models/small", method="DELETE")

        assert [(404, "model_not_found")] * 2 == [
            (one.status, code_of(one.body)) for one in (unknown, not_its)
        ]
        assert (401, 405, "GET") == (unauthorized.status, wrong.status, wrong.headers["allow"])


async def test_an_own_model_was_created_when_it_was_set() -> None:
    """Each at the provider that is asked first."""
    async with gateway() as here, receiver(Upstream(responds(whole())).connections) as url:
        await set_own(here, url)
        reply = await get(here, "models/small")

        shown = json.loads(reply.body)
        assert ("organization", "small") == (shown["owned_by"], shown["id"])
        assert 0 <= here.clock.now() // 1000 - shown["created"] < 60
