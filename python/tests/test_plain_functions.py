"""Functions that try a plain call before their code in Python."""

import copy
import functools
import inspect
import pickle
import pydoc

import numpy
import pytest
import weft
import weft.numpy as np


def plain_functions():
    named = [(name, getattr(np, name)) for name in np.__all__] + [(f"linalg.{name}", getattr(np.linalg, name)) for name in np.linalg.__all__]
    return {name: function for name, function in named if isinstance(function, weft._core.Function)}


def test_plain_calls_have_the_first_parameters_of_their_functions():
    functions = plain_functions()
    assert len(functions) > 80
    for name, function in functions.items():
        parameters = list(inspect.signature(function).parameters.values())
        if parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL or name == "einsum":
            parameters = [one for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
            parameters += [parameters[-1]] * (len(function._plain) - len(parameters))
        marks = {inspect.Parameter.POSITIONAL_OR_KEYWORD: "" if name != "einsum" else "/"}
        assert function._plain == [marks.get(one.kind, "/") + one.name for one in parameters[: len(function._plain)]], name


def test_functions_with_plain_calls_behave_like_functions():
    for name, function in plain_functions().items():
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
        assert function.__doc__ and function.__module__.startswith("weft.numpy"), name
        assert getattr(np.linalg if "." in name else np, function.__name__) is function
        assert inspect.isroutine(function) and function.__name__ in repr(function)

    @functools.wraps(np.sum)
    def added(*args, **kwargs):
        return np.sum(*args, **kwargs)

    class Bound:
        total = np.sum

    assert added.__name__ == "sum" and float(added([1.0, 2.0])) == 3.0
    with pytest.raises(TypeError):
        Bound().total(axis=0, dtype="q", wrong=1)
    assert np.amax is np.max and np.concat is np.concatenate
    help_text = pydoc.render_doc(np.sum)
    assert "axis" in help_text and "The sum of all elements" in help_text


KEYWORDS = {
    "sum(a=x)": 1, "sum(x, axis=0)": 1, "sum(axis=1, a=x)": 1, "sum(x, 0, axis=0)": 0, "sum()": 0, "sum(x, wrong=0)": 0,
    "reshape(a=x, shape=6)": 0, "reshape(x, shape=6)": 1, "take(x, indices=[1], axis=1)": 1, "diff(x, axis=0, n=1)": 1,
    "clip(x, a_min=1, a_max=2)": 1, "clip(x, 1)": 0, "where(condition=x, x=1, y=2)": 0, "zeros((2, 3), dtype='i4')": 1,
    "zeros(3, numpy.complex64)": 1, "empty(2, dtype=bool).shape": 1, "concatenate(([x, x]), axis=1)": 1, "concatenate(arrays=[x])": 0,
    "array(object=[1, 2])": 1, "asarray(a=x)": 1, "linspace(0, 1, num=5)": 1, "searchsorted(x[0], v=x[1], side='right')": 1,
    "zeros(-1)": 0, "zeros(2.5)": 0, "zeros((2, 3), dtype='q9')": 0, "percentile(x, q=[5, 50], axis=1)": 1, "trace(x, offset=1)": 1,
    "isclose(x, x + 1e-6, atol=1e-5)": 1, "packbits(x > 2, axis=1)": 1, "pad(x, 1, mode='edge')": 1, "pad(x, 1, mode='wrong')": 0,
    "ones(shape=2)": 1, "vstack(tup=(x, x))": 1, "arange(stop=3)": 1, "arange(1, stop=8, step=2)": 1,
}


@pytest.mark.parametrize("call", KEYWORDS)
def test_keywords_of_plain_calls_match_numpy(call):
    def result(module):
        names = {name: getattr(module, name) for name in module.__all__ if hasattr(module, name)}
        names |= {"numpy": numpy, "x": module.asarray(numpy.arange(6.0).reshape(2, 3))}
        try:
            made = eval(call, names)
        except Exception as error:  # noqa: BLE001 - the kind of error is compared
            return type(error)
        return made if isinstance(made, tuple) else (numpy.asarray(made).tolist(), numpy.asarray(made).dtype)

    ours, theirs = result(np), result(numpy)
    assert ours == theirs
    assert isinstance(ours, tuple) == bool(KEYWORDS[call])
