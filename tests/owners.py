"""A store that notes under whose name units of work go to it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from svc.storage.store import Owner, Store


class Recorder:
    """The store, which keeps what ran under whose name."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.ran: set[tuple[str, str]] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of(Owner.SYSTEM) if name.startswith(("read", "write")) else self._store, name)

    @property
    def alone(self) -> Any:
        return self.of(Owner.SYSTEM)

    def of(self, owner: str) -> Any:
        units = self._store.of(owner)
        ways = ("read", "read_long", "write", "write_behind")
        return SimpleNamespace(**{way: self._recorded(owner, getattr(units, way)) for way in ways})

    def _recorded(self, owner: str, run: Callable[..., Any]) -> Callable[..., Any]:
        async def record(fn: Any, *args: Any, **kwargs: Any) -> Any:
            self.ran.add((owner, f"{fn.__module__.removeprefix('svc.')}.{fn.__name__}"))
            return await run(fn, *args, **kwargs)

        return record
