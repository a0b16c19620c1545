"""`view.*`: lists that people save under a name, with what they are asked."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from svc.domain.errors import Conflict, Fault, Forbidden, InvalidInput, NotFound, named_at
from svc.domain.identity.callers import Call, permit
from svc.domain.identity.limits import NAME_CHARS_MAX
from svc.domain.input.near_names import hint, shown
from svc.domain.locale.times import Timestamp
from svc.domain.versions import Version
from svc.domain.views.limits import VIEW_INPUT_BYTES_MAX, VIEWS_MAX
from svc.domain.views.views import SavedView
from svc.storage.records import objects
from svc.storage.store import Tx, View
from svc.storage.views import views
from svc.storage.views.views import NewView, ViewChanges
from svc.tools.projections import Projection
from svc.tools.registry import registry_of
from svc.tools.tool import IfVersion, Tool, ToolInput, ToolOutput, about, reads, writes

_LISTS: Final = ".list"
_RECORDS: Final = "record.list"
_POSITION: Final = "cursor"
"""The member of a list's input that is no part of a view."""

ViewId = Annotated[str, about(description="A view's id.", examples=["viw_01K5D3V7Q2M8Z4X6C9B1N0T5RA"])]
_Name = Annotated[
    str,
    about(
        description="What people call it: one line.",
        min_length=1,
        max_length=NAME_CHARS_MAX,
        examples=["Won this month"],
    ),
]
_ToolName = Annotated[
    str,
    about(
        description="The tool that it calls, which lists: `record.list`, `submission.list` and so on.",
        examples=["record.list"],
    ),
]
_Input = Annotated[
    dict[str, Any],
    about(
        description="What that tool is asked, without `cursor`. The rules are the tool's own.",
        examples=[{"objectType": "deal", "sort": [{"property": "amount", "direction": "desc"}]}],
    ),
]
_BoardBy = Annotated[
    str,
    about(
        description="Of a view of `record.list`: the slug of the property, a `select`, whose choices are the"
        " columns of the board that it is shown as. Null for a table.",
        examples=["stage"],
    ),
]
_Shared = Annotated[
    bool, about(description="Whether all members that may call the tool see it, or its maker alone.")
]


class ViewAnswer(ToolOutput, frozen=True, kw_only=True):
    """A view."""

    id: ViewId
    name: _Name
    tool: _ToolName
    input: _Input
    board_by: _BoardBy | None
    shared: _Shared
    created_by: Annotated[str, about(description="The member who made it.")]
    version: Version
    created_at: Timestamp
    updated_at: Timestamp


_answer: Final = Projection(SavedView, ViewAnswer, created_by=attrgetter("person_id"))

EXAMPLE: Final = ViewAnswer(
    id="viw_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    name="Largest deals",
    tool="record.list",
    input={"objectType": "deal", "sort": [{"property": "amount", "direction": "desc"}]},
    board_by=None,
    shared=True,
    created_by="usr_01K5D3V7Q2M8Z4X6C9B1N0T5RA",
    version=1,
    created_at="2026-09-18T09:30:00.000Z",
    updated_at="2026-09-18T09:30:00.000Z",
)


class ListViews(ToolInput, frozen=True, kw_only=True):
    """Views of which list."""

    tool: _ToolName | None = None


class ViewList(ToolOutput, frozen=True, kw_only=True):
    """Views."""

    views: Annotated[tuple[ViewAnswer, ...], about(description="The oldest first.", max_length=VIEWS_MAX)]


@reads("view.list", example=ListViews(tool="record.list"), answer=ViewList(views=(EXAMPLE,)))
def list_all(view: View, call: Call, request: ListViews) -> ViewList:
    """List the views that the caller sees: their own, and shared ones of tools that they may call."""
    seen = views.list_visible(view.conn, call.caller)
    return ViewList(
        views=tuple(
            _answer(one) for one in seen if request.tool in {None, one.tool} and _may_call(call, one.tool)
        )
    )


class CreateView(ToolInput, frozen=True, kw_only=True):
    """A view to be saved."""

    name: _Name
    tool: _ToolName
    input: _Input
    board_by: _BoardBy | None = None
    shared: _Shared = False


@writes(
    "view.create",
    runs="person",
    raises=(Conflict,),
    example=CreateView(name=EXAMPLE.name, tool=EXAMPLE.tool, input=EXAMPLE.input, shared=True),
    answer=EXAMPLE,
)
def create(tx: Tx, call: Call, request: CreateView) -> ViewAnswer:
    """Save a list under a name, for the caller alone or for all.

    It takes the permission that the list takes. To see it, each member needs that too.
    """
    tool = _list_tool(call, request.tool)
    _check_input(tool, request.input)
    if request.board_by is not None:
        _check_board(tx, call, tool, request.input, request.board_by)
    new = NewView(
        name=request.name,
        tool=tool.name,
        input=request.input,
        board_by=request.board_by,
        shared=request.shared,
    )
    return _answer(views.create(tx, call.caller, new))


class UpdateView(ToolInput, frozen=True, kw_only=True):
    """What to change about a view. What is left out stays."""

    id: ViewId
    name: _Name | UnsetType = UNSET
    input: _Input | UnsetType = UNSET
    board_by: _BoardBy | UnsetType | None = UNSET
    shared: _Shared | UnsetType = UNSET
    if_version: IfVersion = None


@writes(
    "view.update",
    runs="person",
    raises=(NotFound, Conflict),
    example=UpdateView(id=EXAMPLE.id, name="Largest deals first"),
    answer=msgspec.structs.replace(EXAMPLE, name="Largest deals first", version=2),
)
def update(tx: Tx, call: Call, request: UpdateView) -> ViewAnswer:
    """Change a view of one's own; a shared one of another member takes `settings`."""
    before = views.get(tx.conn, call.caller, request.id)
    tool = _list_tool(call, before.tool)
    if request.input is not UNSET:
        _check_input(tool, request.input)
    board_by = before.board_by if request.board_by is UNSET else request.board_by
    if board_by is not None and (request.input is not UNSET or request.board_by is not UNSET):
        asked = before.input if request.input is UNSET else request.input
        _check_board(tx, call, tool, asked, board_by)
    changes = ViewChanges(
        name=request.name, input=request.input, board_by=request.board_by, shared=request.shared
    )
    return _answer(views.update(tx, call.caller, request.id, changes, if_version=request.if_version))


class ViewById(ToolInput, frozen=True, kw_only=True):
    """Which view."""

    id: ViewId


class DeletedView(ToolOutput, frozen=True, kw_only=True):
    """A view that is gone."""

    id: ViewId


@writes(
    "view.delete",
    runs="person",
    raises=(NotFound,),
    example=ViewById(id=EXAMPLE.id),
    answer=DeletedView(id=EXAMPLE.id),
)
def delete(tx: Tx, call: Call, request: ViewById) -> DeletedView:
    """Delete a view of one's own; a shared one of another member takes `settings`.

    What it lists stays.
    """
    return DeletedView(id=views.delete(tx, call.caller, request.id).id)


def _list_tool(call: Call, name: str) -> Tool[Any, Any]:
    """The tool called *name*, if it lists and the caller may call it.

    Raises `InvalidInput` for another tool, and `Forbidden`.
    """
    registry = registry_of(call)
    tool = registry.named(name)
    if tool is None or not _lists(tool):
        known = [one.name for one in registry.values() if _lists(one)]
        raise InvalidInput(
            [Fault("/tool", "invalid_value", f"{shown(name)} is no tool that lists{hint(name, known)}")]
        )
    permit(
        call.caller, tool.name, needs=tool.needs, own=tool.own, runs=tool.runs, reads=tool.effect == "reads"
    )
    return tool


def _lists(tool: Tool[Any, Any]) -> bool:
    return tool.effect == "reads" and tool.name.endswith(_LISTS) and tool.deprecated is None


def _may_call(call: Call, name: str) -> bool:
    tool = registry_of(call).named(name)
    if tool is None:
        return False
    try:
        tool.permit(call.caller)
    except Forbidden:
        return False
    return True


def _check_input(tool: Tool[Any, Any], given: dict[str, Any]) -> None:
    """Raises `InvalidInput` for what *tool* would not take, or is too long to be kept."""
    body = msgspec.json.encode(given)
    if len(body) > VIEW_INPUT_BYTES_MAX:
        detail = f"it has over {VIEW_INPUT_BYTES_MAX:,} bytes as JSON"
        raise InvalidInput([Fault("/input", "invalid_value", detail)])
    if _POSITION in given:
        detail = "a view is a whole list, and has no place in it"
        raise InvalidInput([Fault(f"/input/{_POSITION}", "invalid_value", detail)])
    try:
        tool.read(body)
    except InvalidInput as error:
        faults = [Fault(f"/input{fault.pointer}", fault.code, fault.detail) for fault in error.faults]
        raise InvalidInput(faults) from None


def _check_board(tx: Tx, call: Call, tool: Tool[Any, Any], asked: Mapping[str, Any], board_by: str) -> None:
    """Raises `InvalidInput` unless *tool* lists records, and *board_by* is a select of theirs."""
    if tool.name != _RECORDS:
        detail = f"{tool.name} lists no records, which alone are shown as a board"
        raise InvalidInput([Fault("/boardBy", "invalid_value", detail)])
    with named_at("/input/objectType"):
        object_ = objects.get(tx.conn, call.caller.organization_id, asked["objectType"])
    known = [slug for slug, one in object_.properties.items() if one.type == "select"]
    if board_by not in known:
        detail = f"{shown(board_by)} is no property of the type select{hint(board_by, known)}"
        raise InvalidInput([Fault("/boardBy", "invalid_value", detail)])
