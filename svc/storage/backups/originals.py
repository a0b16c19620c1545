"""What a backup is made of."""

from pathlib import Path
from typing import NamedTuple


class Originals(NamedTuple):
    """The data of an installation."""

    database: Path
    secret_key: Path
    files: Path
