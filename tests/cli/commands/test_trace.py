"""`svc trace`, and the report on SIGUSR1, of a running service."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.cli.conftest import Svc
from tests.cli.running import TRIES, Service


@contextmanager
def asked_again_and_again(url: str) -> Iterator[None]:
    """Meanwhile somebody asks whether the service is ready, which is a turn of its Reconciler each time."""
    done = threading.Event()

    def ask() -> None:
        with httpx.Client(base_url=url, headers={"X-Request-Id": "probe-1"}) as client:
            while not done.is_set():
                client.get("/readyz")

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_an_actor_of_a_running_service_is_followed(shop: Path, svc: Svc) -> None:
    """A line a turn, with its request; then where it stands. SIGUSR1 writes what all do to the log."""
    service = Service(shop)
    try:
        url = service.ready()["Operator"]
        with asked_again_and_again(url):
            traced = svc("trace", "Reconciler/main", "--turns", "9")
        as_json = svc("trace", "Organization/org_nobody", "--seconds", "0.1", "--json")
        unknown = svc("trace", "Reconsiler/main")
        no_actor = svc("trace", "Reconciler")
        service.process.send_signal(signal.SIGUSR1)
        for _ in range(TRIES):
            httpx.get(f"{url}/healthz")
            if "end of the report of actors" in service.events():
                break

        turns, actor = traced.output.splitlines()[:9], traced.output.splitlines()[9]
        # Its own timers may come between.
        assert any("start()" in line and line.endswith("ok  request probe-1") for line in turns)
        assert actor.startswith("Reconciler/main is ")
        assert '{"actor":null}\n' == as_json.output
        assert (1, True) == (unknown.exit_code, "Reconciler" in unknown.output)
        assert (1, True) == (no_actor.exit_code, "KIND/KEY" in no_actor.output)
        kinds = [record["kind"] for record in service.records() if record["event"] == "kind of actor"]
        assert {"Organization", "FormWindow", "Reconciler"} <= set(kinds)
        assert 0 == service.end()
    finally:
        service.close()
    assert (1, True) == ((ended := svc("trace", "Reconciler/main")).exit_code, "no service" in ended.output)
