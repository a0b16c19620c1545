"""The TLS context of a listener, which may be replaced while it serves."""

import ssl

from svc.http.server._listen import tls_context
from svc.http.server._options import Certificate


class ServedCertificate:
    """The certificate that new connections get.

    Each is loaded into a context of its own, so a handshake has one certificate whole or the other, and
    connections that are open are not touched. Sessions of the earlier context are not resumed: such clients
    make a full handshake, and see the new certificate.
    """

    def __init__(self) -> None:
        self.context: ssl.SSLContext | None = None
        """None until there is a certificate: connections are closed then without an answer."""

    def use(self, certificate: Certificate) -> None:
        """Have new connections get *certificate*. Raises `CertificateError`, and then nothing has changed."""
        self.context = tls_context(certificate)
