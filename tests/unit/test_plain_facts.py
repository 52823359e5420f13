"""Facts by patterns: what people say outright is found, and nothing else is."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.extraction.plain import plain_facts
from engram.beliefs.extraction.plain.words import words
from engram.beliefs.extraction.slots import SLOTS, conjugate, find_slot, listed_slots, third_person
from engram.beliefs.facts import Category, Fact, SourceTurn, slot_key

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
"""A Wednesday."""


def turn(text: str, *, name: str = "t", speaker: str = "Noor", session: str = "tea") -> SourceTurn:
    """Return something that a person said."""
    return SourceTurn(id=name, text=text, speaker=speaker, at=AT, session=session, source_tag="external_user")


def facts(*texts: str, before: Sequence[str] = ()) -> list[Fact]:
    """Return what is found in turns of one speaker."""
    said = [turn(text, name=f"t{n}") for n, text in enumerate(texts)]
    return plain_facts(said, before=[turn(text, name=f"b{n}") for n, text in enumerate(before)])


def claims(text: str) -> list[str]:
    """Return the facts of a text, as `subject slot = value`, with `!=` for what is denied."""
    return [
        f"{fact.subject} {fact.slot} {'!=' if fact.negated else '='} {fact.value}" for fact in facts(text)
    ]


FOUND = [
    # where
    ("I live in Utrecht.", ["Noor home = Utrecht"]),
    ("i live in utrecht", ["Noor home = utrecht"]),
    ("We live in a small flat in New York City.", ["Noor home = New York City"]),
    ("I've just moved to Leiden!", ["Noor home = Leiden"]),
    ("We moved from Ghent to The Hague.", ["Noor home = The Hague", "Noor home = Ghent"]),
    ("I was born in Antwerp and I grew up in Breda.", ["Noor birthplace = Antwerp", "Noor grew_up = Breda"]),
    ("I'm from Belgium.", ["Noor origin = Belgium"]),
    ("I no longer live in Utrecht.", ["Noor home != Utrecht"]),
    ("I don't live in Utrecht any more.", ["Noor home != Utrecht"]),
    ("We visited Rome last May.", ["Noor visited = Rome"]),
    # work and study
    ("I work at Acme as a nurse.", ["Noor employer = Acme", "Noor occupation = nurse"]),
    ("I'm a software engineer at Acme.", ["Noor occupation = software engineer", "Noor employer = Acme"]),
    ("I started at Beta Corp last week.", ["Noor employer = Beta Corp"]),
    ("I got a new job at McDonald's.", ["Noor employer = McDonald's"]),
    ("I quit my job at Acme yesterday.", ["Noor employer != Acme"]),
    ("I was a waiter for years, but I'm not a waiter any more.", ["Noor occupation != waiter"]),
    ("I was laid off.", ["Noor employer != None"]),
    ("I study physics at Leiden University.", ["Noor school = Leiden University", "Noor studies = physics"]),
    ("I retired in 2020.", ["Noor occupation = retired"]),
    # who
    ("My name is Noor de Vries.", ["Noor name = Noor de Vries"]),
    ("Everyone calls me Nootje.", ["Noor also_known_as = Nootje"]),
    ("I'm 34 years old.", ["Noor age = 34"]),
    ("I turned thirty last week.", ["Noor age = 30"]),
    ("My birthday is on the 3rd of May.", ["Noor birthday = 3 May"]),
    ("I was born on May 3, 1990.", ["Noor birthday = 3 May", "Noor birth_year = 1990"]),
    ("My sister Anna lives in Leiden.", ["Noor sister = Anna", "Anna home = Leiden"]),
    ("Anna, my sister, is a doctor.", ["Noor sister = Anna", "Anna occupation = doctor"]),
    ("Eva is my boss.", ["Noor boss = Eva"]),
    ("My husband's name is Tom.", ["Noor partner = Tom"]),
    ("I'm married to Tom.", ["Noor marital_status = married", "Noor partner = Tom"]),
    ("Tom and I broke up.", ["Noor partner != Tom"]),
    ("My wife Anna and I separated.", ["Noor partner != Anna"]),
    ("I got divorced.", ["Noor marital_status = divorced", "Noor partner != None"]),
    ("My dog Rex died yesterday.", ["Noor pet != Rex"]),
    ("We had to put down our cat Mies.", ["Noor pet != Mies"]),
    ("We have a dog named Rex and a boat.", ["Noor pet = Rex"]),
    ("I have a cat.", ["Noor pet = cat"]),
    ("My phone number is +31 6 1234 5678.", ["Noor phone_number = +31 6 1234 5678"]),
    ("My email address is noor@example.org.", ["Noor email = noor@example.org"]),
    ("I drive an old Volvo.", ["Noor car = Volvo"]),
    ("I sold my car.", ["Noor car != None"]),
    ("I switched to an iPhone 15.", ["Noor phone = iPhone 15"]),
    # tastes
    ("I love tea and coffee.", ["Noor likes:tea = likes", "Noor likes:coffee = likes"]),
    ("I hate mushrooms.", ["Noor likes:mushrooms = dislikes"]),
    ("I can't stand jazz.", ["Noor likes:jazz = dislikes"]),
    ("I'm a big fan of opera.", ["Noor likes:opera = likes"]),
    ("I'm not a fan of opera.", ["Noor likes:opera = dislikes"]),
    ("I don't like olives any more.", ["Noor likes:olives = dislikes"]),
    ("My favourite colour is green.", ["Noor favourite:colour = green"]),
    ("Blade Runner is my favorite movie.", ["Noor favourite:film = Blade Runner"]),
    ("I'm a vegetarian.", ["Noor diet = vegetarian"]),
    ("I went vegan in January.", ["Noor diet = vegan"]),
    ("I don't eat meat.", ["Noor eats:meat = does not eat"]),
    ("I stopped smoking.", ["Noor smoking = does not smoke"]),
    (
        "I'm allergic to nuts, shellfish and pollen.",
        ["Noor allergy:nuts = nuts", "Noor allergy:shellfish = shellfish", "Noor allergy:pollen = pollen"],
    ),
    ("Remember that I'm lactose intolerant.", ["Noor allergy:lactose = lactose"]),
    # doing
    ("I speak Dutch and German.", ["Noor language = Dutch", "Noor language = German"]),
    ("I'm learning Spanish now.", ["Noor learning:spanish = Spanish"]),
    ("I can swim.", ["Noor skill:swim = swim"]),
    ("I can't swim.", ["Noor skill:swim != swim"]),
    ("I learned to juggle last year.", ["Noor skill:juggle = juggle"]),
    ("I'm reading Middlemarch.", ["Noor reading = Middlemarch"]),
    ("I never lend money to friends.", ["Noor habit:lend_money_to_friends = never"]),
    # of others, by name
    ("Anna works at Acme and Bob speaks Welsh.", ["Anna employer = Acme", "Bob language = Welsh"]),
    ("Bob doesn't live in Ghent any more.", ["Bob home != Ghent"]),
    (
        "My brother Theodor, we call him Teddy, is allergic to peanuts.",
        ["Noor brother = Theodor", "Theodor allergy:peanuts = peanuts"],
    ),
    ("Ingrid's birthday is 16 March.", ["Ingrid birthday = 16 March"]),
]

NOTHING = [
    "Where do I live?",
    "Do you know that I live in Utrecht?",
    "If I lived in Rome I would be happy.",
    "I might move to Rome.",
    "I wish I lived in Rome.",
    "I would like to live in Rome.",
    "I want to work at Acme.",
    "Imagine I'm a doctor at Acme.",
    "Bob says he lives in Rome.",
    "She told me that I live in the past.",
    '"I live in Rome and work at Acme," he shouted.',
    "In the film I live in Rome.",
    "> I live in Rome",
    "```\nI live in Rome\n```",
    "I'm joking: I live in Atlantis.",
    "She lives in Rome.",
    "They work at Acme.",
    "Everyone works at Acme.",
    "I live in fear.",
    "I live in the moment.",
    "I'm moving to Rome next year, perhaps.",
    "I'm moving to Vienna next month.",
    "I quit. I start at Medisoft as a data analyst on Monday.",
    "We broke up the fight.",
    "My sister and I split up in May.",
    "My dog Rex nearly died.",
    "We moved to Linux.",
    "I work at Anna's bakery.",
    "I left Berlin early.",
    "I'm a bit tired.",
    "I'm a good cook.",
    "I'm 180 cm tall.",
    "I'm 5 minutes late.",
    "I love it.",
    "I love the way you said this.",
    "I love my job.",
    "I'd like tea.",
    "I don't love tea.",
    "Sounds like fun!",
    "Themes like love and loss were all over it.",
    "My favourite part is the ending.",
    "I can come tomorrow.",
    "I can't wait.",
    "I never knew.",
    "I always thought so.",
    "I did not move to Rome.",
    "I have never been to Paris.",
    "I'll do it tomorrow.",
    "I have to go.",
    "I promised him that.",
    "Thanks, that is very kind of you!",
    "2026-03-04 12:00:01 INFO I live in Rome",
    "",
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_what_is_said_outright_is_found(text: str, expected: list[str]) -> None:
    """Each statement has its subject, slot and value, and no other is found in it."""
    assert claims(text) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_said_outright_is_nothing(text: str) -> None:
    """Questions, wishes, conditions, quotations, hearsay and talk are no facts."""
    assert claims(text) == []


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("I live in Leiden.", "none"),
        ("I live in Leiden now.", "change"),
        ("I live in Leiden now, on the canal.", "change"),
        ("These days I live in Leiden.", "change"),
        ("I've lived in Leiden since March 2024.", "change"),
        ("I moved to Leiden.", "change"),
        ("I no longer live in Leiden.", "change"),
        ("My new favourite colour is green.", "change"),
        ("No, I meant I live in Leiden.", "correction"),
        ("Correction: I live in Leiden.", "correction"),
        ("Actually, I live in Leiden.", "correction"),
        ("Actually, I live in Leiden now.", "change"),
        ("That was wrong. I live in Leiden.", "correction"),
        ("I live in Leiden, not Utrecht.", "correction"),
        ("Sorry, I misspoke: my birthday is March 15.", "correction"),
        ("My birthday is March 15, not March 14.", "correction"),
        ("No, Eva lives in Linz.", "correction"),
        ("No, I live in Leiden.", "correction"),
        ("I love olives now.", "change"),
        ("We broke up.", "change"),
        ("My dog Rex passed away.", "change"),
    ],
)
def test_words_tell_a_change_from_a_mistake(text: str, revision: str) -> None:
    """What has changed was so before; what is corrected never was."""
    assert [fact.revision for fact in facts(text)] == [revision]


def test_a_denial_before_a_statement_makes_it_a_correction() -> None:
    """Who says what is not so and what is corrects; who says that it has changed does not."""
    not_so, so = facts("I don't live in Utrecht, I live in Leiden.")
    assert (not_so.negated, so.revision) == (True, "correction")
    _, later = facts("I don't live in Utrecht any more, I live in Leiden.")
    assert later.revision == "none"


def test_what_was_meant_goes_back_to_what_was_said() -> None:
    """What was "meant" has the slot of the speaker's last claim: in this turn, the one before, or before the batch."""
    for found in (
        facts("I live in Utrecht. No, I meant Leiden."),
        facts("I live in Utrecht.", "Sorry, I meant Leiden."),
        facts("It's Leiden, not Utrecht.", before=["I live in Utrecht."]),
    ):
        assert (found[-1].slot, found[-1].value, found[-1].revision) == ("home", "Leiden", "correction")
    assert facts("It's Leiden, not Ghent.", before=["I live in Utrecht."]) == []
    assert facts("No, I meant Leiden.") == []
    assert facts("Sorry, I meant Leiden.", before=["I'm 34 years old."]) == []


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I live in Leiden.", None, None),
        ("I've lived in Leiden since March 2024.", "2024-03-01", None),
        ("Last May I moved to Leiden.", "2025-05-01", None),
        ("I moved to Leiden in 2019.", "2019-01-01", None),
        ("I started at Acme two years ago.", "2024-03-04", None),
        ("I used to live in Leiden.", None, "2026-03-04"),
        ("I lived in Leiden from 2015 to 2019.", "2015-01-01", "2020-01-01"),
        ("I worked at Acme until 2020.", None, "2021-01-01"),
        ("I was a nurse.", None, "2026-03-04"),
    ],
)
def test_words_tell_since_and_until_when(text: str, since: str | None, until: str | None) -> None:
    """Times are those of the words, seen from when they were said; what is over is not denied."""
    (fact,) = facts(text)
    times = [time and f"{time:%Y-%m-%d}" for time in (fact.valid_from, fact.valid_to)]
    assert times == [since, until]
    assert not fact.negated


@pytest.mark.parametrize(
    ("text", "category", "content"),
    [
        ("I live in Utrecht.", Category.FACT, "Noor lives in Utrecht."),
        ("I no longer work at Acme.", Category.FACT, "Noor no longer works at Acme."),
        ("I used to smoke.", Category.FACT, "Noor used to smoke."),
        ("I love tea.", Category.PREFERENCE, "Noor likes tea."),
        ("I have a cat called Mies.", Category.RELATIONSHIP, "Noor has a cat called Mies."),
        ("I can play the piano.", Category.SKILL, "Noor is able to play the piano."),
        ("I always wear a helmet.", Category.PRINCIPLE, "Noor always wears a helmet."),
        ("I've decided to sell my car.", Category.DECISION, "Noor decided to sell their car."),
        ("I promised to call Eva.", Category.COMMITMENT, "Noor promised to call Eva."),
        (
            "I have to send the report by Friday.",
            Category.COMMITMENT,
            "Noor has to send the report by Friday (2026-03-06).",
        ),
        (
            "I'm going to visit my aunt in June.",
            Category.COMMITMENT,
            "Noor plans to visit their aunt in June (2026-06).",
        ),
        (
            "On Monday I ran ten miles along the river.",
            Category.MOMENT,
            "Noor ran ten miles along the river (2026-03-02).",
        ),
    ],
)
def test_a_fact_is_a_sentence_that_stands_by_itself(text: str, category: Category, content: str) -> None:
    """Names stand in place of "I" and "my", and dates beside "Friday"; the category is the statement's."""
    (fact,) = facts(text)
    assert (fact.category, fact.content) == (category, content)


def test_you_is_whoever_is_spoken_to() -> None:
    """A promise to "you" names the only other speaker; where nobody knows who that is, it is left out."""
    promise = turn("I promised to send you the file.")
    assert plain_facts([promise]) == []
    (fact,) = plain_facts([promise], before=[turn("Please!", name="b", speaker="Bob")])
    assert fact.content == "Noor promised to send Bob the file."
    elsewhere = turn("Please!", name="b", speaker="Bob", session="work")
    assert plain_facts([promise], before=[elsewhere]) == []


def test_what_is_supposed_is_speculation() -> None:
    """A hedge keeps the fact, below 0.4."""
    for text in (
        "I think Anna works at Acme.",
        "Maybe Anna works at Acme.",
        "Anna probably works at Acme.",
        "Perhaps I work at the CIA, who knows.",
        "I work at the CIA, I guess.",
    ):
        assert [fact.confidence < 0.4 for fact in facts(text)] == [True]
    assert facts("Anna works at Acme.")[0].confidence > 0.4


def test_the_default_speaker_is_the_user() -> None:
    """A sentence about a speaker without a name begins with "The user", and the subject stays the speaker."""
    (fact,) = plain_facts([turn("I live in Utrecht.", speaker="user")])
    assert (fact.content, fact.subject) == ("The user lives in Utrecht.", "user")


def test_the_turns_before_give_no_facts() -> None:
    """They are there to understand, and were read before."""
    assert facts("I work at Acme.", before=["I live in Utrecht."])[0].slot == "employer"
    assert len(facts("I work at Acme.", before=["I live in Utrecht."])) == 1


WORDS = st.sampled_from(
    sorted(
        words(
            "I we my Anna Bob Acme Utrecht live lives in at work works moved to from a the not don't no longer any more now since "
            "May 2024 and but , . ! ? ; - \" ' ( love hate tea promised decided always never am is was born used sister "
            "favourite it's I'm can't will > ``` \u00e9 \u4f60\u597d \N{RIGHT SINGLE QUOTATION MARK} \u201c \u201d"
        )
        | {"\n"}
    )
)


@given(st.lists(WORDS, max_size=60).map(" ".join) | st.text(max_size=300))
def test_whatever_is_said_facts_keep_their_rules(text: str) -> None:
    """Any text is fine. Quotes stand in it, sentences are sentences, slots are known, and times are in order."""
    for fact in facts(text):
        assert all(quote.text in text and quote.text for quote in fact.quotes)
        assert fact.content.endswith(".")
        assert "\n" not in fact.content
        assert 0 < fact.confidence <= 1
        assert fact.slot is None or (find_slot(fact.slot) and slot_key(fact.slot) == fact.slot)
        assert fact.slot is None or fact.value is not None or fact.negated
        assert fact.valid_to is None or fact.valid_from is None or fact.valid_from < fact.valid_to


@given(st.lists(st.sampled_from([text for text, _ in FOUND]), max_size=6))
def test_turns_are_read_in_order(texts: list[str]) -> None:
    """The facts of several turns come in the order of the turns, and each turn's are what they are alone."""
    found = facts(*texts)
    places = [int(fact.quotes[0].turn[1:]) for fact in found]
    assert all(one <= other for one, other in pairwise(places))
    assert len(found) == sum(len(facts(text)) for text in texts)


# ----- Slots


def test_every_slot_says_a_sentence_in_each_form() -> None:
    """The same value held, denied, ended and past are four sentences."""
    for name, slot in SLOTS.items():
        forms = {
            slot.says("Noor", "colour", "green", form=form) for form in ("holds", "denied", "ended", "once")
        }
        assert len(forms) == 4, name
    assert SLOTS["favourite"].says("Noor", "colour", "green") == "Noor's favourite colour is green."
    assert "home (one)" in listed_slots()
    assert "likes:WHAT (one)" in listed_slots()
    assert find_slot("likes:tea") is SLOTS["likes"]
    assert find_slot("shoe_size") is None


@pytest.mark.parametrize(
    ("verb", "third"),
    [("live", "lives"), ("study", "studies"), ("play", "plays"), ("have", "has"), ("go", "goes")],
)
def test_verbs_take_their_ending(verb: str, third: str) -> None:
    """English spelling, and the irregular ones."""
    assert third_person(verb) == third
    assert conjugate(f"{verb} it", "holds") == f"{third} it"
