"""Signatures as receivers check them, beside the verifier that the standard's makers publish."""

import base64
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from svc.client import BadSignature, verify
from svc.client.webhooks import TOLERANCE_SECONDS
from svc.domain.crypto.signatures import Signer, new_secret
from svc.domain.randomness import SYSTEM

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwM2Ih0Q5Jx5s="
NOW = 1_789_689_600
BODY = json.dumps({"type": "ping", "data": {"connectionId": "con_1"}}).encode()
STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")
OWN = ("X-Service-Delivery", "X-Service-Timestamp", "X-Service-Signature")


def pushed(*secrets: str, at: int = NOW, body: bytes = BODY) -> dict[str, str]:
    """The headers of what the service pushes."""
    return Signer(secrets or [SECRET]).signed_headers("dlv_1", at, body)


@pytest.mark.parametrize("names", [STANDARD, OWN])
def test_either_set_of_headers_will_do(names: tuple[str, ...]):
    """The standard's and our own say the same; the case of their names does not matter."""
    headers = {name.upper(): value for name, value in pushed().items() if name in names}

    assert "dlv_1" == verify(SECRET, headers, BODY, now=NOW)


@given(st.binary(), st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1))
def test_what_others_sign_is_verified(payload: bytes, delivery: str):
    """What the standard's library signs is good here, and what the service signs is good there."""
    body = base64.b64encode(payload)
    at = datetime.fromtimestamp(NOW, UTC)
    stock = Webhook(SECRET)
    headers = dict(zip(STANDARD, (delivery, str(NOW), stock.sign(delivery, at, body.decode())), strict=True))

    assert delivery == verify(SECRET, headers, body, now=NOW)
    assert headers["webhook-signature"] == Signer([SECRET]).sign(delivery, NOW, body)


def test_stock_verifiers_take_a_push():
    """As it is, now."""
    now = int(datetime.now(UTC).timestamp())

    assert json.loads(BODY) == Webhook(SECRET).verify(BODY, pushed(at=now))
    assert "dlv_1" == verify(SECRET, pushed(at=now), BODY)


def test_either_secret_is_good_while_one_is_replaced():
    """There are two signatures then, and a third party's are none."""
    new = new_secret(SYSTEM)
    headers = pushed(SECRET, new)

    assert ["dlv_1"] * 2 == [verify(secret, headers, BODY, now=NOW) for secret in (SECRET, new)]
    with pytest.raises(BadSignature):
        verify(new_secret(SYSTEM), headers, BODY, now=NOW)


@given(st.integers(-(10**10), 10**10))
def test_only_what_was_sent_just_now_is_good(late: int):
    """Five minutes either way, for clocks that are not alike."""
    headers = pushed()
    if abs(late) <= TOLERANCE_SECONDS:
        assert "dlv_1" == verify(SECRET, headers, BODY, now=NOW + late)
    else:
        with pytest.raises(BadSignature):
            verify(SECRET, headers, BODY, now=NOW + late)


@given(st.integers(0, len(BODY) - 1), st.integers(1, 255))
def test_no_byte_may_be_another(place: int, change: int):
    """Whichever it is."""
    body = bytearray(BODY)
    body[place] ^= change
    with pytest.raises(BadSignature):
        verify(SECRET, pushed(), bytes(body), now=NOW)


@given(st.dictionaries(st.sampled_from([*STANDARD, *OWN]), st.text()), st.binary())
def test_whatever_comes_is_bad_and_no_fault(headers: dict[str, str], body: bytes):
    """Without the secret nothing is good, and nothing goes wrong."""
    with pytest.raises(BadSignature):
        verify(SECRET, headers, body, now=NOW)


@pytest.mark.parametrize("at", ["", "9" * 5_000, "-1", "1e9", "٣", " 1", f"{NOW}.0"])
def test_a_time_that_is_none(at: str):
    """It is bad before anything is counted."""
    with pytest.raises(BadSignature, match="no time in it"):
        verify(SECRET, pushed() | {"webhook-timestamp": at, "X-Service-Timestamp": at}, BODY, now=NOW)


@pytest.mark.parametrize("secret", ["whsec_!", "whsec_é"])
def test_a_secret_that_is_none_is_the_programs_fault(secret: str):
    """It is reported as such, and not as a bad signature."""
    with pytest.raises(ValueError, match="a signing secret is"):
        verify(secret, pushed(), BODY, now=NOW)
