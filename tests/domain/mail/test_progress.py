"""How far a mail is after each attempt."""

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.mail.limits import MAIL_RETRIES_MS, MAIL_RETRY_SPREAD
from svc.domain.mail.progress import MailOutcome, MailProgress, attempted, verdict_of

FOR_NOW = MailOutcome("deferred", "451 later")


@given(spread=st.floats(0, 1), lateness=st.lists(st.integers(0, 10_000), min_size=9, max_size=9))
def test_a_mail_has_all_its_attempts_and_then_is_given_up(spread: float, lateness: list[int]) -> None:
    """Each wait is as planned, within its spread; the last refusal ends it."""
    mail, now = MailProgress(next_attempt_at=0, expires_at=10**12), 0
    for planned, late in zip(MAIL_RETRIES_MS, lateness, strict=False):
        mail = attempted(mail, FOR_NOW, now, spread)
        assert mail.next_attempt_at is not None
        assert abs(mail.next_attempt_at - now - planned) <= planned * MAIL_RETRY_SPREAD + 1
        now = mail.next_attempt_at + late
    mail = attempted(mail, FOR_NOW, now, spread)

    assert ("failed", "451 later", None, now) == (mail.state, mail.reason, mail.next_attempt_at, mail.done_at)


def test_an_attempt_after_its_life_is_none():
    """A reset that could only be sent once its link has expired is given up at once."""
    mail = attempted(MailProgress(next_attempt_at=0, expires_at=30_000), FOR_NOW, 0, 0.5)

    assert "failed" == mail.state


def test_what_has_ended_stays_so():
    """An outcome that comes late changes nothing."""
    sent = attempted(MailProgress(next_attempt_at=0, expires_at=10**6), MailOutcome("sent"), 5, 0.5)

    assert ("sent", 5, None) == (sent.state, sent.done_at, sent.reason)
    assert sent == attempted(sent, FOR_NOW, 9, 0.5)


def test_answers_are_for_now_or_for_good():
    """RFC 5321 section 4.2.1; anything else is no answer to a mail."""
    assert ["deferred", "rejected", None, None] == [verdict_of(code) for code in (451, 550, 999, -1)]
