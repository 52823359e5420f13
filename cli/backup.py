"""`engram backup` and `engram restore`: the managed server's database as one file."""

from pathlib import Path

import click

from engram.server.backup import Receipt
from engram.server.backup import backup as make_backup
from engram.server.backup import restore as restore_backup

from .state import State

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@click.option("--overwrite", is_flag=True, help="Replace FILE once the new backup is complete.")
@click.option(
    "--check/--no-check", default=True, show_default=True, help="Try the backup by loading it aside."
)
@click.pass_obj
def backup(state: State, *, file: Path, overwrite: bool, check: bool) -> None:
    """Copy the managed server's whole database, all spaces, into FILE.

    The server is stopped while it is dumped, and started again if it ran.
    """
    receipt = make_backup(state.settings, file, state.say, overwrite=overwrite, check=check)
    _tell(state, receipt, "Backed up to")


@click.command()
@click.argument("file", type=FILE)
@click.option("--replace", is_flag=True, help="Put the backup in the place of the database that is there.")
@click.pass_obj
def restore(state: State, *, file: Path, replace: bool) -> None:
    """Bring back the managed server's database from FILE, a file of `engram backup`."""
    receipt = restore_backup(state.settings, file, state.say, replace=replace)
    _tell(state, receipt, "Restored from")


def _tell(state: State, receipt: Receipt, done: str) -> None:
    manifest = receipt.manifest
    if state.json:
        state.print_json(
            State.plain(manifest) | {"path": receipt.path, "seconds_away": round(receipt.seconds_away, 1)}
        )
        return
    away = f"; no server answered for {receipt.seconds_away:.1f} s" if receipt.seconds_away else ""
    size = f"{manifest.dump_bytes / 1e6:.1f} MB, {manifest.store_bytes / 1e6:.1f} MB as a database"
    state.say(f"{done} {receipt.path}: {size}, made {manifest.made_at}{away}.")
