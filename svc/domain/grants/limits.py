"""Limits of connected apps. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS

GRANTS_OF_PERSON_MAX: Final = 20
"""Live grants of one person in an organization."""
GRANTS_MAX: Final = 500
"""Live grants of one organization."""
GRANT_LISTED_MS: Final = 30 * DAY_MS
"""How long a grant that has ended is still listed. Ours: long enough to see why an app stopped."""
CODE_LIFE_MS: Final = 60 * SECOND_MS
"""How long an authorization code may be exchanged. RFC 6749 §4.1.2 recommends ten minutes at most."""
CODE_KEPT_MS: Final = DAY_MS
"""How long it is remembered that a code was used, so that a second use ends what it gave. Ours."""
ACCESS_TOKEN_LIFE_MS: Final = HOUR_MS
ACCESS_TOKENS_OF_GRANT_MAX: Final = 200
"""Live access tokens of one grant. Ours: a client needs one an hour, and one that asks in a loop is told."""
REFRESH_TOKEN_IDLE_MS: Final = 60 * DAY_MS
"""A refresh token ends after this long without use."""
REFRESH_REPEAT_MS: Final = 60 * SECOND_MS
"""For how long a refresh token that was used may come again, while its successor is unused."""
AUTHORIZATION_LIFE_MS: Final = 10 * MINUTE_MS
"""How long an authorization request waits for its person."""
REQUESTS_WAITING_MAX: Final = 10_000
"""Authorization requests that wait, in the whole installation. Ours."""
REQUESTS_OF_ADDRESS_MAX: Final = 100
"""Of these, from one IP address. Ours: an office shares one."""
STATE_CHARS_MAX: Final = 2_000
"""Of the `state` of an authorization request. Ours: some clients pack a whole session into it."""
CLIENT_ID_CHARS_MAX: Final = 500
"""Of a client id: also the address of a metadata document. Ours."""
APP_NAME_CHARS_MAX: Final = 100
"""Of the name of an app, as the person who allows it reads it. Ours; a longer one is cut."""
REDIRECT_URIS_MAX: Final = 10
"""Redirect addresses of one app."""
REDIRECT_URI_CHARS_MAX: Final = 500
"""Of each. Ours."""
DOCUMENT_BYTES_MAX: Final = 64 * 1024
"""Of a client's metadata document."""
DOCUMENT_SECONDS: Final = 10
"""In which it has to be there whole. Ours: a person waits for it."""
DOCUMENT_KEPT_MS: Final = HOUR_MS
"""How long it is cached. Ours."""
DOCUMENT_FAILURE_KEPT_MS: Final = 10 * SECOND_MS
"""How long it is cached that there was none. Ours: an attacker cannot have us ask somebody in a loop."""
DOCUMENT_FETCHES_OF_ADDRESS_MAX: Final = 30
"""Documents that are fetched because of one IP address, in `DOCUMENT_FETCHES_WINDOW_MS`. Ours: whoever asks
names the address, and must not have us knock at others' doors all the time."""
DOCUMENT_FETCHES_WINDOW_MS: Final = MINUTE_MS
DOCUMENTS_KEPT_MAX: Final = 1_000
"""Documents in the cache; beyond, the oldest is evicted. Ours."""
APPS_MADE_MAX: Final = 100
"""Apps of one organization that were made by hand. Ours."""
REGISTRATIONS_MAX: Final = 1_000
"""Apps that registered themselves, in the whole installation."""
REGISTRATIONS_OF_ADDRESS_MAX: Final = 10
"""Of one IP address, in `REGISTRATION_WINDOW_MS`."""
REGISTRATION_WINDOW_MS: Final = HOUR_MS
REGISTRATION_KEPT_MS: Final = 90 * DAY_MS
"""How long a registration is kept past its last grant, or past itself where it has none."""
TOKEN_BODY_BYTES_MAX: Final = 16_384
"""Of a request to `/oauth/token` and `/oauth/revoke`. Ours: a few short fields."""
REGISTRATION_BODY_BYTES_MAX: Final = 65_536
"""Of a request to `/oauth/register`. Ours: as large as a metadata document."""
