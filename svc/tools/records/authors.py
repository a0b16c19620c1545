"""Authors of what happened to a record, as timelines and notes tell them."""

from typing import Annotated, Final

from svc.storage.timeline_authors import Author, AuthorKind
from svc.tools.projections import Projection
from svc.tools.tool import ToolOutput, about


class TimelineAuthor(ToolOutput, frozen=True, kw_only=True):
    """What or who did it."""

    kind: Annotated[
        AuthorKind, about(description="`contact`: the other side of a conversation. `service`: this program.")
    ]
    id: Annotated[
        str | None,
        about(description="Of the member, key, form or workflow; of an agent, its connection's."),
    ]
    name: Annotated[
        str | None, about(description="Null where it is not known, or the caller may not list its kind.")
    ]


_answer: Final = Projection(Author, TimelineAuthor)


def author_answer(author: Author | None) -> TimelineAuthor | None:
    """The author as an answer has it; None where none was stored."""
    return None if author is None else _answer(author)
