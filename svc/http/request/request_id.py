"""Request ids: every answer has one in `X-Request-Id`."""

import re
from typing import Final

from svc.domain.randomness import Randomness
from svc.http.asgi import Headers

REQUEST_ID_HEADER: Final = b"x-request-id"
_BYTES: Final = 16
_VISIBLE: Final = re.compile(rb"[\x21-\x7e]{1,128}")


def request_id_of(headers: Headers, random: Randomness) -> bytes:
    """The caller's own id if it is 1 to 128 visible ASCII characters, else a new one."""
    for name, value in headers:
        if name == REQUEST_ID_HEADER and _VISIBLE.fullmatch(value):
            return value
    return new_request_id(random)


def new_request_id(random: Randomness) -> bytes:
    """32 random hexadecimal digits."""
    return random(_BYTES).hex().encode()
