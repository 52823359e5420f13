"""Identity as it is read from the graph."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.loop.identity import SETTLED, read_identity
from engram.memory import Engram
from engram.testing import FixedClock
from tests.graph.beside import another, run

pytestmark = pytest.mark.graph


def weigh(memory: Engram, text: str, alpha: float, beta: float, **more: object) -> str:
    """Remember a text with this weight, and return its id."""
    held = memory.remember(text).id
    run(memory, "set_properties", id=held, properties={"weight_alpha": alpha, "weight_beta": beta} | more)
    return held


def test_an_empty_space_has_no_identity_yet(memory: Engram) -> None:
    """Before anything is remembered there is nothing to tell, and no density either."""
    identity = read_identity(memory.graph, memory.space)
    assert (identity.immutable, identity.weightiest, identity.memories, identity.density) == ((), (), 0, 0.0)


def test_the_weightiest_are_active_and_mutable(memory: Engram) -> None:
    """Highest centre first; what is immutable stands apart; what is not active is no part of who one is."""
    light = weigh(memory, "light", 1.0, 4.0)
    heavy = weigh(memory, "heavy", 50.0, 2.0)
    middle = weigh(memory, "middle", 30.0, 20.0)
    rule = weigh(memory, "a rule", 1.0, 4.0, immutable=True)
    dormant = weigh(memory, "dormant", 90.0, 1.0)
    run(memory, "set_properties", id=dormant, properties={"status": "dormant"})
    identity = read_identity(memory.graph, memory.space)
    assert [each.id for each in identity.weightiest] == [heavy, middle, light]
    assert [each.id for each in identity.immutable] == [rule]
    assert identity.memories == 4
    assert identity.density == pytest.approx(50 / 52)
    assert identity.weightiest[0].content == "heavy"
    assert [each.id for each in read_identity(memory.graph, memory.space, weightiest=1).weightiest] == [heavy]


def test_another_space_is_no_part_of_it(memory: Engram, clock: FixedClock) -> None:
    """Convictions and rules of another space are neither told nor counted."""
    other = another(memory, clock)
    weigh(other, "theirs", 50.0, 2.0)
    weigh(other, "their rule", 50.0, 2.0, immutable=True)
    mine = weigh(memory, "mine", 1.0, 4.0)
    identity = read_identity(memory.graph, memory.space)
    assert [each.id for each in identity.weightiest] == [mine]
    assert (identity.immutable, identity.memories, identity.density) == ((), 1, 0.0)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(weights=st.lists(st.tuples(st.floats(0.1, 60), st.floats(0.1, 60)), min_size=6, max_size=6))
def test_density_is_the_average_of_the_settled(memory: Engram, weights: list[tuple[float, float]]) -> None:
    """For any weights: the mean centre above 0.7, and the weightiest in order of their centres."""
    for place, (alpha, beta) in enumerate(weights):
        weigh(memory, f"memory {place}", alpha, beta)
    centers = [alpha / (alpha + beta) for alpha, beta in weights]
    settled = [center for center in centers if center > SETTLED]
    identity = read_identity(memory.graph, memory.space, weightiest=4)
    assert identity.density == pytest.approx(sum(settled) / len(settled) if settled else 0.0)
    told = [each.weight_alpha / (each.weight_alpha + each.weight_beta) for each in identity.weightiest]
    assert told == pytest.approx(sorted(centers, reverse=True)[:4])
