"""The check of backups by schedule."""

import time
from collections.abc import Iterator
from typing import Final

from svc.cli.doctor.findings import Finding, Install, State
from svc.domain.backups.schedule import OVERDUE_PERIODS, Schedule
from svc.domain.locale.times import SECOND_MS, rfc3339
from svc.storage.backups import kept
from svc.storage.backups.kept import Shelf
from svc.storage.private_files import is_private

_ABOUT: Final = "backups"


def backups(install: Install) -> Iterator[Finding]:
    """Whether there are backups by schedule, and whether the last good one is recent."""
    settings = install.settings.backup
    directory = settings.directory
    if directory is None:
        yield Finding(_ABOUT, "ok", "None are made by schedule: backup.directory is not set.")
        return
    try:
        installation = install.directory.installation_id()
        found = [] if installation is None else kept.backups_in(Shelf(directory, installation))
        is_open = not is_private(directory)
    except FileNotFoundError:
        found, is_open = [], False
    except OSError as error:
        yield Finding(_ABOUT, "problem", f"{directory} cannot be looked at: {error.strerror or error}.")
        return
    if is_open:
        says = f"{directory} is open to other users: run `chmod go= {directory}`."
        yield Finding(_ABOUT, "warning", says)
    now = int(time.time() * SECOND_MS)
    good = kept.newest(found, now, complete=True)
    schedule = Schedule.of(settings.at, settings.every_hours)
    if good is None:
        state: State = "problem" if install.running else "warning"
        remedy = "service's log says why" if install.running else "service makes one when it starts"
        yield Finding(_ABOUT, state, f"There is no good one in {directory}: the {remedy}.")
    elif schedule.is_overdue(good.at, now):
        says = f"The last good one is more than {OVERDUE_PERIODS} periods old, of {rfc3339(good.at)}."
        yield Finding(_ABOUT, "problem", f"{says} The service's log says why.")
    else:
        says = f"The last good one is of {rfc3339(good.at)}, in {directory}, with {good.size} bytes."
        yield Finding(_ABOUT, "ok", says)
