"""What a tool is: a typed function, from which its schema, its reference and its doors are made.

    @writes("note.create", needs="records.write", raises=(NotFound,), example=…, answer=…)
    def create(tx: Tx, call: Call, request: CreateNote) -> NoteAnswer:
        (here its docstring: the first paragraph is the summary, all of it the description)

A tool that reads gets a `View`, one that writes a `Tx`. Its answer is JSON-ready.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, Generic, Literal, TypedDict, TypeVar, Unpack

import msgspec
from msgspec import UNSET

from svc.domain.errors import DomainError, PersonOnly
from svc.domain.identity.callers import Call, Caller, Runs, permit
from svc.domain.identity.roles import Permission
from svc.domain.input import json as json_input
from svc.domain.limits import LIST_ROWS_MAX
from svc.storage.store import Tx, View

Effect = Literal["reads", "writes"]


class ToolInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """The base of what tools are asked: closed, camelCase on the wire."""

    @classmethod
    def wire_name(cls, member: str) -> str:
        """The name of *member* in JSON."""
        return cls.__struct_encode_fields__[cls.__struct_fields__.index(member)]


class ToolOutput(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The base of what tools answer, camelCase on the wire."""


A = TypeVar("A", bound=ToolInput)
R = TypeVar("R", bound=msgspec.Struct)

about = msgspec.Meta
"""`Annotated[str, about(description="…")]` documents a field, and says what is allowed in it."""


class DeprecationTimes(msgspec.Struct, frozen=True, kw_only=True):
    """When the names of one renaming are deprecated, and when they end; times are ms since the epoch."""

    since_at: int
    sunset_at: int
    """What `Sunset` says: the last day on which they work (RFC 8594)."""
    gone_at: int
    """From when on they are refused with `Gone`."""


class Deprecation(msgspec.Struct, frozen=True, kw_only=True):
    """A deprecated name."""

    times: DeprecationTimes
    replacement: str
    """The tool to call instead."""


class ToolSpec(TypedDict, total=False):
    """The attributes of a tool beside its function, example and answer."""

    needs: Permission | None
    """The permission that a caller needs; None if every admitted caller may run it."""
    own: Permission | None
    """The permission that suffices for what is the caller's own, if any; the tool checks what is."""
    runs: Runs
    """Whether keys may run it, agents only after an approval, or people alone; "open" by default."""
    raises: tuple[type[DomainError], ...]
    """The errors that it may raise beside those that all tools share."""
    persons_give: tuple[str, ...]
    """Members of the request that only a person may give, such as an address that data go to."""
    narrows: bool
    """Whether it keeps to what its caller is narrowed to; other tools are refused to callers that are."""
    shows_secret: bool
    """Whether its answer has a secret that is shown once, so that the answer is never stored."""
    unaudited: bool
    """Whether the audit trail leaves its calls out: they change only what the caller themselves sees."""
    deprecated: Deprecation | None


class Tool(Generic[A, R]):
    """One tool, callable like the function that it wraps. `ToolSpec` describes its attributes."""

    def __init__(
        self,
        name: str,
        effect: Effect,
        fn: Callable[[Any, Call, A], R],
        *,
        example: A,
        answer: R,
        **spec: Unpack[ToolSpec],
    ) -> None:
        self.name: Final = name
        """Dotted: noun and verb."""
        self.noun: Final = name.partition(".")[0]
        self.wire_name: Final = name.replace(".", "_")
        """The name where dots are not allowed."""
        self.effect: Final = effect
        self.needs: Final = spec.get("needs")
        self.own: Final = spec.get("own")
        self.runs: Final[Runs] = spec.get("runs", "open")
        self.persons_give: Final = spec.get("persons_give", ())
        self.raises: Final = spec.get("raises", ()) + ((PersonOnly,) if self.persons_give else ())
        self.narrows: Final = spec.get("narrows", False)
        self.shows_secret: Final = spec.get("shows_secret", False)
        if self.shows_secret and self.runs == "approval":
            raise ValueError(f"{name} may not be asked for: cards keep answers, and it shows a secret")
        self.unaudited: Final = spec.get("unaudited", False)
        self.deprecated: Final = spec.get("deprecated")
        self.example: Final = example
        self.answer: Final = answer
        self.description: Final = inspect.getdoc(fn) or ""
        self.summary: Final = self.description.partition("\n\n")[0].replace("\n", " ")
        self.request_type: Final[type[A]] = type(example)
        self.answer_type: Final[type[R]] = type(answer)
        self._fn = fn
        self._spec = spec
        self._decoder = msgspec.json.Decoder(self.request_type)

    def __call__(self, tx: Any, call: Call, request: A) -> R:
        """Run it. Raises `PersonOnly` where no person gives what only a person may, and what it refuses."""
        if self.persons_give and not call.caller.by_hand:
            for name in self.persons_give:
                if getattr(request, name) is not UNSET:
                    wire_name = self.request_type.wire_name(name)
                    raise PersonOnly(f"only a person may give {self.name} another `{wire_name}`")
        return self._fn(tx, call, request)

    def permit(self, caller: Caller) -> None:
        """Check that *caller* may run it, by permission and by kind of caller. Raises as `callers.permit`."""
        permit(
            caller,
            self.name,
            needs=self.needs,
            own=self.own,
            runs=self.runs,
            reads=self.effect == "reads",
        )

    def __repr__(self) -> str:
        return f"<tool {self.name}>"

    @property
    def lasting_name(self) -> str:
        """The name of the tool itself, of which a deprecated one is another spelling."""
        return self.name if self.deprecated is None else self.deprecated.replacement

    @property
    def notice(self) -> str | None:
        """What to call instead of a deprecated name."""
        deprecated = self.deprecated
        if deprecated is None:
            return None
        return f"Deprecated: call `{deprecated.replacement}`, which takes and answers the same."

    def alias(self, name: str, times: DeprecationTimes) -> "Tool[A, R]":
        """The same tool under *name*, which it had before."""
        spec = self._spec.copy()
        spec["deprecated"] = Deprecation(times=times, replacement=self.name)
        return Tool(name, self.effect, self._fn, example=self.example, answer=self.answer, **spec)

    def read(self, body: bytes) -> A:
        """Decode a request from JSON. Raises `MalformedJson`, and `InvalidInput` for another shape."""
        return json_input.read_storable(self._decoder, body)

    def read_part(self, part: msgspec.Raw) -> A:
        """As `read`, from a part of a body that was already checked for repeated names."""
        return json_input.read_storable_part(self._decoder, part)


def reads(
    name: str, *, example: A, answer: R, **spec: Unpack[ToolSpec]
) -> Callable[[Callable[[View, Call, A], R]], Tool[A, R]]:
    """Make a tool that reads of the decorated function. *example* is a request, *answer* its answer."""
    return lambda fn: Tool(name, "reads", fn, example=example, answer=answer, **spec)


def writes(
    name: str, *, example: A, answer: R, **spec: Unpack[ToolSpec]
) -> Callable[[Callable[[Tx, Call, A], R]], Tool[A, R]]:
    """As `reads`, a tool that writes."""
    return lambda fn: Tool(name, "writes", fn, example=example, answer=answer, **spec)


IfVersion = Annotated[
    int | None,
    about(description="The `version` that the change was made from: at another one, it is 409 `conflict`."),
]

Limit = msgspec.Meta(ge=1, le=LIST_ROWS_MAX, description="How many at most.")
Cursor = msgspec.Meta(description="`nextCursor` of the page before, to go on from there.")
NextCursor = msgspec.Meta(description="Where the list goes on; null at its end.")
