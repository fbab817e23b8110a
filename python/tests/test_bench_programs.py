"""The benchmark's programs have NumPy's results, at a small size."""

import importlib.util
import pathlib

import numpy
import pytest

PATH = pathlib.Path(__file__).parents[2] / "tests" / "benches" / "programs.py"
SPEC = importlib.util.spec_from_file_location("bench_programs", PATH)
programs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(programs)

SCALE = 0.004


@pytest.fixture(scope="module")
def weft():
    """A process with NumPy's random numbers, which are selected when Weft is imported."""
    with programs.Worker("weft.numpy", WEFT_RANDOM="numpy", WEFT_FALLBACK="error") as worker:
        yield worker


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_program_has_numpys_results(name, weft):
    expected = programs.host(programs.load(name).run(numpy, SCALE))
    weft.run(name, SCALE)
    assert programs.difference(weft.results()[0], expected) is None


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_program_imports_nothing_and_names_its_field(name):
    program, text = programs.load(name), programs.PROGRAMS[name].read_text(encoding="utf-8")
    assert program.__doc__ and ":" in program.__doc__.partition("\n")[0]
    assert not any(line.split()[:1] in (["import"], ["from"]) for line in text.splitlines())
    assert 60 <= len(text.splitlines()) <= 150


def test_differences_are_found():
    one = {"x": numpy.array([1.0, numpy.nan]), "n": numpy.array(3)}
    assert programs.difference(one, one) is None
    others = [{"n": numpy.array(4)}, {"n": numpy.array(3.0)}, {"x": numpy.array([1.0 + 1e-8, numpy.nan])}, {"x": numpy.array([1.0, 2.0])}]
    for other in others:
        assert programs.difference({**one, **other}, one)
    assert programs.difference({"x": one["x"]}, one)
