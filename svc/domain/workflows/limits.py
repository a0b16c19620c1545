"""Limits of workflows. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

WORKFLOWS_MAX: Final = 200
"""Workflows of one organization."""
WORKFLOW_BYTES_MAX: Final = 64 * 1024
"""One document, as JSON."""
WORKFLOW_VERSIONS_MAX: Final = 50
"""Versions of one workflow that are kept to be looked at, the newest ones. Ours: a busy week of one editor.

Those that runs have are kept beside them.
"""
LAST_RUNS_MAX: Final = 10
"""The last runs that a list of workflows tells of each. Ours: one that fails again and again is seen."""
PAST_EVENTS_MAX: Final = 20
"""Past events that a draft is judged by, and may be tried with."""
PAST_EVENTS_SCANNED_MAX: Final = 2_000
"""The newest events of an organization, among which they are looked for: some ten milliseconds."""
WORKFLOW_STEPS_MAX: Final = 50
"""Steps of one document, those in branches included."""
WORKFLOW_BRANCHES_MAX: Final = 5
"""Branches inside one another."""
STEP_KEY_CHARS_MAX: Final = 50
PATH_CHARS_MAX: Final = 200
"""A path into what a run knows. Ours: the longest slug, key or field's name fits twice."""
CRON_CHARS_MAX: Final = 100
"""Ours: a longer one can be written shorter."""
CALL_WAIT_SECONDS_MAX: Final = 3_600
"""How long a run waits for the outcome of a call, unless its step says less."""
WAIT_SECONDS_MAX: Final = 31_536_000
DEBOUNCE_SECONDS_MAX: Final = 86_400
"""How long a burst of events may be held together. Ours: what is to wait longer is a step `wait`."""
STEP_INPUT_BYTES_MAX: Final = 256 * 1024
"""What one step's templates may fill in to. Ours: as much as a record may be."""
RUN_DEPTH_MAX: Final = 8
"""Runs that may begin one another; the next one is cut as a loop."""
RUNS_OPEN_MAX: Final = 100_000
"""Runs of one organization that have not ended."""
RUNS_WITHOUT_KEY_MAX: Final = 1_000
"""Runs of one organization that wait for events of one type without a filter `eq` by which they are found.

Each event of the type is judged for all of them: some forty milliseconds of the writer's time.
"""
RUN_STARTS_WINDOW_MS: Final = MINUTE_MS
RUN_STARTS_MAX: Final = 1_000
"""Runs of one workflow that start within `RUN_STARTS_WINDOW_MS`; the others wait."""
STEPS_BATCH_MAX: Final = 10
"""Steps of an organization's runs in one unit of work: other units wait for them."""
RUNS_PRUNED_MAX: Final = 10
"""Ended runs that are deleted in one step, once their own steps are."""
STEP_RETRY_MS: Final = 5 * SECOND_MS
"""When a step is begun again that could not be done for now."""
UNKNOWN_STEP_RETRY_MS: Final = HOUR_MS
"""How often a run is looked at whose document only a later version of the program knows."""
SCHEDULE_MISSED_MS: Final = DAY_MS
"""How far back an occurrence that was missed is still made up for: the latest one alone."""
SCHEDULE_LATE_MS: Final = MINUTE_MS
"""After so long a scheduled run is marked late. Ours: the finest schedule has one a minute."""
