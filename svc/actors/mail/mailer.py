"""The Mailer: sends the mails of one organization, a batch over one connection.

Mails are rows, so this actor may crash at any point. What became of a mail is stored before the next one is
sent: so only the one that was under way is sent again, under the same `Message-ID`.
"""

from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from svc.actors.batch_worker import BatchDone, BatchWorkerState
from svc.actors.mail.smtp import MailServer, MailSession
from svc.actors.mail.smtp_client import MailServerFailed
from svc.actors.outbound.deliverer import Deliverer
from svc.domain.crypto.sealing import SealBroken
from svc.domain.mail import messages
from svc.domain.mail.letters import Reader, letter
from svc.domain.mail.limits import MAIL_BATCH_MAX
from svc.domain.mail.messages import Envelope
from svc.domain.mail.progress import MailOutcome
from svc.domain.mail.senders import Sender
from svc.domain.mail.server_words import without_what_is_repeated
from svc.storage.mail import batches, outbox
from svc.storage.mail.batches import DueMail, MailBatch
from svc.telemetry.calls import call_span

log = structlog.get_logger("svc.actors.mail.mailer")


class Mailer(Deliverer[BatchWorkerState]):
    """Sends the mails of one organization, one after the other. Its key is the organization's id."""

    async def load(self) -> BatchWorkerState:
        """Send what an earlier activation left."""
        self.check.after(0)
        return BatchWorkerState()

    def room(self) -> int:
        mailing = self.system.mail.mailing
        if mailing.rest_ms():
            self.check_by(self.system.clock.now() + mailing.rest_ms())
            return 0
        return MAIL_BATCH_MAX

    def load_due(self, room: int) -> Callable[[], Awaitable[BatchDone]]:
        return partial(self._send_batch, room)

    async def _send_batch(self, limit: int) -> BatchDone:
        mailing = self.system.mail.mailing
        if mailing.server is None:
            return BatchDone()
        async with mailing.places:
            now = self.system.clock.now()
            batch = await self.units.read(batches.load, self.key, now, limit)
            for mail in batch.due:
                if mail.unwanted is not None:
                    await self._note(mail, MailOutcome("rejected", mail.unwanted))
            wanted = [mail for mail in batch.due if mail.unwanted is None]
            if wanted:
                try:
                    await self._send_all(mailing.server, batch, wanted)
                except MailServerFailed as error:
                    mailing.note_failure(error)
        return BatchDone(
            more=batch.more or bool(mailing.rest_ms() and wanted),
            next_at=batch.next_at,
            rest_ms=mailing.rest_ms() if wanted else 0,
        )

    async def _send_all(self, server: MailServer, batch: MailBatch, wanted: list[DueMail]) -> None:
        """Send mails over one connection. Raises `MailServerFailed`."""
        async with server.session() as session:
            for mail in wanted:
                if self.system.quiesced:
                    return
                await self._note(mail, await self._sent(session, server.sender, batch, mail))

    async def _sent(
        self, session: MailSession, sender: Sender, batch: MailBatch, mail: DueMail
    ) -> MailOutcome:
        """Send a mail; what became of it.

        Raises `MailServerFailed`. It is an attempt of the mail as well, since it may be the mail that the
        server fails at: then others shall not wait for it.
        """
        try:
            envelope = self._envelope(sender, batch, mail)
        except SealBroken:
            log.exception("the link of a mail cannot be opened; it is not sent", mail=mail.id)
            return MailOutcome("rejected", "its link cannot be opened with the installation's key")
        except Exception:
            log.exception("a mail cannot be written, and is not sent", mail=mail.id)
            return MailOutcome("rejected", "it cannot be written")
        try:
            with call_span("mail") as span:
                outcome = await session.send(envelope)
                if span is not None:
                    span.note("svc.outcome", outcome.verdict)
        except MailServerFailed as error:
            await self._note(mail, MailOutcome("deferred", str(error)))
            raise
        self.system.mail.mailing.note_success()
        return outcome

    def _envelope(self, sender: Sender, batch: MailBatch, mail: DueMail) -> Envelope:
        """The mail as it goes out. Raises `SealBroken`."""
        organization = batch.organization
        reader = Reader(
            organization_id=organization.id,
            organization=organization.name,
            locale=organization.locale,
            time_zone=organization.time_zone,
            base_url=self.system.base_url,
            is_guest=mail.is_guest,
        )
        token = ""
        if mail.sealed_token is not None:
            token = self.system.sealer.open(mail.sealed_token, mail.id)
        written = letter(mail.kind, mail.data, reader, token)
        return messages.envelope(mail.id, written, sender, mail.recipient, mail.created_at)

    async def _note(self, mail: DueMail, outcome: MailOutcome) -> None:
        """Store what became of a mail, however long the store rejects it, unless the service ends."""
        if outcome.verdict == "rejected":
            log.warning(
                "a mail was not sent",
                mail=mail.id,
                kind=mail.kind,
                why=without_what_is_repeated(outcome.answer, mail.recipient),
            )
        await self.store_outcome(
            self.units, lambda: self.system.quiesced, outbox.note, self.key, mail.id, outcome
        )
        self.system.mail.mailing.outcomes[outcome.verdict] += 1
