"""What must always hold of mail; `svc check` finds where it does not."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import sqlalchemy as sa

from svc.domain.mail.kinds import LINKED_KINDS
from svc.storage.mail import tables

_mails: Final = tables.mails
_WAITS: Final = _mails.c.state == "waiting"
_HAS_LINK: Final = _mails.c.kind.in_(sorted(LINKED_KINDS))


def _query(*where: sa.ColumnElement[bool]) -> Callable[[sa.Connection], Iterable[str]]:
    """Names the mails for which this holds."""
    return lambda conn: conn.scalars(sa.select(_mails.c.id).where(*where))


INVARIANTS: Final[Mapping[str, Callable[[sa.Connection], Iterable[str]]]] = {
    "every mail waits for its next attempt, or has ended": _query(
        sa.or_(_mails.c.next_attempt_at.is_not(None) != _WAITS, _mails.c.done_at.is_(None) != _WAITS)
    ),
    "a mail that waits has its content, one recipient, and the link that it is about": _query(
        _WAITS,
        sa.or_(
            _mails.c.data.is_(None),
            _mails.c.person_id.is_(None) == _mails.c.address.is_(None),
            _mails.c.token.is_not(None) != _HAS_LINK,
        ),
    ),
    "a mail that has ended keeps neither its content nor its link nor an address": _query(
        ~_WAITS,
        sa.or_(_mails.c.data.is_not(None), _mails.c.token.is_not(None), _mails.c.address.is_not(None)),
    ),
}
