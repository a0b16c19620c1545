"""Reading certificates in PEM."""

from collections.abc import Iterable
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from svc.domain.certificates.renewal import Validity
from svc.domain.errors import InvalidValue
from svc.domain.locale.times import SECOND_MS

CHAIN_BYTES_MAX: Final = 65_536
"""The longest chain that is taken; usual ones have two certificates of 2 KB each."""
_MARK: Final = b"-----BEGIN CERTIFICATE-----"


def read_chain(pem: bytes) -> Validity:
    """What the first certificate in *pem* says. Raises `InvalidValue` if none can be read there."""
    return _validity(_first(pem))


def check_issued(pem: bytes, key: ec.EllipticCurvePrivateKey, names: Iterable[str], now: int) -> Validity:
    """What the certificate says that was issued for *key* and *names*.

    Raises `InvalidValue` if it is not what was ordered: it would be ordered again and again, or it would take
    the place of a better one.
    """
    if len(pem) > CHAIN_BYTES_MAX:
        raise InvalidValue(f"the chain has more than {CHAIN_BYTES_MAX} bytes")
    certificate = _first(pem)
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    if certificate.public_key().public_bytes(*form) != key.public_key().public_bytes(*form):
        raise InvalidValue("the certificate is for another key")
    validity = _validity(certificate)
    if not validity.covers(names):
        raise InvalidValue(f"the certificate is for {', '.join(validity.names) or 'no name'}")
    if validity.not_after <= now:
        raise InvalidValue("the certificate has expired by this machine's clock")
    if validity.renews_at <= now:
        raise InvalidValue("two thirds of the certificate's life are over by this machine's clock")
    return validity


def _first(pem: bytes) -> x509.Certificate:
    start = pem.find(_MARK)
    if start < 0:
        raise InvalidValue("there is no certificate")
    try:
        return x509.load_pem_x509_certificate(pem[start:])
    except ValueError as error:
        raise InvalidValue("the certificate cannot be read") from error


def _validity(certificate: x509.Certificate) -> Validity:
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        dns = tuple(name.lower() for name in names.get_values_for_type(x509.DNSName))
    except x509.ExtensionNotFound:
        dns = ()
    except ValueError as error:
        raise InvalidValue("the certificate's names cannot be read") from error
    return Validity(
        int(certificate.not_valid_before_utc.timestamp()) * SECOND_MS,
        int(certificate.not_valid_after_utc.timestamp()) * SECOND_MS,
        dns,
    )
