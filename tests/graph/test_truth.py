"""Truth is what the evidence in the graph makes of it, and nothing else moves it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.beliefs.changes import list_changes, undo
from engram.beliefs.conflicts.tensions import list_tensions, resolve
from engram.beliefs.truth import Piece, opposition, settle_truth, support
from engram.memory import Engram
from engram.testing import FixedClock
from tests.graph.beside import run
from tests.graph.telling import fact, home, moved, said, told, truth, truths

pytestmark = pytest.mark.graph

JANUARY = datetime(2025, 1, 1, 9, tzinfo=UTC)
DAY = timedelta(days=1)
LASTING = ("decay", "promote", "reinforce", "coactivate", "archive", "rank")
"""Jobs that move energy, weight, tiers and states."""

tags = st.sampled_from(["external_user", "external_user", "internal_reply", None])
turns = st.fixed_dictionaries(
    {
        "id": st.sampled_from("123456"),
        "confidence": st.one_of(st.none(), st.floats(0.05, 1.0)),
    }
)
memories = st.fixed_dictionaries(
    {
        "source_tag": tags.filter(bool),
        "source_confidence": st.floats(0.05, 1.0),
        "speaker": st.sampled_from(["Noor", "Tom", None]),
        "alpha": st.floats(1.0, 4.0),
        "beta": st.floats(1.0, 4.0),
        "turns": st.lists(turns, max_size=4, unique_by=lambda turn: turn["id"]),
    }
)
SPOKEN = {"1": ("Noor", "external_user"), "2": ("Noor", "external_user"), "3": ("Tom", None)} | {
    "4": ("Ada", "external_user"),
    "5": ("agent", "internal_reply"),
    "6": ("Tom", "external_user"),
}
"""Who said each turn, with its source tag; turns from before there were tags have none."""


def own_pieces(memory: dict[str, object]) -> list[Piece]:
    """Return the evidence that a laid memory has by itself."""
    found = []
    for turn in memory["turns"]:  # type: ignore[attr-defined]
        speaker, tag = SPOKEN[turn["id"]]
        if (tag or memory["source_tag"]) == "external_user":
            confidence = turn["confidence"]
            weight = memory["source_confidence"] if confidence is None else confidence
            found.append(Piece(source=speaker, id=turn["id"], confidence=float(str(weight))))
    if not memory["turns"] and memory["source_tag"] == "external_user":
        source = str(memory["speaker"] or "hand")
        found.append(
            Piece(source=source, id=str(memory["id"]), confidence=float(str(memory["source_confidence"])))
        )
    return found


def cited_pieces(cited: dict[str, object]) -> list[Piece]:
    """Return the evidence that a memory has for citing another one."""
    alpha, beta = float(str(cited["alpha"])), float(str(cited["beta"]))
    return [replace(piece, confidence=alpha / (alpha + beta)) for piece in own_pieces(cited)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    laid=st.lists(memories, min_size=4, max_size=4),
    cites=st.sets(st.sampled_from([0, 1])),
    states=st.lists(st.sampled_from(["open", "acknowledged", "resolved"]), max_size=2),
    corrections=st.lists(st.booleans(), max_size=2),
    repeat=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_the_statement_is_the_formula(
    memory: Engram,
    laid: list[dict[str, object]],
    cites: set[int],
    states: list[str],
    corrections: list[bool],
    repeat: float,
) -> None:
    """Whatever the evidence, the server computes what the pure functions do, for the asked memories alone."""
    run_id = uuid4().hex[:8]
    for number, each in enumerate(laid):
        each["id"] = f"{run_id}-{number}"
    asked, others = laid[3], laid[:2]
    rows = [
        each
        | {
            "cites": [laid[place]["id"] for place in sorted(cites)] if each is asked else [],
            "turns": [
                turn | {"speaker": SPOKEN[turn["id"]][0], "source_tag": SPOKEN[turn["id"]][1]}
                for turn in each["turns"]  # type: ignore[attr-defined]
            ],
        }
        for each in laid
    ]
    run(
        memory,
        "truth_lay_evidence",
        memories=rows,
        tensions=[
            {"one": asked["id"], "other": laid[place]["id"], "state": state}
            for place, state in enumerate(states)
        ],
        corrections=[
            {"by": laid[place + 1]["id"], "of": asked["id"], "correction": correction}
            for place, correction in enumerate(corrections)
        ],
    )
    before = truths(memory)
    tuning = {"truth.repeat": repeat}
    memory.graph.transact(
        lambda transaction: settle_truth(
            transaction, space=memory.space, ids=[str(asked["id"])], tuning=tuning
        )
    )
    pieces = own_pieces(asked) + [piece for place in cites for piece in cited_pieces(laid[place])]
    disputed = [
        support(own_pieces(other), repeat=repeat)
        for other, state in zip(others, states, strict=False)
        if state != "resolved"
    ]
    expected = (
        1.0 + support(pieces, repeat=repeat),
        1.0 + opposition(disputed, corrections=sum(corrections)),
    )
    after = truths(memory)
    assert after.pop(str(asked["id"])) == pytest.approx(expected, rel=1e-9)
    assert after == {key: value for key, value in before.items() if key != asked["id"]}


def test_three_speakers_count_more_than_one_ten_times(memory: Engram) -> None:
    """Independent sources add, repeats of one source hardly do."""
    once = "Noor lives in Boston"
    turns = [
        said(memory, f"Boston, said for time {number}", at=JANUARY + number * DAY) for number in range(10)
    ]
    repeated = [told(memory, home("Boston", turn, at=JANUARY))[0].memory or "" for turn in turns]
    assert len({*repeated}) == 1
    voices = []
    for speaker in ("Noor", "Tom", "Ada"):
        turn = said(memory, f"Tulips, says {speaker}", at=JANUARY, speaker=speaker)
        drawn = replace(fact("Noor grows tulips", turn, at=JANUARY), speaker=speaker)
        voices.append(told(memory, drawn)[0].memory or "")
    assert len({*voices}) == 1
    assert memory.get(repeated[0]).content == once
    assert truth(memory, repeated[0]) < 0.68
    assert truth(memory, voices[0]) == pytest.approx(0.8)


def test_nothing_but_evidence_moves_truth(memory: Engram, clock: FixedClock) -> None:
    """Recalls, verdicts, reinforcement, time and jobs move weight and energy; truth stays to the last digit."""
    kept = [
        moved(memory, "Boston", at=JANUARY),
        told(memory, fact("Noor plays the cello", said(memory, "I play the cello", at=JANUARY), at=JANUARY))[
            0
        ],
    ]
    before, weights = truths(memory), run(memory, "read_truths")
    for number in range(2):
        hits = memory.recall("Where does Noor live?", session=f"talk {number}")
        hits[0].useful()
        assert memory.flush()
        clock.advance(3 * DAY)
        memory.remember(f"Noor lives in Boston, in flat {number}")
        for job in LASTING:
            run_job = resolve_name("engram.jobs.job:run_job")
            jobs = resolve_name("engram.jobs.scheduler:JOBS")
            run_job(jobs[job], memory.graph, space=memory.space, clock=clock)
    after = truths(memory)
    assert {each: after[each] for each in before} == before
    held = {row["id"]: row["weight"] for row in run(memory, "read_truths")}
    assert any(held[row["id"]] != row["weight"] for row in weights)
    assert all(each.memory in before for each in kept)


def test_evidence_never_moves_weight(memory: Engram) -> None:
    """Told by others, contradicted, corrected: truth moves by it, and how much a memory matters does not."""
    boston = moved(memory, "Boston", at=JANUARY).memory or ""
    weights = {row["id"]: row["weight"] for row in run(memory, "read_truths")}
    turn = said(memory, "Noor lives in Boston, I saw her", at=JANUARY + DAY, speaker="Tom")
    told(memory, replace(home("Boston", turn, at=JANUARY + DAY), speaker="Tom"))
    seen = truth(memory, boston)
    moved(memory, "Berlin", at=JANUARY + 2 * DAY, revision="correction")
    assert truth(memory, boston) < seen
    held = {row["id"]: row["weight"] for row in run(memory, "read_truths")}
    assert {each: held[each] for each in weights} == weights


def test_a_change_takes_nothing_and_a_correction_does(memory: Engram) -> None:
    """What was so and has changed stays as true as it was; what never was loses, until that is taken back."""
    boston = moved(memory, "Boston", at=JANUARY).memory or ""
    before = truths(memory)[boston]
    berlin = moved(memory, "Berlin", at=JANUARY + DAY, revision="change").memory or ""
    assert truths(memory)[boston] == before
    held = truths(memory)[berlin]
    change = moved(memory, "Bonn", at=JANUARY + 2 * DAY, revision="correction").changes[0]
    assert truths(memory)[berlin] == pytest.approx((held[0], held[1] + 1.0))
    undo(memory.graph, space=memory.space, change=change, now=memory.now())
    assert truths(memory)[berlin] == held


def test_who_disagrees_counts_against_both(memory: Engram) -> None:
    """A tension subtracts from both sides as much as the other is supported, and more evidence for one tells on the other."""
    noor = moved(memory, "Boston", at=JANUARY, confidence=0.5).memory or ""
    turn = said(memory, "Noor lives in Berlin", at=JANUARY + DAY, speaker="Tom")
    tom = told(memory, replace(home("Berlin", turn, at=JANUARY + DAY), speaker="Tom", confidence=0.8))[0]
    assert [each.kind for each in list_changes(memory.graph, space=memory.space)] == ["tension"]
    assert truths(memory)[noor] == pytest.approx((1.5, 1.8))
    assert truths(memory)[tom.memory or ""] == pytest.approx((1.8, 1.5))
    turn = said(memory, "Boston, yes", at=JANUARY + 2 * DAY, speaker="Ada")
    told(memory, replace(home("Boston", turn, at=JANUARY + 2 * DAY), speaker="Ada"))
    assert truths(memory)[tom.memory or ""] == pytest.approx((1.8, 2.0))


def test_an_insight_is_as_true_as_what_it_cites(memory: Engram) -> None:
    """It counts the speakers behind the memories that it cites, and follows when these gain evidence."""
    boston = moved(memory, "Boston", at=JANUARY).memory or ""
    insight = memory.remember(
        "Noor likes big cities",
        source="dream",
        source_tag="internal_consolidation",
        derived_from=[boston],
    )
    tuning = memory.tuning()
    memory.graph.transact(
        lambda transaction: settle_truth(transaction, space=memory.space, ids=[insight.id], tuning=tuning)
    )
    assert truths(memory)[insight.id] == pytest.approx((1.0 + 2 / 3, 1.0))
    turn = said(memory, "Noor lives in Boston", at=JANUARY + DAY, speaker="Tom")
    told(memory, replace(home("Boston", turn, at=JANUARY + DAY), speaker="Tom"))
    assert truths(memory)[insight.id] == pytest.approx((1.0 + 2 * 0.75, 1.0))


def test_what_leans_on_a_memory_is_settled_with_it(memory: Engram) -> None:
    """Whatever moves a truth, what cites it or disagrees with it is as if all were computed anew, at any distance."""
    held = moved(memory, "Boston", at=JANUARY).memory or ""
    ids = [uuid4().hex for _ in "123"]
    for cited, each in zip([held, *ids], ids, strict=False):
        laid = {"id": each, "source_tag": "internal_consolidation", "source_confidence": 1.0, "speaker": None}
        laid |= {"alpha": 1.0, "beta": 1.0, "turns": [], "cites": [cited]}
        run(memory, "truth_lay_evidence", memories=[laid], tensions=[], corrections=[])
        run(memory, "set_properties", id=each, properties={"status": "active"})

    def is_settled() -> bool:
        before = truths(memory)
        for _ in ids:
            memory.graph.transact(
                lambda transaction: settle_truth(
                    transaction, space=memory.space, ids=sorted(before), tuning=memory.tuned()
                )
            )
        return all(pair == pytest.approx(before[each]) for each, pair in truths(memory).items())

    is_settled()
    wrong = moved(memory, "Berlin", at=JANUARY + DAY, revision="correction")
    assert is_settled()
    undo(memory.graph, space=memory.space, change=wrong.changes[0], now=memory.now())
    assert is_settled()
    turn = said(memory, "Noor lives in Rome", at=JANUARY + DAY, speaker="Tom")
    told(memory, home("Rome", turn, at=JANUARY + DAY, speaker="Tom"))
    assert is_settled()
    tension = list_tensions(memory.graph, space=memory.space)[0]
    change = resolve(memory, tension.id or "", "A")
    assert is_settled()
    undo(memory.graph, space=memory.space, change=change.id, now=memory.now())
    assert is_settled()
