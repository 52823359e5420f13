"""What a new version of the working memory must not be: the collapse of the one before (seed: catastrophic collapse guard)."""

from engram.mind.state.sections import Section, lines_of, missing, sections, substance

MATURE = 2_000
"""Characters above which a version is mature: less than half of it is no update, but a loss."""
DROP = 0.5
MOST_POINTERS = 20
"""Pointers above which too much was put away at once."""
LEAST_SUBSTANCE = 50
"""Characters beside the headings below which a version says nothing."""


def refusal(new: str, old: str | None) -> str | None:
    """Return why a new version is not taken, in words for a person; None: it is.

    Args:
        new: The new version's text.
        old: The last version's that was taken; None: there is none.
    """
    if lacking := missing(new):
        return f"it lacks the sections {', '.join(section.value for section in lacking)}"
    if old is not None and len(old) > MATURE and len(new) < DROP * len(old):
        return f"it has {len(new):,} characters where the one before had {len(old):,}: a mass drop"
    pointers = sum(1 for _ in lines_of(sections(new)[Section.POINTERS]))
    if pointers > MOST_POINTERS:
        return f"it has {pointers} pointers, more than {MOST_POINTERS}: too much was put away"
    if (said := len(substance(new))) < LEAST_SUBSTANCE:
        return f"it says nothing: {said} characters beside its headings"
    return None
