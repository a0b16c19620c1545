"""What was deleted leaves the index of words, too."""

import pytest

from svc.domain.erasure.limits import SEARCH_MERGED_PAGES
from svc.storage.erasure import record_rows
from svc.storage.records import records
from svc.storage.records.listing.search_words import BLOCK_ROWS
from svc.storage.sql import full_text
from svc.storage.sqlite.engine import raw
from svc.storage.store import Tx
from tests.town import town

pytestmark = pytest.mark.sqlite

WORD = "Qxzvbnmlk"
"""No other word begins alike, so the index has most of it in one piece."""
SOURCE = {"kind": "person"}


def _blocks(tx: Tx) -> bytes:
    """All that the index has stored."""
    return b"".join(block for (block,) in raw(tx.conn).execute("SELECT block FROM search_index_data"))


async def test_an_erased_word_leaves_the_index() -> None:
    """Its rows are marked as deleted at first; merged to the end, the index has the word no more."""

    def fill(tx: Tx) -> str:
        first = records.create(tx, here.organization, "contact", {"name": f"Ada {WORD}"}, source=SOURCE)
        for number in range(BLOCK_ROWS):
            records.create(tx, here.organization, "contact", {"name": f"Person {number}"}, source=SOURCE)
        return first.id

    def merge(tx: Tx, *, begins: bool) -> bool:
        return full_text.merge(tx.conn, SEARCH_MERGED_PAGES, begins=begins)

    async with town() as here:
        record_id = await here.store.write(fill)
        assert WORD.lower().encode()[1:] in await here.store.write(_blocks)

        await here.store.write(record_rows.empty, here.organization.id, record_id, SOURCE)
        steps = 1
        while await here.store.write(merge, begins=steps == 1):
            steps += 1
            assert steps < 100

        assert WORD.lower().encode()[1:] not in await here.store.write(_blocks)
        assert not await here.store.write(merge, begins=False)
