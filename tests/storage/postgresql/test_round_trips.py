"""How often the hot flows wait for the server: each time is a way there and back, with the lane held."""

import pytest
import trio

from tests import postgresql_inline, town
from tests.storage.test_statement_budget import Flow, create, create_once, get, submit, update
from tests.tooling import tool_town

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        pytest.param(flow, expected, id=flow.__name__)
        for flow, expected in {
            create: [4, 7, 2],
            create_once: [5, 7, 2],
            get: [2, 4],
            update: [2, 5, 7],
            submit: [2, 7, 8],
        }.items()
    ],
)
async def test_a_flow_waits_for_the_server_no_more_often_than_it_did(
    autojump_clock, monkeypatch: pytest.MonkeyPatch, flow: Flow, expected: list[int]
):
    """Those of each unit of work, with BEGIN and COMMIT: see the statements in `test_statement_budget`."""
    monkeypatch.setattr(town, "ON_POSTGRESQL", True)
    async with tool_town() as here:
        steps = flow(here)
        await anext(steps)
        await trio.sleep(1)  # events of before are dispatched by then
        postgresql_inline.ROUND_TRIPS.clear()
        async for _ in steps:
            pass
        await trio.sleep(1)

        assert expected == postgresql_inline.ROUND_TRIPS
