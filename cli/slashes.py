"""The commands of a conversation: their names, what they mean, and how a line is told to be one."""

import difflib
from dataclasses import dataclass

COMMANDS = {
    "/help": ("", "this list"),
    "/memories": ("[WORDS]", "what came to mind at your last message, or what WORDS find"),
    "/why": ("ID", "what a memory rests on"),
    "/good": ("[NUMBER]", "what your last message was answered from was of use; recall learns from it"),
    "/bad": ("[NUMBER]", "it was of no use"),
    "/note": ("TEXT", "remember this now, as a fact"),
    "/forget": ("ID", "take a memory out of recall (`engram forget --erase` deletes it for good)"),
    "/goals": (
        "[add TEXT | done|drop|incubate|resume|progress|accept|refuse|why ID | block ID [WHY] | list [STATE]]",
        "what is to be reached, the most pressing first; add to it, or say how a goal stands",
    ),
    "/cost": ("", "what the language models cost so far"),
    "/state": ("", "what goes on: attention, window, identity, scratch buffer, restart"),
    "/readiness": ("", "which milestones of a mind were reached, and by what"),
    "/safety": ("", "what the safety rules stopped or noticed"),
    "/sessions": ("", "the conversations of this space, newest first"),
    "/exit": ("", "leave; Ctrl-D does too"),
}
"""Arguments and meaning by name."""

COMPLETIONS = {name: meaning for name, (_, meaning) in COMMANDS.items()} | {
    "/goals add ": "another goal",
    "/goals done ": "a goal is reached",
    "/goals drop ": "a goal is given up",
    "/goals block ": "nothing can be done about a goal for now",
    "/goals incubate ": "a goal is set aside, and stays in mind",
    "/goals resume ": "a goal is gone on with",
    "/goals progress ": "something came of a goal",
    "/goals accept ": "what was found in your words is a goal",
    "/goals refuse ": "it is none, and is not proposed again",
    "/goals why ": "what a goal's priority is made of",
    "/goals list ": "the goals of one state",
}
"""What Tab offers, with what it means."""

LEAVING = frozenset({"/exit", "/quit"})

TYPING = (
    "Enter sends; Alt-Enter, Ctrl-J or a backslash at the end begins another line. "
    "A space before a slash says it instead."
)


@dataclass(frozen=True, slots=True)
class Slash:
    """A line that is a command."""

    name: str
    rest: str


def parse_slash(line: str) -> Slash | None:
    """Return the command in `line`, or None where it is something said.

    A space before the slash says it instead.
    """
    if not line.startswith("/"):
        return None
    name, *rest = line.split(maxsplit=1)
    return Slash(name.lower(), "".join(rest).strip())


def usage(name: str) -> str:
    """Return a command with its arguments and what it means, as one line."""
    arguments, meaning = COMMANDS[name]
    return f"{name} {arguments}: {meaning}" if arguments else f"{name}: {meaning}"


def help_lines() -> list[str]:
    """Return the list of commands."""
    heads = {name: f"{name} {arguments}".strip() for name, (arguments, _) in COMMANDS.items()}
    widest = max(len(head) for head in heads.values() if len(head) < _WIDE)
    return [
        *(f"  {heads[name]:<{widest}}  {meaning}" for name, (_, meaning) in COMMANDS.items()),
        f"  {TYPING}",
    ]


_WIDE = 24
"""Characters of a command with its arguments above which it does not widen the list's first column."""


def unknown(name: str) -> str:
    """Say that there is no such command, and which ones are near."""
    near = [each for each in COMMANDS if len(name) > 1 and each.startswith(name)]
    near = near or difflib.get_close_matches(name, COMMANDS, n=2)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"There is no command {name}.{hint} /help lists them; a space before the slash says it instead."
