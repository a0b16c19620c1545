"""Letters: invitations, password resets and proofs of an address, each with a link of its own.

A reset that is asked for is stored whether or not the address has an account, and looked up later, apart from
the request: so the answer takes the same time, and tells nothing.
"""

from typing import Final

import sqlalchemy as sa

from svc.domain.changes import ResetsDue
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import INVITATION_LIFE_MS
from svc.domain.identity.people import Person
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import PROOF_LIFE_MS, RESET_ACCOUNTS_MAX, RESET_LIFE_MS, RESETS_WAITING_MAX
from svc.storage.identity import accounts, invitations, roles
from svc.storage.identity.invitations import NewInvitation
from svc.storage.mail import address_changes, links, outbox, tables
from svc.storage.mail.outbox import NewMail
from svc.storage.store import Tx

_asked: Final = tables.asked_resets


def mail_invitation(tx: Tx, call: Call, made: NewInvitation) -> bool:
    """Mail the invitation, with a token of its own that is shown to nobody else; whether mail is configured.

    So an account that is made with it has a proven address.
    """
    if not tx.mails:
        return False
    invitation = invitations.get(tx.conn, made.id)
    inviter = invitation.invited_by
    organization_id = call.caller.organization_id
    data = MailData(
        id=made.id,
        name=roles.get(tx.conn, organization_id, invitation.role_id).name,
        person="" if inviter is None else accounts.get(tx.conn, inviter).name,
        at=made.expires_at,
    )
    mail = NewMail(
        organization_id=organization_id,
        kind="invitation",
        cause=made.id,
        address=invitation.email,
        data=data,
        token=invitations.add_mailed_token(tx, made.id),
        life_ms=INVITATION_LIFE_MS,
    )
    return outbox.queue(tx, [mail]) > 0


def ask_reset(tx: Tx, email: str) -> None:
    """Store that a reset is asked for at the normalized address, whether or not it has an account."""
    waiting = tx.conn.scalar(sa.select(sa.func.count()).select_from(_asked)) or 0
    if waiting < RESETS_WAITING_MAX:
        tx.conn.execute(sa.insert(_asked).values(id=tx.new_id("ask"), email=email, at=tx.now))
        tx.announce(ResetsDue())


def any_asked(conn: sa.Connection) -> bool:
    """Whether asked resets wait to be looked up."""
    return conn.scalar(sa.select(_asked.c.id).limit(1)) is not None


def mail_resets(tx: Tx, limit: int) -> bool:
    """Look up the oldest *limit* asked resets, and mail a link for each account; whether more may wait."""
    rows = tx.conn.execute(sa.select(_asked).order_by(_asked.c.id).limit(limit)).all()
    for row in rows:
        if row.at > tx.now - RESET_LIFE_MS:
            for person in accounts.with_email(tx.conn, row.email)[:RESET_ACCOUNTS_MAX]:
                _mail_reset(tx, row.id, person)
    tx.conn.execute(sa.delete(_asked).where(_asked.c.id.in_([row.id for row in rows])))
    return len(rows) == limit


def _mail_reset(tx: Tx, asked_id: str, person: Person) -> None:
    """Mail a link to an account that could sign in; it names the account's home."""
    joined = [one.organization_id for one in accounts.memberships(tx.conn, person.id)]
    if not joined:
        return
    home = accounts.home_of(tx.conn, person.id)
    data = MailData(name=home.name, email=person.email, at=tx.now + RESET_LIFE_MS)
    mail = NewMail(
        # Of the home, unless it is closed: then nothing of it goes out any more.
        organization_id=home.id if home.id in joined else joined[0],
        kind="password.reset",
        cause=asked_id,
        person_id=person.id,
        data=data,
        token=links.make(tx, person.id, "reset", RESET_LIFE_MS),
        life_ms=RESET_LIFE_MS,
    )
    outbox.queue(tx, [mail])


def mail_proof(tx: Tx, person_id: str) -> None:
    """Mail the signed-in person a link that proves their address."""
    person, home = accounts.get(tx.conn, person_id), accounts.home_of(tx.conn, person_id)
    joined = [one.organization_id for one in accounts.memberships(tx.conn, person.id)]
    if not joined:
        return
    data = MailData(name=home.name, email=person.email, at=tx.now + PROOF_LIFE_MS)
    mail = NewMail(
        organization_id=home.id if home.id in joined else joined[0],
        kind="address.proof",
        cause=tx.new_id("ask"),
        person_id=person.id,
        data=data,
        token=links.make(tx, person.id, "proof", PROOF_LIFE_MS),
        life_ms=PROOF_LIFE_MS,
    )
    outbox.queue(tx, [mail])


def reset_password(tx: Tx, token_digest: str, hashed: str) -> None:
    """Set a new password by a mailed link: all sessions end, and the address is proven. Raises `NotFound`."""
    person_id = links.use(tx, token_digest, "reset").person_id
    address_changes.set_password(tx, person_id, hashed)
    accounts.note_proven(tx, person_id)
    accounts.audit_everywhere(tx, person_id, "member.password_reset")


def prove_address(tx: Tx, token_digest: str) -> None:
    """Note that the person of a mailed link receives mail at their address. Raises `NotFound`."""
    person_id = links.use(tx, token_digest, "proof").person_id
    accounts.note_proven(tx, person_id)
    accounts.audit_everywhere(tx, person_id, "member.address_proof")
