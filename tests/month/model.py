"""A language model with a script: it answers as a plain-spoken one would, out of what it is shown."""

import json
import re

from engram.llm import Models
from engram.testing import Asked, ScriptedModel

NAME = "scripted-month"
_LINE = re.compile(
    r"^(?:theme )?(\d+)[.:]? (?:\d{4}-\d\d-\d\d )?(?:[^:]{1,40}: )?(?P<text>.+)$", re.MULTILINE
)
_THOUGHT = re.compile(r"<thought>\n(?P<text>.+)\n</thought>")
_GROUP = re.compile(r"^(?P<number>\d+)[.:]? (?P<first>[^|\n]+)", re.MULTILINE)


def models() -> Models:
    """Return who answers in conversations and who is asked quietly."""
    return Models(system1=ScriptedModel(respond=_reply, name=NAME), quiet=None)


def quiet_models() -> Models:
    """Return who jobs ask."""
    return Models(
        system1=ScriptedModel(respond=_reply, name=NAME), quiet=ScriptedModel(respond=_shaped, name=NAME)
    )


def _reply(asked: Asked) -> str:
    """Think a thought through, or answer shortly."""
    text = asked.messages[-1].text
    if (thought := _THOUGHT.search(text)) is not None:
        return f"It may be worth coming back to this: {thought['text'][:120]}"
    return "I see, thank you for telling me." if "?" not in text else "Here is what I remember of that."


def _shaped(asked: Asked) -> str:
    shape = asked.shape.__name__.removeprefix("_") if asked.shape else ""
    text = asked.messages[-1].text
    lines = [found["text"] for found in _LINE.finditer(text)]
    match shape:
        case "Questions":
            answer: object = {"questions": ["What does Noor care about?", "What is Noor busy with?"]}
        case "Insights" if len(lines) > 1:
            insight = f"For Noor two things go together: {lines[0][:90]}; {lines[1][:90]}"
            answer = {"insights": [{"text": insight, "memories": [1, 2]}]}
        case "Narratives" if len(lines) > 2:
            story = f"I came to see that {lines[0][:80]} because of {lines[1][:80]} and {lines[2][:80]}"
            answer = {"narratives": [{"theme": 1, "text": story, "memories": [1, 2]}]}
        case "Merges":
            answer = {
                "merges": [
                    {"group": int(found["number"]), "text": found["first"].strip()}
                    for found in _GROUP.finditer(text)
                ]
            }
        case _:
            answer = {}
    return json.dumps(answer)
