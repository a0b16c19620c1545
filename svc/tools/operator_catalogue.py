"""The operator's commands by their names."""

from typing import Any, Final

from svc.tools.ai.operator_commands import grant_credits
from svc.tools.command import Command
from svc.tools.erasure_commands import erase_rows, merge_search, note_erasure
from svc.tools.mail.operator_commands import note_failed_backup
from svc.tools.operator_commands import (
    change_plan,
    close_organization,
    create_organization,
    create_user,
    make_link,
    mint_key,
    set_up,
)

COMMANDS: Final[dict[str, Command[Any, Any]]] = {
    entry.name: entry
    for entry in (
        create_organization,
        change_plan,
        close_organization,
        create_user,
        erase_rows,
        grant_credits,
        make_link,
        merge_search,
        mint_key,
        note_erasure,
        note_failed_backup,
        set_up,
    )
}
