"""A new e-mail address for an account: its person asks for it, and it is theirs once a mailed link is used.

The address that the account has until then is told twice: when another is asked for, and when it has changed.
"""

from svc.domain.errors import Conflict
from svc.domain.identity.people import Person
from svc.domain.mail.kinds import LetterKind
from svc.domain.mail.letters import MailData
from svc.domain.mail.limits import MAIL_LIFE_MS, PROOF_LIFE_MS
from svc.storage.identity import accounts
from svc.storage.mail import links, outbox
from svc.storage.mail.outbox import NewMail
from svc.storage.store import Tx


def ask(tx: Tx, person_id: str, email: str) -> None:
    """Mail a link to the normalized address, and tell the present one. An earlier request ends.

    Raises `Conflict` for the present address, and for one that another account of the same home has.
    """
    person = accounts.get(tx.conn, person_id)
    _check_free(tx, person, email)
    links.end(tx, person_id, "address")
    token = links.make(tx, person_id, "address", PROOF_LIFE_MS, email)
    _mail(tx, person, "address.change", to=email, email=email, token=token)
    _mail(tx, person, "address.asked", to=person.email, email=email)


def change(tx: Tx, token_digest: str) -> Person:
    """Give the account of a mailed link the address that the link was mailed to, which is proven thereby.

    All other links of the account end: they were mailed to the address before. Sessions go on.

    Raises `NotFound`, and `Conflict` where another account of the same home has the address by now.
    """
    link = links.use(tx, token_digest, "address")
    before, email = accounts.get(tx.conn, link.person_id), link.email or ""
    _check_free(tx, before, email)
    changed = accounts.set_email(tx, before.id, email)
    links.end(tx, before.id, "reset", "proof")
    _mail(tx, before, "address.changed", to=before.email, email=email)
    return changed


def set_password(tx: Tx, person_id: str, hashed: str, keep_session: str | None = None) -> None:
    """Change the password, which ends what was asked for with the one before.

    All sessions end but the one with the digest *keep_session*, and so do the account's mailed links.
    """
    accounts.set_password(tx, person_id, hashed, keep_session)
    links.end(tx, person_id, "address", "reset")


def _check_free(tx: Tx, person: Person, email: str) -> None:
    if email == person.email:
        raise Conflict("that is the address of your account already")
    if accounts.at_home(tx.conn, person.home_organization_id, email) is not None:
        raise Conflict("another account of your organization has this address")


def _mail(tx: Tx, person: Person, kind: LetterKind, *, to: str, email: str, token: str | None = None) -> None:
    home = accounts.home_of(tx.conn, person.id)
    joined = [one.organization_id for one in accounts.memberships(tx.conn, person.id)]
    if not joined:
        return
    life_ms = MAIL_LIFE_MS if token is None else PROOF_LIFE_MS
    mail = NewMail(
        organization_id=home.id if home.id in joined else joined[0],
        kind=kind,
        cause=tx.new_id("ask"),
        address=to,
        data=MailData(name=home.name, email=email, at=tx.now + life_ms),
        token=token,
        life_ms=life_ms,
    )
    outbox.queue(tx, [mail])
