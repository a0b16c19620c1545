"""Reach: what a stranger could read and change by writing to an agent, in words."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection

from svc.domain.agent.agents import Agent
from svc.domain.identity.callers import Caller
from svc.domain.records.objects import is_public
from svc.storage.records import objects
from svc.tools.registry import Registry
from svc.tools.tool import Tool

_READS: Final = {
    "record.get": "read every record whose id is known, each contact with its e-mail and phone included",
    "record.list": "read every record, each contact with its e-mail and phone included",
    "record.search": "read every record, each contact with its e-mail and phone included",
    "record.count": "count records by any of their values, personal ones included",
    "record.aggregate": "add up records by any of their values, personal ones included",
    "record.timeline": "read what happened to every record, and who did it",
    "note.list": "read every note that your people wrote",
    "submission.list": "read what others sent with your forms",
    "submission.get": "read what others sent with your forms",
    "message.list": "read what others wrote to you, and you to them",
    "conversation.list": "see with whom you write, with names and numbers, and what was said last",
    "conversation.get": "see with whom you write, with names and numbers, and what was said last",
    "event.list": "read whatever happens in the organization",
    "audit.list": "read who did what in the organization",
    "member.list": "read the names and addresses of your people",
}
"""Of tools that show more than their summary says."""


def reach_of(conn: Connection, registry: Registry, agent: Agent, caller: Caller) -> list[str]:
    """What a stranger could do by *agent*, which is *caller* now."""
    if agent.tools is None:
        said = [*_narrowed(conn, caller)]
    else:
        said = [_of_tool(tool, caller) for name in agent.tools if (tool := registry.get(name)) is not None]
    return [*said, "It writes to no other conversation, and hands over to a person where it meets a limit."]


def _narrowed(conn: Connection, caller: Caller) -> Iterator[str]:
    published = [
        f"{one.label_plural} ({', '.join(prop.label for prop in one.properties.values() if is_public(prop))})"
        for one in objects.list_all(conn, caller.organization_id)
        if one.publishable
    ]
    if "records.read" not in caller.permissions:
        yield "A stranger could read nothing: the role, or the person who set it, may not read records."
        return
    if published:
        yield f"A stranger could read all {'; '.join(published)}: these objects may appear in embeds."
    else:
        yield "A stranger could read no list of records: no object may appear in embeds."
    yield "A stranger could read all properties of the contact that their own conversation is with."
    if "records.write" in caller.permissions:
        yield "A stranger could have notes written on that contact, and change nothing else."


def _of_tool(tool: Tool[Any, Any], caller: Caller) -> str:
    if tool.needs is not None and caller.permissions.isdisjoint({tool.needs, tool.own}):
        return f"{tool.name}: nothing, since the role or the person who set it lacks {tool.needs}."
    if tool.runs == "approval":
        return f"{tool.name}: a stranger could have it asked for. A person decides each time. {tool.summary}"
    if tool.effect == "reads":
        does = _READS.get(tool.name)
        return f"{tool.name}: a stranger could {does or f'have this read: {tool.summary}'}"
    return f"{tool.name}: a stranger could have this done, at any record or thing it takes: {tool.summary}"
