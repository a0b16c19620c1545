"""Acts of the audit trail in words."""

import re

import pytest

from svc.domain.home.acts import sentence, words_of
from svc.tools.catalogue import REGISTRY

WRITES = sorted(name for name, tool in REGISTRY.items() if tool.effect == "writes" and not tool.deprecated)


@pytest.mark.parametrize(
    ("action", "name", "count", "expected"),
    [
        ("form.create", "Orders", 1, "created the form Orders"),
        ("form.create", None, 1, "created a form"),
        ("form.create", None, 3, "created 3 forms"),
        ("record.create_many", None, 1_200, "created 1,200 records"),
        ("property.create", None, 2, "created 2 properties"),
        ("approval.ask", None, 3, "asked for 3 approvals"),
        ("embed.pause", None, 1, "paused an embed"),
        ("apikey.mint", "Shop", 1, "created the API key Shop"),
        ("apikey.mint", None, 1, "created an API key"),
        ("workflow.delete", "Hello", 1, "deleted the workflow Hello"),
        ("organization.update", None, 1, "changed the organization"),
        ("organization.update", None, 2, "changed the organization"),
        ("view.apply", None, 1, "applied a saved view"),
        ("site.destroy", None, 1, "destroyed a site"),
    ],
)
def test_what_was_done_follows_who_did_it(action, name, count, expected):
    """In the past tense, with what it was done to."""
    assert expected == sentence(action, name=name, count=count)


def test_a_record_is_called_by_its_object():
    """As the organization calls it."""
    assert "created the contact Ada" == sentence("record.create", name="Ada", noun="contact")
    assert "changed 2 Lamps" == sentence("record.update", name=None, noun="Lamps", count=2)


@pytest.mark.parametrize("tool", WRITES)
def test_every_tool_that_writes_has_words(tool):
    """A verb in the past tense, without the marks of its name."""
    words = words_of(tool)

    assert re.fullmatch(r"[a-z -]+", words.verb), words
    assert re.search(r"(ed|set|ran|wrote|took back|made|chose|gave|sent)\b", words.verb), words
    assert "_" not in words.noun
