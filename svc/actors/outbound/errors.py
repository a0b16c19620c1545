"""The errors of requests to other people's servers. Their messages may be shown to users."""


class NotSent(Exception):
    """Raised when a request got no response; it may still have arrived. The message says why."""


class NoPlace(NotSent):
    """Raised when too many requests are in progress, or too many names looked up.

    What is missing is ours: this was no attempt at the receiver. Try later.
    """


class NoAnswer(NotSent):
    """Raised when no answer came within the time of the request."""


class StreamFailed(Exception):
    """Raised when a streamed response fails. Each way to fail has a class; the message says why."""


class NotConnected(StreamFailed):
    """Raised when there is no connection: bad address, unknown name, refusal, TLS. Nothing was sent."""


class NoFirstByte(StreamFailed):
    """Raised when the body did not begin within `first_byte_seconds`, or was not read whole in that time."""


class BrokenOff(StreamFailed):
    """Raised when the connection ended before the response did. No byte of a response may have come."""


class IdleTooLong(StreamFailed):
    """Raised when nothing came for `idle_seconds` within the body."""


class TookTooLong(StreamFailed):
    """Raised when the response was not complete within `total_seconds`."""


class Malformed(StreamFailed):
    """Raised for a response that is not HTTP, has too long a head, or is compressed without being asked."""


class TooLarge(StreamFailed):
    """Raised when a body is over its limit. The rest is not read."""
