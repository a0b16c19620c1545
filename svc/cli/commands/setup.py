"""`svc setup`: create an organization, its owner and an API key."""

import shlex
import sys
from collections.abc import Sequence
from typing import Any, Final

import click
import msgspec

from svc.cli.commands.identity import users
from svc.cli.commands.identity.organizations import new_organization, with_formats
from svc.cli.invocation import program
from svc.cli.operator_calls import Operator
from svc.cli.options import as_operator
from svc.domain.crypto.passwords import check_rules
from svc.domain.errors import InvalidValue
from svc.domain.identity.people import WELCOME_PATH
from svc.tools import operator_commands
from svc.tools.operator_commands import SetUp, SetUpResult

_FIRST_CALL: Final = """\
curl -w '\\n' {base_url}/api/v1/tools/record.create \\
  -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\
  -d '{{"objectType": "contact", "properties": {{"name": "Grace Hopper", "email": "grace@example.com"}}}}'
"""

_DONE: Final = """\
{name} is set up.

Organization  {made.organization_id}
Owner         {person} <{email}>, {made.person_id}
{sign_in}API key       {made.key}
              It acts as {person} until {made.key_expires_at}, and is shown this once.
{start}
Now make a contact:

{first_call}
What else there is: {base_url}/docs/
"""


@click.command("setup")
@click.option("--name", metavar="TEXT", help="Name of the organization.")
@click.option("--email", metavar="EMAIL", help="E-mail address of its Owner.")
@click.option("--person", metavar="TEXT", help="Name of the Owner; the e-mail address by default.")
@users.PASSWORD_STDIN
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@with_formats
@as_operator
def command(
    operator: Operator,
    /,
    *,
    name: str | None,
    email: str | None,
    person: str | None,
    password_stdin: bool,
    as_json: bool,
    **formats: Any,
) -> None:
    """Create an organization, its owner and an API key, and print a first call.

    Missing options are prompted for on a terminal. It also works while the service runs.
    """
    password = users.read_password() if password_stdin else None
    if name is None or email is None:
        _check_can_prompt([("--name", name), ("--email", email)], is_piped=password_stdin)
        name = name or click.prompt("Name of the organization")
        email = email or click.prompt("Your e-mail address")
        person = person or click.prompt("Your name", default=email)
        password = password or _ask_password()
    person = person or email
    made = operator.run(
        operator_commands.set_up,
        SetUp(
            organization=new_organization(operator, name=name, **formats),
            email=email,
            name=person,
            password_hash=password and users.hash_password(operator, email, password),
        ),
    )
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(made)))
    else:
        click.echo(_summary(operator, made, name=name, person=person, email=email))


def _check_can_prompt(needed: Sequence[tuple[str, str | None]], *, is_piped: bool) -> None:
    if is_piped or not sys.stdin.isatty():
        missing = " and ".join(option for option, value in needed if value is None)
        raise click.UsageError(f"say {missing}, or run it on a terminal to be asked")


def _ask_password() -> str | None:
    while True:
        password: str = click.prompt(
            "A password (nothing for a sign-in link)",
            default="",
            show_default=False,
            hide_input=True,
            confirmation_prompt="The same again",
        )
        try:
            check_rules(password or "a sign-in link instead")
        except InvalidValue as error:
            click.echo(str(error), err=True)
        else:
            return password or None


def _summary(operator: Operator, made: SetUpResult, *, name: str, person: str, email: str) -> str:
    sign_in = ""
    if made.sign_in_token is not None:
        sign_in = (
            f"Sign-in link  {operator.base_url}{WELCOME_PATH}#{made.sign_in_token}\n"
            f"              It works once, until {made.sign_in_expires_at}.\n"
        )
    service, start = operator.service, ""
    if service is None:
        data = shlex.quote(str(operator.directory.path))
        start = f"\nStart the service:\n\n  {program()} run --data {data}\n"
    return _DONE.format(
        name=name,
        made=made,
        person=person,
        email=email,
        sign_in=sign_in,
        start=start,
        base_url=operator.base_url,
        first_call=_FIRST_CALL.format(base_url=operator.base_url, key=made.key),
    ).rstrip("\n")
