"""Slots: the attributes that facts are compared by.

Of each is known whether a subject has one value of it at a time, and how a sentence says it:

| slot | one value | value, e.g. |
|---|---|---|
| `home`, `address`, `grew_up`, `birthplace`, `origin` | yes | `Leiden` |
| `employer`, `occupation`, `school`, `studies` | yes | `Acme`, `nurse`, `Leiden University`, `physics` |
| `name`, `age`, `birthday`, `birth_year`, `email`, `phone_number` | yes | a birthday is `3 May`, an age `34` |
| `also_known_as` | no | `Annie` |
| `car`, `phone`, `reading` | yes | `Volvo`, `Pixel 8`, `Middlemarch` |
| `marital_status`, `partner`, `mother`, `father`, `boss`, `landlord`, `doctor` | yes | `married`; else a name |
| `sister`, `brother`, `son`, `daughter`, `friend`, `colleague`, `neighbour`, ... | no | a name |
| `pet` | no | its name, or its kind where it has none: `Mies`, `cat` |
| `allergy:WHAT` | yes | `allergy:nuts`: `nuts` |
| `diet`, `smoking` | yes | `vegetarian`; `smokes` or `does not smoke` |
| `eats:WHAT`, `drinks:WHAT` | yes | `eats:meat`: `eats` or `does not eat` |
| `likes:WHAT` | yes | `likes:tea`: `likes` or `dislikes`, so that the two contradict each other |
| `favourite:WHAT` | yes | `favourite:colour`: `blue` |
| `language` | no | `Dutch` |
| `learning:WHAT`, `skill:WHAT` | yes | `learning:spanish`: `Spanish`; `skill:swim`: `swim` |
| `visited` | no | `Rome` |
| `commute` | yes | `train`, `cycle`, `from home` |
| `date:WHAT`, `price:WHAT` | yes | of what is one's own by its name, `price:rent`: `900 euros`; of a thing, when it does what: `date:meet`: `Monday` |
| `state` | yes | of a thing: `open`, `closed` |
| `habit:WHAT` | yes | `habit:wear_a_helmet`: `always` or `never` |

What is promised, planned or decided has no slot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engram.beliefs.facts import Category

_HAS_S = ("s", "x", "z", "ch", "sh", "o")
_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One attribute."""

    verb: str | None = None
    """How a sentence says it, e.g. `live in`; with a gap for the rest of the slot's name where it has one."""
    of: str | None = None
    """Or what of the subject it is, e.g. `partner`."""
    after: str = ""
    """What follows the value."""
    single: bool = True
    category: Category = Category.FACT
    parted: bool = False
    """Whether its name goes on behind a colon."""

    def says(self, who: str, what: str, value: str, *, form: str = "holds") -> str:
        """Return the sentence that says a value.

        Args:
            who: The subject, as a sentence begins with it.
            what: The rest of the slot's name, as words.
            value: The value.
            form: `holds`, `denied` (it is not so), `ended` (it is not so any more) or `once` (it was so).
        """
        if self.of is not None:
            who, verb = f"{who}'s {self.of.format(what=what)}", "be"
        else:
            verb = (self.verb or "be").format(what=what)
        return f"{who} {conjugate(verb, form)} {value}{self.after}."


def conjugate(phrase: str, form: str) -> str:
    """Return a verb phrase in its base form, e.g. `live in Leiden`, in the third person; see `Slot.says` for forms."""
    first, _, rest = phrase.partition(" ")
    is_be = first == "be"
    if form == "once":
        return f"used to {phrase}"
    if form == "denied":
        return f"is not {rest}".strip() if is_be else f"does not {phrase}"
    third = f"{third_person(first)} {rest}".strip()
    if form == "ended":
        return f"is no longer {rest}".strip() if is_be else f"no longer {third}"
    return third


def third_person(verb: str) -> str:
    """Return the form of a verb that goes with he, she and it."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("y") and verb[-2:-1] not in set("aeiou"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HAS_S) else f"{verb}s"


def _of(*names: str, single: bool, category: Category) -> dict[str, Slot]:
    return {name: Slot(of=name.replace("_", " "), single=single, category=category) for name in names}


_FEW = ("mother", "father", "partner", "boss", "landlord", "doctor")
_MANY = [
    "sister",
    "brother",
    "son",
    "daughter",
    "child",
    "aunt",
    "uncle",
    "cousin",
    "nephew",
    "niece",
    "grandmother",
    "grandfather",
    "grandson",
    "granddaughter",
    "friend",
    "colleague",
    "neighbour",
    "roommate",
    "teacher",
    "therapist",
    "coach",
]

SLOTS: Mapping[str, Slot] = MappingProxyType(
    {
        "home": Slot(verb="live in"),
        "address": Slot(verb="live at"),
        "grew_up": Slot(of="childhood home"),
        "birthplace": Slot(of="place of birth"),
        "origin": Slot(verb="be from"),
        "employer": Slot(verb="work at"),
        "occupation": Slot(of="occupation"),
        "school": Slot(verb="study at"),
        "studies": Slot(verb="study"),
        "name": Slot(of="name"),
        "also_known_as": Slot(verb="be called", single=False),
        "age": Slot(verb="be", after=" years old"),
        "birth_year": Slot(of="year of birth"),
        "email": Slot(of="e-mail address"),
        "marital_status": Slot(verb="be", category=Category.RELATIONSHIP),
        "pet": Slot(of="pet", single=False, category=Category.RELATIONSHIP),
        "allergy": Slot(verb="be allergic to", parted=True),
        "diet": Slot(verb="be", category=Category.PREFERENCE),
        "reading": Slot(verb="be reading"),
        "language": Slot(verb="speak", single=False, category=Category.SKILL),
        "learning": Slot(verb="be learning", category=Category.SKILL, parted=True),
        "visited": Slot(single=False, category=Category.MOMENT),
        "favourite": Slot(of="favourite {what}", category=Category.PREFERENCE, parted=True),
        "smoking": Slot(),
        "commute": Slot(),
        "date": Slot(parted=True),
        "price": Slot(parted=True),
        "state": Slot(),
        "eats": Slot(category=Category.PREFERENCE, parted=True),
        "drinks": Slot(category=Category.PREFERENCE, parted=True),
        "likes": Slot(category=Category.PREFERENCE, parted=True),
        "skill": Slot(category=Category.SKILL, parted=True),
        "habit": Slot(category=Category.PRINCIPLE, parted=True),
    }
    | _of("birthday", "phone_number", "car", "phone", single=True, category=Category.FACT)
    | _of(*_FEW, single=True, category=Category.RELATIONSHIP)
    | _of(*_MANY, single=False, category=Category.RELATIONSHIP)
)
"""By the part of a slot's name before the colon."""


def find_slot(name: str) -> Slot | None:
    """Return the known slot that `name` is of, e.g. `likes` for `likes:tea`; None where it is another one."""
    return SLOTS.get(name.partition(":")[0])


def listed_slots() -> str:
    """Return the names of all slots, each with how many values it has, for a model."""
    return ", ".join(
        f"{name}{':WHAT' if slot.parted else ''} ({'one' if slot.single else 'several'})"
        for name, slot in SLOTS.items()
    )
