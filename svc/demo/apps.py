"""The connected apps of the reference's examples."""

from typing import Final

from svc.domain.grants.apps import app_id_of
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import API_KEY_LIVES_MS
from svc.domain.identity.roles import OWNER
from svc.storage.grants import apps
from svc.storage.identity import grants
from svc.storage.identity.grants import Grant
from svc.storage.store import Tx

_CLIENT: Final = "https://planner.example/client.json"


def example_apps(tx: Tx, call: Call, app_id: str, grant_id: str) -> dict[str, dict[str, str]]:
    """An app that may be removed, and a grant that may be ended, for the examples' ids, by tool."""
    redirect_uris = ("https://reports.harbour-lamps.example/callback",)
    app = apps.create(tx, call, "Reports of last year", redirect_uris, secret=False).app
    grant = Grant(
        id=tx.new_id("gra"),
        organization_id=call.caller.organization_id,
        person_id=call.caller.person_id or "",
        app_id=app_id_of(_CLIENT),
        client_id=_CLIENT,
        app_name="Lamp planner",
        app_host="planner.example",
        role_id=OWNER.id,
        reach="read",
        tools=None,
        door="mcp",
        created_at=tx.now,
        expires_at=tx.now + API_KEY_LIVES_MS["90d"],
    )
    grants.create(tx, grant)
    return {"app.remove": {app_id: app.id}, "grant.end": {grant_id: grant.id}}
