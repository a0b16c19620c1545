"""Tables on the terminal: columns aligned to the left, two spaces apart."""

from collections.abc import Sequence

import click


def echo_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print *rows* below the headings *head*."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
