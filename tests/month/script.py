"""What is said in the month, by day: a person who restores a boat, keeps a garden, learns a language and changes jobs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

WEEK = (0, 2, 5)
"""Days of the week on which there is a conversation."""
HOUR = 19
"""Of the day at which it begins."""

Doing = Literal["say", "good", "bad", "goal", "done", "mention", "note", "settle"]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that a person does in a conversation."""

    doing: Doing
    text: str = ""
    """What is said, the goal that is set, the words of the goal that is reached or mentioned, or those that hold."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One conversation."""

    day: int
    acts: tuple[Act, ...]


GOALS: Mapping[int, tuple[str, ...]] = {
    0: ("Finish restoring the boat Marlin", "Grow tomatoes in the garden"),
    2: ("Learn Portuguese for Lisbon",),
    7: ("Find a new job in Ghent",),
}
"""Goals by the day on which they are set."""
REACHED: Mapping[int, str] = {16: "Finish restoring the boat Marlin"}
"""By the day, what is reached."""
VALUE = (
    "I always speak Portuguese in Lisbon",
    "You know that I always speak Portuguese in Lisbon",
    "It matters to me: I always speak Portuguese in Lisbon",
)
"""The same, again and again: what is evidenced on many days comes to matter."""
NOTES: Mapping[int, str] = {
    2: "The tomatoes in my garden need water every second evening",
    5: "The tomatoes in my garden need fresh water every second evening",
    7: "All the tomatoes in my garden need water every second evening",
}
"""By the day, what is noted with `engram remember`, where nothing asks whether it is known: what a dream merges."""
TWICE: Mapping[int, str] = {5: "My birthday is on 3 May", 9: "My birthday is on 5 May"}
"""By the day, what contradicts itself with no sign that it has changed."""
SETTLED: Mapping[int, str] = {14: "5 May"}
"""By the day, which of it holds."""
MOVES: Mapping[int, str] = {0: "I live in Utrecht", 14: "I moved: I live in Ghent now"}
THEMES: Mapping[str, tuple[str, ...]] = {
    "boat": (
        "The boat is called Marlin and was built in 1962",
        "I sanded the hull of the Marlin with Tom",
        "The mast of the Marlin has a crack near the top",
        "A new mainsail for the Marlin costs 900 euros",
        "Tom knows a carpenter in Zeebrugge who mends masts",
        "I painted the cabin of the Marlin blue",
        "The engine of the Marlin leaks oil on cold mornings",
        "We launched the Marlin and she floats well",
        "The varnish on the deck needs three coats",
        "I keep the keys of the Marlin in the green tin",
    ),
    "garden": (
        "The tomatoes in my garden are of the sort Brandywine",
        "Slugs ate half of the lettuce behind the shed",
        "My neighbour Ines lends me her wheelbarrow",
        "I built a trellis of hazel for the beans",
        "The soil in the garden is heavy clay",
        "Ines says copper tape keeps slugs away",
        "I water the tomatoes every second evening",
        "The first tomato was ripe on a Sunday",
        "The compost heap smells of oranges",
        "I planted garlic beside the roses",
    ),
    "language": (
        "My Portuguese teacher is called Beatriz",
        "The lesson with Beatriz is on Tuesday evenings",
        "I confuse ser and estar in Portuguese",
        "I listen to fado to train my ear",
        "I want to spend October in Lisbon",
        "Beatriz grew up in the Alfama quarter",
        "I read a Portuguese children's book about a whale",
        "The Portuguese word saudade has no translation",
        "My flashcards are in a wooden box by the bed",
        "I ordered a coffee in Portuguese and was understood",
    ),
    "work": (
        "I repair clocks in a small workshop",
        "My boss Willem closes the workshop in December",
        "A museum in Ghent looks for a conservator",
        "The interview with the museum is on the twelfth",
        "The museum's oldest clock is from 1590",
        "Sofie from the museum called me about the contract",
        "I signed the contract with the museum",
        "Willem gave me his set of Swiss files",
        "The museum pays for a course in gilding",
        "My first project there is a tower clock",
    ),
}
QUESTIONS: Mapping[str, str] = {
    "boat": "What do you remember about the Marlin?",
    "garden": "Who lends me a wheelbarrow?",
    "language": "Who teaches me Portuguese?",
    "work": "What happens at the museum?",
}


def visits(days: int, generator: np.random.Generator) -> Iterator[Visit]:
    """Yield the conversations of the first so many days.

    Each takes up two of the four themes and goes on where they were left, tells the value once more, asks something
    that was told before and says whether the answer was of use.
    """
    names = [*THEMES]
    left = dict.fromkeys(names, 0)
    for day in range(days):
        if day % 7 not in WEEK:
            continue
        chosen = [names[place] for place in generator.permutation(len(names))[:2]]
        acts = [Act("goal", text) for text in GOALS.get(day, ())]
        acts += [Act("say", said[day]) for said in (MOVES, TWICE) if day in said]
        acts += [Act("note", NOTES[day])] if day in NOTES else []
        acts += [Act("settle", SETTLED[day])] if day in SETTLED else []
        for theme in chosen:
            told = THEMES[theme][left[theme] : left[theme] + 3]
            left[theme] += len(told)
            acts += [Act("say", text) for text in told]
        acts.append(Act("say", VALUE[int(generator.integers(len(VALUE)))]))
        asked = [theme for theme in chosen if left[theme] > 3]
        acts += [act for theme in asked[:1] for act in (Act("say", QUESTIONS[theme]), Act("good"))]
        acts += _mentioned(day, generator)
        if day == 0:
            acts += [Act("say", QUESTIONS[chosen[0]]), Act("good")]
        if day in REACHED:
            acts += [
                Act("done", REACHED[day]),
                Act("say", "I am glad that the Marlin is finished, we did it"),
            ]
        yield Visit(day, tuple(acts))


def _mentioned(day: int, generator: np.random.Generator) -> Sequence[Act]:
    """Return that one of the goals which there are by now is spoken of."""
    there = [text for since, texts in GOALS.items() if since < day for text in texts]
    reached = {text for since, text in REACHED.items() if since <= day}
    open_ones = [text for text in there if text not in reached]
    if not open_ones:
        return ()
    return [Act("mention", open_ones[int(generator.integers(len(open_ones)))])]
