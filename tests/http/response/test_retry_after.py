"""`Retry-After`."""

from svc.domain.errors import Unavailable
from svc.http.response.retry_after import retry_after, wait_ms_of


def test_a_wait_is_rounded_up_to_whole_seconds() -> None:
    """A client that waits for that long does not come too early."""
    assert [b"1", b"1", b"2", b"60"] == [retry_after(wait_ms)[1] for wait_ms in (0, 1_000, 1_001, 60_000)]


def test_an_error_names_its_wait() -> None:
    """Where it names none, a client comes again in a second."""
    unavailable = Unavailable("full")
    unavailable.retry_after_seconds = 2.5

    assert (2_500, 1_000) == (wait_ms_of(unavailable), wait_ms_of(ValueError()))
