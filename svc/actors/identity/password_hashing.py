"""Hashing and checking passwords in threads: each takes long and much memory, on purpose."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

import trio
from argon2 import PasswordHasher

from svc.domain.crypto.passwords import HASHER, check_rules, matching
from svc.domain.errors import Unavailable
from svc.domain.identity.limits import PASSWORD_CHECKS_AT_ONCE, PASSWORD_CHECKS_WAITING_MAX

RunSync = Callable[..., Awaitable[Any]]
"""`trio.to_thread.run_sync`. Tests replace it, since a mock clock would run ahead of threads."""


class PasswordHashing:
    """Hashes and checks passwords: a few at once, a bounded number waiting, the rest rejected."""

    def __init__(self, hasher: PasswordHasher = HASHER, run_sync: RunSync = trio.to_thread.run_sync) -> None:
        self._hasher = hasher
        self._run_sync = run_sync
        self._limiter = trio.CapacityLimiter(PASSWORD_CHECKS_AT_ONCE)

    async def hash(self, password: str, salt: bytes) -> str:
        """The hash to be stored. Raises `InvalidValue` for an unacceptable password, and `Unavailable`."""
        check_rules(password)
        hashed: str = await self._run(partial(self._hasher.hash, password, salt=salt))
        return hashed

    async def matching(self, hashes: Collection[str], password: str, salt: bytes) -> frozenset[str]:
        """Those of *hashes* that match *password*, for accounts that share one e-mail address.

        Takes as long if *hashes* is empty, so that timing does not tell whether an account exists. Raises
        `Unavailable`.
        """
        matched: frozenset[str] = await self._run(matching, hashes, password, salt, self._hasher)
        return matched

    def are_outdated(self, hashed: str) -> bool:
        """Whether *hashed* was made with other parameters than the current ones."""
        return self._hasher.check_needs_rehash(hashed)

    async def _run(self, fn: Callable[..., Any], *args: Any) -> Any:
        if self._limiter.statistics().tasks_waiting >= PASSWORD_CHECKS_WAITING_MAX:
            raise Unavailable("too many sign-ins at once")
        return await self._run_sync(fn, *args, limiter=self._limiter)
