"""The README's lists are whole."""

import re
from pathlib import Path
from typing import Final

from svc.actors.kinds import KINDS
from svc.http.docs.catalogue import GUIDES

README: Final = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_every_kind_of_actor_is_listed():
    """By its name, each once."""
    listed = re.findall(r"^- (?:An? |The )?\*\*(\w+)\*\*", README, re.MULTILINE)

    assert sorted(kind.__name__ for kind in KINDS) == sorted(listed)


def test_every_guide_is_listed():
    """With a link that leads to its file."""
    listed = re.findall(r"^\| \[docs/([a-z-]+)\.md\]\(docs/\1\.md\)", README, re.MULTILINE)

    assert sorted(GUIDES) == sorted(listed)
