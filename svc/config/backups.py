"""The settings of `[backup]`."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

HOURS_MAX: Final = 744
"""A month."""
KEEP_MAX: Final = 1_000

TimeOfDay = Annotated[str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class BackupSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[backup]`: backups by schedule. Without `directory`, none are made."""

    directory: Path | None = None
    at: TimeOfDay = "03:00"
    every_hours: Annotated[int, msgspec.Meta(ge=1, le=HOURS_MAX)] = 24
    keep: Annotated[int, msgspec.Meta(ge=1, le=KEEP_MAX)] = 7
