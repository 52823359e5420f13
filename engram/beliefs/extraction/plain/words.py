"""Words that patterns know people's statements by, and the form of a name. English."""

import re
import sys
from collections.abc import Mapping
from types import MappingProxyType

UPPER = "".join(each for each in map(chr, range(sys.maxunicode)) if ord(each) < 0x530 and each.isupper())
"""Capital letters of Latin, Greek and Cyrillic."""
_WORD = rf"(?-i:[{UPPER}])[\w&-]*(?:['\u2019](?-i:[{UPPER}])[\w-]*)?\.?(?![\w'\u2019])"
_PARTICLE = r"(?:van|von|de|der|den|del|la|le|of|the|and|&)"
NAME = rf"(?:{_WORD}(?:\s+(?:{_PARTICLE}\s+){{0,2}}{_WORD}){{0,4}})"
"""A pattern of capitalised words, within a pattern that ignores case; no possessive."""
WHOLE = rf"(?![\w'\u2019-]|\s+(?-i:[{UPPER}])[\w'\u2019-])"
"""What a name is followed by where it is whole: neither a possessive nor more of it."""
PERSON = rf"(?:{_WORD}(?:\s+(?:(?:van|von|de|der|den|del|la)\s+){{0,2}}{_WORD}){{0,2}})"


def words(listed: str) -> frozenset[str]:
    """Return the words of a paragraph."""
    return frozenset(listed.split())


def one_of(listed: str) -> str:
    """Return a pattern of words or, joined by `_`, phrases; longer ones first."""
    phrases = sorted((each.replace("_", " ") for each in listed.split()), key=len, reverse=True)
    return rf"(?:{'|'.join(phrases)})"


KIN = one_of(
    "mother father sister brother son daughter child aunt uncle cousin nephew niece grandmother grandfather grandson "
    "granddaughter friend colleague neighbour roommate teacher therapist coach boss landlord doctor husband wife "
    "partner boyfriend girlfriend fianc\xe9 fianc\xe9e fiance fiancee spouse mum mom dad neighbor coworker co-worker "
    "flatmate manager best_friend grandma grandpa gran landlady dentist"
)
KIN_SLOTS: Mapping[str, str] = MappingProxyType(
    {
        word: slot
        for slot, listed in {
            "partner": "husband wife boyfriend girlfriend fianc\xe9 fianc\xe9e fiance fiancee spouse",
            "mother": "mum mom",
            "father": "dad",
            "grandmother": "grandma gran",
            "grandfather": "grandpa",
            "colleague": "coworker co-worker",
            "neighbour": "neighbor",
            "roommate": "flatmate",
            "boss": "manager",
            "friend": "best_friend",
            "landlord": "landlady",
        }.items()
        for word in (each.replace("_", " ") for each in listed.split())
    }
)
"""The slot of a kind of person, where it is not its own."""
PETS = one_of(
    "dog cat puppy kitten rabbit hamster parrot horse pony tortoise turtle goldfish budgie canary ferret guinea_pig lizard "
    "gecko snake labrador poodle terrier retriever beagle dachshund spaniel corgi collie husky"
)
DIETS = one_of("vegetarian vegan pescatarian pescetarian flexitarian")
INTOLERANCES = one_of("lactose gluten fructose histamine")
MARITAL = one_of("married divorced single engaged widowed separated")
OCCUPATIONS = one_of(
    "accountant actor actress architect artist assistant baker barber barista biologist bookkeeper builder butcher "
    "carpenter cashier chef chemist cleaner consultant cook counsellor counselor dancer dentist designer developer director "
    "doctor driver economist editor electrician engineer farmer firefighter gardener geologist hairdresser historian "
    "illustrator interpreter journalist judge lawyer lecturer librarian linguist manager mathematician mechanic midwife "
    "musician novelist nurse optician painter paralegal paramedic pharmacist philosopher photographer physicist "
    "physiotherapist pilot plumber poet policeman policewoman porter postman potter practitioner principal producer professor "
    "programmer psychiatrist psychologist realtor receptionist reporter researcher sailor salesman scientist sculptor "
    "secretary singer solicitor statistician student surgeon surveyor tailor teacher technician therapist translator tutor "
    "veterinarian vet waiter waitress weaver welder writer zoologist analyst administrator adviser advisor apprentice "
    "intern freelancer electrician_apprentice police_officer social_worker civil_servant shop_assistant bus_driver"
)
FIELDS = one_of(
    "accounting anthropology archaeology architecture art astronomy biochemistry biology business chemistry classics "
    "computer_science criminology dentistry design economics education engineering english fashion film finance french "
    "geography geology german graphic_design history journalism law linguistics literature management marketing mathematics "
    "maths math mechanical_engineering electrical_engineering civil_engineering medicine music neuroscience nursing pharmacy "
    "philosophy physics politics psychology sociology software_engineering spanish statistics theology veterinary_medicine "
    "data_science social_work political_science"
)
LANGUAGES = one_of(
    "Afrikaans Albanian Arabic Armenian Basque Bengali Bulgarian Cantonese Catalan Chinese Croatian Czech Danish Dutch English "
    "Estonian Farsi Finnish French Frisian Gaelic Georgian German Greek Gujarati Hebrew Hindi Hungarian Icelandic Indonesian "
    "Irish Italian Japanese Korean Kurdish Latin Latvian Lithuanian Malay Mandarin Norwegian Persian Polish Portuguese "
    "Punjabi Romanian Russian Serbian Slovak Slovenian Somali Spanish Swahili Swedish Tagalog Tamil Telugu Thai Turkish "
    "Ukrainian Urdu Vietnamese Welsh Yoruba Zulu"
)
SKILLS = one_of(
    "swim play cook bake code program drive ski surf sing dance juggle sew knit crochet type ride draw paint fly sail climb "
    "skate weld speak read_music touch_type whistle dive row fence box cycle garden"
)
PLAYED = one_of(
    "piano guitar violin cello viola drums flute clarinet saxophone trumpet trombone harp ukulele banjo accordion organ bass "
    "keyboard recorder oboe chess tennis football soccer basketball volleyball badminton squash golf hockey cricket rugby "
    "poker bridge table_tennis"
)
CARS = one_of(
    "Volvo Tesla Toyota Honda Ford Fiat Skoda Seat Opel Renault Peugeot Citroen Citro\xebn BMW Audi Mercedes Volkswagen VW "
    "Nissan Mazda Kia Hyundai Suzuki Subaru Dacia Mini Jeep Porsche Lexus Chevrolet Saab Polestar Cupra Vauxhall Mitsubishi"
)
PHONES = one_of("iPhone Pixel Galaxy Fairphone OnePlus Xiaomi Motorola Nokia Samsung Huawei Oppo Sony_Xperia")
DIGITAL = words(
    "linux windows mac macos android ios github gitlab notion python rust java postgres mysql slack teams zoom discord "
    "signal whatsapp telegram firefox chrome safari gmail outlook spotify netflix obsidian vim emacs ubuntu debian fedora "
    "neo4j docker kubernetes aws azure typescript javascript"
)
"""What people move to as well, and do not live in."""
NO_NAMES = words(
    "i me we he she it they you this that these those there here who what when where why how which everyone everybody someone "
    "somebody anyone anybody nobody nothing something everything one mom mum dad mother father grandma grandpa today tomorrow "
    "yesterday work school dinner lunch breakfast life love god man people music food home thanks yes no not never always now "
    "then also and but or so because if the a an my your his her our their its all both each most some many much any being "
    "having getting going doing well ok okay please maybe perhaps monday tuesday wednesday thursday friday saturday sunday "
    "january february march april may june july august september october november december christmas easter before after since "
    "until when while during in on at for from with without about as by to of"
)
"""Words that begin with a capital somewhere and name nobody."""
MONTHS = one_of(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep "
    "sept oct nov dec"
)


_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen"),
    *("fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_UNITS)}))?|{'|'.join((*_TEENS, *_UNITS))})\b"
"""A pattern of numbers below a hundred, in words."""


def number(said: str) -> int | None:
    """Return the number that words say, 1 to 99; None for other words."""
    values = dict(zip((*_UNITS, *_TEENS), range(1, 20), strict=True)) | {
        each: 10 * tens for tens, each in enumerate(_TENS, start=2)
    }
    parts = said.casefold().replace("-", " ").split()
    return sum(values[each] for each in parts) if parts and all(each in values for each in parts) else None


def is_name(text: str) -> bool:
    """Say whether capitalised words name somebody or something."""
    said = text.replace(".", "").casefold().removeprefix("the ").split()
    return bool(said) and said[0] not in NO_NAMES and "i" not in said


def pattern(source: str) -> re.Pattern[str]:
    """Return a pattern that ignores case, but within names."""
    return re.compile(source, re.IGNORECASE)
