"""`svc doctor`: what is wrong with an installation, in sentences."""

import os
from pathlib import Path
from typing import Final

import click
import msgspec

from svc.cli import data_store
from svc.cli.data_directory import DataDirectory
from svc.cli.doctor.backups import backups
from svc.cli.doctor.certificate import certificate
from svc.cli.doctor.data import clock, disk, permissions
from svc.cli.doctor.database import database
from svc.cli.doctor.findings import Check, Install
from svc.cli.doctor.mail import mail
from svc.cli.doctor.network import file_limits, ports, proxy_headers
from svc.cli.doctor.well_known import well_known
from svc.cli.failures import BadConfiguration
from svc.cli.options import configured
from svc.config.checks import ConfigError
from svc.config.loading import Configuration, load

CHECKS: Final[tuple[Check, ...]] = (
    permissions,
    clock,
    disk,
    file_limits,
    ports,
    proxy_headers,
    mail,
    certificate,
    well_known,
    backups,
)

_EXIT_CODE: Final = 1


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
@configured()
def command(configuration: Configuration, *, as_json: bool) -> None:
    """Say what is wrong with the installation. Works while the service runs, and changes nothing.

    Run it as the user that the service runs as. It exits with 1 if there is a problem. Without --config, the
    file is looked at that the running service has read.
    """
    install = _install(configuration)
    checks = CHECKS if install.directory.database_url is None else (database, *CHECKS)
    findings = [finding for check in checks for finding in check(install)]
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(findings)))
    else:
        for finding in findings:
            click.echo(f"{finding.state:>8}  {finding.about}: {finding.says}")
    if any(finding.state == "problem" for finding in findings):
        raise click.exceptions.Exit(_EXIT_CODE)


def _install(configuration: Configuration) -> Install:
    """The installation; of a running service, with the configuration file and the addresses it has noted."""
    directory = DataDirectory.of(configuration.settings.data)
    running, holder = data_store.holder(directory)
    if not running:
        return Install(configuration, directory, running=False)
    service = directory.service_addresses()
    if service is None or service.pid != holder:
        return Install(configuration, directory, running=True)
    is_named = click.get_current_context().params["config_file"] is not None
    if service.config_file is not None and not is_named:
        try:
            configuration = load(Path(service.config_file), os.environ, {})
        except ConfigError as error:
            raise BadConfiguration(f"the configuration of the running service: {error}") from error
    return Install(configuration, directory, running=True, service=service)
