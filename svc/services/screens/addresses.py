"""Where a person does what a call was refused: the address of the screen, for the very thing."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
import structlog
from sqlalchemy import Connection

from svc.actors.system import System
from svc.domain.errors import DomainError, NeedsPerson
from svc.domain.identity.callers import Call
from svc.services.identity import sign_in
from svc.storage.records import records
from svc.tools.registry import registry_of
from svc.tools.screens import screen_of

log = structlog.get_logger("svc.services.screens.addresses")

_object: Final = msgspec.json.Decoder(dict[str, Any])


async def note_screen(system: System, call: Call, name: str, error: NeedsPerson, body: bytes) -> None:
    """Have *error*, the refusal of the tool *name*, name the screen where people do it.

    *body* is the call's input, which was not read so far: what of it names the thing is taken from it, and
    what is not JSON names nothing. Where the thing cannot be looked up now, the address is that of its list.
    """
    tool = registry_of(call).named(name)
    if tool is None:
        return
    given: dict[str, Any] = {}
    with suppress(msgspec.DecodeError, RecursionError):
        given = _object.decode(body)
    try:
        if tool.noun == "record" and "objectType" not in given:
            given |= await _object_type(system, call, given)
        address = screen_of(tool, given)
        elsewhere = await _elsewhere(system, call)
    except DomainError as problem:
        log.info("a refusal names no thing on a screen", tool=name, why=repr(problem))
        address, elsewhere = screen_of(tool, {}), False
    if address is not None:
        organization_id = call.caller.organization_id
        more = f"{'&' if '?' in address else '?'}org={organization_id}" if elsewhere else ""
        error.screen = address + more


async def _object_type(system: System, call: Call, given: Mapping[str, Any]) -> dict[str, str]:
    """The object of the record that *given* names, where the caller may read records."""
    record_id = given.get("id")
    if "records.read" not in call.caller.permissions or not isinstance(record_id, str):
        return {}
    organization_id = call.caller.organization_id

    def read(conn: Connection) -> str:
        return records.get(conn, organization_id, None, record_id).object_type

    return {"objectType": await system.store.of(organization_id).read(read)}


async def _elsewhere(system: System, call: Call) -> bool:
    """Whether the organization is another than the home of the person as whom it is called."""
    person_id = call.caller.person_id
    if person_id is None:
        return False
    profile = await sign_in.profile_of(system, person_id)
    return profile.person.home_organization_id != call.caller.organization_id
