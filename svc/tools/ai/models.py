"""`ai.model_*`: the models that an organization may run."""

from typing import Annotated, Final

import msgspec

from svc.domain.ai.limits import AI_MODELS_NAMED_MAX
from svc.domain.ai.models import ModelCatalogue, OrganizationModels, Payer
from svc.domain.identity.callers import Call
from svc.storage.ai import providers
from svc.storage.store import Tx, View
from svc.tools.ai.answers import ModelId, PriceText, catalogue_of, price_members
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes


class ModelAnswer(ToolOutput, frozen=True, kw_only=True):
    """A model, with its list price."""

    id: ModelId
    paid_by: Annotated[
        Payer,
        about(description="`organization`: an own provider serves it. `credits`: the service's does."),
    ]
    input: PriceText
    cached_input: PriceText
    output: PriceText
    restricted: Annotated[
        bool, about(description="Whether the organization may not run it: see `ai.model_restrict`.")
    ]


class ModelList(ToolOutput, frozen=True, kw_only=True):
    """Models, by their ids."""

    models: tuple[ModelAnswer, ...]


class ListModels(ToolInput, frozen=True, kw_only=True):
    """Nothing more is asked: all are listed."""


EXAMPLE: Final = ModelList(
    models=(
        ModelAnswer(
            id="small",
            paid_by="credits",
            input="0.15",
            cached_input="0.075",
            output="0.6",
            restricted=False,
        ),
    )
)


@reads("ai.model_list", needs="ai", example=ListModels(), answer=EXAMPLE)
def list_all(view: View, call: Call, request: ListModels) -> ModelList:  # noqa: ARG001  # every tool's
    """List the models that there are, who pays for each, and what its tokens cost.

    An own provider that serves a model is asked first, so that no credits are taken.
    """
    return _listed(providers.load(view.conn, call.caller.organization_id), catalogue_of(call))


class RestrictModels(ToolInput, frozen=True, kw_only=True):
    """Which models the organization may run."""

    models: (
        Annotated[
            tuple[ModelId, ...],
            about(
                description="The only ones; null for all that there are.",
                max_length=AI_MODELS_NAMED_MAX,
                examples=[["small"]],
            ),
        ]
        | None
    )


@writes(
    "ai.model_restrict",
    needs="ai",
    runs="person",
    example=RestrictModels(models=("demo-echo", "small")),
    answer=EXAMPLE,
)
def restrict(tx: Tx, call: Call, request: RestrictModels) -> ModelList:
    """Let the organization run some models only, or with null all; from the next call on.

    To a call, a model that may not be run is the same as one that is unknown. A model may be named before it
    is there.
    """
    organization_id = call.caller.organization_id
    providers.restrict(tx, organization_id, request.models)
    return _listed(providers.load(tx.conn, organization_id), catalogue_of(call))


def _listed(organization: OrganizationModels, catalogue: ModelCatalogue) -> ModelList:
    everything = msgspec.structs.replace(organization, allowed=None)
    return ModelList(
        models=tuple(
            ModelAnswer(
                id=choice.id,
                paid_by=choice.first.payer,
                restricted=not organization.permits(choice.id),
                **price_members(choice.first.prices),
            )
            for choice in everything.models(catalogue)
        )
    )
