"""The line of a submission by which somebody tells it from others in a list."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from svc.domain.forms.limits import EXCERPT_CHARS_MAX
from svc.domain.scalars import Scalar

_NUMBERS: Final = re.compile(r"[\d\s+()./-]*")
"""A phone number as somebody wrote it, a date, an amount: none of it is a message."""


def excerpt_of(fields: Mapping[str, Scalar], beside: Collection[str | None]) -> str | None:
    """The longest text in *fields*, on one line, but for those that a list shows *beside* it; None for none.

    What a website calls its message has a name in any language, so the name says nothing and the length does.
    """
    shown = {text.casefold() for text in beside if text}
    texts = (" ".join(value.split()) for value in fields.values() if isinstance(value, str))
    messages = (text for text in texts if text.casefold() not in shown and not _NUMBERS.fullmatch(text))
    longest = max(messages, key=len, default="")
    if len(longest) > EXCERPT_CHARS_MAX:
        return f"{longest[: EXCERPT_CHARS_MAX - 1].rstrip()}…"
    return longest or None
