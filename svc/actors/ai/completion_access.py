"""A caller's access to models: who it is now, which models it may name, and the keys of their providers."""

from svc.actors.identity.organization import ModelAccess, Organization
from svc.actors.system import System
from svc.domain.ai.errors import unknown_model
from svc.domain.ai.models import Candidate, Choice, OrganizationModels
from svc.domain.identity.callers import Caller, permit_models


class CompletionAccess:
    """A caller and the models of its organization, from memory, as of the last commit before `load`."""

    def __init__(self, system: System, caller: Caller) -> None:
        self._system = system
        self.caller = caller
        self._loaded: ModelAccess | None = None

    async def load(self) -> OrganizationModels:
        """The models, as of now.

        Raises `Unauthenticated` if the caller is not admitted any more, and `Forbidden` if it has not the
        right any more.
        """
        system, organization_id = self._system, self.caller.organization_id
        async with system.calls.admissions.of(organization_id):
            loaded = await Organization(system, organization_id).admit_to_models(self.caller)
        permit_models(loaded.caller)
        self._loaded, self.caller = loaded, loaded.caller
        return loaded.models

    async def choose(self, model_id: str) -> Choice:
        """The model, as of now. Raises `GatewayError` for one that may not be named; `Unauthenticated`."""
        models = await self.load()
        choice = models.choose(self._system.ai.models, model_id, self.caller.models)
        if choice is None:
            raise unknown_model()
        return choice

    @property
    def is_outdated(self) -> bool:
        """Whether the caller's access, or the models, have changed since they were loaded."""
        if self._loaded is None:
            return True
        system, organization_id = self._system, self.caller.organization_id
        revision = self.caller.access_revision
        return system.ai.revisions.changed(organization_id, self._loaded.models_revision) or (
            revision is not None and system.identity.access_revisions.changed(organization_id, revision)
        )

    def key_of(self, candidate: Candidate) -> str:
        """The key of a provider that was chosen. Raises `SealBroken`."""
        if candidate.payer == "credits":
            return self._system.ai.models.providers[candidate.provider].key
        assert self._loaded is not None  # noqa: S101  # the provider was chosen from these
        own = next(one for one in self._loaded.models.own if one.id == candidate.provider)
        return self._system.sealer.open(own.sealed_key, own.id)
