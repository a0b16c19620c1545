"""The issuer of the service's certificate, and what it prints before the first order."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from svc.actors.certificates.issuer import Challenges, Issuer
from svc.cli.data_directory import DataDirectory
from svc.clock import Clock
from svc.config.settings import Settings
from svc.domain.certificates.outlook import Outlook, warnings
from svc.http.server import Certificate, ServedCertificate
from svc.logging.output import Output

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
    if not settings.tls.domain or served is None:
        return None
    path = stored(directory)

    def announce(outlook: Outlook) -> None:
        _announce(settings.tls.acme_directory, outlook)

    return _acme(
        settings,
        path,
        challenges,
        clock.wall,
        serve=lambda: served.use(Certificate(path, path)),
        announce=announce,
    )


def looker(settings: Settings, directory: DataDirectory) -> Issuer:
    """An issuer that is asked what it sees, and nothing else."""
    return _acme(
        settings, stored(directory), Challenges(), lambda: 0, serve=lambda: None, announce=_say_nothing
    )


def _say_nothing(_outlook: Outlook) -> None:
    """For who looks themselves."""


def _acme(
    settings: Settings,
    path: Path,
    answers: Challenges,
    wall: Callable[[], int],
    *,
    serve: Callable[[], None],
    announce: Callable[[Outlook], None],
) -> Issuer:
    # Here, since installations without it need neither requests nor the parsing of certificates.
    from svc.actors.certificates.acme_issuer import AcmeIssuer  # noqa: PLC0415
    from svc.actors.certificates.acme_order import AcmeServer  # noqa: PLC0415
    from svc.storage.certificates import CertificateFiles  # noqa: PLC0415

    tls = settings.tls
    roots = None if tls.acme_roots is None else str(tls.acme_roots)
    return AcmeIssuer(
        AcmeServer(str(tls.acme_directory), tls.acme_email, roots),
        tuple(map(str, tls.domain)),
        CertificateFiles(path),
        answers=answers,
        wall=wall,
        serve=serve,
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
