"""Limits of requests to other servers. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

OUTGOING_CONNECTIONS_MAX: Final = 1_000
"""Requests under way at once, in the whole installation."""
OUTGOING_CONNECTIONS_PER_ORIGIN_MAX: Final = 250
"""Of these, to one scheme, host and port. Ours: one that never answers leaves the rest to others."""
OUTGOING_WAITING_MAX: Final = 10_000
"""Requests that wait for their turn; the next is tried again later. Ours."""
OUTGOING_WAIT_SECONDS: Final = 20
"""How long one waits for its turn among them. Ours: with its own time and that of a look-up it stays well
within `PUSH_HOLD_MS`."""
OUTGOING_LOOKUPS_AT_ONCE: Final = 100
"""Host names that are resolved at once, each in a thread. Ours."""
OUTGOING_LOOKUP_SECONDS: Final = 8
"""How long a request waits for the addresses of its host, and as long before it for a thread. Ours: less than
`WEBHOOK_ANSWER_SECONDS`, and enough for a resolver that asks its second server after five seconds. What comes
later is remembered for the next request."""
OUTGOING_NAME_SECONDS: Final = 30
"""How long the addresses of a name are remembered. Ours: as long as an idle connection is kept, which leads
to where the name led before, too. What the name's own servers allow is not told by the system's resolver."""
OUTGOING_NAME_FAILURE_SECONDS: Final = 3
"""How long it is remembered that a name has no address. Ours: less than the first wait of
`WEBHOOK_RETRIES_MS`, so that each retry looks anew."""
OUTGOING_NAMES_KEPT_MAX: Final = 1_000
"""Names that are remembered; then the oldest is forgotten. Ours."""
OUTGOING_KEPT_MAX: Final = 250
"""Idle connections that are kept for the next request."""
OUTGOING_KEPT_PER_ORIGIN_MAX: Final = 25
"""Of these, to one scheme, host and port. Ours."""
OUTGOING_KEPT_SECONDS: Final = 30
OUTGOING_HEAD_BYTES_MAX: Final = 64 * 1024
"""Of an answer's head, with the responses 1xx before it. Ours."""
OUTGOING_ANSWER_BYTES_MAX: Final = 64 * 1024
"""Of an answer's body; the rest is not read, and the connection closed. Ours: only the status counts."""
OUTGOING_ANSWER_NOTED_BYTES: Final = 1_000
"""What is told of an answer's body to the person who entered the address. Ours."""
OUTGOING_REST_SECONDS: Final = 1
"""How long the body of an answer may take after its status, for its connection to be kept. Ours."""
