"""Limits of records. Docs and contract show these.

A number that a caller meets is the interface's; where the choice is ours, the line says so.
"""

from typing import Final

# The form endpoint.
PHONE_CHARS_MAX: Final = 64
"""A phone number as people write it. Ours: 15 digits, their punctuation and an extension fit well."""

# Objects, properties and records. All ours: what a screen and a person can still make sense of.
OBJECTS_MAX: Final = 100
"""Objects of one organization, the built-in ones included."""
PROPERTIES_MAX: Final = 250
"""Properties of one object, the deleted ones included."""
OPTIONS_MAX: Final = 250
"""Choices of one select."""
OPTION_CHARS_MAX: Final = 100
SLUG_CHARS_MAX: Final = 50
LABEL_CHARS_MAX: Final = 100
TEXT_CHARS_MAX: Final = 2_000
LONG_TEXT_CHARS_MAX: Final = 64_000
URL_CHARS_MAX: Final = 2_000
NUMBER_MAX: Final = 1e15
"""Largest number of a property, either way from zero; whole numbers up to it are exact as doubles."""
DURATION_HOURS_MAX: Final = 876_000
"""The longest duration: a hundred years of 365 days."""
RECORD_BYTES_MAX: Final = 256 * 1024
"""The properties of one record, as JSON."""
VERSION_CHANGES_MAX: Final = 1_000
"""Changes of a record that `ifVersion` looks back over; what lies behind them counts as changed. Ours."""
VERSION_CHANGES_BYTES_MAX: Final = 4 * 1024 * 1024
"""What these changes may have in all, as JSON: some are as large as two records. Ours: keeps a comparison
within some milliseconds of the writer's time."""
VERSION_COMPARISONS_BYTES_MAX: Final = 2 * VERSION_CHANGES_BYTES_MAX
"""What all comparisons of one call of many records may read. Ours: within 0.1 s of the writer's time."""
RECORDS_WRITTEN_MAX: Final = 100
"""Records written by one call (decisions, the tools of records)."""
NOTE_CHARS_MAX: Final = 64_000
NOTE_TITLE_CHARS_MAX: Final = 200
TIMELINE_TEXT_CHARS_MAX: Final = 200
"""Characters of a message that a timeline shows. Ours: a line of a screen."""

# Lists.
FILTERS_MAX: Final = 20
FILTER_VALUES_MAX: Final = 100
"""Values of one `in` or `not_in`."""
SORTS_MAX: Final = 3
SORT_KEY_BYTES_MAX: Final = 96
"""Bytes of a folded text that are sorted by: keeps an index narrow, and few texts agree that far."""
FILTERED_FIRST_MAX: Final = 2_000
"""Records that a filter may leave for them to be fetched and sorted; else the order is walked."""
QUICK_RECORDS_MAX: Final = 4_000
"""Records that a list looks at in the way of other reads, which takes some tens of milliseconds; a list that
needs more goes on beside them."""
SCANNED_AT_ONCE: Final = 20_000
"""Records that the database sorts in one statement where a list has no index: some tens of milliseconds."""
UNINDEXED_LIST_MS: Final = 600
"""How long a list may read for want of an index that is being built; then it is refused. Ours."""
UNINDEXED_RETRY_SECONDS: Final = 2
"""`Retry-After` of that refusal."""
EXPANDED_MAX: Final = 5
"""Relations that one call expands."""
RELATED_BYTES_MAX: Final = 16 * 1024 * 1024
"""Values of the records that relations of one page lead to, as JSON, where they are shown. Ours: a page may
lead to a thousand records, each as large as a record may be."""
GROUPED_BY_MAX: Final = 2
"""Properties that an aggregate groups by."""
GROUPS_MAX: Final = 1_000
"""Groups of an aggregate's answer."""
MEASURES_MAX: Final = 10
"""Measures of an aggregate. Ours: more than one chart shows."""
AGGREGATED_RECORDS_MAX: Final = 2_000_000
"""Records that an aggregate reads. Ours: two seconds of the reader for long reads."""
DUPLICATES_SHOWN: Final = 10
"""Records of a group of duplicates that are shown."""
DISTINGUISHED_MAX: Final = 10
"""Records of one call that tells them apart. Ours: as many as a group shows."""
DUPLICATES_COMPARED_MAX: Final = 200
"""Records of a group up to which those that were called different are left out. Ours: a group of more is a
shared number or a common name."""
DUPLICATES_EXAMINED_MAX: Final = 1_000
"""Groups that one page looks at, if most are left out. Ours: some tens of milliseconds."""
DUPLICATE_VALUE_CHARS_MAX: Final = 200
"""Characters of what is compared; of more, a digest is. Ours: keeps the index narrow."""
INDEX_BATCH: Final = 100
"""Records that are added to an index in one step, of which a unit takes as many as it has time for."""

# Search.
SEARCH_CHARS_MAX: Final = 200
SEARCH_WORDS_MAX: Final = 8
"""Words of a query that are looked for; the others are ignored."""
SEARCH_ROWS: Final = 20
SEARCH_ROWS_MAX: Final = 50
SEARCH_CANDIDATES_MAX: Final = 100
"""Newest matching records of an object that are ranked."""
SEARCH_PREFIX_CHARS_MIN: Final = 3
"""Characters from which on the last word also finds longer ones."""
SEARCHED_WORDS_MAX: Final = 500
"""Different words of one record that it is found by."""
SEARCHED_WORD_CHARS_MAX: Final = 40
