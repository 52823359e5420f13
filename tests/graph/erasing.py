"""A space in which somebody was spoken of in every place that has a text, and a look for what is left of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from prompt_toolkit.history import FileHistory
from pydantic import BaseModel

from engram.costs import Ledger
from engram.embedding.cache import CachedEmbedder, VectorCache
from engram.goals import Goals
from engram.graph import Graph
from engram.learning import lost_file
from engram.llm.structured import ask
from engram.loop.journal import Journal
from engram.memory import Engram
from engram.moving.labels import KEYS
from engram.private import append_private
from engram.records import Turn
from engram.statements import load
from engram.testing import FixedClock, HashEmbedder, ScriptedModel
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import run
from tests.graph.talking import entry, talk

NAME = "Quillfeather"
ILLNESS = "zorblax"
SAID = f"My therapist Dr {NAME} treats my {ILLNESS} syndrome every Tuesday evening"
TEXTS = (
    "I live in Utrecht near the old canal",
    SAID,
    "That sounds hard",
    f"dr {NAME.lower()}'s practice is in Vrolik Street",
    "She has a dog and two cats",
    f"My brother Tom recommended {NAME} to me",
)
OTHERS = ("I live in Utrecht near the old canal", "That sounds hard", "She has a dog and two cats")
"""Texts that do not name anybody."""
_JOBS = ("extract", "cluster", "boxes", "entities", "dream", "archive")
_SINGLE = frozenset({"ConsolidationConfig", "RelevanceBlend", "AgentManifest"})
"""Labels of which a space that is lived in has its one node."""

WORDED: Mapping[str, frozenset[str]] = {
    sort: frozenset(re.findall(r"'(\w+)'", properties))
    for sort, properties in re.findall(
        r"^  (\w+): \[([^\]]*)\]", load("inspect/find_traces").text, re.MULTILINE
    )
}
"""Properties that hold somebody's words, by label or type: where erasing looks."""
ENGINES: Mapping[str, frozenset[str]] = {
    sort: frozenset(properties.split())
    for sort, properties in {
        "Memory": (
            "id content_hash kind tier due_tier status source_tag embed_model space_key category dreamed "
            "compressed_by memory_kind archive_reason archived_run policy_class lifecycle_state verification_state"
        ),
        "Turn": "id source_tag extracted_by",
        "Session": "tail",
        "Entity": "summary_of",
        "ScratchEntry": "id turn run memory state action novelty reason signals source_tag",
        "Goal": "id state found_in",
        "Connection": "id memory",
        "Recall": "id mode query_hash text_hash active",
        "LlmCall": "id run model purpose outcome",
        "LoopRun": "id host",
        "JobRun": "id job by undoes shallow_why",
        "BeliefChange": "id kind by run undone_by",
        "SemanticCluster": "id status",
        "MemoryBox": "id due sealed_why",
        "Trace": "id",
        "WorkingMemory": "id state mood reason run seed",
        "GutDelta": "id model gate action reaction",
        "GutAxis": "id model",
        "Outcome": "id kind",
        "AgentManifest": "working_notes subconscious_model",
        "Archived": "id memory run tier due_tier",
        "Dream": "id run why",
        "ConsolidationAttempt": "id phase run worker outcome",
        "SafetyCycle": "top",
        "SafetyEvent": "id ceiling subject reason",
        "ConfigChange": "key by",
        "Approval": "id memory state by",
        "RecordCounter": "kind month model purpose",
        "ALIAS_OF": "by change evidence",
        "CITES": "key",
        "CHANGED": "by change evidence role state status",
        "IN_TENSION_WITH": "how kept state",
        "MENTIONS": "role",
        "NOT_SAME_AS": "by",
        "SUPERSEDES": "by",
        "TENSION_BETWEEN": "role",
        "AWAITS": "cause",
    }.items()
}
"""Properties of texts that the engine writes of its own, by label or type: no name stands there."""

_run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
_means: Any = resolve_name("engram.jobs.means:Means")
_history_file: Callable[..., Path] = resolve_name("engram.cli.history:history_file")


class _Shape(BaseModel):
    """An answer of a shape."""

    name: str


def lived_in(graph: Graph, address: Address, space: str, clock: FixedClock, folder: Path) -> Engram:
    """Return a memory that talked, dreamed and took notes of somebody; its files lie in `folder`."""
    settings = address.settings(data_dir=folder / "data", cache_dir=folder / "cache")
    embedder = CachedEmbedder(HashEmbedder(DIMENSIONS), VectorCache(settings.cache_dir))
    memory = Engram(graph, settings, space=space, embedder=embedder, clock=clock)
    _converse(memory, clock)
    clock.advance(timedelta(days=2))
    with _means(memory) as means:
        for name in _JOBS:
            job = resolve_name(f"engram.jobs.{name}:JOB")
            _run_job(job, memory.graph, space=memory.space, clock=clock, means=means)
    _keep_files(memory, clock)
    assert memory.flush()
    lay_notes(memory)
    return memory


def lay_notes(memory: Engram) -> None:
    """Lay a node of every label that speaks of somebody where no code expects it."""
    labels = sorted(KEYS.keys() - _SINGLE - {"Memory", "Turn", "Tombstone"})
    words = f"Dr {NAME} ({ILLNESS})"
    rows = [
        {
            "label": label,
            "held": {
                name: ["well", words] if name == "topics" else words
                for name in sorted(WORDED.get(label, frozenset()) - {"id", "key", "name", "session"})
            },
        }
        for label in labels
    ]
    run(memory, "erasing_lay_notes", rows=rows, words=words, now=memory.now())


def _converse(memory: Engram, clock: FixedClock) -> None:
    """Talk about somebody: in turns, by hand, to a model, and in what is asked."""
    memory.remember_turns(
        Turn(text=text, speaker="Noor", session=f"with {NAME}", at=clock.now - timedelta(days=9 - day))
        for day, text in enumerate(TEXTS)
    )
    old = memory.remember(f"{NAME} sees me on Mondays", speaker="Noor")
    reason = f"{NAME} changed her hours because of {ILLNESS}"
    memory.remember("I go there on Tuesdays now", supersedes=old.id, reason=reason, speaker="Noor")
    memory.beliefs.merge_names("Tom", "Noor", reason=f"{NAME} said so")
    goals = Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)
    goals.add(f"be honest to {NAME} about {ILLNESS}")
    for question in (
        f"Who is {NAME}?",
        "Who has a dog?",
        f"did {NAME.lower()} mention {ILLNESS} or the canal?",
    ):
        memory.recall(question, 3)
    assert memory.flush()
    chat = talk(memory, clock, ScriptedModel(f"Dr {NAME} sounds kind.", "Yes."), session="evening")
    list(chat.say(f"I saw {NAME} today and we talked about {ILLNESS}"))
    chat.finish()
    ledger = Ledger(memory.graph, space=memory.space, clock=clock, prices={})
    unusable = ScriptedModel(f'{{"oops": "Dr {NAME} \\"{ILLNESS}\\"')
    ask(ledger.model(unusable, purpose="gate"), "s", "t", _Shape, max_tokens=9)
    ledger.close()


def _keep_files(memory: Engram, clock: FixedClock) -> None:
    """Leave lines about somebody, and another, in every file that may hold some."""
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    for text in (SAID, "The kettle is new"):
        journal.append(entry(f"{memory.space}-{len(text)}", clock.now, text=text))
    append_private(journal.file.with_suffix(".aside"), f'{{"text": "{SAID}", "version": 99}}\n')
    history = FileHistory(str(_history_file(memory.settings)))
    for line in (SAID, f"/recall {NAME} and {ILLNESS}", "The kettle is new"):
        history.store_string(line)
    for reason in (f"the name {NAME} ({ILLNESS}) is odd", "the database is away"):
        append_private(lost_file(memory.settings), f'{{"count": 1, "reason": "{reason}"}}\n')


def places(memory: Engram, *words: str) -> list[str]:
    """Return where words stand: in the graph, its indexes and schema, and the files of this machine."""
    assert memory.flush()
    lower = [word.lower() for word in words]
    found = [row["place"] for row in run(memory, "erasing_grep", words=lower)]
    folders = (memory.settings.data_dir, memory.settings.cache_dir)
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted(found) + [
        path.name for path in files if any(word.encode() in path.read_bytes().lower() for word in lower)
    ]


def cached(memory: Engram, texts: Sequence[str]) -> int:
    """Return how many of the texts have a vector in the cache, in whatever form."""
    embedder = memory.embedder
    assert isinstance(embedder, CachedEmbedder)
    return embedder.cache.forget(texts)
