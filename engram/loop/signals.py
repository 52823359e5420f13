"""The signal scan: what in a message tells, by its words alone, that it should be kept.

The first step of the write path of the memory lifecycle: local regular expressions, under 10 ms, no model. Its ten
categories are found as far as words can tell them; entities and other facts are told by what they are about, and are
left to recall and to the exit gate. English first, with the commonest German, French and Spanish forms.

A form is tried only where one of its first words stands, and every repeat in it is bounded. So a scan takes time in
proportion to the text, whatever it holds.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

HIGH = frozenset({"remember", "correction", "commitment", "decision"})
"""What does not wait for the next flush.

To be asked outright to remember, and then to have forgotten after a crash, costs the most trust. A correction must
hold before the very next answer repeats the mistake. What was promised or decided is acted on from now on.
"""

_KIN = (
    "wife|husband|partner|boyfriend|girlfriend|fianc\xe9e?|spouse|mother|father|mom|mum|dad|parents?|brother|sister|"
    "siblings?|son|daughter|kids?|child|children|grand(?:ma|pa|mother|father)|aunt|uncle|cousin|nephew|niece|friend|"
    "boss|manager|colleague|co-?worker|neighbou?r|roommate|dog|cat|pet"
)
_LIVES = "live|work|study|grew up|was born|moved|teach|was raised|lived|worked|studied"
_ABOUT_ME = "a |an |from |\\d{1,3}\\b|allergic|diabetic|vegan|vegetarian|married|divorced|retired|pregnant"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"

FORMS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "remember": (
            # Asked for, and not "do you remember that", "I don't remember this", "I remember my".
            (
                "remember",
                (
                    r"(?<!n't remember)(?<!\bnot remember)(?<!\byou remember)(?<!\bi remember)(?<!\bwe remember)"
                    r"(?<!\bthey remember)(?<!\bto remember)(?:: |,? )(?:(?<=: )|"
                    r"this|that|these|it|my|our|me|to|the fact|i |i'm|we |for (?:later|next))"
                ),
            ),
            ("don't never", " (?:ever )?forget (?:that|this|it|to|my|about|i |we )"),
            ("not", "(?<=do not) forget (?:that|this|it|to|my|about|i |we )"),
            ("please could want need should must", " (?:you )?(?:to )?(?:please )?remember\\b"),
            ("keep bear", " (?:this |that |it )?in mind\\b"),
            ("make take", " (?:a )?(?:mental )?note\\b"),
            ("note", " (?:this|that|down|to self)\\b"),
            ("for", " the record\\b"),
            ("merk merke", " dir\\b"),
            ("vergiss", " (?:bitte )?nicht\\b"),
            ("souviens rappelle", "-toi\\b"),
            ("n'oublie", " pas\\b"),
            ("recuerda no", "(?:(?<=recuerda) que\\b|(?<=no) olvides\\b)"),
        ),
        "correction": (
            ("no", ",? (?:actually|wait|sorry|it's|it is|i (?:said|meant))\\b"),
            ("actually", ",? (?:it's|it is|i |my |that's|no\\b|not\\b|he |she |we |they )"),
            ("i", " (?:meant|misspoke|was wrong|was mistaken|stand corrected|didn't say|never said)\\b"),
            (
                "that's that this you're you",
                (
                    "(?: is| was| are| were| got it| got that)? (?:\\w{1,12} )?"
                    "(?:wrong|incorrect|mistaken|not (?:right|true|correct|what))"
                ),
            ),
            ("correction", ":"),
            ("let", " me correct\\b"),
            ("to", " correct (?:myself|you|that)\\b"),
            ("nein", ",? (?:eigentlich|doch|ich)\\b"),
            ("ich das", " (?:(?<=ich )meinte|(?<=das )stimmt nicht|(?<=das )ist falsch)\\b"),
            ("non no", ",? en (?:fait|realidad)\\b"),
            ("je c'est quise eso", " (?:voulais dire|faux|decir|no es)\\b"),
        ),
        "preference": (
            (
                "i",
                (
                    " (?:really |absolutely |also |much |still |don't |do not |can't |cannot |would )?"
                    "(?:like|love|prefer|enjoy|hate|dislike|adore|detest|stand|favou?r|rather)\\b"
                ),
            ),
            ("i'd i'm", " (?:rather|prefer|(?:a )?(?:big |huge |not a )?fan of|fond of|not a fan|into)\\b"),
            ("my", " favou?rite\\b"),
            ("ich", " (?:mag|liebe|hasse|bevorzuge|esse gern|trinke gern)\\b"),
            ("je j'aime j'adore", "(?: pr\xe9f\xe8re| d\xe9teste|(?<=j'aime)|(?<=j'adore))\\b"),
            ("prefiero odio me", "(?:(?<=prefiero)|(?<=odio)|(?<=me) gustan?|(?<=me) encanta)\\b"),
        ),
        "decision": (
            (
                "i we i've we've",
                "(?: have)? (?:\\w{1,12} )?(?:decided|settled on|agreed (?:to|on|that)|concluded|opted)\\b",
            ),
            ("i'm we're am are let's we'll i'll", " (?:going |go )with\\b"),
            ("decision", " (?:is|was)\\b"),
            ("made make", " (?:up (?:my|our)|a|the) (?:mind|decision)\\b"),
            (
                "habe haben",
                " (?:\\w{1,16} ){0,5}(?:entschieden|entschlossen|beschlossen)\\b",
            ),
            ("j'ai avons on he hemos", " (?:a )?(?:d\xe9cid\xe9|decidido)\\b"),
        ),
        "commitment": (
            (
                "i'll i",
                (
                    "(?:(?<=i'll)| will| shall) (?:definitely |certainly )?(?:make sure|be sure|be there|get back|send|call|"
                    "do it|finish|deliver|bring|take care|let you know|have it|remind|pay|try to)"
                ),
            ),
            (
                "i we",
                " (?:have )?(?:\\w{1,12} )?(?:promised?|swear|commit(?:ted)? to|guarantee|vow|pledge)\\b",
            ),
            ("i've we've", " (?:promised|committed)\\b"),
            ("you", " have my word\\b"),
            ("ich", " (?:verspreche|k\xfcmmere mich)\\b"),
            ("je prometo te", "(?: promets| m'engage|(?<=prometo)| lo juro)\\b"),
        ),
        "fact": (
            ("my", " (?:full |first |last |middle |real )?name(?: is\\b|'s\\b)"),
            (
                "my",
                " (?:birthday|job|age|address|phone|email|hometown|diet|doctor|employer|company|major)\\b",
            ),
            ("i'm call people i", " (?:called|me|call me|go by)\\b(?<!i call me)"),
            ("i", f" (?:\\w{{1,10}} )?(?:{_LIVES}) (?:in|at|for|as|on|near|to|with|from)\\b"),
            ("i'm i", f"(?:(?<=i'm)| am) (?:{_ABOUT_ME})"),
            ("i", " (?:have|own|speak) (?:a |an |two |three |\\w{1,12}$)"),
            ("ich mein", " (?:hei\xdfe|heisse|name ist|wohne in|arbeite (?:bei|als|in)|bin allergisch)\\b"),
            ("je j'habite", "(?: m'appelle| travaille| suis n\xe9e?|(?<=j'habite))\\b"),
            ("me vivo trabajo soy", " (?:llamo|en|de|como)\\b"),
        ),
        "relationship": (
            ("my our", f" (?:\\w{{1,12}} )?(?:{_KIN})s?\\b"),
            ("is are", " (?:married|engaged|related) to\\b"),
            (
                "meine mein",
                " (?:frau|mann|mutter|vater|schwester|bruder|sohn|tochter|freundin|freund|chef|hund|katze)\\b",
            ),
            (
                "ma mon mes",
                " (?:femme|mari|m\xe8re|p\xe8re|s\u0153ur|fr\xe8re|fils|fille|amie?|chef|chien|chat)\\b",
            ),
            (
                "mi mis",
                " (?:esposa|marido|madre|padre|hermana|hermano|hij[oa]|amig[oa]|jef[ea]|perr[oa])s?\\b",
            ),
        ),
        "principle": (
            ("i we should must", " (?:will |would |should |must )?(?:always|never)\\b"),
            (
                "always never",
                "(?<=^always) \\w|(?<=^never) \\w|(?<=[.!?;:] always) \\w|(?<=[.!?;:] never) \\w",
            ),
            ("please", " (?:always|never) \\w"),
            ("as", " a (?:rule|matter of principle)\\b"),
            ("rule", " of thumb\\b"),
            ("no", " matter what\\b"),
            ("from", " now on\\b"),
            ("under", " no circumstances\\b"),
            ("i", " believe (?:that|in)\\b"),
            ("my golden", " rule\\b"),
            ("non", "-negotiable\\b"),
            ("grunds\xe4tzlich d\xe9sormais", "\\b"),
            ("ab aus par por a", " (?:jetzt immer|prinzip|principe|principio|partir de ahora)\\b"),
        ),
        "moment": (
            ("today tonight tomorrow yesterday heute gestern \xfcbermorgen demain ma\xf1ana ayer", "\\b"),
            ("january february april june july august september october november december", "\\b"),
            ("may march", " [0-3]?\\d\\b|(?<=\\d may)|(?<=\\dth may)|(?<=\\d march)|(?<=\\dth march)"),
            ("on next last this by until every coming", f" {_DAY}"),
            ("next last this", " (?:week(?:end)?|month|year|spring|summer|autumn|fall|winter)\\b"),
            ("at", " (?:[01]?\\d|2[0-3])(?::[0-5]\\d| ?[ap]\\.?m\\b| o'clock)"),
            ("um", " \\d{1,2} uhr\\b"),
            ("appointment deadline meeting anniversary due", " (?:is|on|at|with|by|next)\\b"),
            ("n\xe4chste hier", " (?:woche|soir)\\b"),
        ),
        "skill": (
            (
                "i",
                (
                    " (?:can|know how to) "
                    "(?:play|speak|write|code|program|cook|drive|sing|dance|paint|read|ride|swim|ski|sew)\\b"
                ),
            ),
            ("i'm", " (?:good|great|fluent|skilled|experienced|proficient|an expert) (?:at|in|with)\\b"),
            ("i i've", " (?:have )?(?:learned|learnt|mastered|taught myself) (?:to|how)\\b"),
        ),
        "forget": (
            (
                "forget",
                (
                    r"(?<!n't forget)(?<!\bnot forget)(?<!ever forget)(?<!\bi forget)(?<!\byou forget)(?<!\bwe forget)"
                    r"(?<!\bi'll forget)(?<!\bto forget) "
                    r"(?:about |everything |all |what )?(?:that|this|it|my|i |we |me|about|what|everything)"
                ),
            ),
            (
                "delete erase remove wipe",
                " (?:that|this|it|my|everything|all|what) ?(?:\\w{1,12} ){0,4}(?:memory|memories|said|told|know|about)",
            ),
            ("don't", " (?:remember|store|save|keep|record) (?:that|this|it|any|my|what)\\b"),
            ("vergiss oublie olvida", " (?:das|es|was|bitte das|\xe7a|ce que|eso|lo que)\\b"),
        ),
    }
)
"""What is looked for, by name: first words, and the pattern of what comes right after one of them.

Over text in lower case with plain apostrophes and spaces. Not all of it is good style: people chat.
"""

_FOLD = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\n": " ", "\r": " ", "\t": " "})
_WORD = re.compile(r"[^\W\d_][\w']*")
_NUMERIC_DATE = re.compile(
    r"(?<!\w)(?:(?:19|20)\d\d-[01]\d-[0-3]\d|[0-3]?\d[./][01]?\d[./](?:19|20)?\d\d)(?!\w)"
)
_BEFORE, _AFTER = 16, 112
"""Characters around a first word that a form can see; the same ones are not looked at twice."""


def _by_first_word() -> Iterator[tuple[str, tuple[tuple[str, re.Pattern[str]], ...]]]:
    listed = sorted(
        (word, name, rest) for name, forms in FORMS.items() for words, rest in forms for word in words.split()
    )
    for word, group in groupby(listed, key=lambda each: each[0]):
        patterns: dict[str, list[str]] = {}
        for _, name, rest in group:
            patterns.setdefault(name, []).append(rest)
        yield word, tuple((name, re.compile("|".join(rests))) for name, rests in patterns.items())


_BY_FIRST_WORD = dict(_by_first_word())


@dataclass(frozen=True, slots=True)
class Signals:
    """What a scan found."""

    names: tuple[str, ...] = ()
    """In the order of `FORMS`."""
    high: bool = False
    """Whether one of them is high: it does not wait."""


MOST_TRIES = 300
"""How often one first word is followed up: nobody says "I" more often in a message, and a hostile text shall not make
the scan slow."""


def scan(text: str) -> Signals:
    """Return which signals a message holds."""
    folded = text.translate(_FOLD).lower()
    found = {"moment"} if _NUMERIC_DATE.search(folded) else set[str]()
    seen: set[tuple[str, str]] = set()
    tries = Counter[str]()
    for word in _WORD.finditer(folded):
        forms = _BY_FIRST_WORD.get(word[0])
        if forms is None or tries[word[0]] >= MOST_TRIES:
            continue
        tries[word[0]] += 1
        around = (
            folded[max(0, word.start() - _BEFORE) : word.start()],
            folded[word.start() : word.end() + _AFTER],
        )
        if around in seen:
            continue
        seen.add(around)
        found.update(name for name, form in forms if name not in found and form.match(folded, word.end()))
    return Signals(tuple(name for name in FORMS if name in found), not HIGH.isdisjoint(found))
