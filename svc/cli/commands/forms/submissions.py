"""`svc submission`: the submissions of forms."""

from typing import get_args

import click
import msgspec

from svc.cli.operator_calls import Operator
from svc.cli.options import ORGANIZATION, as_operator
from svc.cli.tables import echo_table
from svc.domain.forms.limits import RECENT_SUBMISSIONS
from svc.domain.limits import LIST_ROWS_MAX
from svc.storage.forms import forms
from svc.storage.forms.submissions import Label
from svc.tools.forms import submissions
from svc.tools.forms.submissions import AttachSubmission, ListSubmissions, SubmissionById


@click.group("submission")
def command() -> None:
    """Submissions of forms."""


@command.command("list")
@click.option("--form", "form_key", metavar="KEY", help="Only those of this form.")
@click.option(
    "--state", type=click.Choice(get_args(Label), case_sensitive=False), help="Only those in this state."
)
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
    """List the latest submissions, with their state, contact and deal."""
    if form_key is None:
        form_id, home = None, operator.organization(organization).id
    else:
        form = operator.read(forms.by_key, form_key)
        form_id, home = form.id, form.organization_id
    body = ListSubmissions(form_id=form_id, state=state, limit=limit)
    echo_table(
        ("ID", "RECEIVED", "STATE", "WHY HELD", "FROM", "CONTACT", "DEAL"),
        [
            (
                submission.id,
                submission.received_at,
                submission.state,
                submission.held_reason or "-",
                submission.email or submission.phone or "-",
                submission.contact_id or "-",
                submission.deal_id or "-",
            )
            for submission in operator.look(submissions.list_some, home, body).submissions
        ],
    )


@command.command("show")
@click.argument("submission_id", metavar="ID")
@ORGANIZATION
@as_operator
def show(operator: Operator, submission_id: str, organization: str | None) -> None:
    """Show the submission ID as JSON: its fields, and the contacts that may have sent it."""
    home = operator.organization(organization).id
    answer = operator.look_json(submissions.get, home, SubmissionById(id=submission_id))
    click.echo(msgspec.json.format(answer))


@command.command("attach")
@click.argument("submission_id", metavar="ID")
@click.option("--contact", "contact_id", metavar="ID", help="The sender, one of the candidates.")
@click.option("--new", is_flag=True, help="The sender is not a contact yet: create one.")
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
    """Assign the held submission ID to its sender, and print the id of the contact."""
    if new == (contact_id is not None):
        raise click.UsageError("say --contact ID or --new; `svc submission show ID` has the candidates")
    home = operator.organization(organization).id
    body = AttachSubmission(id=submission_id, contact_id=contact_id)
    click.echo(operator.call(submissions.attach, home, body).contact_id)
