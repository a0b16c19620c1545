"""`svc doctor`: what is wrong with an installation, in sentences."""

from typing import Final

import click
import msgspec

from svc.cli.data_directory import DataDirectory
from svc.cli.doctor.backups import backups
from svc.cli.doctor.certificate import certificate
from svc.cli.doctor.data import clock, disk, permissions
from svc.cli.doctor.findings import Check, Install
from svc.cli.doctor.mail import mail
from svc.cli.doctor.network import file_limits, ports, proxy_headers
from svc.cli.options import configured
from svc.config import Configuration
from svc.storage.sqlite.engine import is_locked

CHECKS: Final[tuple[Check, ...]] = (
    permissions,
    clock,
    disk,
    file_limits,
    ports,
    proxy_headers,
    mail,
    certificate,
    backups,
)

_EXIT_CODE: Final = 1


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@configured()
def command(configuration: Configuration, *, as_json: bool) -> None:
    """Say what is wrong with the installation. Works while the service runs, and changes nothing.

    Run it as the user that the service runs as. It exits with 1 if there is a problem.
    """
    directory = DataDirectory(configuration.settings.data.directory)
    install = Install(configuration, directory, running=is_locked(directory.database))
    findings = [finding for check in CHECKS for finding in check(install)]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(findings)))
    else:
        for finding in findings:
            click.echo(f"{finding.state:>8}  {finding.about}: {finding.says}")
    if any(finding.state == "problem" for finding in findings):
        raise click.exceptions.Exit(_EXIT_CODE)
