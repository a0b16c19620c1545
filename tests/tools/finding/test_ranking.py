"""Ranking: the document that a sentence asks for comes first."""

from hypothesis import given
from hypothesis import strategies as st

from svc.tools.finding.ranking import Document, Ranking, stems
from svc.tools.finding.vocabulary import words_for


def a_tool(name: str, summary: str, description: str, properties: str) -> Document:
    return Document(name, *words_for(name), summary, description, properties)


DOCUMENTS = {
    one.name: one
    for one in (
        a_tool("record.create", "Create a record.", "Nothing is matched.", "objectType properties"),
        a_tool("record.delete", "Delete a record.", "It can be restored.", "objectType id"),
        a_tool("record.search", "Search records by words.", "A full text search.", "query"),
        a_tool("form.create", "Create a web form.", "It takes what visitors send.", "name site"),
        a_tool("note.create", "Write a note on a record.", "What stays on it.", "text recordId"),
    )
}
RANKING = Ranking(DOCUMENTS)


def test_words_are_compared_by_their_stems():
    """Whatever their ending, their case and their accents."""
    assert stems("Creating RECORDS, créated") == stems("create record create")


def test_the_name_counts_most():
    """Two documents share a word; the sentence has the name of one."""
    assert "form.create" == RANKING.rank("create a form")[0]
    assert "record.create" == RANKING.rank("create a record")[0]


def test_other_words_find_as_well():
    """What people say for what the documents say, for less than the word itself."""
    assert "record.delete" == RANKING.rank("throw this record away")[0]
    assert "note.create" == RANKING.rank("jot down a comment")[0]


def test_what_says_nothing_finds_nothing():
    """Neither do words that occur nowhere."""
    assert [] == RANKING.rank("is it that you would do so for me?")
    assert [] == RANKING.rank("xyzzy")
    assert [] == Ranking({}).rank("record")


def test_a_rare_word_counts_more_than_a_frequent_one():
    """`web` is one document's, `record` that of most."""
    assert "form.create" == RANKING.rank("record web")[0]


@given(st.text(max_size=300))
def test_any_sentence_is_ranked(sentence):
    """Names come once, only those that there are, and twice in the same order."""
    found = RANKING.rank(sentence)

    assert len(set(found)) == len(found)
    assert set(found) <= set(DOCUMENTS)
    assert found == RANKING.rank(sentence)


def test_a_name_without_synonyms_is_ranked_by_its_description():
    """So that a new noun is found before it has synonyms."""
    assert ("", "") == words_for("boat.sail")
    assert ["boat.sail"] == Ranking({"boat.sail": a_tool("boat.sail", "Sail a boat.", "", "")}).rank(
        "sail away"
    )
