"""Patterns of ids in the contract's answers.

Inputs have none: an id of another form is told as one that is not there.
"""

import re
from typing import Any, Final

from svc.http.tools.contract_parts import Json

_ULID: Final = "[0-9A-HJKMNP-TV-Z]{26}"
_ID: Final = re.compile(f"(?P<prefix>[a-z]{{3}}_){_ULID}")

_NAME: Final = re.compile("id|.*Id")

_PREFIXES: Final = {
    "approvalId": "apr_",
    "connectionId": "con_",
    "contactId": "rec_",
    "conversationId": "cnv_",
    "dealId": "rec_",
    "deliveryId": "dlv_",
    "eventId": "evt_",
    "fileId": "fil_",
    "formId": "frm_",
    "memberId": "usr_",
    "messageId": "msg_",
    "organizationId": "org_",
    "personId": "usr_",
    "recordId": "rec_",
    "replyId": "rpl_",
    "siteId": "sit_",
    "submissionId": "sub_",
    "teamId": "tea_",
    "webhookId": "whk_",
    "workflowId": "wfl_",
}
"""By the name of a member without examples of its own."""


def with_id_patterns(schema: Json) -> Json:
    """The *schema* of an answer, in which members named `id` or `…Id` have patterns.

    That of their examples where these are all ids of one kind; a member for ids of several shows two.
    """
    fields = schema.get("properties", {})
    ids = {name: _with_pattern(name, field) for name, field in fields.items() if _NAME.fullmatch(name)}
    return schema | {"properties": fields | ids} if ids else schema


def _with_pattern(name: str, field: Json) -> Json:
    shapes = field.get("anyOf", [field])
    if not any(shape.get("type") == "string" for shape in shapes):
        return field
    examples = [example for part in (field, *shapes) for example in part.get("examples", ())]
    prefixes = {_prefix(example) for example in examples} or {_PREFIXES.get(name)}
    if len(prefixes) != 1 or (prefix := prefixes.pop()) is None:
        return field
    pattern = {"pattern": f"^{prefix}{_ULID}$"}
    if "anyOf" not in field:
        return field | pattern
    return field | {"anyOf": [shape | pattern if shape["type"] == "string" else shape for shape in shapes]}


def _prefix(example: Any) -> str | None:
    match = _ID.fullmatch(example) if isinstance(example, str) else None
    return None if match is None else match["prefix"]
