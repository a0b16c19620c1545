"""Certificates for tests, signed by themselves."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from svc.http.server import Certificate


def certify(
    directory: Path,
    name: str,
    *addresses: str,
    begun: timedelta = timedelta(hours=1),
    left: timedelta = timedelta(hours=1),
) -> Certificate:
    """A new certificate of *name* and *addresses*, and its key, as files in *directory*.

    Its life has *begun* so long ago, and so much is *left* of it.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    names: list[x509.GeneralName] = [x509.DNSName(name)]
    names += [x509.IPAddress(ip_address(address)) for address in addresses]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - begun)
        .not_valid_after(now + left)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain_path, key_path = directory / "cert.pem", directory / "key.pem"
    chain_path.write_bytes(certificate.public_bytes(Encoding.PEM))
    key_path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return Certificate(chain_path, key_path)
