"""The system as a whole: its secrets are not shown, and draining it leaves no actor behind."""

from svc.actors.kinds import KINDS
from svc.actors.system import Secrets, System
from tests.town import SECRETS, submit, town


def test_secrets_do_not_show():
    """The installation's keys are not in any text about them."""
    assert "s" * 32 not in repr(Secrets(sender=b"s" * 32, sealing=b"s" * 32))


async def test_a_drained_system_is_empty(autojump_clock):
    """Draining leaves no actor behind, and says so."""
    async with town() as here:
        form = await here.form()
        system = System(KINDS, here.store, here.clock, SECRETS)
        async with system.live():
            await submit(system, form, 1)

            late = await system.drain(5)

            assert [] == late
            assert [] == system.actors()
