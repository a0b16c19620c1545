"""Sealing: what is stored opens only here, unchanged, and for its purpose."""

import pytest

from svc.domain.crypto.sealing import SealBroken, Sealer

SEALER = Sealer(b"k" * 32)


def test_what_was_sealed_opens():
    """Two seals of one secret differ, and neither shows it."""
    first, second = SEALER.seal("whsec_1", "con_1"), SEALER.seal("whsec_1", "con_1")

    assert first != second
    assert b"whsec" not in first
    assert ["whsec_1"] * 2 == [SEALER.open(one, "con_1") for one in (first, second)]


@pytest.mark.parametrize("place", [0, 1, 12, 13, -1])
def test_what_was_changed_does_not_open(place: int):
    """Not by a bit, wherever it is."""
    sealed = bytearray(SEALER.seal("whsec_1", "con_1"))
    sealed[place] ^= 1

    with pytest.raises(SealBroken):
        SEALER.open(bytes(sealed), "con_1")


def test_a_seal_is_for_one_purpose_under_one_key():
    """Moved to another row it is worth nothing; nor is what is no seal."""
    sealed = SEALER.seal("whsec_1", "con_1")

    for opener, text, purpose in (
        (SEALER, sealed, "con_2"),
        (Sealer(b"x" * 32), sealed, "con_1"),
        (SEALER, b"", ""),
    ):
        with pytest.raises(SealBroken):
            opener.open(text, purpose)
    assert "k" not in repr(SEALER).replace("Sealer", "")
