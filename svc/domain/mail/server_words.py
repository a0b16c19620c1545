"""What a mail server says, for operators to read: without the addresses and the texts that it repeats."""

import re
from typing import Final

_REPEATED: Final = re.compile(r"<[^>]*>|\"[^\"]*\"|'[^']*'|\S*@\S*")
_HIDDEN: Final = "…"


def without_what_is_repeated(words: str, recipient: str | None = None) -> str:
    """*words* without what is in angle brackets or quotes, without addresses and the *recipient*'s name."""
    hidden = _REPEATED.sub(_HIDDEN, words)
    name = recipient.partition("@")[0] if recipient else ""
    return (
        re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _HIDDEN, hidden, flags=re.IGNORECASE) if name else hidden
    )
