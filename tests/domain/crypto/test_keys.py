"""Keys carry a checksum, and secrets are kept as their digest alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.crypto.keys import (
    CHANNEL_KEY,
    FORM_KEY,
    SERVER_KEY,
    digest,
    new_key,
    visible_start,
    well_formed,
)
from svc.domain.randomness import SYSTEM


@pytest.mark.parametrize("prefix", [FORM_KEY, SERVER_KEY, CHANNEL_KEY])
def test_a_new_key_is_well_formed(prefix: str) -> None:
    """A new key has its prefix, 32 random characters and six of checksum."""
    key = new_key(prefix, SYSTEM)

    assert len(prefix) + 38 == len(key)
    assert well_formed(key, prefix)


def test_a_key_of_one_kind_is_none_of_another() -> None:
    """A key is well-formed under its own prefix only."""
    key = new_key(CHANNEL_KEY, SYSTEM)

    assert not well_formed(key, SERVER_KEY)


@given(st.integers(0, 42), st.characters(codec="ascii"))
def test_one_wrong_character_is_noticed(position: int, wrong: str) -> None:
    """A key with one character mistyped is not well-formed."""
    key = new_key(FORM_KEY, SYSTEM)
    mistyped = key[:position] + wrong + key[position + 1 :]

    assert (mistyped == key) == well_formed(mistyped, FORM_KEY)


@given(st.text(max_size=60))
def test_any_text_can_be_asked_about(text: str) -> None:
    """Text that is no key is answered with no, whatever it is made of."""
    assert not well_formed(text, FORM_KEY)


def test_a_digest_is_sha256_in_hexadecimal() -> None:
    """What is stored of a secret is its SHA-256, as 64 hexadecimal digits."""
    assert "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" == digest("abc")


def test_the_visible_start_shows_six_random_characters() -> None:
    """Lists show a secret's prefix and its first six characters."""
    assert "sk_live_AbCdEf" == visible_start("sk_live_AbCdEfGhIj", SERVER_KEY)
