"""What `svc top` knows of a service: the last snapshot, with the changes since."""

from typing import Any

from svc.cli.top.view import LiveView


def message(kind: str, *actors: str, order: str = "", **more: Any) -> dict[str, Any]:
    """A message of `/debug/live` with these actors of one kind."""
    told = {
        "type": kind,
        "at": 1,
        "draining": False,
        "kinds": [],
        "total": len(actors),
        "order": [f"Desk/{key}" for key in order or actors],
        "actors": [{"kind": "Desk", "key": key, "turns": more.pop("turns", 1)} for key in actors],
        "waiting": [],
    }
    return told | more


def test_a_delta_changes_what_the_snapshot_had() -> None:
    """The order says who is listed: actors that left are gone, the others stay."""
    view = LiveView()
    view.take(message("snapshot", "a", "b", "c"))
    view.take(message("delta", "b", order="bd", turns=5))

    assert {"Desk/b": 5} == {name: actor["turns"] for name, actor in view.actors().items()}


def test_what_comes_before_a_new_choice_s_snapshot_is_of_the_old_one() -> None:
    """It is left out."""
    view = LiveView()
    view.take(message("snapshot", "a"))
    view.choose()

    assert not view.take(message("delta", "b"))
    assert ["Desk/a"] == list(view.actors())
    assert view.take(message("snapshot", "z"))
    assert ["Desk/z"] == list(view.actors())


def test_what_waits_stays_while_the_data_cannot_be_read() -> None:
    """It says so, and shows what was read last."""
    view = LiveView()
    queue = {"organizationId": "org_1", "count": 3}
    view.take(message("snapshot", waiting=[{"noun": "mails", "count": 3, "queues": [queue]}]))
    view.take(message("delta", waiting=None))

    assert (False, 3, [("mails", queue)]) == (view.waiting_readable, view.waiting(), view.queues())
