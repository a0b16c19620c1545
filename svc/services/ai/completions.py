"""The gateway's calls: admit a gateway key, complete a chat, list models, tell what is left to spend."""

from functools import partial

import msgspec
from sqlalchemy import Connection

from svc.actors.ai.completion_access import CompletionAccess
from svc.actors.ai.completion_calls import CompletionCall, WholeAnswer
from svc.actors.ai.completion_streams import Sink
from svc.actors.ai.large_bodies import run_beside
from svc.actors.identity.organization import Admission
from svc.actors.system import System
from svc.domain.ai.errors import GatewayError, unknown_model
from svc.domain.ai.models import Choice, OrganizationModels
from svc.domain.ai.requests import CompletionRequest
from svc.domain.errors import Forbidden, Unauthenticated
from svc.domain.identity.callers import Call, Caller, permit_models
from svc.domain.locale.times import SECOND_MS, rfc3339
from svc.services.tools import calls as tool_calls
from svc.storage.ai import calls, key_months, ledger
from svc.storage.identity import api_keys


class ModelEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A model, as chat-completions clients know it."""

    id: str
    object: str = "model"
    created: int
    """When it was configured or set, in seconds since the epoch."""
    owned_by: str


class ModelPage(msgspec.Struct, frozen=True, kw_only=True):
    """All models that a key may name."""

    object: str = "list"
    data: tuple[ModelEntry, ...]


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A key's budget of this month."""

    limit_micro_credits: int
    used_micro_credits: int
    resets_at: str


class CreditsLeft(msgspec.Struct, frozen=True, kw_only=True):
    """An organization's credits: those that are free, and those that calls under way have reserved."""

    balance_micro_credits: int
    reserved_micro_credits: int


class KeyLeft(msgspec.Struct, frozen=True, kw_only=True):
    """A key, and what is left to spend with it."""

    object: str = "key"
    id: str
    name: str
    expires_at: str
    models: tuple[str, ...] | None
    budget: Budget | None
    credits: CreditsLeft


async def check_reach(system: System, admission: Admission, request_id: str) -> None:
    """Raises `Forbidden` for a key that is not for the gateway, or has not the right, and audits that."""
    try:
        permit_models(admission.caller)
    except Forbidden as error:
        call = Call(caller=admission.caller, door="gateway", request_id=request_id)
        await tool_calls.note_refusal(system, call, "gateway", error)
        raise


async def read_request(system: System, body: bytes) -> CompletionRequest:
    """Read and check *body*. Raises `GatewayError`."""
    return await run_beside(system, len(body), partial(CompletionRequest, body))


async def complete(
    system: System, caller: Caller, request: CompletionRequest, sink: Sink
) -> WholeAnswer | None:
    """Complete a chat: the answer, or None once it was streamed to *sink*.

    Raises what `CompletionCall.run` does.
    """
    return await CompletionCall(system, caller, request, sink).run()


async def list_models(system: System, caller: Caller) -> ModelPage:
    """The models that the caller may name. Raises `Unauthenticated`."""
    access = CompletionAccess(system, caller)
    organization = await access.load()
    choices = organization.models(system.ai.models, access.caller.models)
    return ModelPage(data=tuple(_entry(system, organization, choice) for choice in choices))


async def get_model(system: System, caller: Caller, model_id: str) -> ModelEntry:
    """One model that the caller may name. Raises `Unauthenticated`, and `GatewayError` for any other."""
    access = CompletionAccess(system, caller)
    organization = await access.load()
    choice = organization.choose(system.ai.models, model_id, access.caller.models)
    if choice is None:
        raise unknown_model()
    return _entry(system, organization, choice)


def _entry(system: System, organization: OrganizationModels, choice: Choice) -> ModelEntry:
    if choice.first.payer == "credits":
        model = system.ai.models.models[choice.id]
        created = system.started_at // SECOND_MS if model.created is None else model.created
        return ModelEntry(id=choice.id, created=created, owned_by=model.owned_by)
    set_at = next(one.updated_at for one in organization.own if one.id == choice.first.provider)
    return ModelEntry(id=choice.id, created=set_at // SECOND_MS, owned_by="organization")


async def key_left(system: System, caller: Caller) -> KeyLeft:
    """What is left to spend with the caller's key. Raises `Unauthenticated`."""

    def left(conn: Connection, now: int) -> KeyLeft:
        listed = api_keys.list_all(conn, caller.organization_id, now)
        key = next((one for one in listed if one.id == caller.id), None)
        if key is None:
            raise Unauthenticated
        budget = key_months.budget(conn, caller.id, now)
        return KeyLeft(
            id=key.id,
            name=key.name,
            expires_at=rfc3339(key.expires_at),
            models=key.models,
            budget=None
            if budget.limit is None
            else Budget(
                limit_micro_credits=budget.limit,
                used_micro_credits=budget.used,
                resets_at=rfc3339(budget.resets_at),
            ),
            credits=CreditsLeft(
                balance_micro_credits=ledger.balance(conn, caller.organization_id),
                reserved_micro_credits=calls.reserved(conn, caller.organization_id),
            ),
        )

    await CompletionAccess(system, caller).load()
    async with system.calls.reads.of(caller.organization_id):
        return await system.store.of(caller.organization_id).read(left, system.clock.now())


def room_for(length: int | None, limit: int) -> int:
    """The bytes to hold for a body of *length*, or of unknown length. Raises `GatewayError` over *limit*."""
    if length is not None and length > limit:
        raise GatewayError("body_too_large", f"The body is over {limit:,} bytes.")
    return limit if length is None else length
