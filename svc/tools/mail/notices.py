"""`notice.*`: what a member is told by mail."""

from typing import Annotated, Final

from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput
from svc.domain.identity.callers import Call
from svc.domain.identity.roles import Role
from svc.domain.mail.kinds import NOTICE_KINDS, NOTICE_NEEDS, NoticeKind, may_have
from svc.storage.identity import access, accounts
from svc.storage.mail import notices
from svc.storage.store import Tx, View
from svc.tools.tool import ToolInput, ToolOutput, about, reads, writes

_Kinds = Annotated[
    tuple[NoticeKind, ...],
    about(
        description="Kinds of notices: each submission that was filed, those that are held (but for spam), a"
        " note on a conversation that mentions the member, a bridge that is offline, a webhook that was"
        " disabled, few credits, a key that ends within a week, and a backup that failed.",
        examples=[["submission.held", "webhook.disabled"]],
    ),
]


class NoticeChoice(ToolOutput, frozen=True, kw_only=True):
    """What the caller is told by mail."""

    kinds: _Kinds
    available: Annotated[_Kinds, about(description="The kinds that the caller's role may have.")]
    email: Annotated[str, about(description="Where they are sent to.", examples=["ada@example.com"])]
    email_proven: Annotated[
        bool, about(description="Whether the address is proven: notices are sent to proven addresses alone.")
    ]


EXAMPLE: Final = NoticeChoice(
    kinds=("submission.held", "webhook.disabled"),
    available=NOTICE_KINDS,
    email="ada@example.com",
    email_proven=True,
)


class GetNotices(ToolInput, frozen=True, kw_only=True):
    """Nothing to say."""


@reads("notice.get", runs="person", raises=(Forbidden,), example=GetNotices(), answer=EXAMPLE)
def get(view: View, call: Call, _request: GetNotices) -> NoticeChoice:
    """Show what the caller is told by mail, in this organization.

    Each member chooses for themselves; without a choice, nothing is sent, nor where the service has no mail
    server.
    """
    return _choice(view, call)


class SetNotices(ToolInput, frozen=True, kw_only=True):
    """The kinds of notices that the caller gets from now on."""

    kinds: _Kinds


@writes(
    "notice.set",
    runs="person",
    raises=(Forbidden, Conflict),
    example=SetNotices(kinds=EXAMPLE.kinds),
    answer=EXAMPLE,
)
def set_(tx: Tx, call: Call, request: SetNotices) -> NoticeChoice:
    """Choose what the caller is told by mail, in this organization.

    Notices are sent to proven addresses alone, in the organization's formats and time zone. A member whose
    role loses the permission for a kind gets no more of it. At most 20 members are told of one kind, but for
    mentions.
    """
    person_id = _person(call)
    role = _role(view=tx, call=call)
    for place, kind in enumerate(request.kinds):
        if not may_have(role, kind):
            needed = NOTICE_NEEDS[kind]
            what = "is for Owners alone" if needed is None else f"needs the permission {needed}"
            raise InvalidInput([Fault(f"/kinds/{place}", "invalid_value", f"{kind} {what}")])
    notices.choose(tx, call.caller.organization_id, person_id, request.kinds)
    return _choice(tx, call)


def _choice(view: View, call: Call) -> NoticeChoice:
    person = accounts.get(view.conn, _person(call))
    role = _role(view, call)
    return NoticeChoice(
        kinds=notices.chosen(view.conn, call.caller.organization_id, person.id),
        available=tuple(kind for kind in NOTICE_KINDS if may_have(role, kind)),
        email=person.email,
        email_proven=person.email_proven_at is not None,
    )


def _person(call: Call) -> str:
    """The person who calls. Raises `Forbidden` for the operator, who is none."""
    if call.caller.person_id is None:
        raise Forbidden("notices are a person's own: sign in")
    return call.caller.person_id


def _role(view: View, call: Call) -> Role:
    """The caller's role here, as it is now."""
    person_id = _person(call)
    facts = access.of_person(view.conn, call.caller.organization_id, person_id)
    member = facts.members.get(person_id)
    if member is None:
        raise Forbidden("notices are a member's own")
    return facts.role(member.role_id)
