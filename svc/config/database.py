"""The setting of the database."""

import re
from typing import Final, Self

from svc.config.masked import MaskedText

_URL: Final = re.compile(
    r"postgres(?:ql)?://(?:[^/?#@:]*(?::[^/?#@]*)?@)?(?P<hosts>[A-Za-z0-9_.,%:\[\]-]*)/(?P<name>[^/?#@]*)"
    r"(?:\?(?P<parameters>[^#@]*))?"
)
_SOCKET: Final = re.compile(r"(?:^|&)host=([^&]*)")


class DatabaseUrl(MaskedText):
    """The address of a PostgreSQL database: never printed, since it may have a password."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        if not _URL.fullmatch(text):  # it is not repeated, as a part of a password may stand anywhere
            raise ValueError(
                "expected postgresql://USER:PASSWORD@HOST:PORT/NAME, with what is no letter or digit in the"
                " password as %XX"
            )
        return super().__new__(cls, text)

    @property
    def shown(self) -> str:
        """The address without the user and the password."""
        found = _URL.fullmatch(str.__str__(self))
        assert found is not None  # noqa: S101  # it was looked at when it was made
        socket = _SOCKET.search(found["parameters"] or "")
        return f"postgresql://{found['hosts'] or (socket[1] if socket else '')}/{found['name']}"
