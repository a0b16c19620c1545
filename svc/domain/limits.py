"""Every number that means something, with its unit. Docs and contract show these.

Sources: the contract's table of limits; where it is silent, the choice is ours and the
line says why.
"""

from typing import Final

from svc.domain.times import DAY_MS, HOUR_MS, MINUTE_MS, YEAR_MS

# The form endpoint.
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
SERVER_KEY_LIFE_MS: Final = YEAR_MS
FORM_PARTS_MAX: Final = 1_000
"""Name and value pairs of one url-encoded or multipart body, repeated names and all. Ours."""
JSON_NESTING_MAX: Final = 32
"""Arrays and objects inside one another. Ours: a submission needs two, and no parser should recurse far."""
EMAIL_CHARS_MAX: Final = 254
"""RFC 5321 §4.5.3.1.3: a path is at most 256 octets, and two of them are its angle brackets."""
PHONE_CHARS_MAX: Final = 64
"""A phone number as people write it. Ours: 15 digits, their punctuation and an extension fit well."""
PROXY_HOPS_MAX: Final = 32
"""Hops of `X-Forwarded-For` or `Forwarded` that are looked at. Ours: no real chain is longer."""

# Filing.
FILING_BATCH_MAX: Final = 200
"""Submissions filed in one transaction. Ours: keeps a filing within some tens of milliseconds."""
CANDIDATES_MAX: Final = 20
"""Similar contacts kept with a held submission. Ours: more than a person can choose from helps nobody."""

# Tracked sites and visits.
VISIT_BODY_BYTES_MAX: Final = 4_096
VISIT_URL_CHARS_MAX: Final = 2_000
VISIT_TITLE_CHARS_MAX: Final = 300
VISITOR_KEY_DAYS: Final = 30
"""Days that a visitor's key is kept; what is older can no longer be linked to a browser."""
VISIT_WINDOW_MS: Final = MINUTE_MS
VISITOR_VISITS_MAX: Final = 60
"""Page views of one visitor at one site within `VISIT_WINDOW_MS`. Ours: faster than a person reads."""
SITE_VISITS_MAX: Final = 6_000
"""Page views of one site within `VISIT_WINDOW_MS`. Ours: 100 a second, then views are not counted."""

# Plans.
TRIAL_MS: Final = 14 * DAY_MS
