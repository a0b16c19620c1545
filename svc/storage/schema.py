"""What all tables share: metadata, names of constraints, and common columns."""

from typing import Any, Final

import sqlalchemy as sa

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


MOVES_WITH_RECORD: Final = "moves with its record"
"""The mark, in a column's `info`, that a merge of records makes it refer to the one that survives."""


def of_record(name: str, *, nullable: bool = True) -> "sa.Column[str]":
    """The column of the record that a row belongs to; a merge of records updates it."""
    return sa.Column(
        name, sa.Text, sa.ForeignKey("records.id"), nullable=nullable, info={MOVES_WITH_RECORD: True}
    )


def only_where(condition: str) -> dict[str, Any]:
    """Options of a partial index of the rows for which *condition* holds."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def of_organization() -> "sa.Column[str]":
    """The column of the organization that a row belongs to."""
    return sa.Column("organization_id", sa.Text, sa.ForeignKey("organizations.id"), nullable=False)
