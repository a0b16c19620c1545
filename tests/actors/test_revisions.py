"""Revisions: a change is seen by whatever was read before it, and by nothing that was read after."""

from svc.actors.revisions import Revisions


def test_a_key_has_changed_since_what_was_read_before() -> None:
    """Only that key, and only for what was read before its last change."""
    revisions = Revisions()
    first = revisions.last
    revisions.note("a")
    second = revisions.last
    revisions.note("b")
    third = revisions.last
    revisions.note("a")

    assert [True, True, True, False] == [
        revisions.changed("a", since) for since in (first, second, third, revisions.last)
    ]
    assert [True, True, False] == [revisions.changed("b", since) for since in (first, second, third)]
    assert not revisions.changed("c", first)
