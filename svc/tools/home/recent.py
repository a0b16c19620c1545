"""What was just done, in words: by colleagues, keys, agents and workflows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from svc.domain.home.acts import sentence
from svc.domain.home.limits import HOME_EXAMINED_MAX, HOME_RECENT_MAX
from svc.domain.identity.callers import Call, CallerKind
from svc.domain.locale.times import HOUR_MS, Timestamp, rfc3339
from svc.domain.records.objects import BUILTIN_OBJECTS
from svc.storage import audit
from svc.storage.audit import Act
from svc.storage.home import names
from svc.storage.home.names import ObjectWords, RecordName
from svc.storage.store import View
from svc.tools.home.paths import path_of
from svc.tools.home.rights import may_read
from svc.tools.home.waiting import ScreenPath
from svc.tools.tool import ToolOutput, about

TRAIL: Final = "audit.list"
_BUILTIN: Final = frozenset(one.slug for one in BUILTIN_OBJECTS)
_LISTED_BY: Final = {
    "conversation": "conversation.list",
    "embed": "embed.list",
    "form": "form.list",
    "import": "import.list",
    "message": "conversation.list",
    "note": "note.list",
    "object": "object.list",
    "property": "object.list",
    "record": "record.list",
    "site": "site.list",
    "submission": "submission.list",
    "suggestion": "suggestion.list",
    "workflow": "workflow.list",
}
"""Nouns whose changes are shown to whoever may list them; all others to those who may read the trail."""
_NAMED_BY: Final = {
    "con": "connection.list",
    "emb": "embed.list",
    "frm": "form.list",
    "imp": "import.list",
    "inv": "member.list",
    "key": "apikey.list",
    "gra": "grant.list",
    "obj": "object.list",
    "prp": "object.list",
    "rec": "record.list",
    "rol": "role.list",
    "sit": "site.list",
    "tea": "team.list",
    "usr": "member.list",
    "whk": "webhook.list",
    "wfl": "workflow.list",
}
"""The tools that show what things are called, by the prefix of their ids."""
_CALLERS: Final[Mapping[CallerKind, str]] = {
    "person": "A former member",
    "key": "An API key",
    "grant": "A connected app",
    "agent": "An agent",
    "workflow": "A workflow",
    "operator": "The operator",
    "service": "The service",
}
"""What callers are called whose name the reader may not see, or who have none."""


class WhoActed(ToolOutput, frozen=True, kw_only=True):
    """Who did something."""

    kind: CallerKind
    id: Annotated[str, about(description="A person's, a key's, …; an agent's is that of its connection.")]
    name: Annotated[str, about(description="What they are called.", examples=["Ada Lovelace"])]


class RecentAct(ToolOutput, frozen=True, kw_only=True):
    """Something that was done, once or several times in a row."""

    at: Annotated[Timestamp, about(description="When it was done last.")]
    who: WhoActed
    what: Annotated[
        str, about(description="What follows the name.", examples=["created the contact Grace Hopper"])
    ]
    path: Annotated[ScreenPath | None, about(description="Where it is seen; null where no screen shows it.")]


class _Acts(NamedTuple):
    """An act, or several of one kind that one caller did in a row, the newest first."""

    first: Act
    targets: Sequence[str]


class _Names(NamedTuple):
    """What is needed to tell of acts."""

    records: Mapping[str, RecordName]
    things: Mapping[str, str]
    record_of: Mapping[str, str]
    object_of: Mapping[str, str]


def recent(view: View, call: Call) -> tuple[RecentAct, ...]:
    """The newest acts whose nouns the caller may read; several of one kind in a row are one."""
    organization_id = call.caller.organization_id
    reads = _Rights(call)
    acts = [act for act in audit.latest(view.conn, organization_id, HOME_EXAMINED_MAX) if reads.act(act)]
    grouped = list(_grouped(acts))[:HOME_RECENT_MAX]
    found = _looked_up(view, organization_id, grouped, reads)
    return tuple(_told(one, found) for one in grouped)


class _Rights:
    """What one caller may read; each tool is asked about once."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._known: dict[str, bool] = {}
        self._trail = self._may(TRAIL)

    def act(self, act: Act) -> bool:
        """Whether the caller may know of *act*."""
        listed_by = _LISTED_BY.get(act.action.partition(".")[0])
        return self._trail or (listed_by is not None and self._may(listed_by))

    def name(self, id_: str) -> bool:
        """Whether the caller may know what the thing with *id_* is called."""
        listed_by = _NAMED_BY.get(names.prefix_of(id_))
        return listed_by is not None and self._may(listed_by)

    def _may(self, tool: str) -> bool:
        if tool not in self._known:
            self._known[tool] = may_read(self._call, tool)
        return self._known[tool]


def _grouped(acts: Sequence[Act]) -> Iterator[_Acts]:
    """*acts*, the newest first, with those of one caller and kind in a row within an hour as one."""
    first: Act | None = None
    targets: list[str] = []
    for act in acts:
        if first is None or not _is_same(first, act):
            if first is not None:
                yield _Acts(first, tuple(dict.fromkeys(targets)))
            first, targets = act, []
        if act.target is not None:
            targets.append(act.target)
    if first is not None:
        yield _Acts(first, tuple(dict.fromkeys(targets)))


def _is_same(one: Act, other: Act) -> bool:
    return (one.caller_kind, one.caller_id, one.action) == (
        other.caller_kind,
        other.caller_id,
        other.action,
    ) and one.at - other.at < HOUR_MS


def _looked_up(view: View, organization_id: str, grouped: Sequence[_Acts], reads: _Rights) -> _Names:
    conn = view.conn
    targets = {acts.targets[0] for acts in grouped if acts.targets}
    callers = {acts.first.caller_id for acts in grouped}
    record_of = names.records_of(conn, organization_id, targets)
    records = {id_ for id_ in {*targets, *record_of.values()} if names.prefix_of(id_) == "rec"}
    return _Names(
        records=names.of_records(conn, organization_id, [id_ for id_ in records if reads.name(id_)]),
        things=names.of_things(conn, organization_id, [id_ for id_ in targets | callers if reads.name(id_)]),
        record_of=record_of,
        object_of=names.objects_of(conn, organization_id, targets),
    )


def _told(acts: _Acts, found: _Names) -> RecentAct:
    act = acts.first
    target = acts.targets[0] if acts.targets else None
    record = None if target is None else found.records.get(found.record_of.get(target, target))
    name = None if target is None else found.things.get(target)
    count = max(1, len(acts.targets))
    if record is not None:
        name, noun = record.name, _noun(record.of, count)
    else:
        noun = None
    if target is not None and found.record_of.get(target) is not None and record is not None:
        count, noun = 1, _noun(record.of, 1)  # notes and suggestions are told of by their newest record
    return RecentAct(
        at=rfc3339(act.at),
        who=WhoActed(
            kind=act.caller_kind,
            id=act.caller_id,
            name=found.things.get(act.caller_id, _CALLERS[act.caller_kind]),
        ),
        what=sentence(act.action, name=name, noun=noun, count=count),
        path=_path(target, count, record, found),
    )


def _noun(of: ObjectWords, count: int) -> str:
    """What records of the object are called within a sentence: built-in ones are words of the language."""
    label = of.label if count == 1 else of.label_plural
    return label.lower() if of.slug in _BUILTIN else label


def _path(target: str | None, count: int, record: RecordName | None, found: _Names) -> str | None:
    if target is None:
        return None
    if record is not None:
        record_id = found.record_of.get(target, target)
        return f"/app/records/{record.of.slug}" + (f"/{record_id}" if count == 1 else "")
    return path_of(target, found.object_of.get(target))


EXAMPLE: Final = RecentAct(
    at="2026-09-18T09:30:00.000Z",
    who=WhoActed(kind="person", id="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA", name="Ada Lovelace"),
    what="created the contact Grace Hopper",
    path="/app/records/contact/rec_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
)
