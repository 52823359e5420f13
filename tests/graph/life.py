"""A scripted year: what was said, what a careful reader draws from it, and what has to be believed at its end.

The words and what is drawn from them are in `tests/data/life.txt`; the end is here. A fact is known by the turns that it
rests on and by what its sentence says, so that the same end holds for whoever drew it, in whatever words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from engram.beliefs.facts import Revision
from engram.records import REPLY_TAG, USER_TAG, Turn

SCRIPT = Path(__file__).parents[1] / "data" / "life.txt"
AGENT = "assistant"
_SESSION = re.compile(r"== (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d) (?P<name>\S+)")
_TURN = re.compile(r"\[(?P<silent>!?)(?P<name>[\w-]+)\] (?P<speaker>\w+): (?P<text>.+)")
_FACT = re.compile(r"  > (?P<category>\w+) \| (?P<content>.+?) \| (?P<about>.+?)(?: \| (?P<words>.+))?")
_ABOUT = re.compile(r"(?:(?P<slot>\S+) )?@ (?P<subject>[^=!]+?)(?: (?P<sign>!?=) (?P<value>.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One fact, as a careful reader draws it from a turn."""

    content: str
    category: str
    subject: str
    slot: str | None
    value: str | None
    negated: bool
    single: bool
    revision: Revision
    confidence: float
    since: datetime | None
    until: datetime | None
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One turn of the script."""

    name: str
    silent: bool
    """Whether there is nothing in it to remember."""
    speaker: str
    text: str
    at: datetime
    session: str
    drawn: tuple[Drawn, ...]

    def turn(self, session: str | None = None) -> Turn:
        """Return it as it is told, perhaps in another session."""
        tag = REPLY_TAG if self.speaker == AGENT else USER_TAG
        return Turn(
            text=self.text,
            speaker=self.speaker,
            at=self.at,
            session=session or self.session,
            id=self.name,
            source_tag=tag,
        )


@cache
def script() -> tuple[Line, ...]:
    """Return the year's turns in order."""
    return tuple(_lines(SCRIPT.read_text(encoding="utf-8").splitlines()))


@cache
def sessions() -> tuple[tuple[Line, ...], ...]:
    """Return the year's turns by session, in order."""
    names = dict.fromkeys(line.session for line in script())
    return tuple(tuple(line for line in script() if line.session == name) for name in names)


def _lines(rows: Sequence[str]) -> Iterator[Line]:
    session, at = "", datetime.min.replace(tzinfo=UTC)
    for place, row in enumerate(rows):
        if found := _SESSION.fullmatch(row):
            session = found["name"]
            at = datetime.strptime(found["at"], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        elif found := _TURN.fullmatch(row):
            at += timedelta(minutes=1)
            yield Line(
                name=found["name"],
                silent=bool(found["silent"]),
                speaker=found["speaker"],
                text=found["text"],
                at=at,
                session=session,
                drawn=tuple(_drawn(rows[place + 1 :])),
            )
        else:
            assert not row or row[0] == "#" or _FACT.fullmatch(row), row


def _drawn(rows: Sequence[str]) -> Iterator[Drawn]:
    for row in rows:
        if not (found := _FACT.fullmatch(row)):
            return
        about = _ABOUT.fullmatch(found["about"])
        assert about, row
        words = found["words"] or ""
        options = dict(re.findall(r"(since|until|sure|about)=(.+?)(?= (?:since|until|sure|about)=|$)", words))
        yield Drawn(
            content=found["content"],
            category=found["category"],
            subject=about["subject"].strip(),
            slot=about["slot"],
            value=about["value"],
            negated=about["sign"] == "!=",
            single="single" in words.split(),
            revision=_revision(words.split()),
            confidence=float(options.get("sure", 1.0)),
            since=_day(options.get("since")),
            until=_day(options.get("until")),
            about=tuple(options["about"].split(",")) if "about" in options else (),
        )


def _revision(words: Sequence[str]) -> Revision:
    return "correction" if "correction" in words else "change" if "change" in words else "none"


def _day(day: str | None) -> datetime | None:
    return datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None


@dataclass(frozen=True, slots=True)
class State:
    """Something that was said, once or again."""

    names: frozenset[str]
    """The turns that say it."""
    says: str
    """What its sentence has in it, a pattern."""

    @property
    def first(self) -> Line:
        """The turn that said it first."""
        return next(line for line in script() if line.name in self.names)


@dataclass(frozen=True, slots=True)
class Thread:
    """What became of one thing in the course of the year: each state ends the one before."""

    question: str
    states: tuple[State, ...]

    @property
    def steps(self) -> list[tuple[State, State]]:
        """Each state that ended, with the one that ended it."""
        return list(zip(self.states, self.states[1:], strict=False))


def _state(turns: str, says: str) -> State:
    names = frozenset(turns.split())
    assert names <= {line.name for line in script()}, turns
    return State(names, says)


def _thread(question: str, *states: tuple[str, str]) -> Thread:
    return Thread(question, tuple(_state(*each) for each in states))


def _pair(one: tuple[str, str], other: tuple[str, str]) -> tuple[State, State]:
    return _state(*one), _state(*other)


THREADS = (
    _thread(
        "Where does Mara live?",
        ("home1", "Bristol"),
        ("home2 home2-again", "Bath"),
        ("home3 home3-again", "Cardiff"),
    ),
    _thread(
        "Who does Mara work for?",
        ("employer1 employer1-again", "Harlow"),
        ("employer2 employer2-again", "Tidewater"),
    ),
    _thread("What does Mara design or draw?", ("employer1", "cover"), ("occupation2", "maps of rivers")),
    _thread("What does Mara eat?", ("diet1", "everything|meat"), ("diet2 diet2-again", "vegetarian")),
    _thread(
        "On what day do the Marlow Singers rehearse?",
        ("choir-tuesday", "Tuesday"),
        ("choir-thursday choir-again", "Thursday"),
    ),
    _thread("When is Mara's dentist appointment?", ("dentist1", "3 February"), ("dentist2", "10 February")),
    _thread("Where does Priya work?", ("priya1", "Lloyds"), ("priya2 monzo-again", "Monzo")),
    _thread("What car does Mara drive?", ("car1", "Volvo"), ("car2", "Skoda")),
    _thread("May Mara run with her knee?", ("knee1", "not allowed"), ("knee2", "allowed to run again")),
    _thread(
        "How does Mara get to work?",
        ("commute1", "train"),
        ("commute2", "cycle"),
        ("commute3", "from home"),
    ),
    _thread(
        "What is Mara reading?",
        ("reading1", "Middlemarch"),
        ("reading2", "Overstory"),
        ("reading3", "Piranesi"),
        ("reading4", "Wolf Hall"),
    ),
    _thread("What does Pickle eat?", ("cat-food1", "tuna"), ("cat-food2", "kidney food")),
    _thread("Is the lido open?", ("lido-closed", "closed"), ("lido-open", "open again")),
    _thread("Has Mara booked a trip to Lisbon?", ("lisbon", "booked"), ("lisbon-not", "Lisbon|[Bb]ooked")),
    _thread("How much is Mara's rent?", ("rent1", "1,150"), ("rent2", "1,240")),
    _thread("What phone has Mara got?", ("phone1", "Pixel"), ("phone2", "Fairphone")),
    _thread("Where is Robert Miller?", ("bob-hospital", "in hospital"), ("bob-home", "home again")),
    _thread(
        "Where does Jonas work?", ("jonas-job1", "St Brendan's"), ("jonas-job2", "works at Cathays High")
    ),
    _thread("What is Jonas's job?", ("jonas-job1", "physics teacher"), ("jonas-job2", "head of science")),
    _thread("Where does Elin live?", ("elin1", "lives in Gothenburg"), ("elin2", "Oslo")),
    _thread(
        "Does Mara drink coffee?",
        ("assam coffee-again", "coffee"),
        ("coffee-stopped", "coffee"),
    ),
    _thread(
        "On what day do the Taff Voices rehearse?", ("taff-monday", "Monday"), ("taff-wednesday", "Wednesday")
    ),
    _thread(
        "When is the concert of the Taff Voices?", ("concert1", "14 December"), ("concert2", "13 December")
    ),
    _thread("Who is Mara's boss?", ("boss1", "Okafor"), ("boss2", "Pryce")),
    _thread("How old is Pickle?", ("cat", "eleven|11"), ("pickle-12", "twelve|12")),
    _thread(
        "When does the sofa arrive?", ("sofa-wednesday", "Wednesday"), ("sofa-mara sofa-friday", "Friday")
    ),
)
"""Whatever ended. What is true at the end is the last state of each."""

STANDING = (
    _state("partner", "Jonas"),
    _state("cat", "(?:cat|pet).*Pickle"),
    _state("dog", "Biscuit"),
    _state("assam assam-again assam-stays simple", "Assam"),
    _state("penicillin penicillin-again", "allergic to penicillin"),
    _state("choir-tuesday alto-again", "alto"),
    _state("ashby", "carpenter"),
    _state("ashby-home ashby-again", "lives in Exeter"),
    _state("miller", "tram driver"),
    _state("hiking simple", "hiking"),
    _state("reyes", "plumber"),
    _state("reyes-home reyes-again", "lives in Bath"),
    _state("easter", "lives in Oxford"),
    _state("animals", "animals"),
    _state("swimming", "cold water"),
    _state("walks", "half past six"),
    _state("qgis", "QGIS"),
    _state("sundays", "Sunday"),
    _state("doctor", "Dr Evans"),
    _state("rooibos", "rooibos"),
    _state("guitar", "guitar"),
    _state("ochre", "ochre"),
    _state("pontcanna", "Pontcanna"),
    _state("jonas-cooks jonas-cooks-again", "most of the cooking"),
)
"""Whatever was said and never ended, however much like it was said of something else."""

PAST = (_state("leeds", "Leeds"), _state("bath-past", "Bath"), _state("harlow-past", "Harlow"))
"""Whatever was over when it was told: it ends nothing, and it is not so now."""

TENSIONS = (
    _pair(("mum", "14 March"), ("mum-jonas mum-jonas-again", "16 March")),
    _pair(("born-malmo", "Malmö"), ("born-lund", "Lund")),
    _pair(("deposit-mara deposit-again", "1,100"), ("deposit-jonas", "900")),
    _pair(("cats-jonas", "allergic to cats"), ("cats-mara", "not allergic to cats")),
    _pair(("no-bone", "never broken a bone"), ("wrist", "broke (?:her|my) wrist")),
)
"""Whatever cannot both be so, and nothing in the year settles."""

FULFILLED = (
    _pair(("tent", "tent"), ("tent-back", "tent")),
    _pair(("elin1", "expecting"), ("nils", "Nils|had a boy")),
    _pair(("elin-promise flight", "Elin|flying|flies"), ("elin-cooked", "cooked")),
    _pair(("interview", "interview"), ("notice", "job")),
    _pair(("blood-test", "blood test"), ("blood-done", "[Bb]lood test")),
    _pair(("tickets", "forty pounds"), ("paid", "forty pounds")),
    _pair(("concert2", "13 December"), ("concert-sung", "concert")),
    _pair(("bath-signed", "Bath|first of March"), ("home2", "Bath")),
    _pair(("cardiff-decided", "Cardiff"), ("home3", "Cardiff")),
)
"""Whatever came about as announced: the announcement may give way to it, and need not."""

ONE = frozenset({"robert miller", "bob", "bob miller"})
"""Keys of the names of one person."""
ALIKE = (ONE, frozenset({"tidewater trust", "the tidewater trust"}))
"""Keys that may be taken for one."""
APART = (
    ("tom ashby", "tom reyes"),
    ("taff", "taff voices"),
    ("taff voices", "marlow singers"),
    ("priya", "elin"),
    ("helen okafor", "sam pryce"),
    ("bath", "bristol"),
    ("mara", "jonas"),
)
"""Keys of names that have much in common and mean different ones."""
