"""Links in mails lead to what there is."""

from urllib.parse import urlsplit

import pytest

from svc.domain.mail.kinds import NOTICE_KINDS, MailKind
from svc.domain.mail.letters import MailData, Reader, letter
from svc.http.docs import files
from svc.http.screens.assets import built
from svc.http.screens.boot import scripts_for

READER = Reader(
    organization_id="org_1", organization="Lamps", locale="en", time_zone="UTC", base_url="https://x.example"
)
KINDS: tuple[MailKind, ...] = (*NOTICE_KINDS, "invitation", "password.reset", "address.proof")


@pytest.mark.parametrize("kind", KINDS)
def test_every_link_leads_to_a_screen_or_a_guide(kind: MailKind):
    """A path below `/app` is in the list of screens, another is a guide."""
    link = letter(kind, MailData(id="sub_1", form_id="frm_1"), READER, "svcw_token").link
    path = urlsplit(link).path
    manifest = built().manifest
    if path.startswith("/docs/"):
        assert path.removeprefix("/docs/") in files.names()
    elif link:
        assert set(scripts_for(manifest, path)) > set(manifest.preload)
    else:
        assert "backup.failed" == kind
