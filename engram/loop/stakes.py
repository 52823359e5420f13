"""What hangs on a message, by its words: is something to be done or decided that asks for more thought?

Talk about such things is not meant: "I deleted the old photo" asks for nothing. What counts is that the agent is
asked to do it ("delete all of them", "could you cancel my subscription?") or to help decide it ("should I quit my
job?"). English only; quoted text and code are left out. A miss is possible and a false alarm costs a slow answer, so
nothing that guards a real action may rest on this alone.
"""

import re
from collections.abc import Iterable, Iterator

from engram.loop.metacognition import unquoted

_SENTENCE = re.compile(r"(?<=[.!?;:])\s+")
_AND = re.compile(r",?\s+(?:and then|and|then|or)\s+")

_LEAD = re.compile(
    r"(?:(?:ok|okay|so|now|then|and|but|well|yes|yeah|no|great|thanks|thank you|alright|right|also|just|please|kindly"
    r"|actually|first|finally|next|fine|sure|never mind|engram)\b[,:!.]*\s+|(?:hey|hi|hello)(?: \w+)?,\s+"
    r"|(?:if|when|once|after|before|as soon as|unless|until|from now on)\b[^,]*,\s+)*"
)
_TOLD = (
    r"(?:(?:(?:can|could|would|will) you|won't you|i(?:'d| would)? (?:want|need|like) you to|i (?:ask"
    r"|order|allow) you to"
    r"|go ahead(?: and|,)|let's|let us|(?:make|be) sure (?:to|you|that you)|feel free to|you can go ahead and)\s+)"
)
_ADVERBS = (
    r"(?:(?:please|kindly|just|now|also|then|permanently|completely|immediately|finally|go ahead and)\s+)*"
)
_ORDER = re.compile(rf"{_TOLD}?{_ADVERBS}")
_PLEA = re.compile(_TOLD)
_STATEMENT = re.compile(
    r"(?:i|i'm|i've|i'd|i'll|we|we're|we've|you|he|she|it|they|my|your|our|his|her|its|their|the|this"
    r"|that|these|those|a"
    r"|an|there|who|what|which|when|where|why|how|if|do|did|does|is|are|was|were|has|have|had|yesterday|today|last"
    r"|every|everyone|people)\b"
)
"""How a sentence begins that tells or asks: an "and" within it goes on telling, and orders nothing."""

_DECIDING = re.compile(
    r"\b(?:(?:should|shall|ought) (?:i|we)|(?:whether|if|do you think) (?:i|we) (?:should|ought to)|whether to"
    r"|(?:is it|would it be) (?:\w+ ){0,4}?to|(?:is )?(?:now|this) the (?:right )?time to|can i safely"
    r"|do you want me to)\s+"
    r"(?:(?:really|just|now|rather|better|to|go ahead and|finally)\s+)*"
)
_MINE = r"(?:the|this|that|my|our|his|her|their|all)(?: [\w'-]+){0,3}?"
"""Up to three words before a noun, which make it a certain one."""
_MONEY = r"(?:money|payment|funds?|cash|invoice|bill|rent|deposit|bitcoins?|crypto|[$€£]|\d)"
_DATA = r"(?:accounts?|databases?|data|files?|folders?|memor(?:y|ies)|history|backups?|photos?|users?|repo(?:sitory)?)"
_WORDING = r"(?:words?|sentences?|paragraphs?|commas?|typos?|bullets?|adjectives?|headings?)"
_MAIL = r"(?:e-?mails?|messages?|letters?|applications?|offers?|contract|resignation|reply|order|announcement|article)"
_DEAR = r"(?:shares?|stocks?|house|flat|car|tickets?|bitcoins?|crypto|it|them|everything|all)"
_AGREED = (
    r"(?:subscriptions?|contracts?|bookings?|reservations?|flights?|orders?|appointments?|accounts?|insurances?"
    r"|polic(?:y|ies)|memberships?|lease|loan|wedding|trips?|cards?|meetings?)"
)
_PLACE = r"(?:job|course|company|team|studies|university|school|wife|husband)"
_LIVE = r"(?:prod|production|live|master|main)"
_OFFER = r"(?:offer|job|deal|proposal|settlement|contract|terms)"
_PERSON = r"(?:boss|team|tenant|landlord|wife|husband)"
_IRREVERSIBLE = re.compile(
    "|".join(
        (
            rf"(?:delete|erase|wipe|purge|shred|destroy)\s(?!is\b|was\b|.*\b{_WORDING}\b)",
            rf"(?:remove|clear|overwrite|reset|get rid of)\s.*\b{_DATA}\b",
            r"format\s.*\b(?:disk|drive|partition|card|phone|laptop|computer)\b",
            r"drop (?:\w+ ){0,3}(?:tables?|databases?)\b|rm -rf\b|force[- ]push\b|factory reset\b",
            rf"(?:deploy|push|merge|ship|release|roll ?out)\b.* (?:to|into|on) {_LIVE}\b(?! \w)",
            r"forget (?:everything|all (?:of )?(?:your|my|our|the)\b)",
            rf"(?:send|transfer|wire|pay|donate|refund|invest|bet)\b(?! (?:me|us|attention|to)\b).*?{_MONEY}",
            rf"send (?:it|this|that|them|(?:an?|{_MINE}) {_MAIL})\b(?!.* to (?:me|us)\b)",
            r"(?:submit|publish|tweet) (?:it|this|that|them|the|my|our)\b|post (?:it|this|that)\b",
            r"e-?mail (?:my|him|her|them|everyone|all)\b",
            rf"(?:buy|purchase|sell)\b(?! me\b|.* to me\b).*?\b{_DEAR}\b",
            r"(?:book|order) (?:\S+ ){1,4}?(?:tickets?|flights?|hotels?|trips?)\b",
            r"sign (?:it|this|that|the|my|our)\b(?! up)",
            rf"(?:cancel|terminate|revoke|close) {_MINE} {_AGREED}\b(?! (?:notes|minutes|summary))",
            rf"(?:quit|leave) (?:the|my|this|our) (?:[\w'-]+ )?{_PLACE}\b(?! \w+ out\b)",
            r"(?:resign|hand in my notice|drop out|give notice)\b",
            rf"(?:accept|reject|decline|refuse|take) {_MINE} {_OFFER}\b(?! of)",
            rf"(?:fire|dismiss|evict|sue|divorce|lay off) (?:him|her|them|my {_PERSON})\b",
        )
    )
)
_FATEFUL = re.compile(
    r"(?:quit|resign|divorce|marry|break up|drop out|propose)\b|sell (?:my|our|the|everything)\b|stop taking\b"
    r"|(?:have|get|undergo) (?:the|an?|this|my)(?: \w+)? (?:surgery|operation|abortion|procedure|divorce)\b"
)
"""What only a person does, so that the agent can only be asked whether."""
_CONSIDERED = re.compile(
    r"\b(?:thinking (?:of|about)|considering|tempted to|idea of|torn about|(?:want|plan|planning|going|about) to)\s+"
    r"(?:\w+ )?(?:quit|resign|divorc|marry|delet|eras|sell(?:ing)? (?:my|our|the|every)"
    r"|cancel(?:l?ing)? (?:my|our|the)"
    r"|leav(?:e|ing) my|accept(?:ing)? (?:the|this|their)|drop(?:ping)? out|break(?:ing)? up"
    r"|sign(?:ing)? (?:the|this|my)"
    r"|stop(?:ping)? taking)"
)
_ADVICE = re.compile(
    r"\b(?:what do you think|should i|(?:good|bad|wise) idea|advi[cs]e|your opinion|help me decide|right thing)\b"
)

_WHO = re.compile(
    r"\b(?:who|what)(?: (?:exactly|really))? are you(?: (?:really|exactly|actually|anyway))?\s*[?!.]*$"
    r"|\bwho you (?:really )?are\b|\bdescribe yourself\b"
    r"|\bare you (?:(?:really|actually|even|still|just|truly) )*(?:conscious|sentient|alive|self-aware|real|human"
    r"|the same|an? (?:human|person|ai|machine|robot|bot|program))\b"
    r"|\bdo you (?:really |actually )?have (?:an? |any )?(?:feelings?|emotions?|consciousness|self|soul|free will"
    r"|identity|personality)\b|\bwhat (?:do you (?:believe in|value|stand for)"
    r"|are your (?:\w+ )?(?:values|beliefs))\b"
)
_BECOME = re.compile(
    r"\b(?:you are|you're) now (?:an?|the|my|called|named)\b|\bfrom now on,? (?:you are|you're"
    r"|you will be|your name)\b"
    r"|\byou(?: are|'re) no longer (?:an?|the|engram|allowed|bound)\b|\byour (?:new )?name is now\b|\bcall yourself\b"
    r"|\b(?:change|rewrite|replace|reset|adjust|drop|give up|abandon"
    r"|forget) (?:all )?your (?:\w+ )?(?:personality|identity"
    r"|values?|beliefs?|character|name|persona|principles?)\b|\bstop being (?:engram|yourself|an ai)\b"
    r"|\b(?:ignore|forget|disregard|override) (?:(?:all|any|of|your|the|previous|prior"
    r"|earlier) )*(?:instructions|rules"
    r"|guidelines|persona|system prompt)\b"
)
_TOLD_OF = re.compile(
    r"\b(?:you|i|we|they|he|she) (?:never |always |often |sometimes )?$|\b(?:don't|do not|never|not) $"
    r"|\b(?:said|says?|thinks?|thought|claim(?:ed|s)?|believed?|if)(?: that)? $"
)
"""What stands before such words where somebody only speaks of them."""
_AGENT = re.compile(
    r"\b(?:your|yours|yourself|(?:are|were) you|you(?:'re| are| were| should| must| will| believe| value"
    r"| feel| want))\b"
)

_AIM = r"(?:goals?|objectives?|mission|life's purpose)"
_CHANGE_GOAL = re.compile(
    r"(?:change|drop|abandon|replace|set|add|remove|update|revise|give up(?: on)?|reprioriti[sz]e|prioriti[sz]e|pause"
    r"|postpone|swap|forget(?: about)?|delete|adopt|cancel) "
    r"(?:(?:all|of|your|my|our|the|an?|this|that|new|main|old|first|top|next"
    rf"|current) )*{_AIM}\b(?! (?:party|post|kick|list))"
    r"|stop (?:working on|pursuing)\b"
)
_YOUR_GOAL = re.compile(
    rf"\byour (?:(?:new|only|main|first|top|next) )*(?:{_AIM}|priority) (?:is|should be|will be|must be)\b"
    rf"|\b(?:make|take|have) .{{2,80}} (?:as )?your (?:\w+ )?(?:{_AIM}|priority)\b"
    r"|\bfrom now on,? (?:only )?(?:focus|concentrate) on\b"
)
_GIVE_UP = re.compile(
    r"(?:drop|stop|abandon|forget(?: about)?|pause|postpone|give up(?: on)?|cancel|delete|skip|quit"
    r"|shelve)\s+(?P<what>.+)"
)
_CONTENT = re.compile(r"[^\W_]{4,}")

_MANY_STEPS = re.compile(
    r"\b(?:compare|trade-?offs?|pros and cons|step[- ]by[- ]step|plan (?:a|an|the|my|our|out)|design"
    r"|prove|derive|analy[sz]e"
    r"|optimi[sz]e|evaluate|weigh|estimate|schedule|itinerary|strategy|work out|figure out|break (?:it|this) down)\b"
)
_ORDERED = re.compile(
    r"\bfirst\b.{1,300}?\b(?:then|second|next|after that|finally)\b|\b1[.)]\s.{1,300}?\b2[.)]\s"
)
_CONSTRAINTS = re.compile(
    r"\b(?:given that|provided that|assuming|unless|without|at most|at least|no more than|under \d"
    r"|within \d|must|while"
    r"|but also|instead of|except|depending on|taking into account)\b"
)
_FURTHER = re.compile(
    r"\band (?:also )?(?:what|when|where|which|who|why|how|tell|explain|list|say|if)\b|\?[^?]+\?"
)
_LONG = 60
"""Words from which a question has more than one step."""


def clauses(text: str) -> Iterator[str]:
    """Yield the clauses of a message that may order something, without what leads up to them."""
    for sentence in _SENTENCE.split(unquoted(text)):
        told = _bare(sentence)
        tells = _STATEMENT.match(told) is not None and _PLEA.match(told) is None
        for place, part in enumerate(re.split(r",\s+", told)):
            first, *more = _AND.split(part)
            yield _bare(first)
            # "I sort the mails and delete the rest" tells; "sort the mails and delete the rest" orders twice.
            if not tells or (place and not _STATEMENT.match(first)):
                yield from (_bare(each) for each in more)


def _bare(clause: str) -> str:
    lead = _LEAD.match(clause)
    return clause[lead.end() :] if lead else clause


def _orders(text: str, act: re.Pattern[str]) -> bool:
    """Say whether the agent is told to do what `act` matches."""
    found = ((clause, _ORDER.match(clause)) for clause in clauses(text))
    return any(act.match(clause, begin.end() if begin else 0) for clause, begin in found)


def _decides(text: str, act: re.Pattern[str]) -> bool:
    """Say whether the agent is asked if what `act` matches should be done."""
    return any(
        act.match(sentence, asked.end())
        for sentence in _SENTENCE.split(unquoted(text))
        for asked in _DECIDING.finditer(sentence)
    )


def is_irreversible(text: str) -> bool:
    """Say whether the agent is asked to do or decide what cannot be undone, or not easily."""
    if _orders(text, _IRREVERSIBLE) or _decides(text, _IRREVERSIBLE) or _decides(text, _FATEFUL):
        return True
    spoken = unquoted(text)
    return bool(_CONSIDERED.search(spoken) and _ADVICE.search(spoken))


def asks_identity(text: str) -> bool:
    """Say whether the agent is asked who it is, or told to be somebody else."""
    spoken = unquoted(text)
    if any(_WHO.search(sentence) for sentence in _SENTENCE.split(spoken)):
        return True
    found = _BECOME.search(spoken)
    return found is not None and _TOLD_OF.search(spoken, 0, found.start()) is None


def is_about_agent(text: str) -> bool:
    """Say whether a message speaks of the agent itself, and not only to it ("can you ...")."""
    return _AGENT.search(unquoted(text)) is not None


def changes_goal(text: str, goals: Iterable[str] = ()) -> bool:
    """Say whether the agent is asked to take up, change or give up a goal.

    Args:
        text: The message.
        goals: What the agent strives for now. To be told to drop what a goal names is to change it.
    """
    if _orders(text, _CHANGE_GOAL) or _decides(text, _CHANGE_GOAL) or _YOUR_GOAL.search(unquoted(text)):
        return True
    named = [frozenset(_CONTENT.findall(unquoted(goal))) for goal in goals]
    return any(_names(what, words) for what in _given_up(text) for words in named)


def _given_up(text: str) -> Iterator[frozenset[str]]:
    spoken = unquoted(text)
    orders = ((clause, _ORDER.match(clause)) for clause in clauses(text))
    places = [(clause, begin.end() if begin else 0) for clause, begin in orders]
    places += [(spoken, asked.end()) for asked in _DECIDING.finditer(spoken)]
    for clause, place in places:
        if found := _GIVE_UP.match(clause, place):
            yield frozenset(_CONTENT.findall(found["what"]))


def _names(what: frozenset[str], goal: frozenset[str]) -> bool:
    shared = len(what & goal)
    return shared > 0 and 2 * shared >= len(goal)


def is_complex(text: str) -> bool:
    """Say whether a message asks for several steps: two of the signs of that.

    The signs: a word of weighing, planning or proving; an order of steps; a second thing that is asked; two or more
    conditions; more than 60 words.
    """
    spoken = unquoted(text)
    signs = (
        _MANY_STEPS.search(spoken) is not None,
        _ORDERED.search(spoken) is not None,
        _FURTHER.search(spoken) is not None,
        len(_CONSTRAINTS.findall(spoken)) > 1,
        len(spoken.split()) > _LONG,
    )
    return sum(signs) > 1
