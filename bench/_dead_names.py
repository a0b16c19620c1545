"""The program, with a resolver some of whose names are dead: `python -m bench._dead_names run …`.

What is below `.dead.test` is given up after 20 seconds, as the C library does by default where two name
servers never answer. What is below `.here.test` leads to this machine. Nothing else is touched.
"""

import socket
import time
from typing import Any, Final

GIVEN_UP_SECONDS: Final = 20
_getaddrinfo: Final = socket.getaddrinfo


def look_up(host: Any, *args: Any, **kwargs: Any) -> Any:
    """As `socket.getaddrinfo`."""
    if isinstance(host, str) and host.endswith(".dead.test"):
        time.sleep(GIVEN_UP_SECONDS)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    if isinstance(host, str) and host.endswith(".here.test"):
        host = "127.0.0.1"
    return _getaddrinfo(host, *args, **kwargs)


if __name__ == "__main__":
    socket.getaddrinfo = look_up

    from svc.cli import main  # modules take `getaddrinfo` as they are imported

    main()
