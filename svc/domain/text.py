"""Sanitizing of text that is shown to people."""

import re
from typing import Final

# Controls but for tab and line feed; marks that turn the direction of what follows them; half a character.
# The implicit marks (U+200E, U+200F, U+061C) stay: they turn nothing, and formats of some locales have them.
_TRICKS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufeff\ud800-\udfff]")


def inert_text(text: str) -> str:
    """*text* without control characters and without what turns the direction of writing around it."""
    return _TRICKS.sub("", text)
