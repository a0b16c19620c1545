"""Limits of people and keys. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final, Literal

from svc.domain.locale.times import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, YEAR_MS

EMAIL_CHARS_MAX: Final = 254
"""RFC 5321 §4.5.3.1.3: a path is at most 256 octets, and two of them are its angle brackets."""
TRIAL_MS: Final = 14 * DAY_MS
LIVE_KEYS_MAX: Final = 20
"""API and gateway keys of one organization together that are neither revoked, nor expired, nor stopped with
the person who made them."""
ExpiresIn = Literal["30d", "90d", "1y"]
API_KEY_LIVES_MS: Final[dict[ExpiresIn, int]] = {"30d": 30 * DAY_MS, "90d": 90 * DAY_MS, "1y": YEAR_MS}
GATEWAY_KEY_LIFE_MS: Final = YEAR_MS
CONFIRMATION_MS: Final = 2 * HOUR_MS
"""How long a sign-in counts as fresh, for issuing keys."""
KEY_USE_NOTED_MS: Final = MINUTE_MS
"""Last used is written at most once in this time for a key."""
LIVE_SERVER_KEYS_MAX: Final = 100
"""Server keys of one organization that are neither revoked nor expired. Ours: one for each of its servers."""
EXPIRED_KEY_LISTED_MS: Final = 90 * DAY_MS
"""How long an expired key is still listed. Ours: long enough to see why something stopped."""
KEY_TOOLS_MAX: Final = 200
"""Names that a key may be narrowed to. Ours: there are fewer tools."""
NAME_CHARS_MAX: Final = 200
PASSWORD_CHARS_MIN: Final = 10
"""Ours; NIST SP 800-63B §5.1.1.2 asks for 8 at least, and for nothing about which characters."""
PASSWORD_CHARS_MAX: Final = 1_000
SESSION_IDLE_MS: Final = 12 * HOUR_MS
"""A session ends after this long without a request. Ours: a working day."""
SESSION_LIFE_MS: Final = 14 * DAY_MS
"""A session ends after this long in any case. Ours."""
SESSION_SEEN_NOTED_MS: Final = MINUTE_MS
NEXT_PATH_CHARS_MAX: Final = 2_000
"""The path that a sign-in may lead to. Ours: longer than the address of any screen."""
SIGN_IN_LINK_LIFE_MS: Final = DAY_MS
FIRST_OWNER_LIFE_MS: Final = 30 * MINUTE_MS
"""Ours: it is printed while the service is stopped, and used once it runs."""
INVITATIONS_MAX: Final = 200
"""Invitations of one organization that wait. Ours."""
ROLES_MAX: Final = 100
"""Custom roles of one organization. Ours: more than a person can tell apart."""
TEAMS_MAX: Final = 200
"""Teams of one organization. Ours."""
INVITATION_LIFE_MS: Final = 7 * DAY_MS
"""Ours: over a weekend and a little more."""
SIGN_IN_WINDOW_MS: Final = 15 * MINUTE_MS
PAIR_FAILURES_MAX: Final = 10
"""Sign-ins to one account from one address that may fail within `SIGN_IN_WINDOW_MS`; then none is let in.
Also those of one known browser, and confirmations of one session. Ours: 960 guesses a day lead nowhere."""
ACCOUNT_FAILURES_MAX: Final = 50
"""Sign-ins to one account, from wherever, that may fail within `SIGN_IN_WINDOW_MS` before they are spaced.
Ours: its person fails less often than that, and a few addresses are stopped as pairs before."""
ACCOUNT_SPACING_MS: Final = 30 * SECOND_MS
"""Ours: from however many addresses, at most 7,680 guesses a day at one account."""
ADDRESS_FAILURES_MAX: Final = 200
"""Sign-ins from one address, to whichever account, that may fail within `SIGN_IN_WINDOW_MS` before they are
spaced. Ours: an office shares an address, and so does everybody behind a proxy that is not trusted."""
ADDRESS_SPACING_MS: Final = 5 * SECOND_MS
"""Ours: one address tries at most 380 accounts in a quarter of an hour."""
KNOWN_PEOPLE_MAX: Final = 5
"""People in the mark of one browser. Ours: a cookie stays small."""
KNOWN_BROWSER_LIFE_MS: Final = 400 * DAY_MS
"""How long a browser keeps its mark after its latest sign-in: as long as browsers let a cookie live."""
PASSWORD_CHECKS_AT_ONCE: Final = 2
"""Ours: each takes 64 MiB and some tens of milliseconds of every core."""
PASSWORD_CHECKS_WAITING_MAX: Final = 64
RESET_WINDOW_MS: Final = HOUR_MS
RESETS_OF_ACCOUNT_MAX: Final = 3
"""Resets and proofs that are mailed to one address within `RESET_WINDOW_MS`. Ours: nobody is flooded."""
RESETS_FROM_ADDRESS_MAX: Final = 20
"""Resets that one IP address asks for within that time. Ours: an office shares one."""
KEY_OVERLAP_HOURS_MAX: Final = 72
"""How long the value of a key may still work after the key was rolled."""
