"""The kinds of mail: letters, which one person needs to come in, and notices, which members ask for."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from svc.domain.identity.roles import OWNER, Permission, Role

LetterKind = Literal[
    "invitation", "password.reset", "address.proof", "address.change", "address.asked", "address.changed"
]
"""Mails about how a person comes in. They are sent before notices, and have a limit of their own."""

LINKED_KINDS: Final[frozenset[LetterKind]] = frozenset(
    {"invitation", "password.reset", "address.proof", "address.change"}
)
"""Letters with a link that has a secret token."""

NoticeKind = Literal[
    "submission.filed",
    "submission.held",
    "conversation.mentioned",
    "connection.offline",
    "webhook.disabled",
    "credits.low",
    "apikey.ending",
    "backup.failed",
]
"""Mails that a member of an organization has asked for."""

MailKind = LetterKind | NoticeKind

NOTICE_KINDS: Final[tuple[NoticeKind, ...]] = get_args(NoticeKind)

NOTICE_NEEDS: Final[Mapping[NoticeKind, Permission | None]] = {
    "submission.filed": "forms",
    "submission.held": "forms",
    "conversation.mentioned": "conversations",
    "connection.offline": "channels",
    "webhook.disabled": "webhooks",
    "credits.low": "ai",
    "apikey.ending": "security",
    "backup.failed": None,
}
"""The permission that a member needs for notices of each kind; None for what only Owners are told."""

PERSONAL_KINDS: Final[frozenset[NoticeKind]] = frozenset({"conversation.mentioned"})
"""Notices for those alone whom what happened is about, so that any number of members may want them."""


def may_have(role: Role, kind: NoticeKind) -> bool:
    """Whether a member in *role* may have notices of *kind*."""
    needed = NOTICE_NEEDS[kind]
    return role.id == OWNER.id if needed is None else needed in role.permissions
