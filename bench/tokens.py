"""A call with an access token beside one with an API key: what the token costs more."""

from pathlib import Path
from statistics import median
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._load import require_wrk
from bench._machine import free_port, running
from bench._report import Target, print_table, print_targets, save
from bench._world import workspace
from bench.mcp import CALLS, OURS, Key, command, load, write_requests
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.crypto.keys import digest
from svc.domain.grants.limits import GRANTS_OF_PERSON_MAX
from svc.domain.grants.oauth import challenge_of
from svc.domain.identity.callers import Call
from svc.domain.identity.limits import API_KEY_LIVES_MS
from svc.storage import provisioning
from svc.storage.grants import tokens
from svc.storage.grants.tokens import Exchange, Refused
from svc.storage.identity import grants
from svc.storage.identity.grants import Grant
from svc.storage.identity.organizations import NewOrganization
from svc.storage.records import records
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

ORGANIZATIONS: Final = 20
PAIRS: Final = 24
SECONDS: Final = 2
WARM_UP_SECONDS: Final = 3
MORE_MAX: Final = 0.03
"""Of the CPU of a call with a key."""
_VERIFIER: Final = "v" * 43


class Pair(msgspec.Struct, frozen=True):
    """CPU of the server for each call, in microseconds: of one run with keys, and of one with tokens."""

    with_key_us: float
    with_token_us: float


def make_credentials(data: Path) -> dict[str, list[Key]]:
    """A data directory with organizations, each with twenty keys and twenty grants of its owner."""
    directory = DataDirectory(data)
    directory.make()
    directory.open_key()

    async def make() -> dict[str, list[Key]]:
        made: dict[str, list[Key]] = {"keys": [], "tokens": []}
        async with inline_store(WallClock(), directory.database, prepare=migrate_to_head) as store:
            for number in range(ORGANIZATIONS):
                for kind, some in (await store.write(_fill, number)).items():
                    made[kind] += some
        return made

    return trio.run(make)


def _fill(tx: Tx, number: int) -> dict[str, list[Key]]:
    organization = provisioning.create(tx, NewOrganization(name=f"Organization {number}", country="DE"))
    owner = owners.add(tx, organization.id)
    values = {"name": "Ada Lovelace", "email": f"ada@customers{number}.example", "city": "London"}
    record = records.create(tx, organization, "contact", values, source=owner.source())
    keys = owners.mint(tx, owner, GRANTS_OF_PERSON_MAX)
    given = [_connect(tx, owner, app) for app in range(GRANTS_OF_PERSON_MAX)]
    return {
        "keys": [Key(key, record.id) for key in keys],
        "tokens": [Key(token, record.id) for token in given],
    }


def _connect(tx: Tx, owner: Call, number: int) -> str:
    """An access token of an app that the *owner* has allowed all of their role."""
    address = f"https://app{number}.example/client.json"
    grant = Grant(
        id=tx.new_id("gra"),
        organization_id=owner.caller.organization_id,
        person_id=owner.caller.person_id or "",
        app_id=tx.new_id("app"),
        client_id=address,
        app_name=f"App {number}",
        app_host=f"app{number}.example",
        role_id="owner",
        reach="all",
        tools=None,
        door="mcp_full",
        created_at=tx.now,
        expires_at=tx.now + API_KEY_LIVES_MS["90d"],
    )
    grants.create(tx, grant)
    code = tx.new_id("code")
    tokens.add_code(tx, grant, digest(code), "https://app.example/callback", challenge_of(_VERIFIER))
    exchange = Exchange(
        code_digest=digest(code), client_id=address, redirect_uri=None, verifier=_VERIFIER, door=None
    )
    made = tokens.exchange(tx, exchange, digest(tx.new_id("refresh")))
    if isinstance(made, Refused):
        raise SystemExit(f"no token was given: {made.reason}")
    return made.access_token


def run_pairs(credentials: dict[str, list[Key]], data: Path, here: Path) -> list[Pair]:
    """One server, asked with keys and with tokens in turns, the order changing from pair to pair."""
    files = {kind: write_requests(keys, CALLS, here / kind) for kind, keys in credentials.items()}
    pairs: list[Pair] = []
    port = free_port()
    with running(command(OURS, data, port), port, log=here / "server.log") as server:
        for requests in files.values():
            load(server, requests, WARM_UP_SECONDS)
        for number in range(PAIRS):
            used: dict[str, float] = {}
            for kind in list(files)[:: -1 if number % 2 else 1]:
                before = server.cpu_seconds()
                found = load(server, files[kind], SECONDS)
                used[kind] = (server.cpu_seconds() - before) / found.requests * 1e6
            pairs.append(Pair(used["keys"], used["tokens"]))
    return pairs


def main() -> None:
    """Run everything and print what was found."""
    require_wrk()
    with workspace() as here:
        data = here / "data"
        pairs = run_pairs(make_credentials(data), data, here)
    more = median(pair.with_token_us / pair.with_key_us for pair in pairs) - 1
    rows: list[list[str | float]] = [
        ["API key", median(pair.with_key_us for pair in pairs)],
        ["access token", median(pair.with_token_us for pair in pairs)],
    ]
    print_table(f"{CALLS}, medians of {PAIRS} runs of {SECONDS} s in turns", ["", "CPU µs each"], rows)
    targets = [Target(name="a token's CPU beyond a key's, share", figure=more, bound=MORE_MAX)]
    print_targets(targets)
    save("tokens", {"pairs": msgspec.to_builtins(pairs), "more": more}, targets)


if __name__ == "__main__":
    main()
