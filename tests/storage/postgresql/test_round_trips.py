"""How often the hot flows wait for the server: each time is a way there and back, with the lane held."""

import pytest
import trio

from tests import postgresql_inline
from tests.storage.test_statement_budget import Flow, create, create_once, get, submit, update
from tests.tooling import tool_town

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize(
    ("flow", "most"),
    [
        pytest.param(flow, most, id=flow.__name__)
        for flow, most in {
            create: 13,
            create_once: 14,
            get: 6,
            update: 14,
            submit: 17,
        }.items()
    ],
)
async def test_a_flow_waits_for_the_server_no_more_often_than_it_did(autojump_clock, flow: Flow, most: int):
    """Of all its units together, which may share a batch, with BEGIN and COMMIT and the dispatch of events.

    The units alone: 4 of `create`, 7 of filing; see the statements in `test_statement_budget`.
    """
    async with tool_town(on_postgresql=True) as here:
        steps = flow(here)
        await anext(steps)
        await trio.sleep(1)  # events of before are dispatched by then
        postgresql_inline.ROUND_TRIPS.clear()
        async for _ in steps:
            pass
        await trio.sleep(1)

        assert 0 < sum(postgresql_inline.ROUND_TRIPS) <= most, postgresql_inline.ROUND_TRIPS
