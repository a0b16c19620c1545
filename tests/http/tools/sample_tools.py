"""Tools of every kind that there may be, for what is made of a registry."""

from typing import Annotated, Literal

from svc.domain.errors import Conflict, NotFound
from svc.domain.identity.callers import Call
from svc.domain.locale.times import Timestamp
from svc.storage.store import Tx, View
from svc.tools.registry import Registry
from svc.tools.tool import DeprecationTimes, Limit, ToolInput, ToolOutput, about, reads, writes

GONE_AT = 1_805_328_000_000
RENAMED = DeprecationTimes(since_at=1_789_689_600_000, sunset_at=1_805_241_600_000, gone_at=GONE_AT)


class Condition(ToolInput, frozen=True, kw_only=True):
    """What has to hold."""

    property: Annotated[str, about(description="Its slug.", max_length=50)]
    op: Annotated[Literal["eq", "<&>"], about(description="How it is compared.")]
    value: str | int | None = None


class ListWorkflows(ToolInput, frozen=True, kw_only=True):
    """Which ones."""

    conditions: Annotated[list[Condition], about(description="All must hold.", max_length=20)] = []  # noqa: RUF012  # msgspec copies
    limit: Annotated[int, Limit] = 50


class Workflow(ToolOutput, frozen=True, kw_only=True):
    """What happens by itself."""

    id: str
    ran_at: Timestamp | None = None


class Workflows(ToolOutput, frozen=True, kw_only=True):
    """Some of them."""

    workflows: list[Workflow]
    next_cursor: str | None = None


class MintSecret(ToolInput, frozen=True, kw_only=True):
    """Nothing."""


class Secret(ToolOutput, frozen=True, kw_only=True):
    """A secret, this once."""

    id: str
    secret: str


_LIST = ListWorkflows(conditions=[Condition(property="name", op="eq", value="it's")])
_ANSWER = Workflows(workflows=[Workflow(id="wfl_1")])


@reads("workflow.list", needs="workflows", example=_LIST, answer=_ANSWER)
def listed(view: View, call: Call, asked: ListWorkflows) -> Workflows:
    """List workflows <b>without</b> & with conditions.

    See `workflow.delete`, and `<script>`.
    """
    return Workflows(workflows=[])


@writes(
    "workflow.delete",
    needs="workflows",
    runs="approval",
    raises=(NotFound,),
    example=MintSecret(),
    answer=Workflow(id="wfl_1"),
)
def deleted(tx: Tx, call: Call, asked: MintSecret) -> Workflow:
    """Delete a workflow; `workflow.update` pauses it."""
    return Workflow(id="wfl_1")


@writes(
    "workflow.update",
    needs="workflows",
    raises=(Conflict,),
    example=MintSecret(),
    answer=Workflow(id="wfl_1"),
)
def updated(tx: Tx, call: Call, asked: MintSecret) -> Workflow:
    """Change a workflow."""
    return Workflow(id="wfl_1")


@writes(
    "serverkey.mint",
    needs="security",
    runs="person",
    shows_secret=True,
    example=MintSecret(),
    answer=Secret(id="key_1", secret="sk_live_…"),
)
def minted(tx: Tx, call: Call, asked: MintSecret) -> Secret:
    """Make a key."""
    return Secret(id="key_1", secret="")


SAMPLES = Registry([listed, listed.alias("automation.list", RENAMED), deleted, updated, minted])
