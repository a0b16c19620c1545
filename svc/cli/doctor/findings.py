"""What a check finds."""

from collections.abc import Iterator
from typing import Literal, Protocol

import msgspec

from svc.cli.data_directory import DataDirectory, ServiceAddresses
from svc.config.loading import Configuration
from svc.config.settings import Settings

State = Literal["ok", "warning", "problem"]


class Finding(msgspec.Struct, frozen=True):
    """One sentence about one subject. A problem keeps the service from working as it should."""

    about: str
    state: State
    says: str


class Install(msgspec.Struct, frozen=True):
    """The installation that is looked at."""

    configuration: Configuration
    directory: DataDirectory
    running: bool
    """Whether a service has the data open."""
    service: ServiceAddresses | None = None
    """What that service has noted of itself, if it has."""

    @property
    def settings(self) -> Settings:
        return self.configuration.settings


class Check(Protocol):
    """A check: it finds at least one thing, and changes nothing that stays."""

    def __call__(self, install: Install) -> Iterator[Finding]: ...
