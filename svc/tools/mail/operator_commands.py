"""The operator's commands about mail; see `svc.tools.operator_commands`."""

from svc.domain.mail.letters import MailData
from svc.storage.identity import organizations
from svc.storage.mail import notices
from svc.storage.mail.notices import Notice
from svc.storage.store import Tx
from svc.tools.command import command
from svc.tools.tool import ToolInput, ToolOutput


class FailedBackup(ToolInput, frozen=True, kw_only=True):
    """A backup that failed, and why."""

    reason: str


class NotedBackup(ToolOutput, frozen=True, kw_only=True):
    """Nothing to answer."""


@command("backup.failed", alone=True)
def note_failed_backup(tx: Tx, request: FailedBackup) -> NotedBackup:
    """Tell the Owners who want to know that a backup has failed."""
    notice = Notice(tx.new_id("bak"), MailData(reason=request.reason, at=tx.now))
    for organization in organizations.list_all(tx.conn):
        if organization.closed_at is None:
            notices.tell(tx, organization.id, "backup.failed", lambda: [notice])
    return NotedBackup()
