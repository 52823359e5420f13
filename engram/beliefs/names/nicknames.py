"""Tables of names: short forms of given names, given names, titles, and words that no person's name ends with.

They are small on purpose: a name that is missing makes two names stay apart until somebody says that they are one,
and that is the harmless mistake. Given names that are as much places, months or things (Paris, May, Rose) are left out.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

_SHORT_FORMS = """
abigail abby gail
albert al bert bertie
alexander alex sasha xander sandy
alexandra alex sasha sandra lexi
alfred al fred alfie
andrew andy drew
anna annie anni
anne annie
annika anni
anthony tony
antonio toni tony
barbara barb barbie babs
benjamin ben benny benji
catherine cathy cat kate katie
charles charlie chuck chas
charlotte charlie lottie
christian chris
christina chris chrissy tina
christine chris chrissy
christopher chris kit topher
daniel dan danny
david dave davey
deborah deb debbie
donald don donny
dorothy dot dottie dolly
edward ed eddie ned ted teddy
eleanor ellie nora nell
elizabeth liz lizzie beth betty betsy eliza lisa libby
emily em emmy
emma em emmy
eugene gene
felix fe
florian flo
francis frank frankie
frances fran franny frankie
franziska franzi
frederick fred freddie
friedrich fritz
gabriel gabe
gabriella gabby ella
gerald gerry jerry
gregory greg
hannelore hanne lore
harold harry hal
heinrich heinz heiner
henry harry hank hal
isabella bella izzy
jacob jake
jacqueline jackie
james jim jimmy jamie
janet jan
jeffrey jeff
jennifer jen jenny
jessica jess jessie
johannes hannes jo
john johnny jack
jonathan jon jonny
joseph joe joey
josephine jo josie
joshua josh
judith judy
julia jules
karl kalle
katherine kate katie kathy kat kay
katharina kathi kat
kenneth ken kenny
kimberly kim
lawrence larry
leonard leo len lenny
leonardo leo
louis lou louie
lucas luke
margaret maggie meg peggy marge
maria mia
martin marty
matthew matt matty
matthias matze
maximilian max
melissa mel
melanie mel
michael mike mick mickey
michelle shelly
mikhail misha
nathan nate
nathaniel nate nat
nicholas nick nicky
nicole nicky nikki
oliver ollie
olivia liv livvy
pamela pam
patricia pat patty trish tricia
patrick pat paddy
peter pete
philip phil pip
rachel rach
raymond ray
rebecca becca becky
richard rick ricky dick rich richie
robert rob robbie bob bobby bert
ronald ron ronnie
samantha sam
samuel sam sammy
sandra sandy
sarah sally
sebastian seb basti
sophia sophie
stephanie steph
stephen steve stevie
steven steve stevie
susan sue susie
theodore ted teddy theo
theresa tess terry
thomas tom tommy
timothy tim timmy
tobias tobi
valerie val
veronica ronnie
victor vic
victoria vicky tori
vincent vince vinny
virginia ginny
vladimir vova
walter walt wally
wilhelm willi willy
william will bill billy willy liam
winifred winnie
yekaterina katya
zachary zach zack
"""

_OTHERS = """
aaron adam ahmed aisha akira alan alice aline amara amir amy anders andrea andreas angela anita anja anton antonia
arjun arne astrid ayse bastian bea beatrice birgit bjorn boris brian bruno camille carla carlos carmen caroline cecilia
cem chloe claire claudia clara cora daria deepa diana diego dieter dimitri dirk dmitri eduardo elena elias elif elin
ella elsa emil emilia emre enzo erik erika esra esther eva eve fabian fatima fatma felicia fiona finn frieda gemma
george gerd gisela giulia grace greta guido gustav hanna hannah hans harriet hassan heidi helen helena helga hiroshi
holger hugo ibrahim ida igor ines inga ingrid irene iris ivan ivy jan jana jane jasmin jason javier jean jens jessie
joanna johan jonas jorge jose juan juliana julian jun jurgen kai kaito karen karin karsten katja kavya keiko kenji
kerstin khadija klara klaus kofi laila lara lars laura lea leah lena lenka leonie levi lian lily lin lina linda linus
lisa livia lorenzo louise luca lucia lucy luis luisa lukas lydia magda mai malik manuel marc marcel marco marcus maren
mariam marie marina mario marion mark marta martha mary marlene mateo mats maya mehmet mei mercy miguel mila milan mina
miriam mohammed mona monika moritz mustafa nadia naomi natalia natalie nele nikita nikolai nils nina noa noah noor noora
nour olaf olga omar oscar otto owen pablo paolo patrik paul paula pauline pedro penny petra philippa pia pierre pilar
priya quentin rafael rahul ralf ravi regina renate rhea rita robin rohan rolf roman rosa ruben ruth ryan salma salman
sanjay sara selma sergei shreya sigrid silke simon simone sofia sofie sonja stefan stella sunita svenja sven sylvia
tamara tanja tara tariq tatiana thea thorsten tilda till tom tomas udo ulrike ursula uwe vera viktor viola vivian
wanda wei wolfgang xavier yara yasmin ying yolanda yuki yusuf yves zainab zara zeynep zoe
"""

_THINGS = """
academy airport album app association avenue band bank bar beach bridge building cafe cathedral center centre church
city club college company conference county district exhibition falls festival film foundation garden gardens gmbh
group hall hospital hotel house inc institute island kitchen lab lake library limited ltd magazine market marathon
metro mountain museum office orchestra palace park philharmonic plaza press prize project pub railway restaurant river
road school shop square stadium station store street studio team theatre theater times tower university valley watch
"""

THINGS = frozenset(_THINGS.split())
"""What has one of these in its name is no person."""

TITLES: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("mr", "mister", "sir", "lord", "uncle", "herr"), "m")
    | dict.fromkeys(("mrs", "ms", "miss", "lady", "dame", "madam", "madame", "aunt", "auntie", "frau"), "f")
    | dict.fromkeys(("dr", "doctor", "prof", "professor", "rev", "captain"), "")
)
"""Titles before a name, and whose they are where they say that."""

DEGREES = frozenset({"phd", "md", "msc", "bsc", "mba", "esq"})
SUFFIXES: Mapping[str, str] = MappingProxyType(
    {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr", "ii": "ii", "iii": "iii", "iv": "iv"}
)
"""What tells a father from a son."""


def _groups() -> Mapping[str, frozenset[int]]:
    groups: dict[str, set[int]] = {}
    for place, line in enumerate(_SHORT_FORMS.split("\n")):
        for form in line.split():
            groups.setdefault(form, set()).add(place)
    return MappingProxyType({form: frozenset(places) for form, places in groups.items()})


FORMS = _groups()
"""For each given name and short form, the names (by the place in the table) that it may stand for."""
GIVEN_NAMES = frozenset(FORMS) | frozenset(_OTHERS.split())


def may_be_short_for(one: str, other: str) -> bool:
    """Return whether two given names, lower case, can be one: one is the other's short form, or both are a third's."""
    return one != other and not FORMS.get(one, frozenset()).isdisjoint(FORMS.get(other, frozenset()))


def short_form_behind(words: Sequence[str]) -> bool:
    """Return whether a run of capitalised words ends with a short form of its first, as in `call Robert Miller Bob`."""
    return len(words) > 1 and may_be_short_for(words[0].casefold(), words[-1].casefold())
