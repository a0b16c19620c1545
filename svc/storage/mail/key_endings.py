"""Keys that end within a week, for notices to those who want to be told."""

from typing import Final

import sqlalchemy as sa

from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import KEY_ENDS_SOON_MS
from svc.storage.identity.tables import api_keys
from svc.storage.mail import notices, tables
from svc.storage.mail.notices import Notice
from svc.storage.store import Tx

_choices: Final = tables.notice_choices
_mails: Final = tables.mails


def _ending(now: int) -> sa.Select[tuple[str, str, str, int]]:
    """Live keys that end within a week of *now*, and that no mail was queued for."""
    # All causes with this prefix, in the index: "0" is the character after "/".
    prefix = sa.literal("apikey.ending/") + api_keys.c.id
    told = sa.and_(_mails.c.cause > prefix + "/", _mails.c.cause < prefix + "0")
    return sa.select(api_keys.c.id, api_keys.c.organization_id, api_keys.c.name, api_keys.c.expires_at).where(
        api_keys.c.revoked_at.is_(None),
        api_keys.c.expires_at > now,
        api_keys.c.expires_at <= now + KEY_ENDS_SOON_MS,
        sa.exists().where(
            _choices.c.organization_id == api_keys.c.organization_id, _choices.c.kind == "apikey.ending"
        ),
        ~sa.exists().where(told),
    )


def organizations_due(conn: sa.Connection, now: int) -> list[str]:
    """The organizations that have members to be told of a key."""
    return sorted({row.organization_id for row in conn.execute(_ending(now))})


def note(tx: Tx, organization_id: str) -> None:
    """Queue notices of the organization's keys that end within a week."""
    keys = tx.conn.execute(_ending(tx.now).where(api_keys.c.organization_id == organization_id)).all()
    notices.tell(
        tx,
        organization_id,
        "apikey.ending",
        lambda: [Notice(key.id, MailData(id=key.id, name=key.name, at=key.expires_at)) for key in keys],
    )
