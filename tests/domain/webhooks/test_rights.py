"""Which permissions it takes to see an event."""

import pytest

from svc.domain.identity.roles import Permission
from svc.domain.webhooks.rights import event_needs


@pytest.mark.parametrize(
    ("event_type", "needs"),
    [
        ("record.created", {"records.read"}),
        ("record.deleted", {"records.read"}),
        ("submission.held", {"forms"}),
        ("message.status", {"conversations"}),
        ("conversation.handed_over", {"conversations"}),
        ("connection.state", {"channels"}),
        ("workflow.run_failed", {"workflows"}),
    ],
)
def test_an_event_takes_the_right_to_see_what_it_is_about(event_type: str, needs: set[Permission]):
    """The rights of steps and triggers are tested where documents are checked."""
    assert needs == event_needs(event_type)
