"""Passwords, hashed and checked beside the event loop: each takes long, on purpose, and much memory."""

from collections.abc import Awaitable, Callable
from typing import Any

import trio
from argon2 import PasswordHasher

from svc.domain.errors import Unavailable
from svc.domain.limits import PASSWORD_CHECKS_AT_ONCE, PASSWORD_CHECKS_WAITING_MAX
from svc.domain.passwords import HASHER, NOBODYS_HASH, check_rules, matches

RunSync = Callable[..., Awaitable[Any]]
"""`trio.to_thread.run_sync`, or what does without threads where a test's clock must not run ahead."""


class Passwords:
    """Hashes and checks, a few at once; more wait, and beyond that they are refused."""

    def __init__(
        self,
        hasher: PasswordHasher = HASHER,
        run_sync: RunSync = trio.to_thread.run_sync,
        nobodys_hash: str = NOBODYS_HASH,
    ) -> None:
        """*nobodys_hash* is one of *hasher*'s: what an unknown account's password is checked against."""
        self._hasher = hasher
        self._nobodys_hash = nobodys_hash
        self._run_sync = run_sync
        self._limiter = trio.CapacityLimiter(PASSWORD_CHECKS_AT_ONCE)

    async def hash(self, password: str) -> str:
        """What is stored of *password*. Raises `InvalidValue` for a bad one, and `Unavailable`."""
        check_rules(password)
        hashed: str = await self._run(self._hasher.hash, password)
        return hashed

    async def match(self, hashed: str | None, password: str) -> bool:
        """Whether *hashed* is of *password*; for None it takes as long to say no. Raises `Unavailable`."""
        matched: bool = await self._run(matches, hashed, password, self._hasher, self._nobodys_hash)
        return matched

    def are_outdated(self, hashed: str) -> bool:
        """Whether *hashed* was made with other parameters than today's."""
        return self._hasher.check_needs_rehash(hashed)

    async def _run(self, fn: Callable[..., Any], *args: Any) -> Any:
        if self._limiter.statistics().tasks_waiting >= PASSWORD_CHECKS_WAITING_MAX:
            raise Unavailable("too many sign-ins at once")
        return await self._run_sync(fn, *args, limiter=self._limiter)
