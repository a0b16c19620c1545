"""Context variables: what a request carries with it must not stay in an actor."""

from contextvars import ContextVar

from trio.testing import wait_all_tasks_blocked

from svc.wait_guard import is_requested
from tests.actors.core.lab import Other, Probe, living

request: ContextVar[str] = ContextVar("request", default="none")


async def test_an_actor_does_not_inherit_the_context_of_its_waker():
    """Neither the first asker's context nor a later one's is seen in a turn, nor in a load."""
    async with living() as lab:

        async def look(me: Probe) -> str:
            return request.get()

        async def note(me: Probe) -> None:
            lab.journal.append(request.get())

        lab.on_load = note
        request.set("first")
        seen = [await Probe(lab, "a").do(look)]
        request.set("second")
        seen.append(await Probe(lab, "a").do(look))

        assert (["none", "none"], ["none"]) == (seen, lab.journal)


async def test_a_task_does_not_inherit_the_context_of_a_turn():
    """A task beside the turns starts from the system's context too."""
    async with living() as lab:

        async def look() -> None:
            lab.journal.append(request.get())

        async def start(me: Probe) -> None:
            request.set("turn")
            me.start_soon(look)

        await Probe(lab, "a").do(start)
        await wait_all_tasks_blocked()

        assert ["none"] == lab.journal


async def test_an_actor_woken_by_an_actor_starts_from_the_systems_context():
    """The context of one actor does not leak into the next."""
    async with living() as lab:

        async def look(me: Probe) -> str:
            return request.get()

        async def ask(me: Probe) -> str:
            request.set("turn")
            return await Other(lab, "b").do(look)

        assert "none" == await Probe(lab, "a").do(ask)


async def test_actors_see_the_context_that_the_system_was_started_in():
    """What was set before `live` is seen by all."""
    request.set("system")
    async with living() as lab:
        request.set("later")

        async def look(me: Probe) -> str:
            return request.get()

        assert "system" == await Probe(lab, "a").do(look)


async def test_an_asker_keeps_its_own_context():
    """An ask does not change the context of its asker."""
    async with living() as lab:

        async def change(me: Probe) -> None:
            request.set("turn")

        request.set("asker")
        await Probe(lab, "a").do(change)

        assert "asker" == request.get()


async def test_what_an_actor_does_for_a_request_is_told_from_what_it_does_by_itself():
    """For one are the turns that were asked on its behalf, through other actors too."""
    async with living() as lab:

        async def look(me: Probe) -> bool:
            return is_requested()

        async def ask_another(me: Probe) -> bool:
            return await Other(lab, "b").do(look)

        async def note(me: Probe) -> None:
            lab.journal.append(is_requested())

        async def work() -> None:
            lab.journal += [is_requested(), await Other(lab, "b").do(look)]

        async def start(me: Probe) -> None:
            me.start_soon(work)

        asked = [await Probe(lab, "a").do(look), await Probe(lab, "a").do(ask_another)]
        Probe(lab, "a").do.tell(note)
        await Probe(lab, "a").do(start)
        await wait_all_tasks_blocked()

        assert is_requested()
        assert ([True, True], [False, False, False]) == (asked, lab.journal)
