"""Tools as the command line runs them: in the operator's name, so that the audit trail has what was done."""

from typing import TypeVar

import msgspec
import trio
from sqlalchemy import Connection

from svc.clock import WallClock
from svc.domain.callers import operator_call
from svc.storage.store import Tx
from svc.tools import running
from svc.tools.tool import Asked, Tool

A = TypeVar("A", bound=Asked)
R = TypeVar("R", bound=msgspec.Struct)


def write(tx: Tx, tool: Tool[A, R], organization_id: str, asked: A) -> R:
    """What the tool answers in the organization. Raises what it refuses."""
    done = running.write(tx, tool, operator_call(organization_id), asked)
    return msgspec.json.decode(done.body, type=tool.answer_type)


def read(conn: Connection, tool: Tool[A, R], organization_id: str, asked: A) -> R:
    """As `write`, for a tool that reads."""
    now = trio.run(_now)
    done = running.read(conn, now, tool, operator_call(organization_id), asked, patient=True)
    return msgspec.json.decode(done.body, type=tool.answer_type)


async def _now() -> int:
    return WallClock().now()
