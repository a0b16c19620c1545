"""`/app/api/authorization`: what the screen asks a person on behalf of an app, and what they decide."""

from typing import Any, Literal

import msgspec
from quart import Response

from svc.domain.grants.oauth import DOOR_PATHS
from svc.domain.identity.limits import ExpiresIn
from svc.http.identity.exchange import PersonDoor, json_answer, read_body
from svc.http.quart_app import current_request
from svc.services.grants import consent
from svc.services.grants.consent import Decision, OfferedOrganization, Question


class AuthorizationToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /app/api/authorization` and `…/deny`: the token in the address of the screen."""

    request: str


class Allow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """`POST /app/api/authorization/allow`: what the person allows."""

    request: str
    organization: str
    tools: Literal["all", "read"] | tuple[str, ...] = "all"
    expires_in: ExpiresIn = "90d"


class ConsentDoor(PersonDoor):
    """The views."""

    async def show(self) -> Response:
        """Answer with what the app asks; the request stays."""
        token = self._guarded_token()
        body = await read_body(AuthorizationToken)
        return json_answer(_question(await consent.show(self._system, token, body.request)))

    async def allow(self) -> Response:
        """Answer with the address that takes the app its code; the request is used up."""
        token = self._guarded_token()
        body = await read_body(Allow)
        decision = Decision(organization_id=body.organization, tools=body.tools, expires_in=body.expires_in)
        request_id = current_request().id.decode()
        address = await consent.allow(self._system, token, body.request, decision, request_id)
        return json_answer({"redirect": address})

    async def deny(self) -> Response:
        """Answer with the address that tells the app; the request is used up."""
        token = self._guarded_token()
        body = await read_body(AuthorizationToken)
        return json_answer({"redirect": await consent.deny(self._system, token, body.request)})


def _question(question: Question) -> dict[str, Any]:
    request = question.request
    return {
        "app": {"id": request.app_id, "name": request.app_name, "host": request.app_host},
        "redirectTo": request.redirect_uri.partition("?")[0],
        "scope": request.scope,
        "resource": request.issuer + DOOR_PATHS[request.door],
        "organizations": [*map(_offered, question.organizations)],
        "home": question.home_id,
        "confirmed": question.is_fresh,
    }


def _offered(offered: OfferedOrganization) -> dict[str, Any]:
    joined = offered.joined
    return {
        "id": joined.organization_id,
        "name": joined.name,
        "role": joined.role_id,
        "refusal": offered.refusal,
    }
