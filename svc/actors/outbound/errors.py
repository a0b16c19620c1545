"""The errors of requests to other people's servers. Their messages may be shown to users."""


class NotSent(Exception):
    """Raised when a request got no response; it may still have arrived. The message says why."""


class NoPlace(NotSent):
    """Raised when too many requests are in progress. Nothing was sent: this was no attempt. Try later."""
