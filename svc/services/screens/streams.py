"""The stream of live hints to a screen: what it sends, and when it ends."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

import msgspec

from svc.actors._core import ActorError
from svc.actors.identity.organization import Organization
from svc.actors.inbox.presences import HINT
from svc.actors.screen_hints import HintStream
from svc.actors.system import System
from svc.domain.crypto.keys import digest
from svc.domain.errors import Forbidden, NotFound, Unauthenticated, Unavailable
from svc.domain.hints import Hint
from svc.domain.identity.callers import Caller
from svc.domain.identity.roles import Permission
from svc.services.screens import presence
from svc.services.tools import calls as tool_calls
from svc.tools.tool import Tool

MEDIA_TYPE: Final = "text/event-stream"
_COMMENT: Final = b":\n\n"
_encode: Final = msgspec.json.Encoder().encode

_JUDGED_SINGLY: Final = frozenset({"approval", "reply_template", "view"})
"""Nouns of which every member may read some, as their tools decide for each one. Their hints have no id, by
which members would know of what they may not see."""

Readers = Mapping[str, tuple[Permission | None, ...]]
"""By noun: the permissions of which one suffices to read it; None is for everyone."""


class Sink(Protocol):
    """Takes the parts of a streamed answer. `svc.http.fast_path.PartSender` is one."""

    async def send(self, part: bytes) -> None:
        """Send *part*; return once the client's side has taken it."""
        ...


def readers_of(tools: Iterable[Tool[Any, Any]]) -> Readers:
    """Who may read each noun, as its reading tools say."""
    readers: dict[str, tuple[Permission | None, ...]] = {}
    for tool in tools:
        if tool.effect == "reads":
            enough = (None,) if tool.needs is None else (tool.needs, *((tool.own,) if tool.own else ()))
            readers[tool.noun] = tuple(dict.fromkeys((*readers.get(tool.noun, ()), *enough)))
    return {**readers, HINT: (presence.NEEDS,)}


class ScreenStream:
    """One stream, of a person's session to one organization."""

    def __init__(self, system: System, readers: Readers, session_token: str, caller: Caller) -> None:
        self._system = system
        self._readers = readers
        self._digest = digest(session_token)
        self._organization_id = caller.organization_id
        self._person_id = caller.person_id or ""
        self._nouns = self._readable(caller)

    @classmethod
    async def admit(
        cls, system: System, readers: Readers, session_token: str, organization_id: str | None
    ) -> "ScreenStream":
        """Admit the person to the organization, by default their home, as to a call of a tool.

        Raises:
            Unauthenticated: there is no such session.
            Forbidden: the person is no active member there.
            TooManyAttempts: the person's budget of calls is used up.
        """
        admission = await tool_calls.admit_person(system, session_token, organization_id)
        tool_calls.check_budget(admission)
        return cls(system, readers, session_token, admission.caller)

    async def write(self, sink: Sink, after: int | None) -> None:
        """Send hints after number *after*, or from now on, until the person may not have them any more.

        Raises `Unavailable`, before anything is sent, where there is no place.
        """
        hints, places = self._system.screen_hints, self._system.stream_places.screens
        with (
            places.hold(self._organization_id),
            hints.open(self._organization_id, self._person_id, self._digest, after) as stream,
        ):
            if await self._has_ended(stream):
                raise Unauthenticated
            # Tells the browser where it is, so that a stream that breaks before its first hint misses none.
            await sink.send(b"retry: 2000\n" + (b"" if after is not None else _id(stream.number)) + b"\n")
            while True:
                await stream.wait()
                if await self._has_ended(stream):
                    return
                part = self._part(stream)
                if part or stream.comment_due:
                    await sink.send(part or _COMMENT)
                    stream.sent()

    def _part(self, stream: HintStream) -> bytes:
        """The events of the hints since the last part."""
        hints = stream.take()
        if hints is None:
            return b"event: resync\n" + _id(stream.number) + b"data: {}\n\n"
        return b"".join(_event(hint) for hint in hints if hint.noun in self._nouns)

    async def _has_ended(self, stream: HintStream) -> bool:
        """Look again whether the person may have hints, and of which nouns."""
        if self._system.screen_hints.closed:
            return True
        try:
            # Never by `session_of`: an open page is no use of the session, which ends when it is left alone.
            session = await self._system.identity.sessions.find(self._digest)
            if session is None:
                return True
            if stream.must_recheck:
                stream.must_recheck = False
                admission = await Organization(self._system, self._organization_id).admit_person(session)
                self._nouns = self._readable(admission.caller)
        except (Unauthenticated, Forbidden, NotFound, Unavailable, ActorError):
            return True  # where it cannot be looked up, the page connects again
        return self._system.screen_hints.closed

    def _readable(self, caller: Caller) -> frozenset[str]:
        return frozenset(
            noun
            for noun, enough in self._readers.items()
            if any(permission is None or permission in caller.permissions for permission in enough)
        )


def _id(number: int) -> bytes:
    return b"id: %d\n" % number


def _event(hint: Hint) -> bytes:
    id_ = None if hint.noun in _JUDGED_SINGLY else hint.id
    data = _encode({"noun": hint.noun, "id": id_})
    return b"event: changed\n" + _id(hint.number) + b"data: " + data + b"\n\n"
