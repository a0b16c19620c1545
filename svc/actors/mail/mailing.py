"""What all Mailers share: the mail server, places for connections to it, and when it rests."""

from collections import Counter

import structlog
import trio

from svc.actors.mail.smtp import MailServer
from svc.actors.mail.smtp_client import FailureClass, MailServerFailed
from svc.clock import Clock
from svc.domain.mail.limits import MAIL_CONNECTIONS_MAX, MAIL_REST_MS, MAIL_REST_MS_MAX
from svc.domain.mail.progress import Verdict
from svc.domain.mail.server_words import without_what_is_repeated
from svc.domain.retries import doubled_ms

log = structlog.get_logger("svc.actors.mail.mailing")


class Mailing:
    """Without a *server*, no mail is sent.

    A server that fails rests, for all organizations, so that a thousand waiting mails are not a thousand
    attempts. The rest is no attempt of the mails.
    """

    def __init__(self, clock: Clock, server: MailServer | None = None) -> None:
        self.server = server
        self.places = trio.CapacityLimiter(MAIL_CONNECTIONS_MAX)
        """First come, first served, and each Mailer comes once at a time: so organizations take turns."""
        self.failures = 0
        """Failures of the server in a row."""
        self.last_failure: str | None = None
        """Why it failed last; None since it has worked again."""
        self.failure_class: FailureClass | None = None
        """What kind of failure that was."""
        self.failures_since_start: Counter[FailureClass] = Counter()
        """Of several connections that failed together, all count."""
        self.outcomes: Counter[Verdict] = Counter()
        """What became of attempts since the start, as it is stored."""
        self._clock = clock
        self._rests_until = 0

    def rest_ms(self) -> int:
        """How long the server rests from now on; 0 if it does not."""
        return max(0, self._rests_until - self._clock.now())

    def note_failure(self, failure: MailServerFailed) -> None:
        """The server could not be used: let it rest, longer each time.

        Of several connections that fail together, the first one counts.
        """
        self.last_failure, self.failure_class = without_what_is_repeated(str(failure)), failure.kind
        self.failures_since_start[failure.kind] += 1
        if self.rest_ms():
            return
        pause_ms = doubled_ms(MAIL_REST_MS, self.failures, MAIL_REST_MS_MAX)
        self.failures += 1
        self._rests_until = self._clock.now() + pause_ms
        log.warning(
            "the mail server cannot be used; mails wait", why=self.last_failure, failures=self.failures
        )

    def note_success(self) -> None:
        """The server took a mail, or refused it by itself."""
        if self.failures:
            log.info("the mail server can be used again")
        self.failures, self.last_failure, self.failure_class, self._rests_until = 0, None, None, 0
