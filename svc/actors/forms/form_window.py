"""The FormWindow: admits, rate-limits and queues the submissions of one form, and stores them."""

from typing import Literal, Self

import msgspec

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.crypto.keys import FORM_KEY, well_formed
from svc.domain.errors import DomainError, NotFound
from svc.domain.forms.acceptance import Closed, closed_to
from svc.domain.forms.fields import FieldMap, field_map
from svc.domain.forms.forms import Form
from svc.domain.forms.limits import (
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_PASS_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_SUBMISSIONS_MAX,
    SENDER_WINDOW_MS,
)
from svc.domain.forms.submissions import FieldFault, PreparedSubmission, is_filled_in, prepare
from svc.domain.identity.organizations import Organization
from svc.domain.locale.times import SECOND_MS
from svc.domain.net.client_addresses import sender_of
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.scalars import Scalar
from svc.domain.sites.visits import visitor_digests
from svc.storage.forms import submissions
from svc.storage.forms.submissions import FormSnapshot, NewSubmission
from svc.storage.store import Owner, Units

Relay = Literal["accepted", "refused"]
"""The result of checking the server key of a submission."""

Reason = Literal["unknown_form", "origin", "no_contact", "rate"]


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A well-formed submission, and where it came from."""

    values: dict[str, Scalar]
    origin: str | None
    """The `Origin` header; None if there was none, as from a server."""
    address: str
    """The client address of the request."""
    visitor_address: str | None
    """The visitor's address, as a server states it."""
    user_agent: str
    """The visitor's `User-Agent`."""
    key_digest: str | None
    """SHA-256 of the bearer token; None if there was none."""


class Receipt(msgspec.Struct, frozen=True):
    """A submission was stored."""

    relay: Relay | None


class PostRefused(DomainError):
    """Raised when a submission is rejected; nothing was stored."""

    def __init__(
        self,
        reason: Reason,
        *,
        relay: Relay | None = None,
        fields: dict[str, FieldFault] | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.relay = relay
        self.fields = fields or {}
        self.retry_after_ms = retry_after_ms


class FormWindowState(msgspec.Struct, kw_only=True):
    """A form, and the sliding windows of its recent submissions."""

    form: Form
    organization: Organization
    field_map: FieldMap
    tracked: bool
    server_keys: Private[dict[str, int]]
    """By digest: when each of the organization's server keys expires, in ms since the epoch."""
    senders: Private[KeyedWindows]
    pace: SlidingWindow
    queued: SlidingWindow
    waiting: int
    """The length of the queue."""
    revision: int
    """The number of the last change before the form was read; see `Revisions`."""

    @classmethod
    def of(cls, snapshot: FormSnapshot, revision: int) -> Self:
        return cls(
            revision=revision,
            form=snapshot.form,
            organization=snapshot.organization,
            field_map=field_map(snapshot.form.field_map),
            tracked=snapshot.tracked,
            server_keys=Private(snapshot.server_keys),
            senders=Private(KeyedWindows(SENDER_WINDOW_MS, SENDER_SUBMISSIONS_MAX, snapshot.sent)),
            pace=SlidingWindow(PACE_WINDOW_MS, PACE_FILINGS_MAX, snapshot.paced),
            queued=SlidingWindow(QUEUE_WINDOW_MS, QUEUE_SUBMISSIONS_MAX, snapshot.queued),
            waiting=snapshot.waiting,
        )

    def update(self, snapshot: FormSnapshot, revision: int) -> None:
        """Take over the changed settings of the form, and keep the windows."""
        self.revision = revision
        self.form = snapshot.form
        self.organization = snapshot.organization
        self.field_map = field_map(snapshot.form.field_map)
        self.tracked = snapshot.tracked
        self.server_keys = Private(snapshot.server_keys)

    def closed_to(self, origin: str | None, now: int) -> Closed | None:
        """Why submissions from *origin* are rejected; None if they are accepted."""
        return closed_to(self.form, self.organization, origin, now)

    def relay_of(self, key_digest: str | None, now: int) -> Relay | None:
        """Check a server key. A refused key does not reject the submission."""
        if key_digest is None:
            return None
        return "accepted" if now < self.server_keys.value.get(key_digest, 0) else "refused"

    def must_queue(self, now: int) -> bool:
        """Whether the next submission is queued: the filing rate is reached, or the queue is not empty.

        Nothing overtakes the queue, so submissions are filed in the order of their arrival.
        """
        return self.waiting > 0 or not self.pace.room(now)

    def full_until(self, sender: str, now: int, *, queued: bool) -> int | None:
        """When the next submission of *sender* will be accepted; None if it is at *now*."""
        sender_until = self.senders.value.next_room_at(sender, now)
        if sender_until is None and queued:
            return self.queued.next_room_at(now)
        return sender_until

    def count(self, sender: str, now: int, *, queued: bool) -> None:
        """Count a submission that was stored."""
        self.senders.value.add(sender, now)
        if queued:
            self.queued.add(now)
            self.waiting += 1
        else:
            self.pace.add(now)


class FormWindow(Actor[System, FormWindowState]):
    """Admits the submissions of one form. Its key is the form's public key."""

    policy = Policy(mailbox_max=256, idle_seconds=300)

    async def load(self) -> FormWindowState:
        """Read the form, and rebuild its windows from the stored submissions. Raises `NotFound`."""
        now, revision = self.system.clock.now(), self.system.forms.revisions.last
        snapshot = await self.system.store.of(Owner.FORMS).read(submissions.snapshot, self.key, now)
        if snapshot.waiting_since is not None:
            since = min(snapshot.waiting_since, now)
            self.pass_queue.after(max(0, since + QUEUE_PASS_MS - now) / SECOND_MS)
        return FormWindowState.of(snapshot, revision)

    @turn
    async def submit(self, post: Post) -> Receipt:
        """Admit and store a submission. It is on disk when this returns. Raises `PostRefused`.

        The order of the checks is part of the contract: it decides the error if several apply.
        """
        state, now = await self._current(), self.system.clock.now()
        closed = state.closed_to(post.origin, now)
        if closed is not None:
            raise PostRefused(closed)
        relay = state.relay_of(post.key_digest, now)
        prepared = prepare(post.values, state.field_map, state.organization.country)
        if not prepared.has_contact:
            raise PostRefused("no_contact", relay=relay, fields=prepared.invalid)
        sender = sender_of(_sent_from(post, relay), self.system.secrets.sender)
        queued = state.must_queue(now)
        full_until = state.full_until(sender, now, queued=queued)
        if full_until is not None:
            raise PostRefused("rate", relay=relay, retry_after_ms=full_until - now)
        new = self._new_submission(post, prepared, sender, queued=queued)
        await self._units.write(submissions.create, new)
        state.count(sender, now, queued=queued)
        if queued and state.waiting == 1:
            self.pass_queue.after(QUEUE_PASS_MS / SECOND_MS)
        return Receipt(relay)

    @turn
    async def refuses(self, origin: str | None) -> Closed | None:
        """Why submissions from *origin* are rejected; None if they are accepted."""
        return (await self._current()).closed_to(origin, self.system.clock.now())

    @turn
    async def activate(self) -> None:
        """Do nothing: activating the actor is enough, since `load` arms the timer of a stored queue."""

    @turn
    async def count_queue(self) -> None:
        """Take over the length of the stored queue, some of which was discarded or is queued again."""
        state, now = self.state, self.system.clock.now()
        snapshot = await self._units.read(submissions.snapshot, self.key, now)
        begins = not state.waiting
        state.waiting = snapshot.waiting
        state.queued = SlidingWindow(QUEUE_WINDOW_MS, QUEUE_SUBMISSIONS_MAX, snapshot.queued)
        if not state.waiting:
            self.pass_queue.disarm()
        elif begins:
            self.pass_queue.after(QUEUE_PASS_MS / SECOND_MS)

    @turn
    async def pass_queue(self) -> None:
        """Release the queue for filing, oldest first, at the filing rate; repeat until it is empty."""
        state, now = self.state, self.system.clock.now()
        room = state.pace.room(now)
        # Armed before the write, so that a failure delays the queue and does not stop it.
        self.pass_queue.after(QUEUE_PASS_MS / SECOND_MS)
        if room:
            released = await self._units.write(
                submissions.release, state.organization.id, state.form.id, room
            )
            # Counted from when they are on disk, since they are filed no sooner. A stall adds no burst.
            now = self.system.clock.now()
            for _ in range(released):
                state.pace.add(now)
            state.waiting = state.waiting - released if released == room else 0
        next_room_at = state.pace.next_room_at(now)
        if not state.waiting:
            self.pass_queue.disarm()
        elif next_room_at is not None:
            self.pass_queue.after((next_room_at - now) / SECOND_MS)

    async def _current(self) -> FormWindowState:
        """The state, with the settings of the form as of the last commit."""
        state, revisions = self.state, self.system.forms.revisions
        if revisions.changed(self.key, state.revision) or revisions.changed(
            state.organization.id, state.revision
        ):
            now, revision = self.system.clock.now(), revisions.last
            state.update(await self._units.read(submissions.snapshot, self.key, now), revision)
        return state

    @property
    def _units(self) -> Units:
        """The store for the organization's units of work."""
        return self.system.store.of(self.state.organization.id)

    def _new_submission(
        self, post: Post, prepared: PreparedSubmission, sender: str, *, queued: bool
    ) -> NewSubmission:
        state = self.state
        honeypot = state.form.honeypot
        visitor = post.visitor_address or post.address
        return NewSubmission(
            organization_id=state.organization.id,
            form_id=state.form.id,
            queued=queued,
            sender=sender,
            visitors=(
                visitor_digests(visitor, post.user_agent, self.system.sites.visitor_keys)
                if state.tracked
                else ()
            ),
            email=prepared.email,
            phone=prepared.phone,
            name=prepared.name,
            fields=prepared.fields,
            recognised=prepared.recognised,
            mapped=prepared.mapped,
            dropped=prepared.dropped,
            spam=honeypot is not None and is_filled_in(post.values, honeypot),
        )


async def window_of(system: System, form_key: str) -> FormWindow:
    """The FormWindow of the form with the public key *form_key*. Raises `NotFound`."""
    if not well_formed(form_key, FORM_KEY):
        raise NotFound("no such form")
    if not system.is_active(FormWindow, form_key):
        await system.forms.unknown_keys.check(form_key)
    return FormWindow(system, form_key)


def _sent_from(post: Post, relay: Relay | None) -> str:
    """The address that a submission is counted for: with an accepted server key, the visitor's."""
    return post.visitor_address if relay == "accepted" and post.visitor_address else post.address
