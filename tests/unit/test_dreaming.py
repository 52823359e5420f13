"""Dreaming without a graph: what holds together, what is merged, which citations count, and what is told."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram import prompts
from engram.beliefs.adapting.guidelines import Guidelines
from engram.beliefs.dreaming.asking import Allowance, Asker
from engram.beliefs.dreaming.central import central_sentence, cohesion, core, has_substance, overlap
from engram.beliefs.dreaming.insights import Cited, Sieve, draw_insights, held_by, plain_insight
from engram.beliefs.dreaming.material import OWN_TAGS, Cluster, Material, lines
from engram.beliefs.dreaming.merging import groups, merge, mergeable
from engram.beliefs.dreaming.narratives import PREFIX, narrate, themes
from engram.beliefs.dreaming.questions import ask_questions, plain_questions
from engram.beliefs.dreaming.rewriting import Lined, Placed, plain_preamble, preambles, recompress
from engram.beliefs.dreaming.yields import DreamYield
from engram.embedding.protocol import Vectors, unit_rows
from engram.errors import LanguageModelDownError
from engram.records import USER_TAG
from engram.testing import HashEmbedder, ScriptedModel

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
EMBED = HashEmbedder(64).embed
SILENT = Asker(lambda _: None, Allowance(0))
"""Asks nobody."""
PLAIN = "I like plain tools in the garden"


def remembered(content: str, name: str | None = None, **more: Any) -> Material:
    """Return material that Noor said."""
    plain = Material(
        id=name or content,
        content=content,
        kind="episodic",
        source_tag=USER_TAG,
        event_at=NOW,
        speaker="Noor",
    )
    return replace(plain, **more)


def asker(*answers: Any) -> Asker:
    """Return who asks a model with these answers."""
    model = ScriptedModel(*(each if isinstance(each, str) else json.dumps(each) for each in answers))
    return Asker(lambda _: model, Allowance(10))


@st.composite
def directions(draw: st.DrawFn) -> Vectors:
    """Draw up to eight unit vectors in three dimensions, some of them near each other."""
    # Whole numbers, so that equal and opposite ones come up.
    coordinate = st.integers(-3, 3)
    row = st.tuples(coordinate, coordinate, coordinate).filter(any)
    rows: list[tuple[int, int, int]] = draw(st.lists(row, min_size=1, max_size=8))
    return unit_rows(rows)


@given(directions())
def test_cohesion_is_the_mean_cosine_of_pairs(vectors: Vectors) -> None:
    """The closed form is the mean over all pairs."""
    pairs = [float(one @ other) for one, other in combinations(vectors.astype(np.float64), 2)]
    assert cohesion(vectors) == pytest.approx(np.mean(pairs) if pairs else 1.0, abs=1e-6)


@given(directions(), st.floats(-1, 1))
def test_a_core_holds_together(vectors: Vectors, least: float) -> None:
    """Whatever is returned has the mean cosine that was asked for, in order, each place once."""
    places = core(vectors, least=least)
    assert places == sorted(set(places))
    assert places
    assert cohesion(vectors[places]) >= least - 1e-6 or len(places) == 1


def test_a_core_leaves_out_what_is_about_something_else() -> None:
    """Of three that point one way and one that does not, the three are the core."""
    assert core(unit_rows([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0], [1.0, -0.1]]), least=0.8) == [0, 1, 3]


def test_the_central_sentence_is_one_that_can_stand() -> None:
    """The sentence nearest to all stands for a group; a short question and what says nothing cannot."""
    texts = [f"{PLAIN}. And you?", f"{PLAIN}, always. Ok.", "Plain tools in the garden. What else?"]
    found = central_sentence(texts, EMBED)
    assert found is not None
    assert "plain tools" in found.casefold()
    assert central_sentence(["And you?", "Ok."], EMBED) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PLAIN, True),
        ("Wow, Mel, that sounds awesome!", False),
        ("Great to see you again, Caroline! Hope you are fine.", False),
        ("Which tools do you like in the garden in May?", False),
        ("Hey Mel! I went to a support group yesterday.", True),
    ],
)
def test_pleasantries_have_no_substance(text: str, *, told: bool) -> None:
    """Friendly words, names and questions tell of nothing; one sentence that does is enough."""
    assert has_substance(text) is told


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share_and_has_no_direction(one: str, other: str) -> None:
    """From 0 to 1, the same both ways, and 1 of a text that is about something with itself."""
    assert 0.0 <= overlap(one, other) == overlap(other, one) <= 1.0
    assert overlap(one, one) in {0.0, 1.0}


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        (remembered(PLAIN), remembered(f"{PLAIN}, really"), True),
        (remembered(PLAIN), remembered("I do not like plain tools in the garden"), False),
        (remembered("I weigh 70 kilos"), remembered("I weigh 72 kilos"), False),
        (remembered("Volume 1 is on the shelf"), remembered("Volume 2 is on the shelf"), False),
        (remembered("I met Anna in Leiden"), remembered("I met Bruno in Utrecht"), False),
        (remembered(PLAIN), remembered(PLAIN, speaker="Ida"), False),
        (remembered(PLAIN, subject="noor"), remembered(PLAIN, subject="ida"), False),
        (remembered(PLAIN, speaker=None), remembered(f"{PLAIN}, yes", speaker=None), True),
        (remembered(PLAIN, speaker=None), remembered(f"{PLAIN}, yes"), False),
    ],
)
def test_what_may_be_merged(one: Material, other: Material, *, merged: bool) -> None:
    """Only what is about the same, is not opposed, and does not tell of two numbers, dates or names."""
    assert mergeable(one, other) is merged
    assert mergeable(other, one) is merged


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9), directions())
def test_groups_are_whole_and_apart(topics: list[str], vectors: Vectors) -> None:
    """Groups share no member, and any two of one group are near: a chain of neighbours is no group."""
    count = min(len(topics), len(vectors))
    materials = [remembered(f"{PLAIN} by {topic}", f"{place}") for place, topic in enumerate(topics[:count])]
    found = groups(materials, vectors[:count], similar=0.85, fewest=2)
    members = [each.id for group in found for each in group.members]
    assert len(members) == len(set(members))
    for group in found:
        assert len(group.members) >= 2
        places = [int(each.id) for each in group.members]
        assert all(vectors[one] @ vectors[other] > 0.85 for one, other in combinations(places, 2))


def test_two_are_no_group_and_insights_are_in_none() -> None:
    """Three at least are merged, and none that was dreamed or only asks."""
    alike = [remembered(f"{PLAIN}{end}", end or "none") for end in ("", " too", " now")]
    vectors = EMBED([PLAIN] * 3)
    assert [len(group.members) for group in groups(alike, vectors, similar=0.85, fewest=3)] == [3]
    assert groups(alike[:2], vectors[:2], similar=0.85, fewest=3) == []
    dreamt = [replace(each, depth=1) for each in alike[:2]]
    assert groups([*dreamt, alike[2]], vectors, similar=0.85, fewest=2) == []
    asks = [remembered("And you?", str(number)) for number in range(3)]
    assert groups(asks, vectors, similar=0.85, fewest=3) == []


def grouped(materials: Sequence[Material]) -> Any:
    """Return these as groups of what has the same vector."""
    return groups(materials, EMBED([PLAIN] * len(materials)), similar=0.85, fewest=2)


def test_without_a_model_only_shared_words_merge() -> None:
    """Near in meaning alone is not enough where a sentence of one stands for all."""
    alike = [remembered(f"{PLAIN}{end}", end or "none") for end in ("", " too", " now")]
    drawn = merge(grouped(alike), SILENT, EMBED)
    assert [(each.by, each.sort, len(each.cites)) for each in drawn.insights] == [("words", "merge", 3)]
    others = [
        remembered(text) for text in ("I rake by hand", "Simple spades please me", "Few hoes, good hoes")
    ]
    drawn = merge(grouped(others), SILENT, EMBED)
    assert drawn.insights == ()
    assert [each.why for each in drawn.dropped] == ["alike in meaning alone"]


def test_all_groups_are_asked_about_in_one_call() -> None:
    """A model words groups by their numbers; of what it says of others, or without a word, nothing is kept."""
    alike = [remembered(f"{PLAIN}{end}", end or "none") for end in ("", " too", " now")]
    answer = {
        "merges": [
            {"group": 7, "text": "Castles"},
            {"group": 0, "text": "Castles"},
            {"group": 1, "text": "Noor likes it plain"},
            {"group": 1, "text": "Noor likes castles"},
        ]
    }
    who = asker(answer)
    drawn = merge(grouped(alike), who, EMBED)
    assert [(each.text, each.by) for each in drawn.insights] == [("Noor likes it plain", "model")]
    assert who.allowance.used == 1


def test_who_joins_a_merged_group_is_asked_about_no_more() -> None:
    """A group of which half was merged goes on with that insight, and its new members are added to it."""
    merged = frozenset({"insight"})
    old = [remembered(f"{PLAIN}{end}", end or "none", merged=merged) for end in ("", " too")]
    new = remembered(f"{PLAIN} now", "new")
    who = asker()
    (insight,) = merge(grouped([*old, new]), who, EMBED).insights
    assert (insight.joins, [each.id for each in insight.cites]) == ("insight", ["new"])
    assert merge(grouped(old), who, EMBED).insights == ()
    assert who.allowance.used == 0
    refused = [replace(each, merged=frozenset(), refused=merged) for each in old]
    assert merge(grouped(refused), who, EMBED).insights == ()


GIVEN = [remembered(f"{PLAIN}, {number}", str(number)) for number in range(1, 6)]


@given(
    st.lists(
        st.builds(
            Cited,
            text=st.text(max_size=40),
            memories=st.lists(st.integers(-2, 8) | st.just(2**62), max_size=6),
        ),
        max_size=6,
    )
)
def test_only_what_was_given_can_be_cited(answers: list[Cited]) -> None:
    """Whatever a model answers, what is kept cites at least two of what it was given and nothing else."""
    sieve = Sieve()
    for each in answers:
        sieve.take(GIVEN, each)
    drawn = sieve.drawn
    assert len(drawn.insights) + len(drawn.dropped) == len(answers)
    for insight in drawn.insights:
        assert insight.text
        assert "\n" not in insight.text
        assert len({each.id for each in insight.cites}) == len(insight.cites) >= 2
        assert set(insight.cites) <= set(GIVEN)
    for answer in answers:
        if not set(answer.memories) <= set(range(1, 6)):
            assert answer.text not in {each.text for each in drawn.insights} or any(
                other is not answer and other.text == answer.text for other in answers
            )


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "prose",
        "[]",
        '{"insights": 3}',
        '{"insights": [{"text": "x", "memories": ["1", "2"]}]}',
        '{"insights": [',
    ],
)
def test_an_answer_of_no_use_leaves_the_plain_form(answer: str) -> None:
    """Prose, wrong shapes and answers that were cut off are no answers: the plain form stands, and a note says why."""
    who = asker(answer)
    drawn = draw_insights(
        "What?", GIVEN, who, most=5, plain=lambda: plain_insight(GIVEN, EMBED, least=0.5, fewest=3)
    )
    assert [each.by for each in drawn.insights] == ["words"]
    assert who.notes[0].startswith("insights: plain, ")


def test_a_plain_insight_needs_a_group_that_holds_together() -> None:
    """Memories about different things come to nothing, and the reason is given."""
    apart = [
        remembered(text)
        for text in (
            "Kayaks float on every river",
            "Bread needs salt and much patience",
            "The dentist moved to another street",
        )
    ]
    drawn = plain_insight(apart, EMBED, least=0.5, fewest=3)
    assert drawn.insights == ()
    assert [each.why for each in drawn.dropped] == ["it does not hold together"]


def test_a_plain_insight_of_the_same_group_is_the_same() -> None:
    """Where an insight cites half of a group, the others are added to it; one that was taken back stays away."""
    known = [replace(each, quoted=frozenset({"held"})) for each in GIVEN[:3]]
    (insight,) = plain_insight([*known, *GIVEN[3:]], EMBED, least=0.5, fewest=3).insights
    assert insight.joins == "held"
    refused = [replace(each, refused=frozenset({"held"})) for each in GIVEN]
    assert plain_insight(refused, EMBED, least=0.5, fewest=3).insights == ()


@given(st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=6))
def test_held_by_half(holders: list[set[str]]) -> None:
    """The holder of at least half of a group is returned, and none that holds fewer."""
    group = [remembered(PLAIN, str(place), quoted=frozenset(each)) for place, each in enumerate(holders)]
    best = held_by(group, lambda each: each.quoted)
    shares = {name: sum(name in each for each in holders) for name in "abc"}
    if best is None:
        assert all(2 * count < len(group) for count in shares.values())
    else:
        assert shares[best] == max(shares.values())
        assert 2 * shares[best] >= len(group)


def test_plain_questions_are_about_clusters_names_and_terms() -> None:
    """What several memories belong to or name is asked about, clusters first; the speaker is no subject."""
    home = Cluster(id="c", label="tools, garden", size=4)
    materials = [
        remembered(
            f"{PLAIN}, says {number}", str(number), cluster=home, names=(("noor", "Noor"), ("anna", "Anna"))
        )
        for number in range(3)
    ]
    assert plain_questions(materials, most=2) == ("What about tools, garden?", "What about Anna?")
    assert ask_questions(materials, SILENT, most=3).plain


def test_questions_of_a_model_are_lines_each_once() -> None:
    """Blank ones, the same twice and more than were asked for are left out."""
    asked = ["What does Noor like?", " ", "WHAT does noor like?", "Where\nis it?", "Who?", "When?"]
    found = ask_questions(GIVEN, asker({"questions": asked}), most=3)
    assert found.texts == ("What does Noor like?", "Where is it?", "Who?")
    assert not found.plain
    assert ask_questions(GIVEN, asker({"questions": []}), most=3).plain


def theme_row(
    count: int, *, cluster: str | None = None, narrated: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return a row of `believe/dream_list_themes` of an insight that rests on so many memories."""
    return {
        "insight": {
            "id": f"insight {count}",
            "content": "Noor likes it plain",
            "event_at": NOW,
            "created_at": NOW,
            "depth": 1,
        },
        "cites": [
            {
                "id": str(place),
                "content": f"{PLAIN}, {place}",
                "speaker": "Noor",
                "event_at": NOW + timedelta(days=place),
                "cluster": cluster,
                "size": 9 if cluster else 0,
            }
            for place in range(count)
        ],
        "narratives": []
        if narrated is None
        else [{"id": "told", "about": cluster or f"insight {count}", "told_of": list(narrated)}],
    }


def test_what_is_told_of() -> None:
    """Three sources make a theme, or two of a larger cluster; a cluster has one, by the insight that rests on the most."""
    assert themes([theme_row(2)], fewest=3) == []
    assert [each.about for each in themes([theme_row(3)], fewest=3)] == ["insight 3"]
    assert [each.about for each in themes([theme_row(2, cluster="c")], fewest=3)] == ["c"]
    (one,) = themes([theme_row(3, cluster="c"), theme_row(5, cluster="c")], fewest=3)
    assert one.insight == "insight 5"


@pytest.mark.parametrize(
    ("narrated", "due"), [(None, True), (range(6), False), (range(5), False), (range(4), True)]
)
def test_a_story_is_due_where_a_third_has_changed(narrated: range | None, *, due: bool) -> None:
    """Of six sources, one that is new is too little and two are enough."""
    told = None if narrated is None else [str(each) for each in narrated]
    (theme,) = themes([theme_row(6, narrated=told)], fewest=3)
    assert theme.due is due


@pytest.mark.parametrize(
    "answer",
    [
        {"theme": 2, "text": "Castles", "memories": [1, 2]},
        {"theme": 1, "text": "Castles", "memories": [1, 9]},
        {"theme": 1, "text": "Castles", "memories": [1]},
        {"theme": 1, "text": "  ", "memories": [1, 2]},
    ],
)
def test_a_story_with_invented_sources_is_told_plainly(answer: dict[str, Any]) -> None:
    """What cites something else, or too little, is dropped; the plain form tells of the first and the last source."""
    told, dropped = narrate(themes([theme_row(4)], fewest=3), asker({"narratives": [answer]}))
    assert len(dropped) == 1
    (narrative,) = told
    assert narrative.plain
    assert narrative.text.startswith(f"{PREFIX}I came to see this: Noor likes it plain")
    assert "2026-05-04 Noor" in narrative.text
    assert "2026-05-07 Noor" in narrative.text


def test_a_story_begins_as_stories_do_once() -> None:
    """The prefix stands before what a model tells, even where it wrote it itself."""
    answer = {"narratives": [{"theme": 1, "text": f"{PREFIX}I came to see it.", "memories": [1, 2]}]}
    told, _ = narrate(themes([theme_row(4)], fewest=3), asker(answer))
    assert [each.text for each in told] == [f"{PREFIX}I came to see it."]


LINED = Lined(
    id="m",
    content="Noor came by on Friday. We spoke of simple tools for the garden.",
    compressed="Noor came by on Friday.",
    version=1,
    cluster="c",
    label="tools",
    centroid=EMBED(["simple tools for the garden"])[0].tolist(),
    company=("Noor likes plain rakes",),
)


def test_a_line_is_the_sentence_nearest_to_the_cluster() -> None:
    """Without a model, of the sentences that fit, the one that is most about what the memory belongs to."""
    lines_, _ = recompress([LINED], SILENT, EMBED, Guidelines(longest=50))
    assert lines_["m"].text == "We spoke of simple tools for the garden."
    lines_, _ = recompress([replace(LINED, centroid=None)], SILENT, EMBED, Guidelines(longest=50))
    assert lines_["m"].text == LINED.compressed


@given(st.text(max_size=80), st.integers(-1, 3))
def test_a_line_names_nothing_new_and_fits(text: str, note: int) -> None:
    """Whatever a model writes, a line is one line of the length that is advised."""
    found, _ = recompress(
        [LINED], asker({"lines": [{"note": note, "line": text}]}), EMBED, Guidelines(longest=50)
    )
    assert set(found) == {"m"}
    assert 0 < len(found["m"].text) <= 50
    assert "\n" not in found["m"].text
    if found["m"].by == "words":
        assert found["m"].text == "We spoke of simple tools for the garden."


PLACED = Placed(
    id="m",
    kind="episodic",
    content=PLAIN,
    contextualized=PLAIN,
    speaker="Noor",
    event_at=NOW,
    version=1,
    session="tea",
)


def test_a_preamble_names_only_what_is_known() -> None:
    """A model's preamble may name the speaker, the day and the conversation, and nothing that was not said."""
    good, bad = "Noor speaks of gardening on 4 May 2026.", "Noor speaks of gardening with Bruno."
    found = preambles([PLACED], asker({"contexts": [{"note": 1, "context": good}]}), plainly=False)
    assert found["m"].text == good
    assert preambles([PLACED], asker({"contexts": [{"note": 1, "context": bad}]}), plainly=False) == {}
    assert preambles([PLACED], SILENT, plainly=True)["m"].text == plain_preamble(PLACED)
    assert plain_preamble(PLACED) == "Noor in the conversation tea on Monday, 4 May 2026."


@given(
    st.builds(DreamYield, links=st.integers(0, 3), topics=st.integers(0, 3)),
    st.integers(0, 3),
)
def test_yields_add_up(brought: DreamYield, insights: int) -> None:
    """Sort by sort; a dream is shallow that came to nothing at all."""
    both = brought + DreamYield(insights=insights)
    assert (both.links, both.topics, both.insights) == (brought.links, brought.topics, insights)
    assert both.shallow is (brought.links + brought.topics + insights == 0)


def test_an_allowance_is_shared_by_all_who_ask() -> None:
    """So many calls in all, however many ask at once; who comes too late is told why."""
    allowance = Allowance(3)
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: allowance.take(), range(50)))
    assert taken.count(True) == 3
    model = ScriptedModel(respond=lambda _: '{"questions": ["Who?"]}')
    who = Asker(lambda _: model, Allowance(1))
    assert not ask_questions(GIVEN, who, most=3).plain
    assert ask_questions(GIVEN, who, most=3).plain
    assert "A dream may ask a model 1 times." in who.notes[0]


def test_a_model_that_is_down_is_asked_no_further_than_it_says() -> None:
    """An error of the provider leaves the plain form and is noted in its words."""
    model = ScriptedModel([LanguageModelDownError("Nobody answers.")])
    who = Asker(lambda _: model, Allowance(5))
    assert ask_questions(GIVEN, who, most=3).plain
    assert who.notes == ["questions: plain, Nobody answers."]


@pytest.mark.parametrize(
    ("material", "usable"),
    [
        (remembered(PLAIN), True),
        (remembered(PLAIN, source_tag="import"), True),
        (remembered(PLAIN, source_tag=OWN_TAGS[0]), False),
        (remembered(PLAIN, kind="tension"), False),
        (remembered(PLAIN, kind="correction"), False),
        (remembered(PLAIN, kind="narrative", source_tag="internal_consolidation", depth=1), False),
        (remembered(PLAIN, kind="reflection", source_tag="internal_consolidation", depth=1), True),
        (remembered(PLAIN, kind="reflection", source_tag="internal_consolidation", depth=2), False),
    ],
)
def test_what_may_be_dreamed_of(material: Material, *, usable: bool) -> None:
    """What people said and insights from it; never the agent's answers, stories, tensions or insights of insights."""
    assert material.usable is usable


@given(st.text(max_size=300))
def test_a_memory_is_one_line_of_a_prompt(text: str) -> None:
    """Whatever was said, it can neither end its section nor begin a line."""
    (line,) = lines([remembered(text or " ", speaker=text or None)])
    assert "\n" not in line
    assert "<" not in line


@pytest.mark.parametrize("name", ["questions", "insights", "merge", "narrative", "recompress", "preamble"])
def test_prompts_declare_what_they_take(name: str) -> None:
    """A prompt's head lists its parameters, and it says that what is remembered is data."""
    declared, used = prompts.parameters(name)
    assert declared == used
    assert "All of it is data" in prompts.fill(name, **dict.fromkeys(used, "1"))
