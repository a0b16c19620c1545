"""A model of what the lanes of a store keep apart: credits, positions of events, files, and members.

Its steps are units of the product, run under the owners that the product runs them under. The model counts
what was answered; what it counted, and what is stored, are compared at the end.
"""

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from svc.clock import VirtualClock
from svc.domain.ai.exits import Exit
from svc.domain.ai.models import Bound
from svc.domain.ai.money import MICRO, Prices
from svc.domain.ai.usage import Usage
from svc.domain.crypto.keys import digest
from svc.domain.errors import Conflict, DomainError
from svc.domain.files.limits import FILE_UNUSED_LIFE_MS
from svc.domain.identity.callers import operator_call, person_call
from svc.domain.identity.roles import OWNER
from svc.domain.locale.times import HOUR_MS
from svc.storage import integrity, provisioning, retention
from svc.storage.ai import calls, ledger
from svc.storage.ai.calls import AGENT, NewCall, OpenCall, Settlement
from svc.storage.events import events
from svc.storage.files import files, sweeping, uses
from svc.storage.files.uses import FileUse
from svc.storage.identity import invitations, members, sign_in
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Owner, Store, Tx
from svc.storage.workflows.dispatch import dispatch
from tests.events import free_event
from tests.files import a_file
from tests.people import a_member

HISTORY_MS: Final = HOUR_MS
"""How long events are kept, so that many steps find some to prune."""
PRICES: Final = Prices(MICRO, MICRO, MICRO)
"""A micro-credit for each token."""
GRANT_MAX: Final = 100
TOKENS_MAX: Final = 40
KNOWN_MAX: Final = 30
"""Files of an organization that steps choose from, and calls that are open at a time."""

_NUMBERS: Final = count(1)


class Turn(NamedTuple):
    """What a unit did to the members of an organization."""

    stamp: str
    """An id that the unit made: ids sort in the order in which they are made."""
    what: str
    actor: str
    """Who invited, where that counts."""
    person: str


class Place:
    """An organization, and what the model knows of it."""

    def __init__(self, organization_id: str, owner: str) -> None:
        self.id = organization_id
        self.owner = owner
        """The person who was its Owner first."""
        self.people = [owner]
        """All who joined."""
        self.granted = 0
        self.charges: dict[str, int] = {}
        """What each call that has ended was charged."""
        self.open: list[OpenCall] = []
        self.recorded = 0
        """Events."""
        self.files: list[str] = []
        self.used: dict[str, str] = {}
        """The file that each subject uses."""
        self.links: list[tuple[str, str]] = []
        """The tokens of invitations that wait, and who invited."""
        self.turns: list[Turn] = []


class Model:
    """Takes steps over *store*, and knows what has to come of them."""

    def __init__(self, store: Store, clock: VirtualClock) -> None:
        self.store = store
        self.clock = clock
        self.places: list[Place] = []
        self.process = ""
        self.faults: list[str] = []
        """What a step found that must not be."""

    async def make(self, many: int) -> None:
        """Make so many organizations, each with a member."""
        self.process = await self.store.alone.write(calls.new_process)
        for number in range(many):
            self.places.append(await self.store.alone.write(_a_place, number))

    @property
    def steps(self) -> dict[str, tuple[int, Callable[[Random, Place], Any]]]:
        """How often each step is taken, of all of them, and what takes it."""
        return {
            "grant": (80, self.grant),
            "reserve": (140, self.reserve),
            "settle": (140, self.settle),
            "happen": (140, self.happen),
            "dispatch": (100, self.dispatch),
            "prune": (40, self.prune),
            "upload": (70, self.upload),
            "use": (100, self.use),
            "end_use": (50, self.end_use),
            "sweep": (40, self.sweep),
            "invite": (35, self.invite),
            "join": (25, self.join),
            "leave": (20, self.leave),
            "fail_to_sign_in": (17, self.fail_to_sign_in),
            "pass_time": (3, self.pass_time),
        }

    async def step(self, chance: Random) -> None:
        """Take a step by *chance*, in a place by chance."""
        steps = self.steps
        [name] = chance.choices([*steps], [weight for weight, _ in steps.values()])
        await steps[name][1](chance, chance.choice(self.places))

    # Credits: a grant is the operator's, and a settlement a request's.

    async def grant(self, chance: Random, place: Place) -> None:
        amount = chance.randint(1, GRANT_MAX)
        await self.store.of(place.id).write(ledger.grant, place.id, amount)
        place.granted += amount

    async def reserve(self, chance: Random, place: Place) -> None:
        if len(place.open) >= KNOWN_MAX:
            return
        bound = Bound(chance.randint(0, TOKENS_MAX), 1, 0, PRICES)
        new = NewCall(
            organization_id=place.id,
            key_id=AGENT,
            model="m",
            streamed=True,
            process=self.process,
            started_at=self.clock.now(),
        )
        try:
            call = await self.store.of(place.id).write(calls.reserve, new, bound, bound)
        except DomainError:
            return  # there were too few credits
        place.open.append(call)

    async def settle(self, chance: Random, place: Place) -> None:
        """Also one that is settled already, which changes nothing."""
        if not place.open:
            return
        call = chance.choice(place.open)
        paid = await self.store.of(place.id).write(
            calls.settle, settlement(call, chance.randint(0, TOKENS_MAX))
        )
        if place.charges.setdefault(call.id, paid.charged) != paid.charged:
            self.faults.append(f"{call.id} was charged twice")
        if chance.random() < 0.9 and call in place.open:
            place.open.remove(call)

    # Events: they are recorded by anything, dispatched by an actor, and pruned by another.

    async def happen(self, chance: Random, place: Place) -> None:
        many = chance.randint(1, 3)
        await self.store.of(place.id).write(events.record, place.id, [_an_event()] * many)
        place.recorded += many

    async def dispatch(self, chance: Random, place: Place) -> None:
        await self.store.of(place.id).write_behind(dispatch, place.id, chance.randint(1, 5))

    async def prune(self, _chance: Random, _place: Place) -> None:
        """What is over, of all owners: as the Reconciler does it."""
        number = 0
        while overdue := await self.store.read_long(retention.find, self.clock.now(), HISTORY_MS, number):
            for owner, rows in overdue.by_owner.items():
                await self.store.of(owner).write_behind(retention.prune, overdue.number, rows, HISTORY_MS)
            number = overdue.number + 1

    # Files: whoever uses one has looked whether it is there, in the same unit.

    async def upload(self, _chance: Random, place: Place) -> None:
        file = await self.store.of(place.id).write(a_file, place.id)
        place.files = [*place.files[-KNOWN_MAX:], file.id]

    async def use(self, chance: Random, place: Place) -> None:
        if not place.files:
            return
        file_id, subject = chance.choice(place.files), f"rec_{next(_NUMBERS)}"
        if await self.store.of(place.id).write(use, place.id, file_id, subject):
            place.used[subject] = file_id

    async def end_use(self, chance: Random, place: Place) -> None:
        if not place.used:
            return
        subject = chance.choice([*place.used])
        file_id = place.used.pop(subject)
        if not await self.store.of(place.id).write(_end_use, place.id, file_id, subject):
            self.faults.append(f"{file_id} went while {subject} used it")

    async def sweep(self, _chance: Random, _place: Place) -> None:
        """As the FileSweeper does it, whose contents are nowhere."""
        unused = await self.store.read_long(sweeping.unused, self.clock.now())
        for organization_id, ids in unused.items():
            units = self.store.of(organization_id)
            await units.write_behind(sweeping.sweep_unused, organization_id, ids)
        removed = await self.store.read_long(sweeping.removed_files)
        for organization_id, ids in sweeping.by_organization(removed).items():
            await self.store.of(organization_id).write_behind(sweeping.let_go, organization_id, ids)

    # Members: who joins is of two owners, the people and an organization, so that runs alone.

    async def invite(self, chance: Random, place: Place) -> None:
        inviter = chance.choice(place.people)
        try:
            turn, token = await self.store.of(place.id).write(_invite, place.id, inviter)
        except DomainError:
            return  # who invites is no member any more, or too many invitations wait
        place.turns.append(turn)
        place.links.append((token, inviter))

    async def join(self, chance: Random, place: Place) -> None:
        if not place.links:
            return
        token, inviter = place.links.pop(chance.randrange(len(place.links)))
        try:
            turn = await self.store.alone.write(join, token, inviter)
        except DomainError:
            return  # who invited is no member any more, or the invitation is too old
        place.turns.append(turn)
        place.people.append(turn.person)

    async def leave(self, chance: Random, place: Place) -> None:
        try:
            turn = await self.store.of(place.id).write(leave, place.id, chance.choice(place.people))
        except Conflict:
            return  # the last Owner stays
        place.turns.append(turn)

    async def fail_to_sign_in(self, chance: Random, _place: Place) -> None:
        failure = Failure(f"account {chance.randrange(5)}", "address", self.clock.now())
        await self.store.of(Owner.PEOPLE).write(sign_in.note_failure, failure)

    async def pass_time(self, _chance: Random, _place: Place) -> None:
        """What is unused is over after a few times of it, and so is an invitation."""
        self.clock.jump(FILE_UNUSED_LIFE_MS // 3 + 1)

    async def found(self) -> list[str]:
        """All that is wrong: what steps found, what the model counted otherwise, and broken promises."""
        for place in self.places:
            while (await self.store.of(place.id).write(dispatch, place.id)).events:
                pass
        stored = await self.store.read_long(self._stored)
        return [*self.faults, *stored]

    def _stored(self, conn: sa.Connection) -> list[str]:
        found = [
            f"{finding.promise}: {', '.join(finding.examples)}"
            for finding in integrity.check(conn)
            if finding.broken
        ]
        for place in self.places:
            reserved = calls.reserved(conn, place.id)
            expected = place.granted - sum(place.charges.values()) - reserved
            if (has := ledger.balance(conn, place.id)) != expected:
                found.append(f"{place.id} has {has} credits, and should have {expected}")
            if (newest := events.newest_position(conn, place.id)) != place.recorded:
                found.append(f"{place.id} has {place.recorded} events, and {newest} positions")
            for subject, file_id in place.used.items():
                if files.find(conn, place.id, file_id) is None:
                    found.append(f"{file_id} went while {subject} used it")
            found += _wrong_turns(place)
        return found


def _a_place(tx: Tx, number: int) -> Place:
    asked = NewOrganization(name=f"Lamps {number}", country="DE", currency="EUR")
    organization = provisioning.create(tx, asked)
    return Place(organization.id, a_member(tx, organization.id, f"owner{number}@example.com", OWNER.id).id)


def settlement(call: OpenCall, tokens: int) -> Settlement:
    """The end of a call that was answered, and has used so many *tokens*."""
    return Settlement(
        new=call.new,
        call_id=call.id,
        exit=Exit(ended="answered", usage=Usage(tokens, 0, 0)),
        payer="credits",
        provider="p",
        prices=PRICES,
    )


def _an_event() -> Any:
    return free_event("record.created", "rec_1", {"kind": "api", "keyId": "key_1"}, {"objectType": "contact"})


def use(tx: Tx, organization_id: str, file_id: str, subject: str) -> bool:
    """Use a file that is there, as a reply with an attachment does; whether it is."""
    if files.find(tx.conn, organization_id, file_id) is None:
        return False
    uses.add(tx.conn, [FileUse(file_id, subject, "0", organization_id, "message")])
    return True


def _end_use(tx: Tx, organization_id: str, file_id: str, subject: str) -> bool:
    """Use it no more; whether it was there until now."""
    was_there = files.find(tx.conn, organization_id, file_id) is not None
    uses.end(tx.conn, [subject])
    return was_there


def _invite(tx: Tx, organization_id: str, inviter: str) -> tuple[Turn, str]:
    email = f"guest{next(_NUMBERS)}@example.com"
    made = invitations.invite(tx, person_call(organization_id, inviter), email, OWNER.id)
    return Turn(tx.new_id("trn"), "invite", inviter, ""), made.token


def join(tx: Tx, token: str, inviter: str) -> Turn:
    """Join by an invitation, with an account that is made for it."""
    person = invitations.accept_as_new(tx, digest(token), "Guest", "a hash")
    return Turn(tx.new_id("trn"), "join", inviter, person.id)


def leave(tx: Tx, organization_id: str, person_id: str) -> Turn:
    """Have the operator deactivate a member."""
    members.deactivate(tx, operator_call(organization_id), person_id)
    return Turn(tx.new_id("trn"), "leave", "", person_id)


def _wrong_turns(place: Place) -> list[str]:
    """What could not have happened if the units had followed one another."""
    active = {place.owner}
    found = []
    for turn in sorted(place.turns):
        if turn.actor and turn.actor not in active:
            found.append(f"{turn.what} in {place.id} by {turn.actor}, who had left")
        if turn.what == "join":
            active.add(turn.person)
        elif turn.what == "leave":
            active.discard(turn.person)
            if not active:
                found.append(f"nobody was left in {place.id}")
    return found
