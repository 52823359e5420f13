"""`engram recall` as a person uses it: explained, replayed, with and without a reranker."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_command import data, run
from tests.cross_encoder import write_cross_encoder

pytestmark = pytest.mark.graph

FACTS = ("Maya moved to Berlin in May", "Felix drinks tea", "The old harbour is closed")


@pytest.fixture
def told(engram_env: dict[str, str]) -> dict[str, str]:
    """Give an environment whose space holds three facts."""
    for fact in FACTS:
        run(engram_env, "remember", fact)
    return engram_env


def bars(output: str) -> list[list[tuple[str, float, str]]]:
    """Return name, value and bar of each term, by hit."""
    hits: list[list[tuple[str, float, str]]] = []
    for line in output.splitlines():
        if re.match(r" *\d+\. ", line):
            hits.append([])
        elif found := re.match(r"     (\w+) +(-?\d\.\d{4})  ([█░#-]+)$", line):
            hits[-1].append((found[1], float(found[2]), found[3]))
    return hits


def test_explained_terms_add_up_and_have_bars(told: dict[str, str]) -> None:
    """--explain prints each term with a bar of its size, and their sum is the score that is printed."""
    shown = run(told, "recall", "--explain", "where did Maya move?")
    scores = [float(value) for value in re.findall(r"score (\d\.\d{4})", shown.stdout)]
    explained = bars(shown.stdout)
    assert len(scores) == len(explained) == len(FACTS)
    for score, terms in zip(scores, explained, strict=True):
        assert sum(value for _, value, _ in terms) == pytest.approx(score, abs=5e-4)
        widths = [len(bar) for _, _, bar in terms]
        assert widths == sorted(widths, reverse=True)
    assert "engram recall --replay" in shown.stderr


def test_a_recall_is_replayed(told: dict[str, str]) -> None:
    """--replay says that nothing changed, and once the best hit is superseded, that it is gone and what is new."""
    found = data(told, "recall", "where does Maya live?", "-k", "2")
    recall, best = found[0]["recall"], found[0]["memory"]["id"]
    assert "Nothing changed." in run(told, "recall", "--replay", recall[:8]).stderr
    run(told, "remember", "Maya moved to Ghent", "--supersedes", best, "--reason", "moved on")
    again = run(told, "recall", "--replay", recall[:8])
    assert "1 gone" in again.stderr
    assert "superseded now" in again.stdout
    assert "Maya moved to Ghent" in again.stdout
    assert "(new)" in again.stdout
    replay = data(told, "recall", "--replay", recall)
    assert replay["then"]["query"] == "where does Maya live?"
    assert replay["then"]["returned"][0]["id"] == best


@pytest.mark.parametrize("words", [["--replay", "abcdef99"], ["--replay", "x"], ["--mode", "guess", "tea"]])
def test_what_is_not_there_is_said(told: dict[str, str], words: list[str]) -> None:
    """An unknown recall, no id at all and an unknown mode end with one line and what to do."""
    done = run(told, "recall", *words, code=None)
    assert done.returncode in {2, 3}
    assert done.stderr.count("\n") <= 3


def test_a_question_or_a_replay_is_needed_and_not_both(told: dict[str, str]) -> None:
    """Neither and both are wrong usage."""
    run(told, "recall", code=2)
    run(told, "recall", "--replay", "abcdef99", "tea", code=2)


def test_read_only_leaves_no_trace(told: dict[str, str]) -> None:
    """--read-only has no recall to replay and counts no access; without it the hit is counted."""
    first: list[dict[str, Any]] = data(told, "recall", "tea", "-k", "1", "--read-only")
    assert first[0]["recall"] is None
    second = data(told, "recall", "tea", "-k", "1")
    assert second[0]["memory"]["access_count"] == 0
    assert data(told, "get", second[0]["memory"]["id"])["access_count"] == 1


def test_a_reranker_reorders_and_says_so(told: dict[str, str], tmp_path: Path) -> None:
    """With a cross-encoder in the cache the hits have its term; without its model a line says why not."""
    folder = tmp_path / "cache" / "rerankers" / "ms-marco-MiniLM-L-12-v2"
    env = told | {
        "ENGRAM_RERANKER": "ms-marco-MiniLM-L-12-v2",
        "ENGRAM_CACHE_DIR": str(tmp_path / "cache"),
        "ENGRAM_RERANK_MS": "20000",
    }
    write_cross_encoder(folder)
    shown = run(env, "recall", "--explain", "--json", "maya moved to berlin in may")
    hits = json.loads(shown.stdout)
    for hit in hits:
        assert sum(hit["terms"].values()) == pytest.approx(hit["score"], abs=1e-6)
    assert hits[0]["memory"]["content"] == FACTS[0]
    assert hits[0]["terms"]["rerank"] == max(hit["terms"]["rerank"] for hit in hits) > 0.3
    assert not hits[0]["notes"]
    (folder / "tokenizer.json").write_text("not a tokenizer")
    late = run(env, "recall", "maya", "--json")
    assert "ot reranked" in late.stderr
    assert "not reranked" in json.loads(late.stdout)[0]["notes"][0]


def test_an_unknown_reranker_is_a_setting_to_mend(told: dict[str, str]) -> None:
    """The message names those that there are."""
    wrong = run(told | {"ENGRAM_RERANKER": "no-such-model"}, "recall", "tea", code=None)
    assert wrong.returncode != 0
    assert "ms-marco-MiniLM-L-12-v2" in wrong.stderr
