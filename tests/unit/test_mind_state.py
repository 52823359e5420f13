"""The working memory's sections, budget, guards, pointers and seed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.tokens import count_tokens
from engram.mind.state.budget import CUT, budget, shown_within
from engram.mind.state.cycle import Cycle, again, shortened
from engram.mind.state.erasing import tells, without
from engram.mind.state.fitting import placed, shares
from engram.mind.state.guards import MOST_POINTERS, refusal
from engram.mind.state.leaving import (
    LONGEST_POINTER,
    QUERY,
    TOPIC,
    Kept,
    Missed,
    Old,
    Search,
    merged,
    point,
    queries,
)
from engram.mind.state.lines import KEPT_KEY, Line, cited, kept, key, line, parsed
from engram.mind.state.material import Material, confidence, fading
from engram.mind.state.pointers import Pointer, checked, parse
from engram.mind.state.sections import Section, State, divided, lines_of, sections, without_section
from engram.mind.state.seeding import OVERLAP, TOKENS, pieces
from engram.mind.state.signals import Levels
from engram.mind.state.versions import Cited, Draft, InForce, Note, Refused, Standing

AT = datetime(2026, 6, 1, tzinfo=UTC)
words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
lines = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), max_size=6)


def state(kept: str = "", **own: list[str]) -> State:
    """Return a state with lines in sections by name."""
    return State(at=AT, mood="", lines={Section[name]: tuple(each) for name, each in own.items()}, kept=kept)


@given(st.dictionaries(st.sampled_from(Section), lines))
def test_a_state_reads_back_as_it_was_written(told: dict[Section, list[str]]) -> None:
    """All seven sections are always there, in order, and give their lines back."""
    text = State(at=AT, mood="", lines={name: tuple(each) for name, each in told.items()}).text()
    found = sections(text)
    assert [*found] == [section.value for section in Section]
    assert {section: [*lines_of(found[section.value])] for section in Section} == {
        section: told.get(section, []) for section in Section
    }


@pytest.mark.parametrize(
    ("window", "characters"),
    [(200_000, 8_000), (128_000, 6_000), (127_999, 4_000), (32_000, 3_200), (8_000, 3_200)],
)
def test_a_budget_is_the_window_s(window: int, characters: int) -> None:
    """The seed's table; a smaller window has the smallest budget."""
    assert budget(window) == characters


@given(lines.map(lambda each: "\n".join(each * 40)), st.integers(1_000, 300_000))
def test_what_is_fitted_fits_and_says_that_it_was_cut(text: str, window: int) -> None:
    """It is never longer than the budget; it is whole, or ends with the note and holds whole lines alone."""
    shown = shown_within(text, window)
    assert len(shown) <= budget(window)
    if len(text) <= budget(window):
        assert shown == text
    else:
        assert shown.endswith(CUT)
        assert set(shown.removesuffix(CUT).split("\n")) <= {*text.split("\n"), ""}


FULL = state(ACTIVE=[f"thing number {n} that we did together" for n in range(80)]).text()
REFUSED = [
    ("a text without sections", None, "lacks the sections"),
    (state(ACTIVE=["a thing that was said, of a length that says something"]).text(), FULL, "mass drop"),
    (
        state(POINTERS=[Pointer(topic=f"t{n}", query="q").line() for n in range(MOST_POINTERS + 1)]).text(),
        None,
        "21 pointers",
    ),
    (state().text(), None, "says nothing"),
]


@pytest.mark.parametrize(("new", "old", "told"), REFUSED)
def test_a_collapse_is_refused_with_its_reason(new: str, old: str | None, told: str) -> None:
    """A mass drop, a flood of pointers, an empty synthesis and a lost section are each told apart."""
    assert told in (refusal(new, old) or "")


def test_an_update_is_taken() -> None:
    """Half as long is no drop, a short one before is not mature, and twenty pointers are no flood."""
    half = state(ACTIVE=[f"thing number {n} that we did together" for n in range(45)]).text()
    assert refusal(half, FULL) is None
    short = state(ACTIVE=["we mended the boat and found the leak in its hull at last"]).text()
    assert refusal(short, half[:1_900]) is None
    pointers = [Pointer(topic=f"topic {n}", query=f"word{n}").line() for n in range(MOST_POINTERS)]
    assert refusal(state(POINTERS=pointers).text(), None) is None


def test_a_pointer_is_a_search_that_finds() -> None:
    """The first words that find all that it stands for among five hits are taken; where none do, it is no pointer."""
    hits = {"boat": ["x", "a"], "boat leak": ["a", "b", "x"], "leak": ["p", "q", "r", "s", "t", "a", "b"]}
    pointer = checked("the leak", ["a", "b"], ["boat", "leak", "boat leak"], search=lambda query: hits[query])
    assert pointer is not None
    assert pointer.query == "boat leak"
    assert parse(pointer.line()) == Pointer(topic="the leak", query="boat leak")
    assert checked("the leak", ["z"], hits, search=lambda query: hits[query]) is None
    assert checked("nothing", [], hits, search=lambda query: hits[query]) is None
    assert parse("a line of another sort") is None


@given(
    st.lists(st.lists(words, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=60).map("\n".join)
)
def test_pieces_of_a_seed_hold_every_word(text: str) -> None:
    """No piece is over its size, neighbours overlap by no more than they may, and no word is lost or cut."""
    cut = [*pieces(text)]
    assert {word for piece in cut for word in piece.split()} == {*text.split()}
    assert all(count_tokens(piece) <= TOKENS * 1.1 for piece in cut)
    if len(cut) > 1:
        assert (
            sum(len(piece.split()) for piece in cut)
            <= len(text.split()) * (1 + OVERLAP / (TOKENS - OVERLAP)) + 200
        )


def test_a_word_of_any_length_is_cut() -> None:
    """What has no space in it is cut between its characters, and none of them is lost."""
    long = "".join(chr(97 + n % 26) for n in range(100_000))
    cut = [*pieces(f"before {long} after", overlap=0)]
    assert all(count_tokens(piece) <= TOKENS * 1.1 for piece in cut)
    assert "".join(cut).replace(" ", "") == f"before{long}after"


NOTHING = Standing(force=None, last=0, last_at=None, notes=(), levels=None, counted_at=None, seen_at=None)
sizes = st.lists(st.integers(1, 250), max_size=40)
levels = st.builds(
    Levels, at=st.just(AT), **{name: st.floats(0, 1) for name in ("achievement", "friction", "bonding")}
)
pools = st.fixed_dictionaries(
    {
        section: sizes.map(lambda own: tuple(line("x " * size, [f"m{size}"], 1.0) for size in own))
        for section in Section
        if section is not Section.POINTERS
    }
)


def cycle_of(
    pool: dict[Section, tuple[Line, ...]],
    standing: Standing,
    window: int,
    raised: Levels,
    search: Search = lambda _: [],
) -> Draft:
    """Return the draft of a plain cycle; no search finds anything if it is not told otherwise."""
    made = Cycle(
        standing=standing,
        material=Material(pool=pool, found=1),
        window=window,
        levels=raised,
        now=AT,
        run="a run",
        search=search,
    ).make()
    return made.draft


def in_force(draft: Draft, status: str = "active", *, away: bool = False) -> Standing:
    """Return where things stand once a draft was taken."""
    cites = tuple(
        Cited(
            memory=each["memory"],
            key=each["key"],
            status=status,
            content=f"content of {each['memory']}",
            importance=0.5,
            event_at=AT,
            away=away,
        )
        for each in draft.cites
    )
    force = InForce(version=draft.number, at=draft.at, stored=draft.text, mood="", seeded=False, cites=cites)
    return Standing(
        force=force,
        last=draft.number,
        last_at=AT,
        notes=(),
        levels=None,
        counted_at=None,
        seen_at=None,
    )


@given(pools, pools, levels, st.sampled_from([8_000, 64_000, 128_000, 200_000]))
def test_no_version_is_over_its_budget(
    first: dict[Section, tuple[Line, ...]],
    second: dict[Section, tuple[Line, ...]],
    raised: Levels,
    window: int,
) -> None:
    """Whatever there is to say, whatever was said before and however high the signals are; and it says itself again."""
    for standing, pool in ((NOTHING, first), (in_force(cycle_of(first, NOTHING, 200_000, raised)), second)):
        draft = cycle_of(pool, standing, window, raised)
        assert len(draft.text) <= budget(window)
        by_key: dict[str, list[str]] = {}
        for row in draft.cites:
            by_key.setdefault(row["key"], []).append(row["memory"])
        again_said = parsed(draft.text, by_key)
        assert [*again_said] == [*Section]
        assert cited(again_said) == {row["memory"] for row in draft.cites}


@given(levels)
def test_shares_are_whole_and_follow_the_signals(raised: Levels) -> None:
    """They add up to 1; bonding gives the bond more, achievement and friction the active context."""
    even, own = shares(Levels(at=AT)), shares(raised)
    assert sum(own.values()) == pytest.approx(1.0)
    if raised.bonding > max(raised.achievement, raised.friction) + 0.01:
        assert own[Section.BOND] > even[Section.BOND]
    if raised.friction > raised.bonding + 0.01:
        assert own[Section.ACTIVE] > even[Section.ACTIVE]


def test_room_that_a_section_does_not_need_goes_to_the_others() -> None:
    """Nothing is left out while there is room, and of one section the weightiest come first."""
    lines = tuple(line(f"thing number {n}", weight=1.0 / (n + 1)) for n in range(20))
    room = sum(each.size for each in lines)
    assert (
        placed({Section.BOND: lines, Section.GAPS: ()}, room=room, levels=Levels(at=AT))[Section.BOND]
        == lines
    )
    some = placed({Section.BOND: lines}, room=room // 2, levels=Levels(at=AT))[Section.BOND]
    assert some == lines[: len(some)]


def test_room_that_pointers_do_not_need_goes_to_the_others() -> None:
    """Where nothing has left, all of the budget is for lines; and what finds room then has no pointer beside its line."""
    many = tuple(
        line(f"the shed number {n} of Noor{n} was built for {n} owners", [f"m{n}"], 1.0) for n in range(90)
    )
    first = cycle_of({**EMPTY, Section.SKILLS: many}, NOTHING, 8_000, Levels(at=AT))
    assert budget(8_000) - 60 < len(first.text) <= budget(8_000)
    fewer = many[: len(first.cites)]
    again_said = in_force(first)
    second = cycle_of(
        {**EMPTY, Section.SKILLS: fewer}, again_said, 8_000, Levels(at=AT), search=lambda _: ["m0"]
    )
    told = parsed(second.text, {})
    assert [each.text for each in told[Section.SKILLS]] == [each.text for each in fewer]
    assert told[Section.POINTERS] == ()


def test_what_finds_room_needs_no_pointer() -> None:
    """Of a pointer only what no line tells is left, as of what could not be kept."""
    kept_now = Kept(
        pointers=(
            Pointer(topic="t", query="q", stands_for=("a", "b")),
            Pointer(topic="u", query="r", stands_for=("a",)),
        ),
        stay=(line("stays", ["a"]), line("stays too", ["c"])),
        missed=(Missed(("a",), "no room for {}"), Missed(("d",), "no room for {}")),
    ).beside({"a"})
    assert kept_now.pointers == (Pointer(topic="t", query="q", stands_for=("b",)),)
    assert kept_now.stay == (line("stays too", ["c"]),)
    assert kept_now.notes == ("no room for d",)


def test_a_loss_of_what_is_not_believed_is_no_collapse() -> None:
    """Where the memories behind the lines are gone, a version half as long is taken; where they stand, it is refused."""
    many = tuple(line(f"the shed number {n} was built for {n} owners", [f"m{n}"], 1.0) for n in range(40))
    draft = cycle_of({**EMPTY, Section.SKILLS: many}, NOTHING, 200_000, Levels(at=AT))
    assert (draft.state, len(draft.text) > 2_000) == ("taken", True)
    few = {**EMPTY, Section.ACTIVE: (line("we mended the boat and found the leak in its hull at last"),)}
    withdrawn = cycle_of(few, in_force(draft, status="superseded"), 200_000, Levels(at=AT))
    assert (withdrawn.state, withdrawn.number) == ("taken", 2)


EMPTY: dict[Section, tuple[Line, ...]] = {
    section: () for section in Section if section is not Section.POINTERS
}


def test_a_number_that_is_taken_is_tried_anew() -> None:
    """Who loses the race begins again with what the other has made; after three times it gives up."""
    made = Cycle(
        standing=NOTHING,
        material=Material(pool=EMPTY, found=1),
        window=8_000,
        levels=Levels(at=AT),
        now=AT,
        run="a run",
        search=lambda _: [],
    )
    answers = [False, False, True]
    assert again(made.make, lambda _: answers.pop(0)) is not None
    assert not answers
    assert again(made.make, lambda _: False) is None


SAID = {f"m{n}": f"Noor{n} sold the boat of Tomas{n} near Lake{n}" for n in range(30)}


def finder(query: str) -> Sequence[str]:
    """Return the ids of what shares most words with a query."""
    asked = {*query.split()}
    return sorted(SAID, key=lambda each: -len(asked & {*SAID[each].split()}))


def test_what_leaves_is_found_by_its_pointer() -> None:
    """Each stands for something that its words find; what the new version tells needs none; there are never too many."""
    left = [line(text, [memory]) for memory, text in SAID.items()]
    old = Old(lines=left, pointers=[], contents=SAID)
    assert old.leaving({"m0"}) == len(SAID) - 1
    kept_now = point(old, present=["m0"], search=finder, most=20)
    assert len(kept_now.pointers) == 20
    stands = [each for pointer in kept_now.pointers for each in pointer.stands_for]
    assert sorted(stands) == sorted({*SAID} - {"m0"})
    for pointer in kept_now.pointers:
        assert {*pointer.stands_for} <= {*finder(pointer.query)[:5]}
    assert not kept_now.notes


def test_what_no_search_finds_stays_and_is_said() -> None:
    """A line stays, shorter; a pointer that finds nothing any more is left out, and the run says so."""
    older = [Pointer(topic="the boat", query="boat", stands_for=("m1",))]
    old = Old(lines=[line("x " * 90, ["m2"])], pointers=older, contents=SAID)
    lost = point(old, present=[], search=lambda _: [], most=20)
    assert lost.pointers == ()
    assert [len(each.text) <= 80 for each in lost.stay] == [True]
    assert "m1" in lost.notes[0]


def test_what_was_put_away_keeps_its_pointer() -> None:
    """It gets no line any more, but a pointer that finds it; where nothing does, the run says so. It is no collapse."""
    old = Old(lines=[line("x " * 90, ["m2", "m3"])], pointers=[], contents=SAID, away={"m2"})
    found = point(old, present=["m3"], search=finder)
    assert [each.stands_for for each in found.pointers] == [("m2",)]
    lost = point(old, present=[], search=lambda _: [])
    assert [each.cites for each in lost.stay] == [("m3",)]
    assert lost.notes == ("m2 was put away, and no search finds it",)
    many = tuple(line(f"the shed number {n} was built for {n} owners", [f"m{n}"], 1.0) for n in range(60))
    draft = cycle_of({**EMPTY, Section.SKILLS: many}, NOTHING, 200_000, Levels(at=AT))
    stands = in_force(draft, status="archived", away=True)
    assert stands.force is not None
    assert stands.force.text == draft.text
    few = {**EMPTY, Section.ACTIVE: (line("we mended the boat and found the leak in its hull at last"),)}
    assert cycle_of(few, stands, 200_000, Levels(at=AT)).state == "taken"


@given(st.integers(1, 20), st.integers(1, 40))
def test_merging_keeps_to_its_bound_and_says_what_it_drops(most: int, count: int) -> None:
    """Pointers are at most so many; what they stand for is still found, or dropped by name."""
    some = [Pointer(topic=f"t{n}", query=f"Noor{n}", stands_for=(f"m{n}",)) for n in range(min(count, 30))]
    left, dropped = merged(some, search=finder, most=most)
    assert len(left) <= most
    stands = sorted(each for pointer in [*left, *dropped] for each in pointer.stands_for)
    assert stands == sorted(each for pointer in some for each in pointer.stands_for)


def test_a_pointer_has_its_length() -> None:
    """What is put aside for one is enough for the longest."""
    longest = Line(Pointer(topic="x" * TOPIC, query="y" * QUERY).line())
    assert longest.size <= LONGEST_POINTER


@given(st.lists(words, min_size=1, max_size=30).map(" ".join))
def test_a_query_can_stand_in_a_pointer(text: str) -> None:
    """It is short, has no mark that would end it, and the line says itself again."""
    for query in queries([text]):
        assert 0 < len(query) <= 160
        assert parse(Pointer(topic="a topic", query=query).line()) == Pointer(topic="a topic", query=query)


def test_what_fades_and_what_recurs() -> None:
    """The active context halves every three days; what came twice is half sure, seven times 0.78."""
    assert fading(0.8, AT, AT) == pytest.approx(0.8)
    assert fading(0.8, AT, AT + timedelta(days=3)) == pytest.approx(0.4)
    assert fading(0.8, AT + timedelta(days=3), AT) == pytest.approx(0.8)
    assert confidence(2) == 0.5
    assert confidence(7) == pytest.approx(7 / 9)


@given(lines)
def test_a_person_s_text_above_is_told_apart(own: list[str]) -> None:
    """Whatever it holds, headings and lists of the same names too, its lines are none of the working memory's."""
    above = "# Mine\n\n## The Bond\n\n" + "\n".join(f"- {each}" for each in own)
    text = state(above, ACTIVE=["we mended the boat"]).text()
    assert kept(text) == above.rstrip()
    assert parsed(text, {})[Section.BOND] == ()
    assert [each.text for each in parsed(text, {})[Section.ACTIVE]] == ["we mended the boat"]


def test_who_the_agent_is_is_told_to_no_model() -> None:
    """A version is told without its phenotype, everything else as it stands: what a person wrote of that name above too."""
    above = "# Mine\n\n## The Phenotype\n\n- I am the king of the lakes"
    whole = state(above, PHENOTYPE=["I mend boats", "I keep bees"], BOND=["Noor sails"])
    told = without_section(whole.text(), Section.PHENOTYPE)
    assert [*sections(divided(told)[1])] == [each.value for each in Section if each is not Section.PHENOTYPE]
    assert "I mend boats" not in told
    assert "I keep bees" not in told
    assert kept(told) == above
    assert parsed(told, {})[Section.BOND] == (Line("Noor sails"),)
    heavy = line("I mend boats", ["m1"], 1.0)
    news = replace(heavy, text="2026-06-01 I mend boats")
    draft = cycle_of(
        {**EMPTY, Section.PHENOTYPE: (heavy,), Section.ACTIVE: (news,)}, NOTHING, 8_000, Levels(at=AT)
    )
    assert (draft.text.count("I mend boats"), draft.state) == (1, "refused")


def test_erased_lines_leave_the_others_theirs() -> None:
    """What cites it goes, in a person's text what says it; what the other lines cite is found as before."""
    above = "# Mine\n\nThe secret of the lighthouse is blue\n- blue\nand the boat is red"
    text = state(above, ACTIVE=["it is blue, they say", "we mended the boat"]).text()
    left = without(
        text, {key("it is blue, they say"), KEPT_KEY}, ["I know: the secret of the lighthouse is blue. Yes."]
    )
    assert "blue" not in left
    assert "and the boat is red" in left
    assert parsed(left, {key("we mended the boat"): ["m1"]})[Section.ACTIVE] == (
        Line("we mended the boat", ("m1",)),
    )


paragraphs = st.tuples(st.integers(1, 400), st.integers(1, 300)).map(
    lambda each: " ".join(["x" * each[0]] * each[1])
)


@given(st.lists(paragraphs, min_size=1, max_size=6).map("\n\n".join), st.integers(400, 4_000))
def test_a_text_without_line_breaks_is_cut_near_its_place(text: str, most: int) -> None:
    """However long its paragraphs are, what is left is its beginning, within the room, and uses most of it."""
    left = shortened(text, most)
    assert len(left) <= most
    assert text.startswith(left.removesuffix(CUT).rstrip())
    assert len(left) > min(len(text.rstrip()), most) - 125


def test_what_a_cut_line_ends_with_is_known() -> None:
    """Of what is erased no beginning is left at the end of a line that was cut; a few common words at its end say nothing."""
    secret = "The secret of the lighthouse is that its key lies under the blue stone"
    line_before = "Noor paints boats in the harbour. " * 4
    assert tells(f"{line_before}{secret[:50]}", secret)
    assert tells(f"{line_before}{secret}", secret)
    assert not tells(f"{line_before}the secret", secret)
    assert not tells(f"The secret of the lighthouse is old. {line_before}", secret)
    assert not tells("we saw blue", "blue")
    assert not tells("we saw blue", "…")


def test_a_title_inside_a_line_is_no_title() -> None:
    """Only a line that is the title and nothing else ends a person's text: a memory may speak of it."""
    said = "Noor read “# Working Memory State ## The Bond” in a file, and # Working Memory State again"
    text = state("# Mine\n\n# Working Memory State\n\nis what I call it", BOND=[said]).text()
    assert [each.text for each in parsed(text, {})[Section.BOND]] == [said]
    assert kept(text) == "# Mine\n\n# Working Memory State\n\nis what I call it"
    draft = cycle_of({**EMPTY, Section.BOND: (line(said, ["m1"], 1.0),)}, NOTHING, 8_000, Levels(at=AT))
    assert (draft.state, draft.reason) == ("taken", None)


def test_what_is_not_believed_is_not_told() -> None:
    """A line goes where one memory that it rests on does not hold or was forgotten; of a person's text what says it."""
    own = "# Mine\n\nThe secret of the lighthouse is blue\nand the boat is red"
    told = ("we mended the boat", "Noor sold the violin", "Tomas came")
    cites = [
        Cited(memory=memory, key=of, status=status, content=content, importance=0.5, event_at=AT)
        for memory, of, status, content in (
            ("m1", key(told[0]), "active", "mended"),
            ("m2", key(told[0]), "active", "the boat"),
            ("m3", key(told[1]), "superseded", "sold"),
            ("m4", KEPT_KEY, "archived", "The secret of the lighthouse is blue"),
        )
    ]
    force = InForce(
        version=1, at=AT, stored=state(own, ACTIVE=[*told]).text(), mood="", seeded=False, cites=tuple(cites)
    )
    assert "secret" not in force.text
    assert "and the boat is red" in force.text
    assert [each.text for each in parsed(force.text, {})[Section.ACTIVE]] == [told[0], told[2]]
    left = force.text_without({"m2"})
    assert [each.text for each in parsed(left, {})[Section.ACTIVE]] == [told[2]]


def test_what_is_refused_keeps_its_notes_and_is_not_made_again() -> None:
    """The notes wait on; of the same comes no other version, and what is new besides makes one."""
    note = Note(id="n1", content="a note", importance=0.5, event_at=AT)
    waiting = replace(NOTHING, notes=(note,))
    draft = cycle_of(EMPTY, waiting, 8_000, Levels(at=AT))
    assert (draft.state, draft.consumed, draft.number) == ("refused", (), 1)
    assert draft.reason is not None
    refused = Refused(version=1, at=AT, text=draft.text, reason=draft.reason, basis=draft.basis)
    stands = replace(waiting, last=1, refused=refused)
    cycle = Cycle(
        standing=stands,
        material=Material(pool=EMPTY, found=1),
        window=8_000,
        levels=Levels(at=AT),
        now=AT + timedelta(hours=2),
        run="another run",
        search=lambda _: [],
    )
    made = again(cycle.make, lambda _: pytest.fail("it is stored again"))
    assert made is not None
    assert (made.draft.number, made.draft.state) == (1, "refused")
    assert "is not made again" in made.notes[0]
    news = {**EMPTY, Section.ACTIVE: (line("we mended the boat and found the leak in its hull at last"),)}
    later = cycle_of(news, stands, 8_000, Levels(at=AT))
    assert (later.state, later.number, later.consumed) == ("taken", 2, ("n1",))
