"""What holds for all tests."""

import gc
import os
import sys
from functools import partial

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# Where rich is installed, which `svc top` needs, structlog draws tracebacks with it by default: half a second
# of a core for each exception that a test has the program log.
sys.modules["rich"] = None  # type: ignore[assignment]  # an import of it fails
import structlog  # noqa: E402, F401

del sys.modules["rich"]

from svc.http.asgi import Receive, Scope, Send  # noqa: E402
from tests.costly import COSTLY  # noqa: E402
from tests.databases import ON_POSTGRESQL  # noqa: E402

# What Python has compiled is kept, also for the programs that tests start: there are about a hundred, and
# compiling is half of what the start of one costs. Some machines are set to keep nothing.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Until all tests are collected, hardly anything that is made is garbage.
gc.disable()

# The same examples in every run and on every machine, however busy it is.
settings.register_profile("svc", deadline=None, derandomize=True)
settings.load_profile("svc")
# Hypothesis also draws constants of this program's modules, of those that are imported so far: a test would
# have other examples alone than beside others, and each worker would parse all sources for them.
providers.is_local_module_file = lambda _path: False  # type: ignore[assignment, attr-defined]  # it has no setting


def pytest_configure() -> None:
    """With `DOORS=quart`, switch the fast path off, so that Quart alone answers at every door."""
    if os.environ.get("DOORS") == "quart":
        from svc.http.fast_path import FastPath  # not what every run has to import first
        from svc.http.quart_app import QuartApp

        by_fast_path = FastPath.__call__

        async def by_quart(self: FastPath, scope: Scope, receive: Receive, send: Send) -> None:
            await (self.app if isinstance(self.app, QuartApp) else partial(by_fast_path, self))(
                scope, receive, send
            )

        FastPath.__call__ = by_quart  # type: ignore[method-assign]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a test of another program waits for it, and so leaves a core idle."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the costly files: see `tests.costly`. Leave out what asks SQLite, on PostgreSQL."""
    if ON_POSTGRESQL:
        left_out = [item for item in items if item.get_closest_marker("sqlite")]
        items[:] = [item for item in items if not item.get_closest_marker("sqlite")]
        config.hook.pytest_deselected(items=left_out)
    places = {name: place for place, name in enumerate(COSTLY)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


def pytest_collection_finish() -> None:
    """Look for garbage from here on, and as `svc run` does: never among what was imported or collected.

    That is millions of objects, and to walk over them again and again took a quarter of all the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()
