"""Where people do what a tool does: the address of a screen for each tool, or the reason why it has none.

An address is that of a noun, unless a tool has one of its own. `{member}` stands for a member of the tool's
input: where that is not given, the address ends before the segment, or has no such parameter. The screens
themselves are listed in `screens/src/places.ts`, and a test compares.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from svc.tools.tool import Tool

_RECORD: Final = "/app/records/{objectType}/{id}"
_KEY: Final = "/app/settings/api-keys/{id}"

OF_NOUNS: Final[Mapping[str, str]] = {
    "agent": "/app/settings/agents?open={connectionId}",
    "ai": "/app/settings/ai",
    "apikey": _KEY,
    "app": "/app/settings/apps?open={id}",
    "approval": "/app/approvals?open={id}",
    "audit": "/app/settings/audit",
    "connection": "/app/settings/messengers?open={id}",
    "conversation": "/app/inbox/{id}",
    "embed": "/app/embeds/{id}",
    "export": "/app/",
    "file": "/app/",
    "form": "/app/forms/{id}",
    "grant": "/app/settings/apps?open={id}",
    "home": "/app/",
    "import": "/app/settings/imports/{id}",
    "member": "/app/settings/members?open={id}",
    "message": "/app/inbox/{conversationId}",
    "note": "/app/records/{objectType}/{recordId}",
    "notice": "/app/account/notices",
    "object": "/app/settings/objects/{objectType}",
    "organization": "/app/settings/organization",
    "property": "/app/settings/objects/{objectType}",
    "record": _RECORD,
    "reply_template": "/app/inbox",
    "request": "/app/settings/requests?key={keyId}",
    "role": "/app/settings/roles?open={id}",
    "serverkey": "/app/settings/server-keys",
    "site": "/app/settings/sites?edit={id}",
    "submission": "/app/submissions?open={id}",
    "suggestion": "/app/records/{objectType}/{recordId}",
    "team": "/app/settings/teams?edit={id}",
    "view": "/app/records/{objectType}",
    "webhook": "/app/settings/webhooks/{id}",
    "workflow": "/app/workflows/{id}",
}
OF_TOOLS: Final[Mapping[str, str]] = {
    "ai.model_list": "/app/settings/ai?tab=models",
    "ai.model_restrict": "/app/settings/ai?tab=models",
    "ai.provider_list": "/app/settings/ai?tab=providers",
    "ai.provider_remove": "/app/settings/ai?tab=providers",
    "ai.provider_set": "/app/settings/ai?tab=providers",
    "ai.statement": "/app/settings/ai?tab=statement",
    "app.create": "/app/settings/apps?new=1",
    "apikey.mint": "/app/settings/api-keys?new=1",
    "connection.create": "/app/settings/messengers?new=1",
    "import.start": "/app/settings/objects/{objectType}/import",
    "member.invite": "/app/settings/members?new=1",
    "record.delete_many": "/app/records/{objectType}",
    "record.distinguish": "/app/records/{objectType}/duplicates",
    "role.create": "/app/settings/roles?new=1",
    "serverkey.mint": "/app/settings/server-keys?new=1",
    "site.create": "/app/settings/sites?new=1",
    "team.create": "/app/settings/teams?new=1",
    "webhook.create": "/app/settings/webhooks?new=1",
    "webhook.delivery_list": "/app/settings/webhooks/{webhookId}",
    "webhook.redeliver": "/app/settings/webhooks/{webhookId}",
}
NO_SCREEN: Final[Mapping[str, str]] = {
    "caller": "for programs, which ask what their key may; people have Account, and the name in the frame",
    "event": "a feed for programs; what happened is at each record, on Home and in the audit trail",
    "tool": "about tools themselves; people have the screens, and the search in them",
}
"""Why people do nothing of it on a screen, by noun."""

_HOLE: Final = re.compile(r"\{(\w+)\}")
_SIMPLE: Final = re.compile(r"[A-Za-z0-9_]{1,64}")
"""What an address is filled with: an id or a slug. Anything else could lead elsewhere, and is left out."""


def template_of(tool: Tool[Any, Any]) -> str | None:
    """The address of *tool*, with its holes; None for one that no screen has."""
    name = tool.lasting_name
    return OF_TOOLS.get(name) or OF_NOUNS.get(name.partition(".")[0])


def screen_of(tool: Tool[Any, Any], given: Mapping[str, Any]) -> str | None:
    """The address where people do what *tool* does to what the input *given* names."""
    template = template_of(tool)
    if template is None:
        return None
    path, _, query = template.partition("?")
    segments = []
    for segment in path.split("/"):
        filled = _filled(segment, given)
        if filled is None:
            break
        segments.append(filled)
    address = "/".join(segments)
    name, _, hole = query.partition("=")
    value = _filled(hole, given) if name else None
    address = address if address != "/app/records" else "/app/"
    return f"{address}?{name}={quote(value)}" if value else address


def _filled(part: str, given: Mapping[str, Any]) -> str | None:
    """*part* of an address; None where it stands for what is not given."""
    match = _HOLE.fullmatch(part)
    if match is None:
        return part
    value = given.get(match[1])
    return value if isinstance(value, str) and _SIMPLE.fullmatch(value) else None
