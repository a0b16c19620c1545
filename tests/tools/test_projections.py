"""Projections: what is answered of what is stored, and what is refused when a module loads."""

from operator import attrgetter
from typing import Annotated

import msgspec
import pytest

from svc.domain.locale.times import Timestamp
from svc.tools.projections import Projection


class Author(msgspec.Struct, frozen=True):
    name: str
    joined_at: int


class Note(msgspec.Struct, frozen=True):
    id: str
    body: str | None
    author: Author | None
    tags: tuple[str, ...]
    readers: tuple[Author, ...]
    created_at: int
    read_at: int | None
    secret: str = "s"

    @property
    def title(self) -> str:
        return f"Note {self.id}"


class AuthorAnswer(msgspec.Struct, frozen=True):
    name: str
    joined_at: Timestamp


class NoteAnswer(msgspec.Struct, frozen=True):
    id: Annotated[str, msgspec.Meta(description="Its id.")]
    title: str
    body: str | None
    author: AuthorAnswer | None
    tags: list[str]
    readers: list[AuthorAnswer]
    created_at: Timestamp
    read_at: Annotated[Timestamp | None, msgspec.Meta(description="Null until it is read.")]
    words: int
    mine: bool


ADA = Author("Ada", 0)
NOTE = Note("n1", "To do", ADA, ("a", "b"), (ADA,), 1_000, None)
answer_of = Projection(Note, NoteAnswer, given=("mine",), words=lambda note: len((note.body or "").split()))


def test_members_come_from_their_source() -> None:
    """By their names, times as text, structs in turn, properties as fields; no other member is shown."""
    ada = AuthorAnswer("Ada", "1970-01-01T00:00:00.000Z")

    assert NoteAnswer(
        id="n1",
        title="Note n1",
        body="To do",
        author=ada,
        tags=["a", "b"],
        readers=[ada],
        created_at="1970-01-01T00:00:01.000Z",
        read_at=None,
        words=2,
        mine=True,
    ) == answer_of(NOTE, mine=True)


def test_null_stays_null() -> None:
    """Of a struct as of a time."""
    answer = answer_of(msgspec.structs.replace(NOTE, author=None, read_at=5), mine=False)

    assert (None, "1970-01-01T00:00:00.005Z") == (answer.author, answer.read_at)


class Missing(msgspec.Struct):
    nothing: str


class OtherType(msgspec.Struct):
    id: int


class NeverNull(msgspec.Struct):
    body: str


class NeverNullInside(msgspec.Struct):
    readers: list[OtherType]


@pytest.mark.parametrize(
    ("answer", "members", "said"),
    [
        (Missing, {}, "Missing.nothing is none of Note"),
        (OtherType, {}, "OtherType.id is <class 'int'>, and its source <class 'str'>"),
        (NeverNull, {}, "NeverNull.body is never null, and its source may be"),
        (NeverNullInside, {}, "OtherType.id is none of Author"),
        (AuthorAnswer, {"naem": attrgetter("name")}, "AuthorAnswer has no naem"),
        (AuthorAnswer, {"given": ("role",)}, "AuthorAnswer has no role"),
    ],
)
def test_a_projection_that_does_not_fit_fails_at_once(answer, members, said) -> None:
    """When the module is imported, and not at a request."""
    with pytest.raises(TypeError) as raised:
        Projection(Note, answer, **members)

    assert said in str(raised.value)


@pytest.mark.parametrize("given", [{}, {"mine": True, "words": 3}, {"yours": True}])
def test_what_is_given_is_what_was_said(given) -> None:
    """No more, and no less."""
    with pytest.raises(TypeError, match=r"NoteAnswer\(\) (missing|got an unexpected)"):
        answer_of(NOTE, **given)
