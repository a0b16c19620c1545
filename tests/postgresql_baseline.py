"""`python -m tests.postgresql_baseline`: the baseline of PostgreSQL as the tables are now."""

import sys

import sqlalchemy as sa

from svc.storage.metadata import metadata


def statements() -> list[str]:
    """The commands that make all tables."""
    made: list[str] = []

    def note(command: sa.schema.ExecutableDDLElement, *_: object, **__: object) -> None:
        text = str(command.compile(dialect=engine.dialect))
        made.append("\n".join(line.rstrip() for line in text.strip().splitlines()))

    engine = sa.create_mock_engine("postgresql+psycopg://", note)
    metadata.create_all(engine, checkfirst=False)
    return made


if __name__ == "__main__":
    sys.stdout.write(";\n\n".join(statements()) + ";\n")
