"""Limits of forms. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, YEAR_MS

FORM_BODY_BYTES_MAX: Final = 64_000
FORM_FIELD_NAME_CHARS_MAX: Final = 64
FORM_VALUE_CHARS_MAX: Final = 2_000
FORM_FIELDS_MAX: Final = 200
"""Fields of one submission. Ours: a longer form is no form, and a note must stay readable."""
FORM_KEY_CHARS_MAX: Final = 128
SENDER_WINDOW_MS: Final = MINUTE_MS
SENDER_SUBMISSIONS_MAX: Final = 20
"""Submissions of one sender at one form within `SENDER_WINDOW_MS`."""
PACE_WINDOW_MS: Final = MINUTE_MS
PACE_FILINGS_MAX: Final = 60
"""Filings of one form within `PACE_WINDOW_MS`; the excess is queued."""
QUEUE_WINDOW_MS: Final = HOUR_MS
QUEUE_SUBMISSIONS_MAX: Final = 1_200
"""Submissions that one form may queue within `QUEUE_WINDOW_MS`."""
QUEUE_PASS_MS: Final = 5 * MINUTE_MS
RECENT_SUBMISSIONS: Final = 20
DEAL_TITLE_CHARS_MAX: Final = 200
DEAL_TEMPLATE_CHARS_MAX: Final = 500
"""The template of a deal's title. Ours: placeholders may be longer than what they become."""
FORMS_MAX: Final = 100
"""Forms of one organization that are not removed. Ours: a list of them is answered whole."""
SERVER_KEY_LIFE_MS: Final = YEAR_MS
FORM_PARTS_MAX: Final = 1_000
"""Name and value pairs of one url-encoded or multipart body, repeated names and all. Ours."""
FILING_BATCH_MAX: Final = 200
"""Submissions filed in one transaction. Ours: keeps a filing within some tens of milliseconds."""
CANDIDATES_MAX: Final = 20
"""Similar contacts kept with a held submission. Ours: more than a person can choose from."""
SUBMISSION_SEARCH_CHARS_MAX: Final = 200
"""What `submission.list` looks for. Ours: as long as a name."""
SUBMISSION_COUNT_DAYS_MAX: Final = 90
"""Days that `submission.counts` tells of."""
DISCARDED_AT_ONCE_MAX: Final = 100
"""Submissions of one `submission.discard` or `submission.restore`."""
DISCARDED_LIFE_MS: Final = 30 * DAY_MS
"""After which a discarded submission is removed for good."""
DISCARDED_PRUNED_MAX: Final = 100
"""Of them, how many go in one step. Ours: for each, a block of searches is written anew."""
EXCERPT_CHARS_MAX: Final = 200
"""Of the line of a submission in lists."""
