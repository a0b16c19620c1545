"""Connections through the tools: made by people, and used by their bridges."""

from typing import Any

from svc.domain.identity.people import Person
from svc.storage.identity import roles
from tests.people import call_of
from tests.tooling import ToolTown

SHOP = {"name": "Shop", "messenger": "telegram", "delivery": "pull"}
PUSHED = {"name": "Shop", "messenger": "matrix", "delivery": "push", "url": "https://bridge.example/hook"}


async def run(here: ToolTown, tool: str, body: object, email: str = "owner@example.com") -> tuple[int, Any]:
    """What a person is answered."""
    csrf = await here.sign_in(email)
    answer = await here.call_as_person(tool, body, csrf=csrf)
    return answer.status_code, answer.json()


async def connect(here: ToolTown, body: object = SHOP) -> Any:
    status, made = await run(here, "connection.create", body)
    assert 200 == status, made
    return made


async def bridge(here: ToolTown, key: str, door: str, body: object) -> tuple[int, Any]:
    """What a bridge with the key is answered."""
    headers = {"authorization": f"Bearer {key}"}
    answer = await here.client.post(f"/api/channels/v1/{door}", json=body, headers=headers)
    return answer.status_code, answer.json()


async def clerk(here: ToolTown, email: str = "clerk@example.com") -> Person:
    """A member who answers conversations, and connects accounts."""
    call = call_of(here.owner)
    role = await here.store.write(
        roles.create, call, f"Clerk {email}", ["conversations", "channels", "records.read"]
    )
    return await here.member(email, role.id)
