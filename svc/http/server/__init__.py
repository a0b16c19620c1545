"""The HTTP server: one `serve` for each listener. HTTP/1.1 and, over TLS, HTTP/2; WebSocket on both.

docs/decisions/0003-http-server.md has the reasons for its design.
"""

from svc.http.server._listen import (
    AddressInUse,
    Bind,
    CertificateError,
    ListenError,
    bound,
    check_certificate,
    close,
    open_listeners,
)
from svc.http.server._options import Certificate, ServerOptions, default_share
from svc.http.server._serve import serve
from svc.http.server._tls import ServedCertificate

__all__ = [
    "AddressInUse",
    "Bind",
    "Certificate",
    "CertificateError",
    "ListenError",
    "ServedCertificate",
    "ServerOptions",
    "bound",
    "check_certificate",
    "close",
    "default_share",
    "open_listeners",
    "serve",
]
