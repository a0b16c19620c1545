"""Addresses that other addresses begin with."""

import re
from typing import Final

BASE_URL: Final = re.compile(
    r"https?://[A-Za-z0-9._-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?|https?://\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?/?"
)


class BaseUrl:
    """A base URL: scheme, host and path, without a trailing slash.

    It is no `str`, since addresses leave the settings to be encoded, and JSON is made of plain texts alone.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        if not BASE_URL.fullmatch(text):
            raise ValueError("expected an address such as https://svc.example.com")
        self.text: Final = text.rstrip("/")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseUrl) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    @property
    def is_https(self) -> bool:
        return self.text.startswith("https://")
