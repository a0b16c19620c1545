"""Passwords are hashed as RFC 9106 recommends."""

from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.low_level import hash_secret

from svc.domain.crypto.passwords import check_rules, matching, salt_for, salt_of
from svc.domain.errors import InvalidValue

CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


SALT = salt_for("ada@example.com", b"secret")


def test_a_password_matches_its_own_hash() -> None:
    """And no other password does."""
    hashed = CHEAP.hash("correct horse", salt=SALT)

    assert {hashed} == matching([hashed], "correct horse", SALT, CHEAP)
    assert not matching([hashed], "correct system", SALT, CHEAP)


def test_a_password_is_found_among_those_of_several_accounts() -> None:
    """All that it is of, whatever salt and parameters each was made with."""
    one, two = CHEAP.hash("correct horse", salt=SALT), CHEAP.hash("another one", salt=SALT)
    older = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash("correct horse")

    assert {one, older} == matching([one, two, older], "correct horse", SALT, CHEAP)
    assert {two} == matching([one, two, older], "another one", SALT, CHEAP)
    assert CHEAP.verify(one, "correct horse")


@pytest.mark.parametrize("accounts", [0, 1, 2, 50])
def test_the_work_does_not_tell_how_many_accounts_there_are(
    accounts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One computation with the same parameters, for an address without an account as for one with fifty."""
    computed: list[tuple[int, int, int]] = []

    def compute(secret: bytes, salt: bytes, **made: Any) -> bytes:
        computed.append((made["time_cost"], made["memory_cost"], made["parallelism"]))
        return hash_secret(secret, salt, **made)

    hashes = [CHEAP.hash(f"the password {number}", salt=SALT) for number in range(accounts)]
    monkeypatch.setattr("svc.domain.crypto.passwords.hash_secret", compute)
    monkeypatch.setattr("argon2._password_hasher.hash_secret", compute)

    assert not matching(hashes, "correct system", SALT, CHEAP)
    assert [(1, 8, 1)] == computed


def test_an_address_has_one_salt() -> None:
    """Its own, under this installation's key, and it can be read from a hash."""
    assert SALT == salt_for("ada@example.com", b"secret") == salt_of(CHEAP.hash("x", salt=SALT))
    assert 3 == len({SALT, salt_for("bob@example.com", b"secret"), salt_for("ada@example.com", b"other")})


@pytest.mark.parametrize(("length", "good"), [(9, False), (10, True), (1_000, True), (1_001, False)])
def test_a_password_is_neither_short_nor_endless(length: int, good: bool) -> None:
    """Its length is all that is asked of it."""
    try:
        check_rules("x" * length)
    except InvalidValue:
        assert not good
    else:
        assert good
