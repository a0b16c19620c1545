"""`import.*`: from a file to records."""

from tests.importing import CONTACTS, file_of, records_of, run, send, upload
from tests.tooling import tool_town


async def test_a_file_becomes_records(autojump_clock):
    """Columns are proposed by their headings; each line makes a record."""
    async with tool_town() as here:
        uploaded = await upload(here, CONTACTS)
        done = await run(here, uploaded)

        assert {"Name": "name", "E-Mail": "email", "Phone": "phone"} == uploaded["columns"]
        assert ("uploaded", None, ",", "utf-8") == tuple(
            uploaded[name] for name in ("state", "nextPart", "separator", "encoding")
        )
        assert ("done", 2, 0) == (done["state"], done["counts"]["created"], done["counts"]["refused"])
        assert [
            {"name": "Ada", "email": "ada@example.com", "phone": "+4930901820"},
            {"name": "Grace", "email": "grace@example.com"},
        ] == await records_of(here)
