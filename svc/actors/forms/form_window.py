"""The FormWindow: one form's gate. It admits, paces and queues, and stores before it answers."""

from typing import Literal, Self

import msgspec

from svc.actors._core import Actor, Policy, Private, turn
from svc.actors.system import System
from svc.domain.crypto.keys import FORM_KEY, well_formed
from svc.domain.errors import DomainError, NotFound
from svc.domain.forms.acceptance import Closed, closed_to
from svc.domain.forms.fields import FieldMap, field_map
from svc.domain.forms.forms import Form
from svc.domain.forms.submissions import FieldFault, PreparedSubmission, is_filled_in, prepare
from svc.domain.identity.organizations import Organization
from svc.domain.limits import (
    PACE_FILINGS_MAX,
    PACE_WINDOW_MS,
    QUEUE_PASS_MS,
    QUEUE_SUBMISSIONS_MAX,
    QUEUE_WINDOW_MS,
    SENDER_SUBMISSIONS_MAX,
    SENDER_WINDOW_MS,
)
from svc.domain.net.client_addresses import sender_of
from svc.domain.rate_limits.keyed_windows import KeyedWindows
from svc.domain.rate_limits.sliding_window import SlidingWindow
from svc.domain.scalars import Scalar
from svc.domain.sites.visits import visitor_digests
from svc.domain.times import SECOND_MS
from svc.storage.forms import submissions
from svc.storage.forms.submissions import FormSnapshot, NewSubmission
from svc.storage.store import Owner, Units

Relay = Literal["accepted", "refused"]
"""What became of the server key that came with a submission."""

Reason = Literal["unknown_form", "origin", "no_contact", "rate"]


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A submission of the right shape, and who sent it."""

    values: dict[str, Scalar]
    origin: str | None
    """The `Origin` header; None when there was none, as from a server."""
    address: str
    """Where it came from."""
    visitor_address: str | None
    """The visitor's address, in a server's own words."""
    user_agent: str
    """The visitor's browser."""
    key_digest: str | None
    """SHA-256 of the bearer token that came with it."""


class Receipt(msgspec.Struct, frozen=True):
    """The submission is on disk."""

    relay: Relay | None


class PostRefused(DomainError):
    """Raised when a submission is not taken; nothing was stored."""

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
    """A form, and the windows of its recent submissions."""

    form: Form
    organization: Organization
    field_map: FieldMap
    tracked: bool
    server_keys: Private[dict[str, int]]
    """Digests of the organization's server keys, and when each expires."""
    senders: Private[KeyedWindows]
    pace: SlidingWindow
    queued: SlidingWindow
    waiting: int
    """Submissions in the queue."""
    revision: int
    """The last change that was announced before the form was read; see `Revisions`."""

    @classmethod
    def of(cls, standing: FormSnapshot, revision: int) -> Self:
        return cls(
            revision=revision,
            form=standing.form,
            organization=standing.organization,
            field_map=field_map(standing.form.field_map),
            tracked=standing.tracked,
            server_keys=Private(standing.server_keys),
            senders=Private(KeyedWindows(SENDER_WINDOW_MS, SENDER_SUBMISSIONS_MAX, standing.sent)),
            pace=SlidingWindow(PACE_WINDOW_MS, PACE_FILINGS_MAX, standing.paced),
            queued=SlidingWindow(QUEUE_WINDOW_MS, QUEUE_SUBMISSIONS_MAX, standing.queued),
            waiting=standing.waiting,
        )

    def follow(self, standing: FormSnapshot, revision: int) -> None:
        """Take over what people set up, and keep the windows."""
        self.revision = revision
        self.form = standing.form
        self.organization = standing.organization
        self.field_map = field_map(standing.form.field_map)
        self.tracked = standing.tracked
        self.server_keys = Private(standing.server_keys)

    def closed_to(self, origin: str | None, now: int) -> Closed | None:
        """Why the form accepts nothing from a page at *origin*; None when it does."""
        return closed_to(self.form, self.organization, origin, now)

    def relay_of(self, key_digest: str | None, now: int) -> Relay | None:
        """What becomes of a server key. It never turns a submission away."""
        if key_digest is None:
            return None
        return "accepted" if now < self.server_keys.value.get(key_digest, 0) else "refused"

    def must_queue(self, now: int) -> bool:
        """Whether the next submission queues: the pace has no place, or others wait already.

        Behind a queue everything queues, so that the order of arrival is the order of filing.
        """
        return self.waiting > 0 or not self.pace.room(now)

    def full_until(self, sender: str, now: int, *, queued: bool) -> int | None:
        """When there is room for the next submission of *sender*; None when there is at *now*."""
        sender_until = self.senders.value.next_room_at(sender, now)
        if sender_until is None and queued:
            return self.queued.next_room_at(now)
        return sender_until

    def count(self, sender: str, now: int, *, queued: bool) -> None:
        """A submission was stored."""
        self.senders.value.add(sender, now)
        if queued:
            self.queued.add(now)
            self.waiting += 1
        else:
            self.pace.add(now)


class FormWindow(Actor[System, FormWindowState]):
    """One form. Its key is the form's public key."""

    policy = Policy(mailbox_max=256, idle_seconds=300)

    async def load(self) -> FormWindowState:
        """The form and its windows, rebuilt from what is stored. Raises `NotFound`."""
        now, revision = self.system.clock.now(), self.system.form_revisions.last
        standing = await self.system.store.of(Owner.FORMS).read(submissions.snapshot, self.key, now)
        if standing.waiting_since is not None:
            since = min(standing.waiting_since, now)
            self.pass_queue.after(max(0, since + QUEUE_PASS_MS - now) / SECOND_MS)
        return FormWindowState.of(standing, revision)

    @turn
    async def submit(self, post: Post) -> Receipt:
        """Take a submission. When this returns, it is on disk.

        The checks stand in the order of the contract. Raises `PostRefused`.
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
        new = self._to_store(post, prepared, sender, queued=queued)
        await self._units.write(submissions.create, new)
        state.count(sender, now, queued=queued)
        if queued and state.waiting == 1:
            self.pass_queue.after(QUEUE_PASS_MS / SECOND_MS)
        return Receipt(relay)

    @turn
    async def refuses(self, origin: str | None) -> Closed | None:
        """Why a page at *origin* may not post here; None when it may."""
        return (await self._current()).closed_to(origin, self.system.clock.now())

    @turn
    async def look(self) -> None:
        """To be live is all that is asked: `load` armed the pass of a queue that was there."""

    @turn
    async def pass_queue(self) -> None:
        """File the queue, oldest first, as far as the pace has room, and go on until it is empty."""
        state, now = self.state, self.system.clock.now()
        room = state.pace.room(now)
        # Armed before the store is asked, so that a failure now is a delay and not an end.
        self.pass_queue.after(QUEUE_PASS_MS / SECOND_MS)
        if room:
            released = await self._units.write(
                submissions.release, state.organization.id, state.form.id, room
            )
            # From when they are on disk, since they are filed no sooner: a disk that stalls hurries nothing.
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
        """The state, with the form as people set it up as of the last commit."""
        state, revisions = self.state, self.system.form_revisions
        if revisions.changed(self.key, state.revision) or revisions.changed(
            state.organization.id, state.revision
        ):
            now, revision = self.system.clock.now(), revisions.last
            state.follow(await self._units.read(submissions.snapshot, self.key, now), revision)
        return state

    @property
    def _units(self) -> Units:
        """The store for the organization's units of work."""
        return self.system.store.of(self.state.organization.id)

    def _to_store(
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
                visitor_digests(visitor, post.user_agent, self.system.visitor_keys) if state.tracked else ()
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
    """The window of the form with that public key. Raises `NotFound`."""
    if not well_formed(form_key, FORM_KEY):
        raise NotFound("no such form")
    if not system.is_active(FormWindow, form_key):
        await system.unknown_forms.check(form_key)
    return FormWindow(system, form_key)


def _sent_from(post: Post, relay: Relay | None) -> str:
    """Whose submissions are counted together: with a server key that counts, those of its visitor."""
    return post.visitor_address if relay == "accepted" and post.visitor_address else post.address
