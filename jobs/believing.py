"""Believing: what jobs that change beliefs have in common, the way back."""

from engram.beliefs.changes import undo
from engram.errors import InvalidInputError

from .job import Work


def undo_changes(work: Work) -> None:
    """Take back the changes of belief that a run has made, the newest first; what stands in the way of one is noted."""
    for row in work.read("believe/list_run_changes", space=work.space, run=work.undoing):
        if work.stopping():
            return
        if not work.dry_run:
            try:
                undo(work.graph, space=work.space, change=row["id"], now=work.now)
            except InvalidInputError as error:
                work.notes.append(error.message)
                continue
        work.count(1, [{"names": row["names"]} if row["names"] else {"id": row["id"]}])
