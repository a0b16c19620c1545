"""`reply_template.*`: replies that members save, for themselves or for all."""

from collections.abc import Callable
from operator import attrgetter
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Forbidden, NotFound, named_at
from svc.domain.identity.callers import Call, permit
from svc.domain.inbox.limits import (
    CONVERSATION_SEARCH_CHARS_MAX,
    TEMPLATE_CHARS_MAX,
    TEMPLATE_NAME_CHARS_MAX,
    TEMPLATES_MAX,
)
from svc.domain.inbox.templates import MEMBER_NAME, ReplyTemplate, fields_of, fill, slug_of
from svc.domain.input import json as json_input
from svc.domain.locale.times import Timestamp
from svc.domain.records.objects import CONTACT
from svc.domain.records.sort_keys import fold
from svc.domain.versions import Version
from svc.storage.channels import conversations
from svc.storage.identity import accounts
from svc.storage.inbox import templates
from svc.storage.inbox.templates import TemplateChanges
from svc.storage.records import organization_objects
from svc.storage.store import Tx, View
from svc.tools.inbox.conversations import ConversationId
from svc.tools.projections import Projection
from svc.tools.records import narrowing
from svc.tools.records.presentation import Presentation, ShownMembers
from svc.tools.tool import IfVersion, ToolInput, ToolOutput, about, reads, writes

TemplateId = Annotated[
    str, about(description="A saved reply's id.", examples=["tpl_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])
]
_Name = Annotated[
    str,
    about(
        description="What people call it: one line.",
        min_length=1,
        max_length=TEMPLATE_NAME_CHARS_MAX,
        examples=["Opening hours"],
    ),
]
_Text = Annotated[
    str,
    about(
        description="What it says. `{{contact.<slug>}}` stands for a property of the contact, and"
        " `{{member.name}}` for who answers; for nothing where there is none.",
        min_length=1,
        max_length=TEMPLATE_CHARS_MAX,
        examples=["Good morning {{contact.name}}, we open at nine. {{member.name}}"],
    ),
]
_Shared = Annotated[
    bool,
    about(description="Whether all members see it, or its maker alone. It takes the permission `channels`."),
]


class TemplateAnswer(ToolOutput, frozen=True, kw_only=True):
    """A saved reply."""

    id: TemplateId
    name: _Name
    text: _Text
    shared: _Shared
    created_by: Annotated[str, about(description="The member who made it.")]
    version: Version
    created_at: Timestamp
    updated_at: Timestamp


class ListedTemplate(TemplateAnswer, frozen=True, kw_only=True):
    """A saved reply, ready for a conversation where one was named."""

    filled: Annotated[
        str | UnsetType,
        about(description="The text with its fields filled in, for the conversation that was asked for."),
    ] = UNSET


_answer: Final = Projection(ReplyTemplate, TemplateAnswer, created_by=attrgetter("person_id"))
_listed: Final = Projection(
    ReplyTemplate, ListedTemplate, given=("filled",), created_by=attrgetter("person_id")
)

EXAMPLE: Final = TemplateAnswer(
    id="tpl_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Opening hours",
    text="Good morning {{contact.name}}, we open at nine. {{member.name}}",
    shared=True,
    created_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


class ListTemplates(ToolInput, frozen=True, kw_only=True):
    """Which saved replies, and for which conversation."""

    search: (
        Annotated[
            str,
            about(
                description="A part of the name or of the text, without regard to case.",
                max_length=CONVERSATION_SEARCH_CHARS_MAX,
            ),
        ]
        | None
    ) = None
    conversation_id: Annotated[
        ConversationId | None,
        about(description="With it, each is there with its fields `filled` in, as for a reply in it."),
    ] = None


class TemplateList(ToolOutput, frozen=True, kw_only=True):
    """Saved replies."""

    templates: Annotated[
        tuple[ListedTemplate, ...],
        about(description="In the order of their names.", max_length=TEMPLATES_MAX),
    ]


@reads(
    "reply_template.list",
    needs="conversations",
    example=ListTemplates(search="hours"),
    answer=TemplateList(templates=(ListedTemplate(**msgspec.structs.asdict(EXAMPLE)),)),
)
def list_all(view: View, call: Call, request: ListTemplates) -> TemplateList:
    """List the saved replies that the caller sees: their own, and those for all."""
    wanted = fold(request.search or "")
    found = [
        one
        for one in templates.list_visible(view.conn, call.caller)
        if wanted in fold(one.name) or wanted in fold(one.text)
    ]
    if request.conversation_id is None:
        return TemplateList(templates=tuple(_listed(one, filled=UNSET) for one in found))
    value_of = _values(view, call, request.conversation_id, found)
    return TemplateList(templates=tuple(_listed(one, filled=fill(one.text, value_of)) for one in found))


class CreateTemplate(ToolInput, frozen=True, kw_only=True):
    """A reply to be saved."""

    name: _Name
    text: _Text
    shared: _Shared = False


@writes(
    "reply_template.create",
    needs="conversations",
    raises=(Conflict, Forbidden),
    example=CreateTemplate(name=EXAMPLE.name, text=EXAMPLE.text, shared=True),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateTemplate) -> TemplateAnswer:
    """Save a reply under a name, for the caller alone or for all."""
    json_input.check_storable(request)
    made = templates.create(tx, call.caller, name=request.name, text=request.text, shared=request.shared)
    return _answer(made)


class UpdateTemplate(ToolInput, frozen=True, kw_only=True):
    """What to change about a saved reply. What is left out stays."""

    id: TemplateId
    name: _Name | UnsetType = UNSET
    text: _Text | UnsetType = UNSET
    shared: _Shared | UnsetType = UNSET
    if_version: IfVersion = None


@writes(
    "reply_template.update",
    needs="conversations",
    raises=(NotFound, Conflict, Forbidden),
    example=UpdateTemplate(id=EXAMPLE.id, name="When we open"),
    answer=msgspec.structs.replace(EXAMPLE, name="When we open", version=2),
)
def update(tx: Tx, call: Call, request: UpdateTemplate) -> TemplateAnswer:
    """Change a saved reply of one's own, or with `channels` one for all."""
    json_input.check_storable(request)
    changes = TemplateChanges(name=request.name, text=request.text, shared=request.shared)
    return _answer(templates.update(tx, call.caller, request.id, changes, if_version=request.if_version))


class TemplateById(ToolInput, frozen=True, kw_only=True):
    """Which saved reply."""

    id: TemplateId


class DeletedTemplate(ToolOutput, frozen=True, kw_only=True):
    """A saved reply that is gone."""

    id: TemplateId


@writes(
    "reply_template.delete",
    needs="conversations",
    raises=(NotFound, Forbidden),
    example=TemplateById(id=EXAMPLE.id),
    answer=DeletedTemplate(id=EXAMPLE.id),
)
def delete(tx: Tx, call: Call, request: TemplateById) -> DeletedTemplate:
    """Delete a saved reply of one's own, or with `channels` one for all. What was written with it stays."""
    templates.delete(tx, call.caller, request.id)
    return DeletedTemplate(id=request.id)


def _values(
    view: View, call: Call, conversation_id: str, wanted: list[ReplyTemplate]
) -> Callable[[str], str]:
    """The values of fields for a conversation, as far as the caller may read its contact.

    Raises `InvalidInput` for no such conversation.
    """
    caller = call.caller
    with named_at("/conversationId"):
        conversation = conversations.get(view.conn, caller.organization_id, conversation_id)
    slugs = {slug for one in wanted for field in fields_of(one.text) if (slug := slug_of(field))}
    texts: dict[str, str] = {}
    if conversation.contact_id is not None and slugs and _reads_records(call):
        texts = _texts(view, call, conversation.contact_id, slugs)
    name = "" if caller.person_id is None else accounts.get(view.conn, caller.person_id).name

    def value_of(field: str) -> str:
        slug = slug_of(field)
        if slug is not None:
            return texts.get(slug, "")
        return name if field == MEMBER_NAME else ""

    return value_of


def _texts(view: View, call: Call, contact_id: str, slugs: set[str]) -> dict[str, str]:
    """A contact's values as people read them; none of a contact that is deleted."""
    caller = call.caller
    try:
        record = narrowing.record_for(view.conn, caller, CONTACT, contact_id)
    except NotFound:
        return {}
    organization, object_ = organization_objects.find(view.conn, caller.organization_id, CONTACT)
    shown = ShownMembers(fields=tuple(sorted(slugs & object_.properties.keys())), texts=True)
    [listed] = Presentation(view.conn, caller, organization, object_, shown).of([record])
    return {} if listed.texts is UNSET else listed.texts


def _reads_records(call: Call) -> bool:
    try:
        permit(call.caller, "record.get", needs="records.read", runs="open", reads=True, narrows=True)
    except Forbidden:
        return False
    return True
