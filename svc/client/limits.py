"""What the service promises and refuses, as far as the kit relies on it.

The kit is installed without the service, so it has these numbers of its own. They are called as there, and a
test of the service compares them.
"""

from typing import Final

LEASE_SECONDS: Final = 60
"""How long a reply is held for the bridge that pulled it."""
PUSH_ANSWER_SECONDS: Final = 10
"""How long the service waits for the response to a push."""
PULLED_REPLIES_MAX: Final = 50
PULL_WAIT_SECONDS_MAX: Final = 20
EXTERNAL_ID_CHARS_MAX: Final = 255
"""A conversation's or message's id in the messenger."""
DETAIL_CHARS_MAX: Final = 1_000
"""What is told of an error, or of a messenger that cannot be used."""
ERROR_CODE_CHARS_MAX: Final = 100
