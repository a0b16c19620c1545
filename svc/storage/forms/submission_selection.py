"""Which submissions a list has, as ids, the newest first: by form and state, and by a text in them."""

from collections.abc import Collection
from contextlib import closing
from heapq import nlargest
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.domain.ids import last_id
from svc.domain.limits import TOTAL_MAX
from svc.storage.forms import search_blocks, tables
from svc.storage.forms.submissions import DISCARDED, ERASED, LABELS, Label
from svc.storage.pages import Total, count_to_total, total_of
from svc.storage.statements import LOOKED_UP_MAX, Statement


class _Id(NamedTuple):
    """The ids of a submission and of its form."""

    id: str
    form_id: str


class Kind(NamedTuple):
    """Which submissions of a form a list has."""

    label: Label | None
    """None for any."""
    discarded: bool
    """Those alone that were discarded; else those that were not."""


_column: Final = tables.submissions.c
_IDS: Final = sa.select(_column.id, _column.form_id).order_by(_column.id.desc())
_BEFORE: Final = _column.id < sa.bindparam("before")
_OF_FORM: Final = (_column.form_id == sa.bindparam("form_id"), _BEFORE)
_OF_DUE: Final = (
    _column.organization_id == sa.bindparam("organization_id"),
    _column.state == tables.DUE,
    _BEFORE,
)
_AMONG: Final = (
    _column.id.in_(sa.bindparam("ids", expanding=True)),
    _column.form_id.in_(sa.bindparam("form_ids", expanding=True)),
)
_SINCE: Final = _column.id >= sa.bindparam("since")
_HAS_TEXT: Final = sa.or_(
    *(
        column.ilike(sa.bindparam("pattern"), escape="\\")
        for column in (_column.email, _column.phone, _column.name)
    )
)
_DISCARDED: Final = _column.state == tables.DISCARDED


def _discarded(label: Label) -> sa.ColumnElement[bool]:
    """Holds for those that were discarded when they had *label*."""
    states = (_column.discarded_from == state for state in LABELS if LABELS[state] == label)
    return sa.and_(_DISCARDED, sa.or_(*states))


_STATES: Final[dict[Kind, sa.ColumnElement[bool]]] = {
    Kind(None, False): sa.and_(_column.state != ERASED, _column.state != DISCARDED),
    Kind("Filed", False): _column.state == "filed",
    Kind("Held", False): _column.state == tables.HELD,
    Kind("Queued", False): _column.state == tables.QUEUED,
    Kind(None, True): _DISCARDED,
    Kind("Filed", True): _discarded("Filed"),
    Kind("Held", True): _discarded("Held"),
    Kind("Queued", True): _discarded("Queued"),
}
_FEW: Final = _STATES.keys() - {Kind(None, False), Kind("Filed", False)}
"""Those that an index has by themselves."""


def _newest(*conditions: sa.ColumnElement[bool]) -> Statement[_Id]:
    """Selects the newest submissions for which *conditions* hold."""
    return Statement(_IDS.where(*conditions).limit(sa.bindparam("most")), _Id)


_NEWEST: Final = {kind: _newest(*_OF_FORM, state) for kind, state in _STATES.items()}
_DUE: Final = Statement(_IDS.where(*_OF_DUE), _Id)
_WITH_TEXT: Final = {kind: _newest(*_OF_FORM, _SINCE, state, _HAS_TEXT) for kind, state in _STATES.items()}
_DUE_WITH_TEXT: Final = Statement(_IDS.where(*_OF_DUE, _HAS_TEXT), _Id)
_AMONG_WITH_TEXT: Final = {kind: _newest(*_AMONG, state, _HAS_TEXT) for kind, state in _STATES.items()}


_QUEUED: Final = Kind("Queued", False)
_SHORT_MAX: Final = 2_000
"""Submissions that are looked at one by one in about the time that the blocks of 100,000 take."""


class SubmissionSelection:
    """The submissions of some forms that are in a state."""

    def __init__(
        self, conn: sa.Connection, organization_id: str, form_ids: Collection[str], kind: Kind
    ) -> None:
        self._conn = conn
        self._organization_id = organization_id
        self._form_ids = list(form_ids)
        self._kind = kind

    def newest(self, before: str, most: int) -> list[str]:
        """The ids of the newest *most* before one."""
        ids = self._of_forms(_NEWEST[self._kind], before=before, most=most)
        return nlargest(most, ids + self._due(_DUE, before=before))

    def total(self) -> Total:
        """How many there are."""
        of_forms = sa.select(_column.id).where(_column.form_id.in_(self._form_ids))
        parts = [of_forms.where(_STATES[self._kind])]
        if self._kind == _QUEUED:
            own = _column.organization_id == self._organization_id
            parts.append(of_forms.where(own, _column.state == tables.DUE))
        return total_of(sum(count_to_total(self._conn, part) for part in parts))

    def lacks_block(self) -> bool:
        """Whether another block of submissions had made it quicker."""
        return False

    def _of_forms(self, statement: Statement[_Id], **values: Any) -> list[str]:
        return [
            row.id
            for form_id in self._form_ids
            for row in statement.all(self._conn, values | {"form_id": form_id})
        ]

    def _due(self, statement: Statement[_Id], **values: Any) -> list[str]:
        """Those that are due, which a list has that has the queued ones."""
        if self._kind != _QUEUED:
            return []
        rows = statement.all(self._conn, values | {"organization_id": self._organization_id})
        return [row.id for row in rows if row.form_id in self._form_ids]


class SubmissionSearch(SubmissionSelection):
    """Those of a selection that have *text* in their e-mail, phone or name.

    It is found whatever the case of ASCII letters.
    """

    def __init__(
        self,
        conn: sa.Connection,
        organization_id: str,
        form_ids: Collection[str],
        kind: Kind,
        text: str,
    ) -> None:
        # No submission has a NUL character; the database would take it for the end of the pattern.
        super().__init__(conn, organization_id, () if "\0" in text else form_ids, kind)
        self._text = text.strip()
        self._pattern = _pattern(self._text)
        self._by_blocks = self._text != "" and not self._is_short()
        self._since = search_blocks.end(conn, organization_id) if self._by_blocks else ""

    def newest(self, before: str, most: int) -> list[str]:
        """The ids of the newest *most* before one."""
        given: dict[str, Any] = {"before": before, "pattern": self._pattern}
        ids = nlargest(most, self._of_forms(_WITH_TEXT[self._kind], **given, since=self._since, most=most))
        if self._by_blocks:
            candidates = search_blocks.candidates(self._conn, self._organization_id, self._text, before)
            looked_up = most
            with closing(candidates):
                # What is in a block is older than what is in none.
                while len(ids) < most and (some := list(islice(candidates, min(looked_up, LOOKED_UP_MAX)))):
                    ids += self._among(some, most - len(ids))
                    looked_up *= 2  # many are of another form or state
        return nlargest(most, ids + self._due(_DUE_WITH_TEXT, **given))

    def total(self) -> Total:
        """How many there are."""
        return total_of(len(self.newest(last_id("sub"), TOTAL_MAX + 1)))

    def lacks_block(self) -> bool:
        """Whether it looks at so many submissions one by one that there should be another block."""
        return self._by_blocks and search_blocks.is_full(self._conn, self._form_ids, self._since)

    def _is_short(self) -> bool:
        """Whether looking at each is quick, by the index of those that are held, queued or discarded."""
        if self._kind not in _FEW:
            return False
        of_forms = sa.select(_column.id).where(_column.form_id.in_(self._form_ids), _STATES[self._kind])
        counted = of_forms.limit(_SHORT_MAX + 1).subquery()
        count = self._conn.execute(sa.select(sa.func.count()).select_from(counted)).scalar_one()
        return count <= _SHORT_MAX

    def _among(self, ids: list[str], most: int) -> list[str]:
        rows = _AMONG_WITH_TEXT[self._kind].all(
            self._conn, ids=ids, form_ids=self._form_ids, pattern=self._pattern, most=most
        )
        return [row.id for row in rows]


def _pattern(text: str) -> str:
    """The pattern of texts that contain *text*."""
    return "%" + "".join(f"\\{char}" if char in "%_\\" else char for char in text) + "%"
