"""What abuse of sign-in gets: from the time of a refusal, from guessing at an account, from making accounts.

`python -m bench._abuse_sign_in`, in about half a minute. It runs the sign-in itself over a store in memory,
with the real hash.
"""

import time
from contextlib import suppress
from statistics import median
from typing import Final

import trio

from svc.actors.identity.password_hashing import PasswordHashing
from svc.actors.kinds import KINDS
from svc.actors.system import Secrets, System
from svc.clock import VirtualClock
from svc.domain.crypto.passwords import HASHER, salt_for
from svc.domain.errors import DomainError
from svc.domain.identity.callers import operator_call
from svc.services.identity import sign_in
from svc.services.identity.attempts import WrongCredentials
from svc.services.identity.sign_in import Browser
from svc.storage import provisioning
from svc.storage.identity import accounts, members
from svc.storage.identity.accounts import NewAccount
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.store import Store, Tx

SECRETS: Final = Secrets(sender=b"s" * 32, sealing=b"k" * 32)
START: Final = 1_789_689_600_000
ACCOUNTS: Final = (0, 1, 1_000)
ROUNDS: Final = 15
HAMMERED: Final = 200
PASSWORD: Final = "the password of its owner"


def address_of(count: int) -> str:
    return f"has{count}@example.com"


def fill(tx: Tx) -> None:
    """Accounts of each address: 1, or 1,000 in as many organizations, of which one is its owner's."""
    hashed = HASHER.hash(PASSWORD, salt=salt_for(address_of(1), SECRETS.sender))
    other = HASHER.hash("that of the attacker", salt=salt_for(address_of(1_000), SECRETS.sender))
    owners = HASHER.hash(PASSWORD, salt=salt_for(address_of(1_000), SECRETS.sender))
    for number in range(max(ACCOUNTS)):
        home = provisioning.create(tx, NewOrganization(name=f"Organization {number}")).id
        for email, one in ((address_of(1), hashed), (address_of(1_000), other if number else owners)):
            if number and email == address_of(1):
                continue
            made = NewAccount(email=email, name="N", home_organization_id=home, password_hash=one)
            members.add(tx, operator_call(home), accounts.create(tx, made).id, "owner")


async def refused(system: System, email: str, number: int) -> tuple[float, float]:
    """Milliseconds, and milliseconds of CPU, of one sign-in that fails, from an address of its own."""
    began, cpu = time.perf_counter(), time.process_time()
    with suppress(DomainError):
        await sign_in.with_password(system, email, "wrong", Browser(f"10.1.{number >> 8}.{number & 255}", ""))
    return (time.perf_counter() - began) * 1_000, (time.process_time() - cpu) * 1_000


async def guess(system: System) -> tuple[int, int]:
    """How many of the attacker's guesses are checked, and how many of the owner's sign-ins succeed."""
    checked = owners = 0
    for number in range(HAMMERED):
        try:
            await sign_in.with_password(system, address_of(1), "wrong", Browser("198.51.100.66", ""))
        except WrongCredentials:
            checked += 1
        except DomainError:
            pass
        if number % 20 == 0:
            await sign_in.with_password(system, address_of(1), PASSWORD, Browser("203.0.113.7", ""))
            owners += 1
    return checked, owners


async def measure(store: Store, clock: VirtualClock) -> None:
    system = System(KINDS, store, clock, SECRETS, PasswordHashing())
    async with system.live():
        times: dict[int, list[tuple[float, float]]] = {count: [] for count in ACCOUNTS}
        for number in range(ROUNDS):
            for count in ACCOUNTS:  # in turns, so that whatever else the machine does meets all alike
                times[count].append(await refused(system, address_of(count), number))
        for count, found in times.items():
            wall, cpu = (median(column) for column in zip(*found, strict=True))
            print(f"refused, {count:>5,} accounts with the address: {wall:6.1f} ms, {cpu:6.1f} ms of CPU")
        checked, owners = await guess(system)
        print(f"{HAMMERED} guesses from one address: {checked} checked")
        print(f"{HAMMERED // 20} sign-ins of the owner elsewhere meanwhile: {owners} good")


async def run() -> None:
    clock = VirtualClock(START)
    async with inline_store(clock) as store:
        await store.write(fill)
        await measure(store, clock)


if __name__ == "__main__":
    trio.run(run)
