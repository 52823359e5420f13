"""The signal scan: what words alone tell about a message."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.signals import FORMS, HIGH, scan

TOLD = {
    "remember": "Please remember that I am allergic to nuts.|Remember: the key is under the mat.|Don't forget my tea."
    "|Do not forget to water it.|Could you remember my address?|Keep in mind that she is deaf.|Note to self: buy milk"
    "|For the record, I was there.|Merk dir das bitte.|N'oublie pas la clé|Recuerda que es lunes|No olvides la llave",
    "correction": "No, actually it was Tuesday.|I meant Berlin.|That's wrong.|That is not true.|You got it wrong"
    "|Actually, it's in May.|Correction: it was 4 pm.|Das stimmt nicht.|Ich meinte Köln.|Non, en fait c'est lundi.",
    "preference": "I prefer tea.|I don't like fish.|My favourite colour is red.|I'd rather walk.|I'm a big fan of jazz"
    "|Ich mag Katzen|Je préfère le thé|Me gusta el café",
    "decision": "We decided to use Postgres.|I've finally decided.|Let's go with the red one.|The decision is final"
    "|I made up my mind|Wir haben uns gestern für Linux entschieden|J'ai décidé de partir|Hemos decidido ir",
    "commitment": "I'll call you.|I promise to write.|I will definitely send it|We've committed to it|I'll be there"
    "|Ich verspreche es|Je promets",
    "fact": "My name is Ada.|I live in Rome.|I'm a nurse.|I work at the hospital.|Call me Al|My birthday is in May"
    "|Ich heiße Ada|J'habite à Paris|Me llamo Ada",
    "relationship": "My sister Eva is here.|Our old neighbour died.|She is married to Tom.|Meine Frau ist da|Ma mère",
    "principle": "I never drink.|Always lock the door.|As a rule, we test first.|From now on use tabs.",
    "moment": "See you on Friday.|It is due tomorrow.|The call is at 10:30.|On 2026-05-01 we move.|On 3 May 2026|1.5.2026"
    "|Next week then|Morgen? Nein, heute.|Demain",
    "skill": "I can play the piano.|I'm fluent in French.|I taught myself to sew",
    "forget": "Forget that I said this.|Please forget my address.|Delete everything you know about me."
    "|Don't store this.|Vergiss das",
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in TOLD.items() for text in texts.split("|")]
)
def test_what_words_tell_is_found(name: str, text: str) -> None:
    """Each form of each signal is seen, with either apostrophe, in any case and on a line of its own."""
    assert name in scan(text).names
    assert name in scan(text.upper()).names
    assert name in scan(f"Hm.\n{text.replace(chr(39), chr(0x2019))}\nYes.").names


@pytest.mark.parametrize(
    "text",
    [
        "What is the weather like?",
        "How are you?",
        "The cat sat on the mat.",
        "Thanks!",
        "no, that's fine",
        "",
        "🙂",
        "It rained all day.",
        "Water boils at 100 degrees.",
        "Where is the station?",
        "Das Haus ist rot.",
    ],
)
def test_small_talk_has_no_signal(text: str) -> None:
    """A message without any form has none."""
    assert scan(text).names == ()


@pytest.mark.parametrize(
    ("text", "not_told"),
    [
        ("Do you remember that trip?", "remember"),
        ("I don't remember this at all.", "remember"),
        ("I remember my first day.", "remember"),
        ("I'll never forget that day.", "forget"),
        ("Don't forget my birthday.", "forget"),
        ("I always forget that.", "commitment"),
        ("A remembered thing", "remember"),
    ],
)
def test_to_ask_or_to_tell_is_not_to_demand(text: str, not_told: str) -> None:
    """Remembering and forgetting count where they are asked for, not where they are told of."""
    assert not_told not in scan(text).names


def test_what_is_high_does_not_wait() -> None:
    """An explicit wish, a correction, a promise and a decision are high, and nothing else is."""
    for name, texts in TOLD.items():
        alone = [found for text in texts.split("|") if (found := scan(text)).names == (name,)]
        assert alone
        assert {found.high for found in alone} == {name in HIGH}


def test_every_repeat_is_bounded() -> None:
    """No form has a repeat without an end, so a scan's time is in proportion to the text."""
    for forms in FORMS.values():
        for words, rest in forms:
            assert re.fullmatch(r"[\w' ]+", words)
            assert not re.search(r"(?<!\\)[*+]|\{\d*,\}", rest), rest


HOSTILE = [
    "i ",
    "i will ",
    "my ",
    "remember ",
    "don't ",
    "a",
    " ",
    "1",
    "forget that",
    "ich habe x ",
    "\n",
    "'",
    "i'm a ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """A megabyte of what begins forms and never ends them is scanned like any other text."""
    assert set(scan(text * (1_000_000 // len(text))).names) <= FORMS.keys()


@given(before=st.text(max_size=200), after=st.text(max_size=200))
def test_a_signal_is_found_wherever_it_stands(before: str, after: str) -> None:
    """Other sentences around it hide nothing."""
    assert "fact" in scan(f"{before}\nMy name is Ada.\n{after}").names


@given(st.text())
def test_any_text_has_known_signals_in_order(text: str) -> None:
    """Whatever is scanned, the names are those of the forms, each once and in their order."""
    found = scan(text)
    assert list(found.names) == [name for name in FORMS if name in found.names]
    assert found.high is bool(HIGH & {*found.names})
