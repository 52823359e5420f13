"""Files that only their owner can read: passwords, keys, what was typed."""

import os
import secrets
from pathlib import Path


def make_private(folder: Path) -> None:
    """Make a folder that only its owner can look into, and those above it that are missing; one that is there stays.

    Raises:
        OSError: It cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def write_private(path: Path, text: str, *, errors: str = "strict") -> None:
    """Write a file in UTF-8 that only its owner can read, whole or not at all.

    Args:
        path: The file; its folder exists.
        text: All that it holds.
        errors: What becomes of lone surrogates, as for `str.encode`.

    Raises:
        OSError: It cannot be written; what was there before is still there.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors=errors) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def append_private(path: Path, text: str, *, durable: bool = True) -> None:
    """Append to a file in UTF-8 that only its owner can read.

    Args:
        path: The file; its folder exists.
        text: What is added.
        durable: Whether it is on the disk when this returns.

    Raises:
        OSError: It cannot be written; a part of `text` may have been.
    """
    new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    if new and durable:
        sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Force a folder's entries to the disk: the name of a file in it is one of them.

    Raises:
        OSError: They cannot be written.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
