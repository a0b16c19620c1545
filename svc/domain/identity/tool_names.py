"""Names of tools: a noun and a verb. A noun that was renamed is another spelling of what it is called now."""

from typing import Final

RENAMED: Final = {"automation": "workflow"}
"""Nouns that tools had before, and their nouns of today. Keys may be narrowed to old names for ever."""


def lasting_name(tool: str) -> str:
    """The name of today of the *tool* with that dotted name."""
    noun, dot, verb = tool.partition(".")
    return f"{RENAMED.get(noun, noun)}{dot}{verb}"
