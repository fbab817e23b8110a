"""Universal functions and their methods on edge values of every dtype."""

import edge_values
import pytest


@pytest.mark.parametrize("part", range(8))
def test_functions_match_numpy_on_all_edge_values(part):
    calls = list(edge_values.every())[part::8]
    assert [one for one in map(lambda call: edge_values.difference(*call), calls) if one] == []


@pytest.mark.parametrize("seed", range(4))
def test_drawn_calls_match_numpy_on_edge_values(seed):
    assert edge_values.drawn(seed, 500) == []
