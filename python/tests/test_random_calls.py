"""Random calls with outputs, masks, casts and mixed dtypes."""

import pytest
import random_calls


@pytest.mark.parametrize("seed", range(5))
def test_random_calls_match_numpy(seed):
    assert random_calls.drawn(seed, 400) == []
