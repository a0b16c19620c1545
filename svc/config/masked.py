"""Texts of the settings that are never printed."""

from typing import Final

MASK: Final = "•••"


class MaskedText(str):
    """A text that `repr`, and so tracebacks, and `svc config` show as a mask."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"'{MASK}'"
