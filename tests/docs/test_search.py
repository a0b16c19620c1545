"""One search over guides, tools and problems."""

import pytest

from svc.http.app import described_app
from svc.http.docs.search import HITS_MAX, Index
from svc.tools.catalogue import REGISTRY
from tests.http.asking import client_of
from tests.http.docs.test_reference import Parts


@pytest.fixture(scope="module")
def index() -> Index:
    return Index(REGISTRY)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("bulk import csv", "/docs/api/import.start"),
        ("webhook signature", "/docs/webhooks#verify-the-signature"),
        ("create a contact", "/docs/api/record.create"),
        ("rate limit", "/problems/rate_limited"),
        ("how do I sign in", "/docs/people-and-keys#signing-in"),
        ("approval_required", "/problems/approval_required"),
        ("pagination", "/docs/tool-api#lists"),
        ("retry schedule of a webhook", "/docs/webhooks#retry-schedule"),
        ("push signature", "/docs/channels#push"),
        ("poll for events", "/docs/webhooks#ask-instead-eventlist"),
        ("how long does a lease last", "/docs/channels#what-becomes-of-a-reply"),
        ("claude desktop", "/docs/mcp#clients"),
        ("honeypot", "/docs/forms#what-is-read"),
        ("backup", "/docs/configuration#backups"),
        ("idempot", "/docs/tool-api#repeating-a-write"),
        ("rotate secert", "/docs/api/connection.rotate_secret"),
        ("WEBHOK signatur", "/docs/webhooks#verify-the-signature"),
    ],
)
def test_what_people_ask_for_is_near_the_top(index, query, wanted):
    """Whole words, their beginnings, and words that are nearly right."""
    assert wanted in [one.address for one in index.find(query)[:4]]


def test_nothing_is_found_for_what_is_written_nowhere(index):
    """Rather than anything."""
    assert [] == index.find("qqqqqqqq")
    assert [] == index.find("  ")


def test_as_many_are_found_as_help(index):
    """Of words that are everywhere."""
    assert HITS_MAX == len(index.find("record"))


def test_the_words_are_marked_where_they_stand(index):
    """In whatever form they are written; what is markup in a text is text."""
    guide = "/docs/bridges#receiving-pushes"
    hit = next(one for one in index.find("webhook signatures") if one.address == guide)

    assert "<mark>webhooks</mark>" in hit.snippet
    assert "<mark>signature</mark>" in hit.snippet


async def test_the_page_needs_no_script(autojump_clock):
    """It shows what was asked as text, and results as links."""
    app, _ = described_app()
    async with client_of(app) as client:
        found = (await client.get("/docs/search", params={"q": "bulk import csv"})).text
        none = (await client.get("/docs/search", params={"q": '"><script>alert(1)</script>qqqqqqqq'})).text
        empty = await client.get("/docs/search")

    assert "/docs/api/record.create_many" in Parts(found).addresses
    assert "<script>alert" not in none
    assert 200 == empty.status_code


async def test_every_page_leads_to_the_search(autojump_clock):
    """From its head."""
    app, _ = described_app()
    async with client_of(app) as client:
        for path in ("/docs", "/docs/forms", "/docs/api", "/docs/api/record.get", "/problems/conflict"):
            assert "/docs/search" in Parts((await client.get(path)).text).addresses
