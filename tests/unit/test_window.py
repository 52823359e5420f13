"""The conversation window: what is told, what is pruned, and how wide it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidInputError
from engram.llm.base import Role
from engram.loop.tokens import MESSAGE_OVERHEAD, count_tokens
from engram.loop.window import Said, fit, intensity, messages, recency, share

SAID = st.builds(Said, role=st.sampled_from(["user", "assistant"]), text=st.text(max_size=60))


def said(*texts: str) -> list[Said]:
    """Return a conversation from lines like `u: hello`."""
    return [Said(role="user" if text[0] == "u" else "assistant", text=text[3:]) for text in texts]


def talk(exchanges: int, words: int = 10) -> list[Said]:
    """Return a conversation whose turns have so many words each."""
    roles: tuple[Role, Role] = ("user", "assistant")
    return [Said(role=role, text=f"{i} " * words) for i in range(exchanges) for role in roles]


def cost(turns: list[Said] | tuple[Said, ...]) -> int:
    """Return the tokens of some turns."""
    return sum(count_tokens(one.text) + MESSAGE_OVERHEAD for one in turns)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0.0, 0.35), (0.29, 0.35), (0.3, 0.6), (0.5, 0.6), (0.7, 0.6), (0.71, 0.9), (1.0, 0.9)],
)
def test_the_share_follows_the_intensity(level: float, expected: float) -> None:
    """Above 0.7 the window is wide, below 0.3 narrow, and the borders are between."""
    assert share(level) == expected


def test_intensity_is_the_mean_of_the_signals_there_are() -> None:
    """A signal that is missing counts as none, not as low; none at all is the middle."""
    assert intensity() == 0.5
    assert intensity(gate=0.9, emotional=0.7) == pytest.approx(0.8)
    assert intensity(gate=0.9, system2=0.0, goals=0.3, emotional=0.0) == pytest.approx(0.3)
    with pytest.raises(InvalidInputError):
        intensity(gate=1.1)


def test_having_asked_system_2_fades() -> None:
    """It counts fully in the same exchange, half after five, and not at all where it never was."""
    assert [recency(0), recency(5), recency(10), recency(None)] == [1.0, 0.5, 0.25, None]


@given(st.lists(SAID, max_size=30), st.integers(0, 400))
def test_fit_keeps_the_order_the_newest_and_the_limit(turns: list[Said], limit: int) -> None:
    """Oldest first, whole turns, nothing lost: what is kept is within the limit, or is the newest turn alone."""
    result = fit(turns, count_tokens, limit=limit)
    assert [*result.pruned, *result.kept] == turns
    assert bool(result.kept) == bool(turns)
    assert cost(result.kept) <= limit or len(result.kept) == 1
    if cost(turns) <= limit:
        assert not result.pruned
    else:
        assert cost(result.kept) <= 0.8 * limit or len(result.kept) == 1


def test_nothing_is_pruned_within_the_limit() -> None:
    """A conversation that just fits stays whole."""
    turns = talk(5)
    assert fit(turns, limit=cost(turns)).pruned == ()


def test_pruning_makes_room_for_more_than_one_turn() -> None:
    """After pruning, further exchanges fit before any is pruned again."""
    turns = talk(20)
    limit = cost(turns) - 1
    kept = list(fit(turns, limit=limit).kept)
    assert 0.7 * limit < cost(kept) <= 0.8 * limit
    assert fit([*kept, *talk(1)], limit=limit).pruned == ()


def test_the_newest_turn_stays_whole_however_long() -> None:
    """A message that is longer than the limit is still told, alone."""
    turns = [*talk(3), Said(role="user", text="long " * 5_000)]
    assert fit(turns, limit=100).kept == (turns[-1],)


def test_a_reply_does_not_stay_without_its_message() -> None:
    """What is kept begins with the user's turn, so that what is not told was pruned and passes the exit gate."""
    turns = talk(10)
    for limit in range(20, cost(turns)):
        kept = fit(turns, limit=limit).kept
        assert kept[0].role == "user" or len(kept) == 1


@given(st.lists(SAID))
def test_any_messages_are_ones_that_servers_take(turns: list[Said]) -> None:
    """Roles alternate, the first is the user's, and nothing is blank."""
    told = messages(turns)
    roles = [message.role for message in told]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2)
    assert all(message.text.strip() for message in told)


def test_turns_of_one_side_become_one_message() -> None:
    """Turns in a row are joined, blank ones are left out, and a leading reply is too."""
    told = messages(said("a: hi", "u: one", "u:  ", "u: two", "a: three", "u: four"))
    assert [(message.role, message.text) for message in told] == [
        ("user", "one\n\ntwo"),
        ("assistant", "three"),
        ("user", "four"),
    ]
