"""Random programs have NumPy's results."""

import pytest
import random_programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


class Drawn:
    """Choices drawn by hypothesis, which simplifies failing programs."""

    def __init__(self, data):
        self.data = data

    def number(self, low, high):
        return self.data.draw(st.integers(low, high))

    def choice(self, options):
        return self.data.draw(st.sampled_from(options))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), steps=st.integers(1, 25))
def test_programs_of_small_arrays_match_numpy(data, steps):
    random_programs.Program(Drawn(data)).run(steps)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), steps=st.integers(1, 15))
def test_programs_of_tiled_arrays_match_numpy(data, steps):
    random_programs.Program(Drawn(data), random_programs.LARGE).run(steps)
