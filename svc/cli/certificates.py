"""The issuer of the service's certificate, and what it prints before the first order."""

import sys
from pathlib import Path
from typing import Final

import structlog

from svc.actors.certificates.issuer import Challenges, Issuer
from svc.cli.data_directory import DataDirectory
from svc.clock import Clock
from svc.domain.certificates.outlook import Outlook, warnings
from svc.http.server import Certificate, ServedCertificate
from svc.output import Output
from svc.settings import Settings

log = structlog.get_logger("svc.service")

CERTIFICATE: Final = "certificate.pem"


def stored(directory: DataDirectory) -> Path:
    """The file of the certificate by ACME, whether it is there or not."""
    return directory.tls / CERTIFICATE


def issuer(
    settings: Settings,
    directory: DataDirectory,
    served: ServedCertificate | None,
    challenges: Challenges,
    clock: Clock,
) -> Issuer | None:
    """The issuer of certificates for the configured names, which *served* gets; None without names."""
    tls = settings.tls
    if not tls.domain or served is None:
        return None
    # Here, since installations without it need neither requests nor the parsing of certificates.
    from svc.actors.certificates.acme_issuer import AcmeIssuer  # noqa: PLC0415
    from svc.actors.certificates.acme_order import AcmeServer  # noqa: PLC0415
    from svc.storage.certificates import CertificateFiles  # noqa: PLC0415

    files = CertificateFiles(stored(directory))
    roots = None if tls.acme_roots is None else str(tls.acme_roots)

    def announce(outlook: Outlook) -> None:
        _announce(tls.acme_directory, outlook)

    return AcmeIssuer(
        AcmeServer(str(tls.acme_directory), tls.acme_email, roots),
        tuple(map(str, tls.domain)),
        files,
        answers=challenges,
        wall=clock.wall,
        serve=lambda: served.use(Certificate(files.certificate, files.certificate)),
        announce=announce,
    )


def _announce(directory: str, outlook: Outlook) -> None:
    """Print the terms, and what would fail. What cannot be printed is logged."""
    lines = [f"Certificate {', '.join(name.name for name in outlook.names)}  by {directory}"]
    if outlook.terms is not None:
        lines.append(f"            Naming the domain accepts the terms at {outlook.terms}")
    lines += warnings(outlook)
    if not Output(sys.stdout).write("\n".join(lines) + "\n"):
        log.warning("the standard output takes nothing", lines=lines)
