"""Functions that statements call and PostgreSQL does not have. They are made anew at each start."""

import sys
from collections.abc import Iterator

import sqlalchemy as sa


def create_functions(conn: sa.Connection) -> None:
    """Make `svc_fold`, or make it anew: it folds as `sort_keys.fold` does, by this Python's Unicode."""
    for statement in _fold():
        conn.exec_driver_sql(statement)


def _fold() -> Iterator[str]:
    single: list[tuple[str, str]] = []
    several: list[tuple[str, str]] = []
    for code in range(128, sys.maxunicode + 1):
        letter = chr(code)
        folded = letter.casefold()
        if folded != letter:
            (single if len(folded) == 1 else several).append((letter, folded))
    single += [(letter, letter.lower()) for letter in map(chr, range(ord("A"), ord("Z") + 1))]
    from_, to = ("".join(letters) for letters in zip(*single, strict=True))
    # Letters that become several are few, and most texts have none of them.
    have = "".join(letter for letter, _ in several)
    replaced = "folded"
    for letter, folded in several:
        replaced = f"replace({replaced}, '{letter}', '{folded}')"
    body = (
        f"SELECT CASE WHEN folded ~ '[{have}]' THEN {replaced} ELSE folded END"  # noqa: S608  # letters alone
        f" FROM (SELECT translate(normalize($1, NFKC), '{from_}', '{to}') AS folded) AS once"
    )
    yield (
        "CREATE OR REPLACE FUNCTION svc_fold(text) RETURNS text"
        " LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS"
        f" $fold$ SELECT CASE WHEN octet_length($1) = char_length($1) THEN lower($1) ELSE ({body}) END $fold$"
    )
