"""What mails share."""

from svc.actors.mail.mailing import Mailing
from svc.actors.mail.smtp import MailServer
from svc.clock import Clock
from svc.domain.identity.reset_pace import ResetPace


class MailResources:
    """The mail server, and the pace of mails that anybody may ask for."""

    def __init__(self, clock: Clock, sender_secret: bytes, server: MailServer | None = None) -> None:
        self.mailing = Mailing(clock, server)
        """The mail server, if there is one."""
        self.reset_pace = ResetPace(sender_secret)
        """Password resets and proofs that were asked for lately."""
