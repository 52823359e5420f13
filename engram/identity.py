"""Who acts: for the history of what was changed, and by whom."""

import getpass
import os
import socket


def person() -> str:
    """Say who runs this: user and host."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may run as a number that has no name
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
