"""The search of submissions: what is found is what a look at every one of them would find."""

from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from svc.domain.forms.forms import Form, NewForm
from svc.storage import provisioning
from svc.storage.forms import (
    forms,
    search_blocks,
    submission_lists,
    submission_selection,
    submissions,
)
from svc.storage.forms.submissions import LABELS
from svc.storage.identity.organizations import NewOrganization
from tests import tables
from tests.storage.ledger import Ledger, ledger
from tests.town import a_stored_one

FOLDED: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
PARTS: Final = st.sampled_from(
    [
        *("a", "A", "b", "é", "É", "ß", "İ", "ı", "ſ", "\u212a", "Ⅷ", "1", "0", "+", "@", "."),
        *("%", "_", "\\", " ", "\n", "\t", "ab", "Ba", "שלום", "مرحبا", "\u202e", "e\u0301", "👩‍👧", "日本"),
    ]
)
TEXTS: Final = st.lists(PARTS, max_size=4).map("".join)


def is_found(row: Any, search: str) -> bool:
    """What a search means: the text without spaces around it, whatever the case of ASCII letters."""
    wanted = search.strip().translate(FOLDED)
    texts = (row.email, row.phone, row.name)
    return any(text is not None and wanted in text.translate(FOLDED) for text in texts)


@pytest.fixture(scope="module")
def here() -> Iterator[Ledger]:
    with ledger() as opened:
        yield opened


def found(here: Ledger, organization_id: str, limit: int = 2, **asked: Any) -> list[str]:
    """The ids on all pages of a list, whose total is as many."""
    ids: list[str] = []
    cursor = None
    while True:
        page = submission_lists.list_page(
            here.conn, organization_id, limit=limit, cursor=cursor, total=True, **asked
        )
        ids += [one.id for one in page.submissions]
        cursor = page.next_cursor
        if cursor is None:
            assert page.total is not None
            assert (len(ids), True) == (page.total.count, page.total.exact)
            return ids


STATES: Final = ("due", "queued", "filed", "held", "erased", "due discarded", "held discarded")
SUBMISSIONS: Final = st.lists(
    st.tuples(
        st.sampled_from([0, 1]),
        st.sampled_from(STATES),
        *(st.one_of(st.none(), TEXTS) for _ in range(3)),
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stored=SUBMISSIONS,
    searches=st.lists(TEXTS.filter(bool), min_size=1, max_size=3),
    block_rows=st.integers(1, 5),
    block_count=st.integers(0, 6),
    short_max=st.sampled_from([0, 2_000]),
    by_form=st.booleans(),
    label=st.sampled_from([None, "Filed", "Held", "Queued"]),
    discarded=st.booleans(),
)
def test_a_search_finds_what_looking_at_each_would_find(
    here: Ledger,
    *,
    stored: list[tuple[int, str, str | None, str | None, str | None]],
    searches: list[str],
    block_rows: int,
    block_count: int,
    short_max: int,
    by_form: bool,
    label: Any,
    discarded: bool,
) -> None:
    """Whatever is in blocks: all of it, some or nothing; of one form or all, in one state or any."""
    organization = here.write(provisioning.create, NewOrganization(name="Lamps"))
    made = [here.write(forms.create, organization, NewForm(name=name)) for name in "ab"]
    for form, state, email, phone, name in stored:
        _store(here, made[form], state, email=email, phone=phone, name=name)
    for _ in range(block_count):
        here.write(search_blocks.build, organization.id, block_rows)
    rows = here.rows(tables.submissions, organization_id=organization.id)
    form_id = made[0].id if by_form else None
    listed = [
        row
        for row in sorted(rows, key=lambda row: row.id, reverse=True)
        if row.state != "erased"
        and (row.state == "discarded") == discarded
        and (form_id is None or row.form_id == form_id)
        and (label is None or LABELS[row.discarded_from or row.state] == label)
    ]

    assert [] == list(search_blocks.unlike_rows(here.conn))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(submission_selection, "_SHORT_MAX", short_max)
        for search in searches:
            expected = [row.id for row in listed if is_found(row, search)]
            asked = {"form_id": form_id, "label": label, "discarded": discarded}
            assert expected == found(here, organization.id, search=search, **asked)


def _store(here: Ledger, form: Form, state: str, **texts: str | None) -> str:
    new = a_stored_one(form, **texts)
    submission_id = here.write(submissions.create, new)
    before, _, discarded = state.partition(" ")
    values = {"state": discarded, "discarded_from": before} if discarded else {"state": state}
    here.conn.execute(
        tables.submissions.update().where(tables.submissions.c.id == submission_id).values(**values)
    )
    return submission_id


def some(here: Ledger, count: int) -> tuple[Form, list[str]]:
    """So many filed submissions in an organization of their own."""
    organization = here.write(provisioning.create, NewOrganization(name="Lamps"))
    form = here.write(forms.create, organization, NewForm(name="a"))
    return form, [_store(here, form, "filed", email=f"p{n}@example.com") for n in range(count)]


def test_a_search_in_blocks_reads_the_rows_of_its_lines_alone(here: Ledger) -> None:
    """What is in a block and has not the text is not read, so a spoilt row is not in the way."""
    form, ids = some(here, 5)
    while here.write(search_blocks.build, form.organization_id, 2):
        pass
    of_first = tables.submissions.c.id == ids[0]
    here.conn.execute(
        update(tables.submissions).where(of_first).values(email="p1@" + tables.submissions.c.name)
    )

    assert [ids[1]] == found(here, form.organization_id, search="P1@")


def test_a_nul_character_is_in_no_submission(here: Ledger) -> None:
    """The database would take it for the end of the text."""
    form, _ = some(here, 1)

    assert [] == found(here, form.organization_id, search="com\0x")


def test_a_search_says_when_another_block_would_help(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there are more submissions after the last block than one has, and no list without a text."""
    monkeypatch.setattr(search_blocks, "BLOCK_ROWS", 3)
    form, _ = some(here, 3)
    said = []
    for _ in range(2):
        said.append(submission_lists.list_page(here.conn, form.organization_id, search="p").unindexed)
        _store(here, form, "filed")
    said.append(submission_lists.list_page(here.conn, form.organization_id).unindexed)
    assert here.write(search_blocks.build, form.organization_id, 3)
    said.append(submission_lists.list_page(here.conn, form.organization_id, search="p").unindexed)

    assert [False, True, False, False] == said


def test_a_total_of_a_search_stops(here: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """At as many as are counted of any list."""
    monkeypatch.setattr(submission_selection, "TOTAL_MAX", 3)
    monkeypatch.setattr("svc.storage.pages.TOTAL_MAX", 3)
    form, _ = some(here, 6)
    here.write(search_blocks.build, form.organization_id, 4)
    page = submission_lists.list_page(here.conn, form.organization_id, search="p", limit=1, total=True)

    assert page.total is not None
    assert (3, False) == (page.total.count, page.total.exact)
