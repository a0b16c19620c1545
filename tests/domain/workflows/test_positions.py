"""Where a run goes from each step, through branches in branches."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from svc.domain.records.queries import Filter
from svc.domain.workflows.documents import AnyStep, Branch, Stop, Wait
from svc.domain.workflows.positions import Outline, every_step
from tests.workflow_documents import document

IF: Any = (Filter("record.id", "is_empty"),)


def test_a_run_goes_through_the_branch_that_holds():
    """And on after it, from either arm."""
    outline = Outline(document().steps)
    big = outline.steps["big"]
    assert isinstance(big, Branch)

    assert "hello" == outline.first
    assert "big" == outline.after("hello")
    assert "tell" == outline.into(big, holds=True)
    assert "pause" == outline.into(big, holds=False)
    assert "title" == outline.after("tell") == outline.after("pause")
    assert outline.after("title") is None


def test_an_empty_arm_is_passed_by():
    lonely = Branch(key="b", conditions=IF, then=(Wait(key="w", seconds=1),))
    outline = Outline([lonely, Stop(key="s")])

    assert "s" == outline.into(lonely, holds=False)
    assert Outline([lonely]).into(lonely, holds=False) is None


def steps_of(shape: list[Any], names: list[str]) -> tuple[AnyStep, ...]:
    """Steps of that *shape*, in which a pair is a branch, with keys taken from *names*."""
    made: list[AnyStep] = []
    for one in shape:
        key = f"s{len(names)}"
        names.append(key)
        if one is None:
            made.append(Wait(key=key, seconds=1))
        else:
            then, otherwise = steps_of(one[0], names), steps_of(one[1], names)
            made.append(Branch(key=key, conditions=IF, then=then, otherwise=otherwise))
    return tuple(made)


def walked(steps: tuple[AnyStep, ...], chosen: list[bool]) -> list[str]:
    """The keys that a plain recursive run goes through, which takes the arms that are *chosen*."""
    done = []
    for step in steps:
        done.append(step.key)
        if isinstance(step, Branch):
            done += walked(step.then if chosen.pop(0) else step.otherwise, chosen)
    return done


shapes = st.recursive(
    st.lists(st.none(), max_size=3),
    lambda inner: st.lists(st.one_of(st.none(), st.tuples(inner, inner)), max_size=3),
    max_leaves=20,
)


@given(shapes, st.lists(st.booleans(), min_size=100, max_size=100))
def test_positions_lead_through_the_document_as_plain_recursion_does(shape: list[Any], chosen: list[bool]):
    """Whatever the branches, and whichever hold."""
    steps = steps_of(shape, [])
    outline, left, done, position = Outline(steps), [*chosen], [], Outline(steps).first
    while position is not None:
        done.append(position)
        step = outline.steps[position]
        position = (
            outline.into(step, holds=left.pop(0)) if isinstance(step, Branch) else outline.after(position)
        )

    assert walked(steps, [*chosen]) == done
    assert [step.key for step in every_step(steps)] == [*outline.steps]
