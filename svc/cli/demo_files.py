"""The demo: `svc run --demo` opens the demo's shop in an empty data directory, and writes down its keys."""

import secrets
import shlex
from typing import Final

import msgspec
from sqlalchemy import Connection

from svc.cli.data_directory import DataDirectory, read_private, replace_private
from svc.cli.endpoints import Endpoints
from svc.cli.failures import Failure, as_failure
from svc.cli.invocation import program
from svc.demo.channels import PullConnection, PushConnection
from svc.demo.examples import ExampleIds
from svc.demo.shop import OWNER_EMAIL, open_shop
from svc.domain.crypto.passwords import HASHER
from svc.domain.net.origins import normalise_domain
from svc.storage.identity import organizations
from svc.storage.sqlite.offline import organization_ids
from svc.storage.store import Store, StoreError

WELCOME: Final = """\
Open first  {base_url}/       the front page
            {base_url}/demo/  the shop, as its customers see it
            {base_url}/docs   the guides

Paste into a second terminal: an enquiry by the shop's form, and the contact that it made
curl -w '\\n' {base_url}/api/f/s -H 'Content-Type: application/json' -d '{{"f":"{form_key}",\
"v":{{"name":"Ada King","email":"ada@example.com","lamp":"Skerry wall light"}}}}'
curl -w '\\n' {base_url}/api/v1/tools/record.list -H 'Content-Type: application/json' \
-H 'Authorization: Bearer {api_key}' -d '{{"objectType":"contact","limit":1}}'

Keys        {environment} for shells, {file} for programs
Operator    {operator_url}  (token: {token})
Chat        {program} demo-messenger --data {data}  talks with the shop in a browser
"""
"""First what to look at, then what to try, then where things are."""

_ELSEWHERE: Final = "choose an empty directory with --data, or start without --demo"
_PASSWORD_BYTES: Final = 12


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """Who signs in to the demo's shop."""

    email: str
    password: str


class DemoFacts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What `demo.json` says: where the demo is, and the keys to all its doors."""

    base_url: str
    operator_url: str
    operator_token: str
    owner: Owner
    organization_id: str
    api_key: str
    """Does all that its maker, the owner, may do."""
    viewer_key: str
    """Reads."""
    gateway_key: str
    """Opens the AI gateway alone."""
    embed_key: str
    bound_embed_key: str
    paused_embed_key: str
    site_domain: str
    form_key: str
    bound_form_key: str
    server_key: str
    pull_connection: PullConnection
    push_connection: PushConnection
    example_ids: ExampleIds = {}
    """What takes the place of ids in the examples of the reference; see `demo_examples`."""


def refuse_other_data(directory: DataDirectory) -> None:
    """Raise `Failure` where *directory* holds something else than its own demo, and touch nothing in it.

    So a mistaken `--demo` leaves no trace: no migration, no key. An older version's demo is the demo, and so
    is what its first start left when it was cut off. `open_demo` looks again, once the data is its own.
    """
    if directory.has_data():
        with as_failure(StoreError):
            _known_in(directory, organization_ids(directory.database))
    elif strangers := directory.strangers():
        raise Failure(f"{directory.path} holds other files, such as {strangers[0]}: {_ELSEWHERE}")


async def open_demo(
    directory: DataDirectory, store: Store, sender_secret: bytes, doors: Endpoints, host: str
) -> DemoFacts:
    """The demo in *store*: opened now if there is nothing yet, or as it was left.

    *host* becomes the shop's site, so that its page can post to the form that is bound to it. Raises
    `Failure` when there is something else.
    """
    facts = _known_in(directory, await store.read(_organization_ids))
    if facts is None:
        domain = normalise_domain(host)
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        shop = await store.write(open_shop, domain, sender_secret, HASHER.hash(password))
        facts = DemoFacts(
            base_url=doors.base_url,
            operator_url=doors.operator_url,
            operator_token=str(doors.operator_token),
            owner=Owner(email=OWNER_EMAIL, password=password),
            site_domain=domain,
            **msgspec.structs.asdict(shop),
        )
    return write_down(directory, facts, doors)


def write_down(directory: DataDirectory, facts: DemoFacts, doors: Endpoints) -> DemoFacts:
    """Write `demo.json` and `demo.env`, with the addresses and the token that hold now."""
    current = msgspec.structs.replace(
        facts,
        base_url=doors.base_url,
        operator_url=doors.operator_url,
        operator_token=str(doors.operator_token),
    )
    replace_private(directory.demo, msgspec.json.format(msgspec.json.encode(current)) + b"\n")
    replace_private(directory.demo_environment, _environment(current).encode())
    return current


def _environment(facts: DemoFacts) -> str:
    """What the examples of the guides name, for a shell to read: `. data/demo.env`."""
    pulled, pushed = facts.pull_connection, facts.push_connection
    variables = {
        "SVC_URL": facts.base_url,
        "SVC_OPERATOR_URL": facts.operator_url,
        "SVC_OPERATOR_TOKEN": facts.operator_token,
        "SVC_EMAIL": facts.owner.email,
        "SVC_PASSWORD": facts.owner.password,
        "SVC_KEY": facts.api_key,
        "SVC_VIEWER_KEY": facts.viewer_key,
        "SVC_GATEWAY_KEY": facts.gateway_key,
        "SVC_FORM_KEY": facts.form_key,
        "SVC_SERVER_KEY": facts.server_key,
        "SVC_EMBED_KEY": facts.embed_key,
        "SVC_CONNECTION": pulled.id,
        "SVC_CHANNEL_KEY": pulled.channel_key,
        "SVC_PUSH_CHANNEL_KEY": pushed.channel_key,
        "SVC_SIGNING_SECRET": pushed.signing_secret,
    }
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())


def welcome(directory: DataDirectory, facts: DemoFacts, token: str) -> str:
    """What a newcomer can do with the demo, in lines that work as they are.

    *token*: where the operator's is.
    """
    return WELCOME.format(
        program=program(),
        data=shlex.quote(str(directory.path)),
        file=directory.demo,
        environment=directory.demo_environment,
        token=token,
        base_url=facts.base_url,
        operator_url=facts.operator_url,
        form_key=facts.form_key,
        api_key=facts.api_key,
    )


def read_facts(directory: DataDirectory) -> DemoFacts:
    """What is known of the demo in *directory*. Raises `Failure` where there is none."""
    facts = _known(directory)
    if facts is None:
        raise Failure(f"there is no demo in {directory.path}: start one with svc run --demo")
    return facts


def _known(directory: DataDirectory) -> DemoFacts | None:
    if not directory.demo.exists():
        return None
    try:
        return msgspec.json.decode(read_private(directory.demo), type=DemoFacts)
    except msgspec.MsgspecError as error:
        raise Failure(
            f"{directory.demo} cannot be read, or is of another version ({error}): choose an empty directory"
        ) from error


def _known_in(directory: DataDirectory, there: list[str]) -> DemoFacts | None:
    """What is known of the demo among the organizations *there*; nothing when there are none at all."""
    known = _known(directory)
    if known is not None and known.organization_id in there:
        return known
    if there:
        raise Failure(f"{directory.path} holds data that is not the demo's: {_ELSEWHERE}")
    return None


def _organization_ids(conn: Connection) -> list[str]:
    return [one.id for one in organizations.list_all(conn)]
