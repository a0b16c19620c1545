"""The demo's data directory: `svc run --demo` creates the shop in it, and writes its keys to two files."""

import secrets
import shlex
from functools import partial
from typing import Final

import msgspec
from sqlalchemy import Connection

from svc.cli.data_directory import DataDirectory, read_private
from svc.cli.failures import Failure, as_failure
from svc.cli.invocation import program
from svc.cli.serving.endpoints import Endpoints
from svc.demo.channels import PullConnection, PushConnection
from svc.demo.examples import ExampleIds, add_ids
from svc.demo.files import add_files
from svc.demo.shop import OWNER_EMAIL, open_shop
from svc.domain.crypto.passwords import HASHER
from svc.domain.net.origins import normalise_domain
from svc.storage.files.directory import put
from svc.storage.identity import organizations
from svc.storage.private_files import replace_private
from svc.storage.sqlite.offline import organization_ids
from svc.storage.store import Store, StoreError, Tx

WELCOME: Final = """\
Open first  {base_url}/              the screens: sign in as {owner}, password in {file}
            {base_url}/demo/         the shop, as its customers see it
            {base_url}/docs/welcome  the guides, and all else

Paste into a second terminal: an enquiry by the shop's form, and the contact that it made
curl -w '\\n' {base_url}/api/f/s -H 'Content-Type: application/json' -d '{{"f":"{form_key}",\
"v":{{"name":"Ada King","email":"ada@example.com","lamp":"Skerry wall light"}}}}'
curl -w '\\n' {base_url}/api/v1/tools/record.list -H 'Content-Type: application/json' \
-H 'Authorization: Bearer {api_key}' -d '{{"objectType":"contact","limit":1}}'

Keys        {environment} for shells, {file} for programs
Operator    {operator_url}  (token: {token})
Chat        {program} demo-messenger --data {data}  talks with the shop in a browser
"""
"""In the order of use: what to open, what to paste, where the keys are."""

_HINT: Final = "choose an empty directory with --data, or start without --demo"
_PASSWORD_BYTES: Final = 12


class OwnerAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The account of the shop's owner."""

    email: str
    password: str


class DemoFacts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The content of `demo.json`: the addresses of the demo, and its keys."""

    base_url: str
    operator_url: str
    operator_token: str
    owner: OwnerAccount
    organization_id: str
    api_key: str
    """Has all permissions of the owner."""
    viewer_key: str
    """May only read."""
    gateway_key: str
    """Is limited to the AI gateway."""
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
    """The ids that replace those in the examples of the reference; see `svc.demo.examples`."""


def refuse_other_data(directory: DataDirectory) -> None:
    """Raise `Failure` if *directory* holds anything but a demo. Writes nothing.

    So a mistaken `--demo` changes nothing: no migration, no key. A demo of an older version is a demo, and so
    is one whose first start was interrupted. `open_demo` checks again once it has locked the data.
    """
    if directory.has_data():
        with as_failure(StoreError):
            _facts_among(directory, organization_ids(directory.database))
    elif foreign_files := directory.foreign_files():
        raise Failure(f"{directory.path} holds other files, such as {foreign_files[0]}: {_HINT}")


async def open_demo(
    directory: DataDirectory,
    store: Store,
    sender_secret: bytes,
    bound: Endpoints,
    host: str,
    *,
    starting_micro_credits: int = 0,
) -> DemoFacts:
    """The demo in *store*, created if the store is empty.

    *host* becomes the shop's site, so that its page can post to the form that is bound to the site. *bound*:
    the endpoints of this start. Raises `Failure` if the store has other data.
    """
    facts = _facts_among(directory, await store.read(_organization_ids))
    if facts is not None:
        return write_files(directory, facts, bound)
    domain = normalise_domain(host)
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    password_hash = HASHER.hash(password)

    def create(tx: Tx) -> DemoFacts:
        shop = open_shop(tx, domain, sender_secret, password_hash, starting_micro_credits)
        kept = partial(put, directory.files, shop.organization_id)
        add_ids(shop.example_ids, add_files(tx, shop.organization_id, shop.pull_connection.id, kept))
        facts = DemoFacts(
            base_url=bound.base_url,
            operator_url=bound.operator_url,
            operator_token=str(bound.operator_token),
            owner=OwnerAccount(email=OWNER_EMAIL, password=password),
            site_domain=domain,
            **msgspec.structs.asdict(shop),
        )
        # Before the commit: the keys are nowhere else, so a shop without its files would be lost. Files
        # without their shop are replaced by the next start.
        return write_files(directory, facts, bound)

    return await store.alone.write(create)


def write_files(directory: DataDirectory, facts: DemoFacts, bound: Endpoints) -> DemoFacts:
    """Write `demo.json` and `demo.env`, with the current endpoints and token."""
    current = msgspec.structs.replace(
        facts,
        base_url=bound.base_url,
        operator_url=bound.operator_url,
        operator_token=str(bound.operator_token),
    )
    replace_private(directory.demo, msgspec.json.format(msgspec.json.encode(current)) + b"\n")
    replace_private(directory.demo_environment, _environment(current).encode())
    return current


def _environment(facts: DemoFacts) -> str:
    """The variables that the guides' examples use, as a file for shells: `. data/demo.env`."""
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
    """First steps with the demo, in lines that can be pasted.

    *token*: where the operator's token is.
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
        owner=facts.owner.email,
    )


def read_facts(directory: DataDirectory) -> DemoFacts:
    """The content of `demo.json`. Raises `Failure` if there is no demo in *directory*."""
    facts = _read(directory)
    if facts is None:
        raise Failure(f"there is no demo in {directory.path}: start one with svc run --demo")
    return facts


def _read(directory: DataDirectory) -> DemoFacts | None:
    if not directory.demo.exists():
        return None
    try:
        return msgspec.json.decode(read_private(directory.demo), type=DemoFacts)
    except msgspec.MsgspecError as error:
        raise Failure(
            f"{directory.demo} cannot be read, or is of another version ({error}): choose an empty directory"
        ) from error


def _facts_among(directory: DataDirectory, organization_ids: list[str]) -> DemoFacts | None:
    """The facts of the demo; None if there are no organizations. Raises `Failure` if there are others."""
    facts = _read(directory)
    if facts is not None and facts.organization_id in organization_ids:
        return facts
    if organization_ids:
        raise Failure(f"{directory.path} holds data that is not the demo's: {_HINT}")
    return None


def _organization_ids(conn: Connection) -> list[str]:
    return [organization.id for organization in organizations.list_all(conn)]
