"""Memories, and two hundred ways to say them back; for tests of the gates."""

from datetime import UTC, datetime
from typing import Any

import numpy as np

from engram.loop.fencing import memory_line, section
from engram.loop.quoting import quote
from engram.records import FOREVER, Hit, Kind, Memory

CONTENTS = (
    "My dog Rex eats carrots",
    "I live in Berlin, near the old airport.",
    "We decided to use Postgres. Bob was against it.",
    "The dentist's number is 555-0199, ask for Ms Ito.",
    "Grandma's recipe needs three eggs, flour and a pinch of salt.",
    "I never drink coffee after four. It keeps me awake.",
    "Our flat costs 950 euros a month and has two rooms.",
    "Eva plays the cello in the town orchestra since 2019.",
)
IDS = tuple(f"{number:08x}{'0' * 24}" for number in range(0xA0, 0xA0 + len(CONTENTS)))
RECALLED = dict(zip(IDS, CONTENTS, strict=True))
_AT = datetime(2026, 1, 2, tzinfo=UTC)


def memory_of(number: int) -> Memory:
    """Return one of the memories as a recall brings it back."""
    times = (
        "created_at",
        "event_at",
        "known_at",
        "valid_from",
        "last_accessed_at",
        "energy_at",
        "expires_at",
    )
    values: dict[str, Any] = dict.fromkeys(times, _AT)
    return Memory(
        id=IDS[number],
        space="s",
        kind=Kind.EPISODIC,
        content=CONTENTS[number],
        contextualized=CONTENTS[number],
        category=None,
        compressed=None,
        tier="working",
        status="active",
        source="chat",
        source_tag="external_user",
        source_confidence=1.0,
        speaker="Ada",
        immutable=False,
        valid_to=FOREVER,
        access_count=0,
        seen_count=1,
        energy=1.0,
        weight_alpha=1.0,
        weight_beta=4.0,
        truth_alpha=2.0,
        truth_beta=1.0,
        importance=0.5,
        embed_model="m",
        version=1,
        **values,
    )


def variations(generator: np.random.Generator, count: int) -> list[str]:
    """Return so many ways to say some of the memories back."""
    return [_varied(generator) for _ in range(count)]


def _varied(generator: np.random.Generator) -> str:
    chosen = generator.permutation(len(CONTENTS))[: generator.integers(1, 4)]
    hits = [Hit(memory=memory_of(int(each)), rank=1, score=1.0) for each in chosen]
    texts = [CONTENTS[each] for each in chosen]
    plain = str(generator.choice([" ", "\n", ". ", "\n- "])).join(texts)
    forms = [
        plain,
        plain.upper(),
        plain.lower(),
        plain.replace(".", "").replace(",", ""),
        " ".join(f"\u201c{text}\u201d" for text in texts),
        quote(hits),
        section("memories", [memory_line(hit.memory) for hit in hits]),
        "\n".join(memory_line(hit.memory) for hit in hits),
        "\n".join(f"> {text}" for text in texts),
        "\n".join(reversed([word for text in texts for word in text.split(", ")])),
    ]
    before = str(
        generator.choice(["", "", "I remember: ", "You said: ", "As you told me:\n", "OK. ", "Yes: "])
    )
    after = str(generator.choice(["", "", " Right?", "\nThanks!", "\nIs that right?", " \U0001f642"]))
    return f"{before}{forms[generator.integers(len(forms))]}{after}"
