"""Passwords are hashed as RFC 9106 recommends."""

import pytest
from argon2 import PasswordHasher

from svc.domain.errors import InvalidValue
from svc.domain.passwords import HASHER, NOBODYS_HASH, check_rules, matches

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def test_a_password_matches_its_own_hash() -> None:
    """And no other password does."""
    hashed = CHEAP.hash("correct horse")

    assert matches(hashed, "correct horse", CHEAP)
    assert not matches(hashed, "correct house", CHEAP)


def test_nobody_has_no_password() -> None:
    """An account without a password is not opened by any, even by the one that is compared with."""
    assert not matches(None, "no account has this password")


def test_what_stands_in_for_a_hash_costs_as_much() -> None:
    """The work for an unknown account is that for a known one: the parameters are the same."""
    assert not HASHER.check_needs_rehash(NOBODYS_HASH)
    assert NOBODYS_HASH.startswith("$argon2id$v=19$m=65536,t=3,p=4$")


@pytest.mark.parametrize(("length", "good"), [(9, False), (10, True), (1_000, True), (1_001, False)])
def test_a_password_is_neither_short_nor_endless(length: int, good: bool) -> None:
    """Its length is all that is asked of it."""
    try:
        check_rules("x" * length)
    except InvalidValue:
        assert not good
    else:
        assert good
