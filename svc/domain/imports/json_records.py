"""Records of lines of JSON, a slice at a time."""

import io

from svc.domain.imports.csv_records import Slice, TextRecord


def read_slice(text: str, *, line: int, final: bool, records_max: int) -> Slice:
    """The first records of *text*, whose first line has the number *line*; empty lines are none.

    Unless the text is the *final* one, a last line that has no end is left.
    """
    usable = text if final else text[: text.rfind("\n") + 1]
    records: list[TextRecord] = []
    chars = lines = 0
    for one in io.StringIO(usable, newline="\n"):
        if len(records) == records_max:
            break
        if one.strip():
            records.append(TextRecord(line + lines, [], one.strip("\r\n"), None))
        chars, lines = chars + len(one), lines + 1
    return Slice(records, chars, lines)
