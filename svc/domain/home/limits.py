"""Limits of Home. Docs and contract show these.

All ours: `home.get` is the first thing that everybody sees, and again after each change, so each of its parts
costs a few milliseconds at most, however much there is.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS

HOME_WAITING_MAX: Final = 1_000
"""Of each kind that waits, how many are counted."""
HOME_DAY_COUNT_MAX: Final = 10_000
"""Of each day of a chart, how many are counted."""
HOME_RECENT_MAX: Final = 20
"""Acts that are listed."""
HOME_EXAMINED_MAX: Final = 500
"""Entries of the audit trail that they are looked for in, the newest first."""
HOME_CONVERSATIONS_EXAMINED_MAX: Final = 2_000
"""Open conversations among which those without an answer are counted, those that came up last first."""
HOME_KEY_ENDS_MS: Final = 14 * DAY_MS
"""How long before its end a key is told of."""
HOME_QUEUED_MS: Final = HOUR_MS
"""How long the oldest submission of a queue waits until the queue is told of."""
HOME_FAILED_IMPORT_MS: Final = 14 * DAY_MS
"""For how long an import that failed is told of, unless another was begun since."""
HOME_WEBHOOK_FAILING_MS: Final = 10 * MINUTE_MS
"""For how long nothing but failures came of a webhook until it is told of: the retries after five seconds and
after five minutes have failed as well, so it is no restart of its receiver."""
HOME_FIRST_STEPS_MS: Final = 60 * DAY_MS
"""How old an organization is until first steps are no longer shown."""
HOME_CONTACTS_BROUGHT: Final = 10
"""Contacts by which an organization counts as having brought its own."""
