"""Passwords: argon2id with the parameters of RFC 9106 §4 for machines with little memory.

Hashing takes 64 MiB and a good part of a tenth of a second, on purpose: callers do it in a thread of its own.

All accounts of one e-mail address share a salt, so that one hash tells which of them a password matches. So
the work of a sign-in does not depend on how many accounts an address has, if any.
"""

import hmac
from base64 import b64decode
from collections.abc import Collection
from typing import Final

from argon2 import PasswordHasher, extract_parameters
from argon2.low_level import hash_secret
from argon2.profiles import RFC_9106_LOW_MEMORY

from svc.domain.errors import InvalidValue
from svc.domain.identity.limits import PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN

HASHER: Final = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)
_SALT_BYTES: Final = 16


def check_rules(password: str) -> None:
    """Raises `InvalidValue` for a password that is too weak or too long."""
    if not PASSWORD_CHARS_MIN <= len(password) <= PASSWORD_CHARS_MAX:
        raise InvalidValue(f"a password has {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters")


def salt_for(email: str, secret: bytes) -> bytes:
    """The salt of an e-mail address without a password so far, under a key of this installation."""
    return hmac.digest(secret, b"salt:" + email.encode(errors="replace"), "sha256")[:_SALT_BYTES]


def salt_of(hashed: str) -> bytes:
    """The salt that *hashed* was made with."""
    text = hashed.split("$")[-2]
    return b64decode(text + "=" * (-len(text) % 4))


def matching(
    hashes: Collection[str], password: str, salt: bytes, hasher: PasswordHasher = HASHER
) -> frozenset[str]:
    """Those of *hashes* that match *password*.

    Hashes with the same salt and parameters take one computation together. Without any hash, one is done all
    the same, with *salt*, so that timing tells nothing.
    """
    if not hashes:
        hasher.hash(password, salt=salt)
        return frozenset()
    computed = [_again(like, password) for like in {_head(hash_): hash_ for hash_ in hashes}.values()]
    return frozenset(hash_ for hash_ in hashes if any(hmac.compare_digest(hash_, made) for made in computed))


def _head(hashed: str) -> str:
    """Algorithm, parameters and salt of *hashed*, as text."""
    return hashed.rpartition("$")[0]


def _again(like: str, password: str) -> str:
    """*password*, hashed as *like* was."""
    parameters = extract_parameters(like)
    return hash_secret(
        password.encode(),
        salt_of(like),
        time_cost=parameters.time_cost,
        memory_cost=parameters.memory_cost,
        parallelism=parameters.parallelism,
        hash_len=parameters.hash_len,
        type=parameters.type,
        version=parameters.version,
    ).decode()
