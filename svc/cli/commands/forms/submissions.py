"""`svc submission`: what came in by forms, and who it is from."""

from typing import get_args

import click
import msgspec

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.limits import LIST_ROWS_MAX, RECENT_SUBMISSIONS
from svc.storage.forms import forms
from svc.storage.forms.submissions import Label
from svc.tools.forms import submissions
from svc.tools.forms.submissions import AttachSubmission, ListSubmissions, SubmissionById


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
@ORGANIZATION
@as_operator
def list_some(
    operator: Operator,
    /,
    *,
    form_key: str | None,
    state: Label | None,
    limit: int,
    organization: str | None,
) -> None:
    """List the latest submissions, and what became of them."""
    if form_key is None:
        form_id, home = None, operator.organization(organization).id
    else:
        form = operator.read(forms.by_key, form_key)
        form_id, home = form.id, form.organization_id
    asked = ListSubmissions(form_id=form_id, state=state, limit=limit)
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
            for one in operator.look(submissions.list_some, home, asked).submissions
        ],
    )


@command.command("show")
@click.argument("submission_id", metavar="ID")
@ORGANIZATION
@as_operator
def show(operator: Operator, submission_id: str, organization: str | None) -> None:
    """Show the submission of that ID as JSON: what was sent, and the contacts that it may be from."""
    home = operator.organization(organization).id
    found = operator.look_json(submissions.get, home, SubmissionById(id=submission_id))
    click.echo(msgspec.json.format(found))


@command.command("attach")
@click.argument("submission_id", metavar="ID")
@click.option("--contact", "contact_id", metavar="ID", help="One of its candidates.")
@click.option("--new", is_flag=True, help="Nobody known: make a new contact.")
@ORGANIZATION
@as_operator
def attach(
    operator: Operator,
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
    home = operator.organization(organization).id
    asked = AttachSubmission(id=submission_id, contact_id=contact_id)
    click.echo(operator.call(submissions.attach, home, asked).contact_id)
