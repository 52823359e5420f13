"""Plain facts about things: when they are, what they cost, whether they are open."""

from datetime import UTC, datetime

import pytest

from engram.beliefs.extraction.plain import plain_facts
from engram.beliefs.facts import Fact, SourceTurn

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)


def facts(text: str) -> list[Fact]:
    """Return what is found in a turn of Noor's."""
    turn = SourceTurn(id="t", text=text, speaker="Noor", at=AT, session="tea", source_tag="external_user")
    return plain_facts([turn])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our rent is 900 euros a month.", ("Noor", "price:rent", "900 euros a month", "none")),
        ("Our rent has gone up to \u20ac950.", ("Noor", "price:rent", "\u20ac950", "change")),
        ("My eye test is on 3 May at nine.", ("Noor", "date:eye_test", "3 May", "none")),
        ("My dentist appointment has moved to 10 May.", ("Noor", "date:dentist_appointment", "10 May", "change")),
        ("Our concert is on 13 May, not on the 14th.", ("Noor", "date:concert", "13 May", "correction")),
        ("The Blue Notes rehearse on Mondays.", ("Blue Notes", "date:rehearse", "Monday", "none")),
        ("My choir, the Blue Notes, rehearses on Mondays.", ("Blue Notes", "date:rehearse", "Monday", "none")),
        ("The sofa arrives on Friday, not on Monday.", ("sofa", "date:arrive", "Friday", "correction")),
        ("The lido is open again!", ("lido", "state", "open", "change")),
        ("I take the train to work.", ("Noor", "commute", "train", "none")),
        ("I cycle to work now.", ("Noor", "commute", "cycle", "change")),
        ("I work from home now.", ("Noor", "commute", "from home", "change")),
        ("I drink two cups of tea a day.", ("Noor", "drinks:tea", "drinks", "none")),
    ],
)  # fmt: skip
def test_what_is_said_of_a_thing(text: str, expected: tuple[str, ...]) -> None:
    """One's own thing is an attribute of the speaker, another has its own; either has one value at a time."""
    (fact,) = facts(text)
    assert (fact.subject, fact.slot, fact.value, fact.revision) == expected
    assert fact.single
    assert fact.value is not None


@pytest.mark.parametrize(
    "text",
    [
        "The deposit was 900 euros.",
        "The bill is 30 euros.",
        "The first one is on Friday.",
        "The party is on Friday.",
        "My sister is open.",
        "If the lido is open, I'll swim.",
        "Is the lido open?",
        "I would cycle to work.",
        "She said that our rent is 900 euros.",
        "My dog is on Friday.",
        "I take the train to Ghent.",
    ],
)
def test_what_tells_nothing_that_lasts(text: str) -> None:
    """What was, what is another each time, and what is asked, imagined or reported gives nothing."""
    assert facts(text) == []
