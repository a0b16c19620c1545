"""The guard of the tests' store: a unit of work that writes another owner's rows is told of."""

import pytest

from svc.domain.files.limits import FILE_UNUSED_LIFE_MS
from svc.domain.limits import IDEMPOTENCY_LIFE_MS
from svc.storage import idempotency, provisioning, retention
from svc.storage.ai import ledger
from svc.storage.files import sweeping
from svc.storage.idempotency import Repeatable
from svc.storage.identity import sign_in
from svc.storage.identity.organizations import NewOrganization
from svc.storage.identity.sign_in import Failure
from svc.storage.store import Owner, Tx
from tests.files import a_file
from tests.lanes import Lanes
from tests.town import Town, town

ALONE = "alone"
OTHER = "another organization"
PLACES = (ALONE, OTHER, Owner.PEOPLE)


async def units_at(here: Town, place: str):
    if place == ALONE:
        return here.store.alone
    if place != OTHER:
        return here.store.of(place)
    asked = NewOrganization(name="Wicks", country="DE", currency="EUR", locale="de_DE")
    return here.store.of((await here.store.write(provisioning.create, asked)).id)


def faults_of(here: Town) -> list[str]:
    """What was found so far, which is taken note of here and fails the town no more."""
    lanes: Lanes = here.store.lanes  # type: ignore[attr-defined]  # a town's store is guarded
    found, lanes.faults = lanes.faults, []
    return found


async def faults_of_an_overdue_answer(here: Town, place: str | None) -> list[str]:
    """Of the pruning of an answer, by its organization or at a *place* where it does not belong."""

    def keep(tx: Tx) -> None:
        call = Repeatable(here.organization.id, "key_1", "record.create", "k", b"f")
        idempotency.keep(tx, call, b"{}")

    await here.store.write(keep)
    here.clock.jump(IDEMPOTENCY_LIFE_MS)
    overdue = await here.store.read(retention.find, here.clock.now())
    assert overdue is not None
    [(owner, rows)] = overdue.by_owner.items()
    units = here.store.of(owner) if place is None else await units_at(here, place)
    await units.write(retention.prune, overdue.number, rows)
    return faults_of(here)


async def faults_of_a_sweep(here: Town, place: str | None) -> list[str]:
    """Of the removal of an unused file, as above."""
    organization_id = here.organization.id
    await here.store.write(a_file, organization_id)
    here.clock.jump(FILE_UNUSED_LIFE_MS)
    found = await here.store.read(sweeping.unused, here.clock.now())
    units = here.store.of(organization_id) if place is None else await units_at(here, place)
    await units.write(sweeping.sweep_unused, organization_id, found[organization_id])
    return faults_of(here)


async def faults_of_a_grant(here: Town, place: str | None) -> list[str]:
    """Of a grant of credits, as above."""
    units = here.store.of(here.organization.id) if place is None else await units_at(here, place)
    await units.write(ledger.grant, here.organization.id, 100, None)
    return faults_of(here)


UNITS = [faults_of_a_grant, faults_of_an_overdue_answer, faults_of_a_sweep]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.__name__)
async def test_a_unit_outside_its_lane_is_told_of(unit, place, autojump_clock):
    """A grant, a pruning and a sweep are the organization's: alone, or by another owner, they are found."""
    async with town() as here:
        faults = await unit(here, place)

        assert faults
        assert all(here.organization.id in fault for fault in faults)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.__name__)
async def test_a_unit_in_its_lane_is_not(unit, autojump_clock):
    """The same units pass where they belong."""
    async with town() as here:
        assert [] == await unit(here, None)


async def test_people_are_no_organizations(autojump_clock):
    """A failed sign-in is noted by people's units, and not by an organization's, or alone."""
    async with town() as here:
        failure = Failure("account", "address", 0)
        found = []
        for units in (here.store.of(Owner.PEOPLE), here.store.of(here.organization.id), here.store.alone):
            await units.write(sign_in.note_failure, failure)
            found.append(len(faults_of(here)))

        assert [0, 1, 1] == found
