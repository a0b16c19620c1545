"""Whom mails are from."""

import msgspec


class Sender(msgspec.Struct, frozen=True):
    """A name, which may be empty, and an address."""

    name: str
    address: str

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]
