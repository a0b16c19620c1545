"""Passwords: argon2id with the parameters of RFC 9106 §4 for machines with little memory.

Hashing takes 64 MiB and a good part of a tenth of a second, on purpose: callers do it in a thread of its own.
"""

from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError
from argon2.profiles import RFC_9106_LOW_MEMORY

from svc.domain.errors import InvalidValue
from svc.domain.limits import PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN

HASHER: Final = PasswordHasher.from_parameters(RFC_9106_LOW_MEMORY)

NOBODYS_HASH: Final = (
    "$argon2id$v=19$m=65536,t=3,p=4$MsqCHJ4Oi+36RD12zV2R5Q$VL7Pb9rqE34gUWwXuM+O+hEX321/zoXUfKvNRUc+N8I"
)
"""What the password given for an unknown account is checked against: the work is that for a known one."""


def check_rules(password: str) -> None:
    """Raises `InvalidValue` for a password that nobody should have."""
    if not PASSWORD_CHARS_MIN <= len(password) <= PASSWORD_CHARS_MAX:
        raise InvalidValue(f"a password has {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters")


def matches(
    hashed: str | None, password: str, hasher: PasswordHasher = HASHER, nobodys_hash: str = NOBODYS_HASH
) -> bool:
    """Whether *hashed* is of *password*; no password is that of None, which takes as long to find out."""
    try:
        hasher.verify(hashed or nobodys_hash, password)
    except VerificationError:
        return False
    return hashed is not None
