"""Decisions at the command line, on data that no service has open."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import select

from svc.storage.identity.tables import organizations
from svc.storage.store import Tx
from tests.approvals import a_card
from tests.cli.conftest import Svc, filled


def _ask(tx: Tx, tool: str, body: Any) -> None:
    organization_id = tx.conn.scalars(select(organizations.c.id)).one()
    a_card(tx, organization_id, tool, body)


def _asked(svc: Svc, shop: Path, body: Any) -> str:
    """The id of the only card, of a site to be removed."""
    filled(shop, _ask, "site.remove", body)
    [card] = json.loads(svc("call", "approval.list", "{}").stdout)["approvals"]
    id_: str = card["id"]
    return id_


def test_an_operator_approves(svc: Svc, shop: Path) -> None:
    """Who they are the card says."""
    site = json.loads(svc("call", "site.create", '{"domain": "lamps.example"}').stdout)["id"]
    body = json.dumps({"id": _asked(svc, shop, {"id": site})})

    result = svc("call", "approval.approve", body)

    assert 0 == result.exit_code, result.output
    assert ("approved", "operator") == tuple(
        json.loads(result.stdout)[name] for name in ("state", "decidedBy")
    )
    assert [] == json.loads(svc("call", "site.list", "{}").stdout)["sites"]


def test_what_the_tool_refuses_is_told_and_stored(svc: Svc, shop: Path) -> None:
    """The command fails with the tool's words, and the card has them."""
    body = json.dumps({"id": _asked(svc, shop, {"id": "sit_x"})})

    result = svc("call", "approval.approve", body)
    after = json.loads(svc("call", "approval.get", body).stdout)

    assert 1 == result.exit_code
    assert "there is no site `sit_x`" in result.output
    assert ("failed", "not_found") == (after["state"], after["error"]["code"])
    assert "decided already" in svc("call", "approval.approve", body).output
