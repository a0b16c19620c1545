"""`svc submission`: what came in by forms, and who it is from."""

from typing import get_args

import click
import msgspec
from sqlalchemy import Connection

from svc.cli import offline, operator_tools, organizations
from svc.cli.directory import DataDirectory
from svc.cli.options import on_data
from svc.cli.tables import echo_table
from svc.domain.limits import LIST_ROWS_MAX, RECENT_SUBMISSIONS
from svc.storage import forms
from svc.storage.store import Tx
from svc.storage.submissions import Label
from svc.tools import submissions
from svc.tools.submissions import (
    AttachSubmission,
    ListSubmissions,
    SubmissionAnswer,
    SubmissionById,
    SubmissionLine,
)


@click.group("submission")
def command() -> None:
    """What came in by forms."""


@command.command("list")
@click.option("--form", "form_key", metavar="KEY", help="Only those of the form with that key.")
@click.option("--state", type=click.Choice(get_args(Label), case_sensitive=False), help="Only those in it.")
@click.option(
    "--limit",
    type=click.IntRange(1, LIST_ROWS_MAX),
    default=RECENT_SUBMISSIONS,
    show_default=True,
    help="How many at most.",
)
@organizations.OPTION
@on_data
def list_some(
    directory: DataDirectory,
    /,
    *,
    form_key: str | None,
    state: Label | None,
    limit: int,
    organization: str | None,
) -> None:
    """List the latest submissions, and what became of them."""
    echo_table(
        ("ID", "RECEIVED", "STATE", "WHY HELD", "FROM", "CONTACT", "DEAL"),
        [
            (
                one.id,
                one.received_at,
                one.state,
                one.held_reason or "-",
                one.email or one.phone or "-",
                one.contact_id or "-",
                one.deal_id or "-",
            )
            for one in offline.read(directory, _list, organization, form_key, state, limit)
        ],
    )


def _list(
    conn: Connection, organization_id: str | None, form_key: str | None, state: Label | None, limit: int
) -> list[SubmissionLine]:
    if form_key is None:
        form_id, whose = None, organizations.chosen(conn, organization_id).id
    else:
        form = forms.by_key(conn, form_key)
        form_id, whose = form.id, form.organization_id
    asked = ListSubmissions(form_id=form_id, state=state, limit=limit)
    return operator_tools.read(conn, submissions.list_some, whose, asked).submissions


@command.command("show")
@click.argument("submission_id", metavar="ID")
@organizations.OPTION
@on_data
def show(directory: DataDirectory, submission_id: str, organization: str | None) -> None:
    """Show the submission of that ID as JSON: what was sent, and the contacts that it may be from."""
    found = offline.read(directory, _show, organization, submission_id)
    click.echo(msgspec.json.format(msgspec.json.encode(found)))


def _show(conn: Connection, organization_id: str | None, submission_id: str) -> SubmissionAnswer:
    organization = organizations.chosen(conn, organization_id)
    return operator_tools.read(conn, submissions.get, organization.id, SubmissionById(id=submission_id))


@command.command("attach")
@click.argument("submission_id", metavar="ID")
@click.option("--contact", "contact_id", metavar="ID", help="One of its candidates.")
@click.option("--new", is_flag=True, help="Nobody known: make a new contact.")
@organizations.OPTION
@on_data
def attach(
    directory: DataDirectory,
    /,
    *,
    submission_id: str,
    contact_id: str | None,
    new: bool,
    organization: str | None,
) -> None:
    """Say who sent the Held submission of that ID, and print the id of that contact."""
    if new == (contact_id is not None):
        raise click.UsageError("say --contact ID or --new; `svc submission show ID` has the candidates")
    asked = AttachSubmission(id=submission_id, contact_id=contact_id)
    click.echo(offline.write(directory, _attach, organization, asked).contact_id)


def _attach(tx: Tx, organization_id: str | None, asked: AttachSubmission) -> SubmissionAnswer:
    organization = organizations.chosen(tx.conn, organization_id)
    return operator_tools.write(tx, submissions.attach, organization.id, asked)
