"""What the guides and `deploy/` print, with names and places of a test in it."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"


def replaced(text: str, *changes: tuple[str, str]) -> str:
    """*text* with each of *changes*, all of which have to be in it."""
    for before, after in changes:
        assert before in text, f"the example has no {before!r}"
        text = text.replace(before, after)
    return text


def blocks(guide: str, heading: str) -> list[str]:
    """The blocks of code between *heading* of a guide and the next one of its level."""
    text = "\n" + (ROOT / "docs" / f"{guide}.md").read_text()
    _, found, below = text.partition(f"\n{heading}\n")
    assert found, f"{guide} has no {heading!r}"
    level = heading.partition(" ")[0]
    return re.findall(r"```[a-z]+\n(.*?)```", below.partition(f"\n{level} ")[0], re.DOTALL)
