"""Rules: what is looked for behind each verb."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from engram.beliefs.extraction.plain import doing, people, places, tastes, work
from engram.beliefs.extraction.plain.claims import Claim, Rule
from engram.beliefs.extraction.plain.predicates import Predicate

_LIKING = ("like", "love", "enjoy", "hate", "dislike", "adore", "detest", "prefer")

RULES: Mapping[str, tuple[Rule, ...]] = MappingProxyType(
    {
        "live": (places.live,),
        "move": (places.move,),
        "relocate": (places.move,),
        "come": (places.be_from,),
        "grow": (places.grow,),
        "go": (places.go, tastes.be_on_diet),
        "travel": (places.go,),
        "fly": (places.go,),
        "visit": (places.visit,),
        "tour": (places.visit,),
        "work": (work.work,),
        "study": (work.study,),
        "start": (work.start, doing.start_learning, tastes.start_smoking),
        "begin": (work.start, doing.start_learning, tastes.start_smoking),
        "quit": (tastes.stop_consuming, work.leave_job),
        "leave": (work.leave_job,),
        "resign": (work.leave_job,),
        "stop": (tastes.stop_consuming,),
        "give": (tastes.stop_consuming,),
        "retire": (work.retire,),
        "become": (work.become, tastes.be_on_diet),
        "get": (work.get_job, people.marry, people.get_pet),
        "adopt": (people.get_pet,),
        "be": (
            people.be_somebody,
            work.be_something,
            work.be_fired,
            tastes.be_on_diet,
            tastes.be_allergic,
            tastes.be_fond,
            places.be_from,
            doing.be_fluent,
        ),
        "have": (people.have_somebody, tastes.have_allergy),
        "own": (people.have_somebody, doing.drive),
        "turn": (people.turn,),
        "marry": (people.marry,),
        "break": (people.part,),
        "split": (people.part,),
        "divorce": (people.part,),
        "separate": (people.part,),
        "date": (people.be_with,),
        **dict.fromkeys(_LIKING, (tastes.like,)),
        "eat": (tastes.consume,),
        "drink": (tastes.consume,),
        "smoke": (tastes.smoke,),
        "speak": (doing.speak,),
        "learn": (doing.learn,),
        "know": (doing.know_how,),
        "teach": (doing.teach_oneself,),
        "can": (doing.can, tastes.can_not_stand),
        "play": (doing.play,),
        "drive": (doing.drive,),
        "buy": (doing.buy,),
        "switch": (doing.buy,),
        "sell": (doing.sell,),
        "read": (doing.read,),
    }
)
"""By the base form of a verb."""


def claims_of(said: Predicate) -> Iterator[Claim]:
    """Yield what a predicate claims of its subject."""
    for rule in RULES.get(said.verb, ()):
        for claim in rule(said):
            yield replace(
                claim,
                denied=claim.denied or (said.negated and not claim.polar),
                over=claim.over or (said.over and not claim.timeless),
                changed=claim.changed or (said.new and not said.over),
            )
