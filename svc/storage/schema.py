"""How tables are declared. Each column says what it is, once; what is done with it elsewhere follows.

A column says what is stored in it, what it can say about a person (for an erasure), whether it leaves with
its organization (for an export), and, of a time, how far ahead of now it can lie (for a clock that was
wrong). A table says whether an erasure and an export have it, and how long its rows live. What is left out
is a `TypeError` when the module is imported.

Times are integers: milliseconds since the epoch, UTC. Ids are text: a prefix and a ULID, so that the order of
ids is the order of creation. JSON is text that the noun modules encode and decode.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
import sqlalchemy as sa

WHOLE: Final = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
"""A whole number of up to eight bytes, as every INTEGER of SQLite is."""

UNCONVERTED_FLAG: Final = sa.Integer().with_variant(sa.Boolean(), "postgresql")
"""The type of a column of flags as the driver has its values: SQLite's are numbers."""

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Ids = Literal[
    "records",
    "submissions",
    "conversations",
    "visitors",
    "emails",
    "agent_runs",
    "replies",
    "deliveries",
    "events",
    "workflow_runs",
]
"""Which of a person's ids a column has."""


class Person(msgspec.Struct, frozen=True):
    """What a column can say about a person, and what an erasure does with it then."""

    said: Literal["nothing", "text", "code", "kept"]
    why: str = ""
    """Of what is kept: the reason."""


NOBODY: Final = Person("nothing")
"""No person writes it: an id, a state, the name of a tool, a digest, a setting of a fixed set."""
SCRUBBED: Final = Person("text")
"""A text or JSON that may name a person: what names them is taken out."""
CODE: Final = Person("code")
"""What programs of others make up, of which what names a person may be a part."""


def kept(why: str) -> Person:
    """Of a column in which an erasure only counts what names a person, since it stays: *why*."""
    return Person("kept", why)


class Untouched(msgspec.Struct, frozen=True):
    """Of a time that stays where it is, even if it lies ahead of now because a clock was wrong."""

    why: str


class Ahead(msgspec.Struct, frozen=True):
    """How far ahead of now a time can lie, in ms; what lies further becomes that."""

    most_ms: int
    due: bool = False
    """Whether it is when something goes on: that may be at once, so what lies too far ahead becomes now."""
    where: str = ""
    """SQL: the rows of which it holds, where it is not all of them."""


class AheadByRow(msgspec.Struct, frozen=True):
    """How far ahead a time can lie that means another thing in other rows: the first rule that holds."""

    rules: tuple[Ahead, ...]
    others: str = ""
    """Why rows of no rule stay as they are."""


class ColumnFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a column says about itself."""

    person: Person = NOBODY
    own: Ids | None = None
    """Which ids of a person it has, if a row is a person's own by it."""
    blank: str | bytes | None = None
    """What becomes of it in a row about the person, where taking out what names them is not enough."""
    json: Any = None
    """The type that its JSON decodes as."""
    ahead: Ahead | AheadByRow | Untouched | None = None
    """Of a time."""
    stays: str = ""
    """Why it is not exported."""
    note: str = ""
    """What it means, for readers of an export, where its name does not say that."""
    moves: bool = False
    """Whether a merge of records makes it refer to the one that survives."""


class ExportFile(msgspec.Struct, frozen=True):
    """The rows leave with the organization, in a file of this name."""

    name: str
    """Without its ending."""
    about: str
    """What a line is."""
    notes: Mapping[str, str] = {}
    """Members of lines that are no columns."""


class Stays(msgspec.Struct, frozen=True):
    """The rows do not leave with the organization."""

    why: str


class Exempt(msgspec.Struct, frozen=True):
    """An erasure leaves the table alone."""

    why: str


class Life(msgspec.Struct, frozen=True):
    """How long the rows of a table live."""

    how: Literal["kept", "parent", "pruned", "expires"]
    since: str = ""
    """Of rows that expire: the column with the time that it counts from."""
    ms: int = 0


KEPT: Final = Life("kept")
"""Until somebody deletes what the row is, or for as long as there is the organization."""
WITH_PARENT: Final = Life("parent")
"""As long as the row that it refers to, or is derived from."""
PRUNED: Final = Life("pruned")
"""Until the `pruning` of its noun deletes it."""


def expires(since: str, ms: int = 0) -> Life:
    """Until *ms* after the time in the column *since*."""
    return Life("expires", since, ms)


RowsOf = Literal["an organization", "people", "the installation"]


class TableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a table says about itself."""

    leaves: ExportFile | Stays
    erasure: Exempt | None
    """None where the columns say what an erasure does."""
    life: Life
    through: str | None
    """Of a table without a column for the organization: the column that leads to a table with one."""
    rows_of: RowsOf
    """Whose unit of work writes the rows: see `svc.storage.store.Store`."""


_FACTS: Final = "facts"
_DIGEST: Final = "the digest of a secret: it signs nothing and nobody in, and is of no use elsewhere"
SEALED: Final = "a secret, encrypted under the key of the installation"
INTERNAL: Final = "how far the program has come with its own work"
ACCOUNT: Final = "the account of a member, whom the audit trail refers to; `member.deactivate` ends it"
SETTING: Final = "a setting of the organization's; change it with the tool that it belongs to"
ERASED_JSON: Final = '{"erased":true}'
"""What JSON becomes that is about a person."""
COMPARED: Final = "a digest, which the program compares"


def table(
    name: str,
    *items: sa.sql.schema.SchemaItem,
    leaves: ExportFile | Stays,
    life: Life,
    erasure: Exempt | None = None,
    through: str | None = None,
    rows_of: RowsOf = "an organization",
    **options: Any,
) -> sa.Table:
    """A table. Raises `TypeError` where it or a column of it does not say what it has to."""
    made = sa.Table(name, metadata, *items, **options)
    for column in made.columns:
        if _FACTS not in column.info:
            raise TypeError(
                f"{name}.{column.name} says nothing about itself: make it by a function of {__name__}"
            )
    if life.since and life.since not in made.columns:
        raise TypeError(f"{name} has no {life.since}, from which its rows' life would count")
    if (erasure is None or rows_of == "an organization") and not _organization_of(made, through):
        raise TypeError(f"{name} does not say how its rows are of an organization")
    for column in made.columns:
        if facts_of(column).json is not None:
            made.append_constraint(_is_json(made, column))
    made.info[_FACTS] = TableFacts(
        leaves=leaves, erasure=erasure, life=life, through=through, rows_of=rows_of
    )
    return made


def _is_json(made: sa.Table, column: "sa.Column[Any]") -> sa.CheckConstraint:
    """What keeps other text out of a column where a query could not pass over it: see `sql.json_values`."""
    check = sa.CheckConstraint(
        f"coalesce({column.name}, 'null')::json IS NOT NULL", name=f"ck_{made.name}_{column.name}_json"
    )
    return check.ddl_if(dialect="postgresql")


def _organization_of(made: sa.Table, through: str | None) -> bool:
    names = {"organization_id", "home_organization_id"} & {*made.columns.keys()}
    return bool(names) or made.name == "organizations" or (through is not None and through in made.columns)


def facts_of(column: "sa.Column[Any]") -> ColumnFacts:
    """What *column* says about itself."""
    facts: ColumnFacts = column.info[_FACTS]
    return facts


def table_facts(of: sa.Table) -> TableFacts:
    """What a table says about itself."""
    facts: TableFacts = of.info[_FACTS]
    return facts


def id_(*, own: Ids | None = None) -> "sa.Column[str]":
    """The id of a row, and its primary key."""
    return _column("id", sa.Text, ColumnFacts(own=own), null=False, primary=True)


def of_organization(*, primary: bool = False) -> "sa.Column[str]":
    """The column of the organization that a row belongs to."""
    return _column(
        "organization_id",
        sa.Text,
        ColumnFacts(),
        sa.ForeignKey("organizations.id"),
        null=False,
        primary=primary,
    )


def of_record(name: str, *, null: bool = True, own: Ids | None = None, note: str = "") -> "sa.Column[str]":
    """The column of the record that a row belongs to; a merge of records updates it."""
    return _column(
        name, sa.Text, ColumnFacts(own=own, moves=True, note=note), sa.ForeignKey("records.id"), null=null
    )


def ref(
    name: str,
    to: str,
    *,
    null: bool = False,
    primary: bool = False,
    unique: bool = False,
    own: Ids | None = None,
    note: str = "",
) -> "sa.Column[str]":
    """A foreign key to the column *to*."""
    facts = ColumnFacts(own=own, note=note)
    return _column(name, sa.Text, facts, sa.ForeignKey(to), null=null, primary=primary, unique=unique)


def word(
    name: str,
    *,
    null: bool = False,
    primary: bool = False,
    unique: bool = False,
    own: Ids | None = None,
    key: str | None = None,
    stays: str = "",
    note: str = "",
) -> "sa.Column[str]":
    """A text that no person writes: a state, a kind, an id of something else, a slug."""
    facts = ColumnFacts(own=own, stays=stays, note=note)
    return _column(name, sa.Text, facts, null=null, primary=primary, unique=unique, key=key)


def text(
    name: str,
    person: Person,
    *,
    null: bool = False,
    primary: bool = False,
    unique: bool = False,
    own: Ids | None = None,
    blank: str | None = None,
    stays: str = "",
    note: str = "",
) -> "sa.Column[str]":
    """A text that somebody writes."""
    facts = ColumnFacts(person=person, own=own, blank=blank, stays=stays, note=note)
    return _column(name, sa.Text, facts, null=null, primary=primary, unique=unique)


def json(
    name: str,
    type_: Any,
    person: Person,
    *,
    null: bool = False,
    blank: str | None = None,
    stays: str = "",
    note: str = "",
) -> "sa.Column[str]":
    """JSON that decodes as *type_*."""
    facts = ColumnFacts(person=person, json=type_, blank=blank, stays=stays, note=note)
    return _column(name, sa.Text, facts, null=null)


def secret_digest(
    name: str = "digest", *, null: bool = False, primary: bool = False, unique: bool = False
) -> "sa.Column[str]":
    """The digest of a secret, by which it is looked up."""
    return _column(name, sa.Text, ColumnFacts(stays=_DIGEST), null=null, primary=primary, unique=unique)


def sealed(name: str, *, null: bool = False) -> "sa.Column[bytes]":
    """A secret that the service itself must use again, encrypted."""
    return _column(name, sa.LargeBinary, ColumnFacts(stays=SEALED), null=null)


def blob(
    name: str,
    *,
    stays: str,
    person: Person = NOBODY,
    blank: bytes | None = None,
    null: bool = False,
    primary: bool = False,
) -> "sa.Column[bytes]":
    """Bytes, which no export has: *stays* says why."""
    return _column(
        name, sa.LargeBinary, ColumnFacts(person=person, blank=blank, stays=stays), null=null, primary=primary
    )


def past(
    name: str, *, null: bool = False, default: str | None = None, stays: str = "", note: str = ""
) -> "sa.Column[int]":
    """The time when something happened, which is never ahead of now."""
    return time(name, Ahead(0), null=null, default=default, stays=stays, note=note)


def time(
    name: str,
    ahead: Ahead | AheadByRow | Untouched,
    *,
    null: bool = False,
    default: str | None = None,
    stays: str = "",
    note: str = "",
) -> "sa.Column[int]":
    """A time that can lie ahead of now. *default* is that of rows from before there was the column."""
    facts = ColumnFacts(ahead=ahead, stays=stays, note=note)
    return _column(name, sa.BigInteger, facts, null=null, server_default=default)


def number(
    name: str,
    type_: type[sa.Integer] | sa.types.TypeEngine[int] = WHOLE,
    *,
    null: bool = False,
    primary: bool = False,
    default: str | None = None,
    stays: str = "",
    note: str = "",
    autoincrement: bool | Literal["auto"] = "auto",
) -> "sa.Column[int]":
    """A whole number, in units that its name says."""
    facts = ColumnFacts(stays=stays, note=note)
    return _column(
        name, type_, facts, null=null, primary=primary, server_default=default, autoincrement=autoincrement
    )


def flag(
    name: str, *, default: bool | None = None, primary: bool = False, stays: str = "", note: str = ""
) -> "sa.Column[bool]":
    """True or false. *default* is that of rows from before there was the column: false, so far."""
    server_default = None if default is None else sa.false()
    return _column(
        name,
        sa.Boolean,
        ColumnFacts(stays=stays, note=note),
        null=False,
        primary=primary,
        server_default=server_default,
    )


def _column(
    name: str,
    type_: Any,
    facts: ColumnFacts,
    *args: sa.sql.schema.SchemaItem,
    null: bool,
    primary: bool = False,
    unique: bool = False,
    **options: Any,
) -> "sa.Column[Any]":
    if options.get("key") is None:
        options.pop("key", None)
    return sa.Column(
        name,
        type_,
        *args,
        nullable=null and not primary,
        primary_key=primary,
        unique=unique or None,
        info={_FACTS: facts},
        **options,
    )


class PartialIndex(sa.Index):
    """An index of the rows for which the condition *where* holds.

    Each database takes the condition as an option of its own. `sa.Index` checks options when it is made, and
    for that imports SQLAlchemy's package of each database: PostgreSQL's is 2.4 MiB, of no use on SQLite.
    """

    def __init__(self, name: str, *columns: str, where: str, unique: bool = False) -> None:
        super().__init__(name, *columns, unique=unique)
        self.dialect_options = _OptionsByDialect(where)

    def write_out(self) -> None:
        """Make the options of both databases, for what looks at those that are made: Alembic's revisions."""
        for dialect in ("sqlite", "postgresql"):
            self.dialect_options[dialect]


class _OptionsByDialect(dict[str, Any]):
    """The options of a partial index by database, each made when that database is first asked for."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    def __missing__(self, dialect: str) -> Any:
        options = self[dialect] = sa.Index._kw_reg_for_dialect_cls(dialect)
        options["where"] = sa.text(self._where)
        return options
