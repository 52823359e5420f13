"""Contradiction: what the words say, what the vectors say, and both together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config import Settings
from engram.embedding import CachedEmbedder, Vectors, open_embedder
from engram.embedding.protocol import Task
from engram.errors import EmbedderMissingError
from engram.loop.contradiction import Contradictions, compare_wording, settled
from engram.loop.negation import NegationDirection
from engram.loop.words import new_facts
from engram.testing import HashEmbedder

OPPOSED = """
My dog eats carrots. | My dog does not eat carrots.
I work at the hospital. | I don't work at the hospital any more.
Tom is married. | Tom is not married.
I love jazz. | I hate jazz.
The window is open. | The window is closed.
The soup was hot. | The soup was cold.
I always take the bus. | I never take the bus.
Lisa is a vegetarian. | Lisa eats meat every day.
The project was a success. | The project was a failure.
I drink alcohol. | I quit drinking, not a drop.
We decided to use Postgres. | We decided against using Postgres.
He agreed to the deal. | He refused the deal.
The server is up. | The server is down.
I feel happy today. | I feel sad today.
My flat is cheap. | My flat is expensive.
Grandma is alive. | Grandma is dead.
I have a car. | I have no car.
I speak French. | I can't speak French.
The exam was easy. | The exam was difficult.
She remembered my birthday. | She forgot my birthday.
I live in Berlin. | I live in Rome.
My flight is at 9. | My flight is at 10.
my dog is 3 years old | my dog is 5 years old
The meeting is on Friday. | The meeting is on Thursday.
"""
ALIKE = """
My dog eats carrots. | Carrots are what my dog eats.
I work at the hospital. | My job is at the hospital.
Tom is married. | Tom has a wife.
I love jazz. | Jazz is my favourite music.
The window is open. | Somebody opened the window.
The soup was hot. | The soup was very hot.
I always take the bus. | I take the bus every day.
Lisa is a vegetarian. | Lisa is vegetarian since May.
The project was a success. | The project went well.
I drink alcohol. | I drink beer and wine.
We decided to use Postgres. | Postgres is what we will use.
He agreed to the deal. | He accepted the deal.
The server is up. | The server is running.
I feel happy today. | I am in a good mood today.
My flat is cheap. | My flat does not cost much.
Grandma is alive. | Grandma is still living.
I have a car. | I own a car.
I speak French. | I speak French fluently.
The exam was easy. | The exam was a piece of cake.
She remembered my birthday. | She did not forget my birthday.
I bought apples and pears. | I bought pears and apples.
We met at the cafe. | We met in the cafe yesterday.
Ada is my sister. | Eva is my sister.
My dog Rex eats carrots. | My dog Rex eats apples.
I met Ada on Monday. | I met Bob on Monday.
"""


def pairs_of(text: str, *, opposed: bool) -> list[tuple[str, str, bool]]:
    """Return a line's two sentences each, and whether they are opposed."""
    lines = (line.split("|") for line in text.strip().splitlines())
    return [(one.strip(), other.strip(), opposed) for one, other in lines]


PAIRS = pairs_of(OPPOSED, opposed=True) + pairs_of(ALIKE, opposed=False)
"""None of them is among those that the direction is learned from or the threshold set by."""


@pytest.fixture(scope="module")
def minilm() -> CachedEmbedder:
    """Give the default embedder, where its model is installed."""
    try:
        return open_embedder(Settings.load(), download=False)
    except EmbedderMissingError:
        pytest.skip("the default embedding model is not installed")


@pytest.mark.parametrize(
    ("said", "held", "why"),
    [
        ("I don't like carrots.", "I like carrots.", "a negation"),
        ("We no longer rent the flat in Ghent.", "We rent the flat in Ghent.", "a negation"),
        ("Ich esse kein Fleisch", "Ich esse Fleisch", "a negation"),
        ("The shop is closed now", "The shop is open", "closed and open"),
        ("That was an unhappy end", "That was a happy end", "unhappy and happy"),
        ("I live in Rome", "I live in Berlin", "Rome instead of Berlin"),
        ("i live in rome", "i live in berlin", "rome instead of berlin"),
        ("My rent is 950 euros", "My rent is 900 euros", "950 instead of 900"),
        ("It rained. I don't like carrots. So what.", "I am Ada. I like carrots.", "a negation"),
        ("No, I live in Leiden.", "I live in Utrecht.", "Leiden instead of Utrecht"),
        ("Oh no, sorry, I live in Leiden", "Actually I live in Utrecht", "Leiden instead of Utrecht"),
        ("No, I don't like carrots", "I like carrots", "a negation"),
        ("Well, no - I like carrots", "I don't like carrots", "a negation"),
    ],
)
def test_words_that_oppose(said: str, held: str, why: str) -> None:
    """In sentences otherwise alike a negation, an antonym or another fact is opposition, both ways round."""
    wording = compare_wording(said, held)
    assert wording.found
    assert wording.firm
    assert wording.why == why
    assert compare_wording(held, said).found


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("She did not forget my birthday.", "She remembered my birthday."),
        ("Ada is my sister.", "Eva is my sister."),
        ("My dog eats apples.", "My dog eats carrots."),
        ("I don't like rain.", "The train to Ghent leaves at nine."),
        ("I never said that I do not like it.", "I like it."),
        ("", "I like carrots."),
        ("I have a dog and a cat.", "I have a dog."),
        ("No, I like carrots.", "I like carrots."),
        ("No.", "I like carrots."),
        ("No, no, no!", "No, no, no!"),
    ],
)
def test_words_that_do_not_oppose(said: str, held: str) -> None:
    """A negated opposite, another subject, something more or something else is no opposition; nor is a mere "no"."""
    assert compare_wording(said, held).found is False


def test_what_may_happen_twice_is_unsure() -> None:
    """To have met somebody on a day opposes no other meeting: words alone cannot tell."""
    wording = compare_wording("I met Ada on Monday", "I met Bob on Monday")
    assert wording.found is None
    assert not wording.firm


@given(text=st.text(max_size=300), other=st.text(max_size=300))
def test_any_texts_are_compared(text: str, other: str) -> None:
    """Whatever is compared there is an answer, and no text opposes itself."""
    assert compare_wording(text, other).found in {True, False, None}
    assert not compare_wording(text, text).found


def test_long_texts_are_compared_in_time() -> None:
    """Two megabytes of sentences come to an end."""
    assert compare_wording("I like tea. " * 90_000, "We went home. " * 90_000).found is False


def verdicts(embedder: CachedEmbedder) -> list[tuple[bool, bool, bool, bool]]:
    """Return for each pair whether it is opposed, and what the first, the second and both layers together say."""
    contradictions = Contradictions()
    direction = contradictions.direction(embedder)
    vectors = embedder.embed([text for one, other, _ in PAIRS for text in (one, other)])
    found = []
    for (one, other, opposed), a, b in zip(PAIRS, vectors[0::2], vectors[1::2], strict=True):
        both = contradictions.weigh((one, a), (other, b), direction)
        found.append((opposed, bool(compare_wording(one, other).found), direction.opposes(a, b), both.found))
    return found


def test_how_often_the_layers_are_right(minilm: CachedEmbedder) -> None:
    """With all-MiniLM-L6-v2, on pairs of their own: words 9 of 10, vectors alone 7 of 10, both 9 of 10."""
    found = np.array(verdicts(minilm))
    right = (found[:, 1:] == found[:, :1]).mean(axis=0)
    assert right[0] >= 0.9
    assert right[1] >= 0.7
    assert right[2] >= 0.9


def test_the_direction_is_that_of_a_negation(minilm: CachedEmbedder) -> None:
    """With all-MiniLM-L6-v2 every plain negation lies along it, and no paraphrase without a negation does."""
    direction = NegationDirection.learn(minilm)
    negated = [pair for pair in PAIRS if compare_wording(pair[0], pair[1]).why == "a negation"]
    plain = [pair for pair in PAIRS if not pair[2] and " not " not in pair[1]]
    assert len(negated) >= 5
    for pairs, opposed in ((negated, True), (plain, False)):
        vectors = minilm.embed([text for pair in pairs for text in pair[:2]])
        seen = [direction.opposes(a, b) for a, b in zip(vectors[0::2], vectors[1::2], strict=True)]
        assert set(seen) == {opposed}


class _Counting(HashEmbedder):
    """Counts how often it is asked."""

    calls = 0

    def embed(self, texts: object, task: Task = Task.DOCUMENT) -> Vectors:
        self.calls += 1
        return super().embed(texts, task)  # type: ignore[arg-type]


def test_a_direction_is_learned_once() -> None:
    """One embedding call for each embedder, and one direction for all that follows."""
    embedder, contradictions = _Counting(), Contradictions()
    first = contradictions.direction(embedder)
    assert contradictions.direction(embedder) is first
    assert embedder.calls == 1
    assert np.linalg.norm(first.direction) == pytest.approx(1.0)
    assert 0.0 < first.threshold < 1.0
    assert contradictions.direction(HashEmbedder(32)) is not first


@given(st.integers(0, 2**32 - 1))
def test_a_share_is_symmetric_and_of_one(seed: int) -> None:
    """Of any two vectors the share is the same both ways, 0 to 1, and 0 of the same."""
    generator = np.random.default_rng(seed)
    one, other, axis = (
        row / np.linalg.norm(row) for row in generator.normal(size=(3, 16)).astype(np.float32)
    )
    direction = NegationDirection(axis, 0.5)
    assert direction.share(one, other) == pytest.approx(direction.share(other, one), abs=1e-6)
    assert 0.0 <= direction.share(one, other) <= 1.0 + 1e-6
    assert direction.share(one, one) == 0.0


def unit(angle: float) -> Vectors:
    """Return a vector in the plane."""
    return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


ACROSS, ALONG = NegationDirection(unit(0.0), 0.5), NegationDirection(unit(np.pi / 2), 0.5)
"""Of the difference of `unit(-0.1)` and `unit(0.1)` nothing lies along the first, and all of it along the second."""


@pytest.mark.parametrize(
    ("said", "direction", "found", "layer", "sure"),
    [
        ("I do not like tea", ALONG, True, "negation", True),
        ("I really like tea", ACROSS, False, "negation", True),
        ("I do not like tea", ACROSS, True, "negation", False),
        ("I really like tea", ALONG, True, "embedding", False),
        ("I do not dislike tea", ALONG, False, "negation", False),
    ],
)
def test_which_layer_has_the_last_word(
    said: str, direction: NegationDirection, layer: str, *, found: bool, sure: bool
) -> None:
    """Where both agree it is sure; else a firm word of the first stands, and without one that of the second."""
    opposition = Contradictions().weigh((said, unit(-0.1)), ("I like tea", unit(0.1)), direction)
    assert (opposition.found, opposition.layer, opposition.sure) == (found, layer, sure)


def test_a_model_has_the_last_word_of_all() -> None:
    """What it says replaces what was unsure."""
    unsure = Contradictions().weigh(("I do not like tea", unit(-0.1)), ("I like tea", unit(0.1)), ACROSS)
    asked = settled(unsure, contradicts=False)
    assert (asked.found, asked.layer, asked.sure) == (False, "model", True)


@pytest.mark.parametrize(
    ("said", "held", "new"),
    [
        ("My dog Rex eats carrots", "My dog Rex eats carrots.", ()),
        ("Actually, my dog Rex eats carrots", "My dog Rex eats carrots.", ()),
        ("We moved to Ghent in May", "We moved to Ghent", ("May",)),
        ("We moved to Ghent in may", "We moved to Ghent", ()),
        ("I have 3 dogs", "I have two dogs", ("3",)),
        ("Max eats carrots", "Rex eats carrots", ("Max",)),
        ("I saw Ada's dog", "I saw Ada and a dog", ()),
        ("See you on friday", "See you", ("friday",)),
        ("I told Bob about it", "I told somebody about it", ("Bob",)),
    ],
)
def test_new_facts(said: str, held: str, new: tuple[str, ...]) -> None:
    """Numbers, dates and names that the other does not have; a capital at the beginning is no name by itself."""
    assert new_facts(said, held) == new


@given(st.text(max_size=200))
def test_a_text_has_no_new_facts_against_itself(text: str) -> None:
    """Whatever it says, it says again."""
    assert new_facts(text, text) == ()
