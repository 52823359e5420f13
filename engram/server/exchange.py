"""How a restored database takes the place of the old one, and gives way to it again.

A restore builds the new database in `restoring/`, while the old one is served on. The exchange moves the old one into
`before` and the new one into its place. Once the new one has started and answered, `before` is renamed to `replaced`,
and only what has that name is removed. So a `before` means an exchange that was not proven: whoever starts the server,
backs up or restores next undoes it first. To undo is to do the moves backwards; cut off too, it is begun again.

From jars, a database is the folder `data`, and each move is one rename. In Docker's volume it is a folder in
`databases/` and one in `transactions/`, beside those of the server's own database, which stay; only a container reaches
them, so the moves are shell scripts.
"""

import contextlib
import shutil
from pathlib import Path

from engram.errors import StartError
from engram.server.configuration import DATABASE
from engram.server.files import Home


def is_unproven(home: Home) -> bool:
    """Whether a restore began to exchange the databases and did not get to prove the new one."""
    return home.before.is_dir()


def put_in_place(home: Home) -> None:
    """Put the loaded database in the place of the old one, which is kept; the server is stopped.

    Raises:
        OSError: A folder cannot be moved; `undo` takes back what was done.
    """
    if home.data.exists():
        home.data.rename(home.before)
    else:
        home.before.mkdir(mode=0o700)  # there was none, and to undo is to have none again
    (home.draft / "data").rename(home.data)


def mark_proven(home: Home) -> None:
    """Let the new database stay: the old one will not be taken back.

    Raises:
        OSError: The mark cannot be set.
    """
    shutil.rmtree(_replaced(home), ignore_errors=True)
    home.before.rename(_replaced(home))


def undo(home: Home) -> None:
    """Take the old database back unless the new one was proven; the server is stopped.

    Raises:
        StartError: A folder cannot be moved.
    """
    if not is_unproven(home):
        return
    try:
        if home.data.exists():
            home.draft.mkdir(mode=0o700, exist_ok=True)
            home.data.rename(home.draft / "data")
    except OSError as error:
        raise StartError(
            f"The database that a restore replaced cannot be taken back: {error}.",
            remedy=f"It is kept in {home.before}. Repair the folder's permissions; the next start tries again.",
        ) from error
    home.recover()
    with contextlib.suppress(OSError):
        home.data.rmdir()  # empty where there was no database


def discard(home: Home) -> None:
    """Remove what was loaded and what a proven database replaced; what cannot be removed stays."""
    for folder in (home.draft, _replaced(home)):
        shutil.rmtree(folder, ignore_errors=True)


def _replaced(home: Home) -> Path:
    return home.root / "data.replaced"


LOOK = "if [ -d /data/before ]; then echo unproven; fi"
"""Prints a word where an exchange was not proven."""

# `mkdir` and `mv -T` fail rather than mix two databases.
PUT_IN_PLACE = f"""set -e
cd /data
mkdir before before/databases before/transactions
mkdir -p databases transactions
for part in databases transactions; do
  if [ -d $part/{DATABASE} ]; then mv -T $part/{DATABASE} before/$part/{DATABASE}; fi
done
for part in transactions databases; do mv -T restoring/$part/{DATABASE} $part/{DATABASE}; done
"""

MARK_PROVEN = """set -e
cd /data
rm -rf replaced
mv -T before replaced
"""

# What is not in restoring/ any more stands in its place. What stands there although it still is in restoring/, while
# the old one is in before/, is an empty database of a server that was started by hand after the cut.
UNDO = f"""set -e
cd /data
if [ -d before ]; then
  for part in databases transactions; do
    if [ ! -d restoring/$part/{DATABASE} ]; then
      if [ -d $part/{DATABASE} ]; then
        mkdir -p restoring/$part
        mv -T $part/{DATABASE} restoring/$part/{DATABASE}
      fi
    elif [ -d before/$part/{DATABASE} ]; then
      rm -rf $part/{DATABASE}
    fi
  done
  for part in transactions databases; do
    if [ -d before/$part/{DATABASE} ]; then mv -T before/$part/{DATABASE} $part/{DATABASE}; fi
  done
  rm -rf before
fi
"""

DISCARD = f"{UNDO}rm -rf restoring replaced\n"
