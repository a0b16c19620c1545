"""What files share."""

from svc.actors.concurrency_limits import KeyedLimiter
from svc.domain.files.addresses import FileAddresses
from svc.domain.files.limits import UPLOADS_AT_ONCE, UPLOADS_AT_ONCE_OF_SENDER
from svc.storage.files.contents import FileStore
from svc.storage.files.memory import MemoryFiles


class FileResources:
    """Contents of files, their addresses, and uploads under way."""

    def __init__(self, sealing_secret: bytes, contents: FileStore | None = None) -> None:
        self.contents: FileStore = contents or MemoryFiles()
        """The contents of files."""
        self.addresses = FileAddresses(sealing_secret)
        """What signs addresses of files."""
        self.uploads = KeyedLimiter(UPLOADS_AT_ONCE, 0)
        """Uploads under way, by organization."""
        self.uploads_of_senders = KeyedLimiter(UPLOADS_AT_ONCE_OF_SENDER, 0)
        """Uploads under way, by who sends them."""
